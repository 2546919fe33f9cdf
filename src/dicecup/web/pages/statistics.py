"""My games, and what they say: mean, best, the course of the scores, points per box."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from statistics import fmean

from markupsafe import Markup

from dicecup.i18n.language import Language
from dicecup.i18n.names import game_name
from dicecup.rules.model import Ruleset
from dicecup.storage.rows import MatchLine, Result
from dicecup.web.pages.charts import bars, course
from dicecup.web.pages.names import line_names, player_name
from dicecup.web.service.opening import game_rules


@dataclass(frozen=True, slots=True)
class GameLine:
    id: str
    game: str
    names: str
    day: str
    begun: bool
    finished: bool


@dataclass(frozen=True, slots=True)
class Statistics:
    """One player's results in one game."""

    game: str
    name: str
    count: int
    mean: float
    best: int
    worst: int
    wins: int
    against: int  # how many of the games had other players
    course: Markup
    boxes: Markup


def my_games(lines: list[MatchLine], language: Language) -> list[GameLine]:
    return [
        GameLine(
            id=line.id,
            game=game_name(game_rules(line.ruleset), language.code),
            names=", ".join(player_name(name, language) or "…" for name in line.names),
            day=line.created[:10],
            begun=line.begun,
            finished=line.finished is not None,
        )
        for line in lines
    ]


def statistics(results: list[Result], language: Language) -> list[Statistics]:
    """The most played first."""
    groups: dict[tuple[str, str], list[Result]] = defaultdict(list)
    for result in results:
        groups[result.ruleset, result.name].append(result)
    ordered = sorted(groups.items(), key=lambda group: -len(group[1]))
    return [one(ruleset, name, found, language) for (ruleset, name), found in ordered]


def one(ruleset: str, name: str, results: list[Result], language: Language) -> Statistics:
    rules = game_rules(ruleset)
    points = [result.points for result in results]
    return Statistics(
        game=game_name(rules, language.code),
        name=name,
        count=len(results),
        mean=fmean(points),
        best=max(points),
        worst=min(points),
        wins=sum(result.place == 1 for result in results if result.players > 1),
        against=sum(result.players > 1 for result in results),
        course=course(points, language.gettext("Points, game after game"), language.gettext("games")),
        boxes=bars(box_means(rules, results, language), language.gettext("Mean points per box")),
    )


def box_means(rules: Ruleset, results: list[Result], language: Language) -> list[tuple[str, float]]:
    """Every box with its mean; columns are taken together."""
    sums: dict[str, list[int]] = defaultdict(list)
    for result in results:
        sheet = json.loads(result.sheet)
        for part in sheet.values() if rules.has_columns else [sheet]:
            for box, points in part.items():
                sums[box].append(points)
    names = line_names(rules, language)
    return [(names[box.id][0], fmean(sums[box.id])) for box in rules.boxes if sums[box.id]]
