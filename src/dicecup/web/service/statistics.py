"""Statistics of a player's results as ids and numbers, for the page of my games and for the API."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from statistics import fmean

from dicecup.coach.review import Rating, rating_of
from dicecup.rules.model import Ruleset
from dicecup.storage.rows import Result, Verdict
from dicecup.web.service.opening import game_rules

Verdicts = Mapping[tuple[str, int], Verdict]  # by match and seat


@dataclass(frozen=True)
class Statistics:
    """One player's results in one game with the same options, the oldest first, and their verdicts."""

    rules: Ruleset
    name: str
    results: list[Result]
    judged: list[tuple[Result, Verdict]]

    @property
    def verdicts(self) -> list[Verdict]:
        return [verdict for _, verdict in self.judged]

    @property
    def mean(self) -> float:
        return fmean(result.points for result in self.results)

    @property
    def against(self) -> int:
        """How many of the games had other players."""
        return sum(result.players > 1 for result in self.results)

    @property
    def wins(self) -> int:
        return sum(result.place == 1 for result in self.results if result.players > 1)

    @property
    def mean_luck(self) -> float:
        return fmean(verdict.luck for verdict in self.verdicts)

    @property
    def mean_skill(self) -> float:
        return fmean(verdict.skill for verdict in self.verdicts)

    @property
    def error_rate(self) -> float:
        return fmean(verdict.error_rate for verdict in self.verdicts)

    @property
    def rating(self) -> Rating:
        """The rating of all decisions together. Expected score plus luck and skill gives the points."""
        expected = fmean(result.points - found.luck - found.skill for result, found in self.judged)
        return rating_of(self.error_rate, expected / self.rules.turns)

    @cached_property
    def boxes(self) -> dict[str, float]:
        """The mean points of each box; columns are taken together."""
        points: dict[str, list[int]] = defaultdict(list)
        for result in self.results:
            sheet = json.loads(result.sheet)
            for part in sheet.values() if self.rules.has_columns else [sheet]:
                for box, written in part.items():
                    points[box].append(written)
        return {box.id: fmean(points[box.id]) for box in self.rules.boxes if points[box.id]}


@lru_cache(maxsize=1000)
def rules_of(game: str, identity: str) -> Ruleset:
    """The rules that a game was played with; the default options if the rules have changed since."""
    usual = game_rules(game)
    for values in product(*usual.choices.values()):
        rules = game_rules(game, dict(zip(usual.choices, values, strict=True)))
        if rules.identity == identity:
            return rules
    return usual


def statistics(results: list[Result], verdicts: Verdicts) -> list[Statistics]:
    """One for each game with its options and each name; the most played first."""
    groups: dict[tuple[str, Ruleset, str], list[Result]] = defaultdict(list)
    for result in results:
        groups[result.ruleset, rules_of(result.ruleset, result.identity), result.name].append(result)
    found = []
    for (_game, rules, name), mine in sorted(groups.items(), key=lambda group: -len(group[1])):
        places = [(result, verdicts.get((result.match, result.seat))) for result in mine]
        judged = [(result, verdict) for result, verdict in places if verdict]
        found.append(Statistics(rules, name, mine, judged))
    return found
