"""The last turns of any game of one layer of dice, exactly: by trying every sheet that can follow.

Needs neither a table nor compiled code, and knows any number of columns; two turns take about half a second.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from dicecup.dice import Dice, Lattice, lattice
from dicecup.engine.legality import allowed_placements
from dicecup.engine.play import fill_cell, placement_of
from dicecup.engine.state import Score, Sheet, State, final_score
from dicecup.rules.model import Ruleset
from dicecup.solver.arrays import Array
from dicecup.solver.single.chance_turn import Aims, TurnNumbers, decide_turn
from dicecup.solver.single.solution import faces_of
from dicecup.solver.solution import BoxValue, FinalScores, Play, Solution, Turn

MOST_TURNS = 2


class TurnEnd(NamedTuple):
    """One way to end a turn."""

    move: Score
    points: int
    after: Sheet


class LastSheets:
    """The sheets that can follow one with few open cells, and every way from one to the next."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self.known: dict[Sheet, list[list[TurnEnd]]] = {}

    @cached_property
    def lattice(self) -> Lattice:
        return lattice(self.rules.dice.count, self.rules.dice.faces)

    def ways(self, sheet: Sheet) -> list[list[TurnEnd]]:
        """Every way to end a turn on a sheet, throw by throw."""
        if sheet not in self.known:
            self.known[sheet] = [
                [
                    TurnEnd(
                        Score((placement_of(self.rules, cell, strike),)),
                        scored.points,
                        fill_cell(self.rules, sheet, faces, cell, scored.points),
                    )
                    for cell, strike, scored in allowed_placements(self.rules, sheet, faces)
                ]
                for faces in self.lattice.throws
            ]
        return self.known[sheet]

    def final_scores(self, sheet: Sheet) -> set[int]:
        """Every score that the game can end with."""
        if sheet.full:
            return {final_score(self.rules, sheet)}
        after = {way.after for ways in self.ways(sheet) for way in ways}
        return set().union(*map(self.final_scores, after))


class EndGame(Solution):
    """The last turns, played for an aim: every value is the chance to reach it.

    With `by_points` all decisions are those with the highest expected score instead; `numbers` then has a
    chance for each aim, and the expected score before them.
    """

    def __init__(self, sheets: LastSheets, aims: Aims, *, by_points: bool = False) -> None:
        self.rules = sheets.rules
        self.sheets = sheets
        self.aims = aims
        self.by_points = by_points
        self.known: dict[Sheet, EndTurn] = {}

    def unchecked_turn(self, sheet: Sheet) -> EndTurn:
        if sheet not in self.known:
            self.known[sheet] = EndTurn(self, sheet)
        return self.known[sheet]

    def numbers(self, sheet: Sheet) -> Array:
        if not sheet.full:
            return self.unchecked_turn(sheet).numbers.value
        score = final_score(self.rules, sheet)
        return np.concatenate([[score] if self.by_points else [], self.aims.of(score)])


class EndTurn(Turn):
    """All chances of one turn."""

    def __init__(self, game: EndGame, sheet: Sheet) -> None:
        self.rules = game.rules
        self.game = game
        self.sheet = sheet
        if sheet.full:
            self.value = float(game.numbers(sheet)[0])
            return
        ways = game.sheets.ways(sheet)
        values = np.array([game.numbers(way.after) for throw in ways for way in throw])
        starts = np.cumsum([0, *map(len, ways)])
        self.numbers: TurnNumbers = decide_turn(
            game.sheets.lattice, self.rules.throws, values, starts, by_first=game.by_points
        )
        self.value = float(self.numbers.value[0])

    def now(self, state: State) -> Array:
        """The numbers of this moment of the turn."""
        numbers, rows = self.numbers, self.game.sheets.lattice.number
        if not state.dice:
            return numbers.value
        if state.kept is not None:
            return np.asarray(numbers.kept[state.throws_left - 1][rows[faces_of(state.kept)]])
        return np.asarray(numbers.thrown[state.throws_left][self._number(state.dice)])

    def _keep(self, dice: Dice, throws_left: int) -> float:
        row = self.game.sheets.lattice.number[faces_of(dice)]
        return float(self.numbers.kept[throws_left - 1][row, 0])

    def _throw(self, dice: Dice, throws_left: int) -> float:
        return float(self.numbers.thrown[throws_left][self._number(dice), 0])

    def _boxes(self, dice: Dice) -> list[BoxValue]:
        ways = self.game.sheets.ways(self.sheet)[self._number(dice)]
        return [BoxValue(way.move, way.points, float(self.game.numbers(way.after)[0])) for way in ways]

    def _number(self, dice: Dice) -> int:
        return self.game.sheets.lattice.number[faces_of(dice)] - self.game.sheets.lattice.keeps


def is_near_end(rules: Ruleset, sheet: Sheet) -> bool:
    """Whether so few turns are left that they can be solved here."""
    return not rules.has_layers and sheet.cells.count(None) <= MOST_TURNS


def end_scores(rules: Ruleset, state: State, play: Play) -> FinalScores:
    """How the game of the player whose turn it is may end, with few turns left."""
    sheets = LastSheets(rules)
    scores = sheets.final_scores(state.sheet)
    targets = range(min(scores), max(scores) + 1)
    by_points = play == "points"
    game = EndGame(sheets, Aims.at_least(*targets), by_points=by_points)
    numbers = game.unchecked_turn(state.sheet).now(state) if not state.sheet.full else np.ones(by_points + 1)
    return FinalScores(targets[0], tuple(float(chance) for chance in numbers[int(by_points) :]), None)
