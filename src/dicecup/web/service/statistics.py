"""Results of a finished game, and statistics of a player's results, as ids and numbers for pages and API."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from statistics import fmean

from dicecup.coach.review import Rating, rating_of
from dicecup.dice import format_dice, layer_faces
from dicecup.engine.legality import cell_of
from dicecup.engine.play import scored_layers
from dicecup.engine.record import Record
from dicecup.engine.sheet_data import sheet_to_data
from dicecup.engine.state import Score, standings
from dicecup.rules.loader import load_without_files
from dicecup.rules.model import Ruleset
from dicecup.storage.stored import BestRoll, Result, Verdict

Verdicts = Mapping[tuple[str, int], Verdict]  # by match and seat


def final_results(record: Record, finished: str) -> list[Result]:
    """Return the result of every seat of a finished game."""
    rules, players, best = record.rules, record.header.players, best_rolls(record)
    return [
        Result(
            seat=seat,
            name=players[seat],
            ruleset=record.header.reference,
            identity=rules.identity,
            points=points,
            place=place,
            players=len(players),
            sheet=json.dumps(sheet_to_data(rules, record.state.sheets[seat])),
            finished=finished,
            best=best.get(seat),
        )
        for place, seat, points in standings(rules, record.state)
    ]


def best_rolls(record: Record) -> dict[int, BestRoll]:
    """Return by seat the dice that gave the most points in one box, the first of several."""
    rules, found = record.rules, dict[int, BestRoll]()
    if record.header.origin.kind == "points":  # its corrections may be many, and there are no dice
        return found
    for move, before, after in zip(record.moves, record.states, record.states[1:], strict=False):
        if not isinstance(move, Score) or not before.dice:
            continue
        seat = before.player
        for layer, place in zip(scored_layers(rules), move.placements, strict=True):
            points = after.sheets[seat].cells[cell_of(rules, place.box, place.column)]
            if points and (seat not in found or points > found[seat].points):
                dice = format_dice(layer_faces(before.dice, layer))
                found[seat] = BestRoll(points, place.box, dice)
    return found


@dataclass(frozen=True)
class Statistics:
    """One player's results in one game with the same options, the oldest first, and their verdicts."""

    rules: Ruleset
    name: str
    results: list[Result]
    judged: list[tuple[Result, Verdict]]  # without games in which rolls were taken back
    undone: int = 0  # in how many of the games rolls of the server were taken back

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
    usual = load_without_files(game)
    for values in product(*usual.choices.values()):
        rules = load_without_files(game, dict(zip(usual.choices, values, strict=True)))
        if rules.identity == identity:
            return rules
    return usual


def statistics(results: list[Result], verdicts: Verdicts, undone: Collection[str] = ()) -> list[Statistics]:
    """One for each game with its options and each name; the most played first.

    Matches that are `undone` count, but not for luck and skill: whoever takes back a keep has seen the dice
    that come next.
    """
    groups: dict[tuple[str, Ruleset, str], list[Result]] = defaultdict(list)
    for result in results:
        groups[result.ruleset, rules_of(result.ruleset, result.identity), result.name].append(result)
    found = []
    for (_game, rules, name), mine in sorted(groups.items(), key=lambda group: -len(group[1])):
        rated = [result for result in mine if result.match not in undone]
        places = [(result, verdicts.get((result.match, result.seat))) for result in rated]
        judged = [(result, verdict) for result, verdict in places if verdict]
        found.append(Statistics(rules, name, mine, judged, len(mine) - len(rated)))
    return found
