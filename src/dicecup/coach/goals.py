"""How a game may end, the chance to reach a goal, and playing for the win: every choice by its chance.

Needs neither a table nor compiled code, and knows any number of columns; two turns take about half a second.

What a final score is worth is the chance that it beats the others' final scores, ties shared. The coach shows
the best mean of that worth, computed exactly while few boxes are open. The bot `winner` maximises the mean,
over the others' possible scores, of the best chance to beat each: it will know more about them later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt
from typing import NamedTuple, TypeGuard

import numpy as np

from dicecup.coach.advice import EQUAL_CHANCES, Choice, Hint, Values, WinHint, advise
from dicecup.coach.winning import Comparison, Floats64, Sample, balanced, each_player, even, play_on
from dicecup.dice import Dice, Lattice, lattice
from dicecup.engine.legality import allowed_placements
from dicecup.engine.play import fill_cell, placement_of
from dicecup.engine.state import Keep, Score, Sheet, State, final_score
from dicecup.errors import UsageError
from dicecup.rules.model import Ruleset
from dicecup.solver.arrays import Array
from dicecup.solver.double.solution import DoubleSolution
from dicecup.solver.single.chance_turn import Aims, TurnNumbers, decide_turn
from dicecup.solver.single.chances import MOST_ASKED, AimSolution, UtilitySolution, solve_chances
from dicecup.solver.single.solution import SingleSolution, faces_of
from dicecup.solver.solution import BoxValue, FinalScores, OnProgress, Play, Solution, Turn

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

    def _unchecked_turn(self, sheet: Sheet) -> EndTurn:
        if sheet not in self.known:
            self.known[sheet] = EndTurn(self, sheet)
        return self.known[sheet]

    def numbers(self, sheet: Sheet) -> Array:
        if not sheet.full:
            return self._unchecked_turn(sheet).numbers.value
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
        """Return the chances at this moment of the turn."""
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
    numbers = game._unchecked_turn(state.sheet).now(state) if not state.sheet.full else np.ones(by_points + 1)
    return FinalScores(targets[0], tuple(float(chance) for chance in numbers[int(by_points) :]), None)


SAMPLED_TURNS = 60_000  # of all sampled games together
SAMPLED_TURNS_OF_DOUBLE_DICE = 2_000  # each takes some milliseconds
FEWEST_GAMES = 400


def final_scores(
    values: Values, state: State, play: Play = "points", *, on_progress: OnProgress | None = None
) -> FinalScores:
    """How the game of the player whose turn it is may end.

    With `on_progress`, a table that is missing is worked out, which takes minutes; without it, an error says
    what to run.
    """
    source, rules = values.source, values.rules
    if not isinstance(source, SingleSolution):
        if state.sheet.full:
            return FinalScores(final_score(rules, state.sheet), (1.0,), None)
        if is_near_end(rules, state.sheet):
            return end_scores(rules, state, play)
        if in_last_double_turn(source, state):
            from dicecup.solver.double.last_turn import last_turn_scores

            return last_turn_scores(source, state, play)
        if play == "target":
            raise UsageError("chances_unknown", ruleset=rules.id)
        return sampled(values, state)
    try:
        return source.final_scores(state, play)
    except UsageError as error:
        if error.code != "chances_take_long" or on_progress is None:
            raise
    solve_chances(source, play, on_progress=on_progress, wait=True)
    return source.final_scores(state, play)


def in_last_double_turn(source: Solution, state: State) -> TypeGuard[DoubleSolution]:
    last = state.sheet.cells.count(None) == len(source.rules.scored)
    return isinstance(source, DoubleSolution) and last


def best_chance(values: Values, state: State, target: int) -> Hint:
    """The best chance of at least so many points, and every choice by the chance that it leaves, best first.

    What `Hint` and `Choice` call expected, and the loss, are chances here. While a roll is due there is no
    choice.
    """
    found = advise(Values(solution_for_target(values, state, target)), state)
    return by_points_where_equal(as_chances(found), values, state)


def as_chances(hint: Hint) -> Hint:
    """Return the hint with chances of at most 1: a sum of many may exceed it by a rounding error."""
    choices = tuple(replace(choice, expected=min(choice.expected, 1.0)) for choice in hint.choices)
    return replace(hint, expected=min(hint.expected, 1.0), choices=choices)


def by_points_where_equal(hint: Hint, values: Values, state: State) -> Hint:
    """Rank choices that leave the same chance by the expected score."""
    if len(hint.choices) < 2:
        return hint
    points = {choice.move: choice.expected for choice in advise(values, state).choices}
    best = [choice for choice in hint.choices if choice.loss <= EQUAL_CHANCES]
    best.sort(key=lambda choice: -points[choice.move])
    return Hint(hint.expected, hint.exact, (*best, *hint.choices[len(best) :]))


def solution_for_target(values: Values, state: State, target: int) -> Solution:
    """Return the rest of the game, played for at least so many points."""
    source, rules = values.source, values.rules
    if isinstance(source, SingleSolution):
        return AimSolution(source.chances, Aims.at_least(target))
    if is_near_end(rules, state.sheet):
        return EndGame(LastSheets(rules), Aims.at_least(target))
    if in_last_double_turn(source, state):
        from dicecup.solver.double.last_turn import LastDoubleTurns

        return LastDoubleTurns(source, lambda score: float(score >= target))
    raise UsageError("chances_unknown", ruleset=rules.id)


@dataclass(frozen=True, slots=True)
class Goal:
    """The chance to end with at least so many points, and every choice by it, best first.

    `best`: it is the best possible chance, and choices are known. Otherwise it is the chance of somebody who
    plays for as many points as possible.
    """

    target: int
    chance: float
    choices: tuple[Choice, ...]
    best: bool
    exact: bool
    standard_error: float


def goal(values: Values, state: State, target: int) -> Goal:
    """Return the chance of at least so many points, for the player whose turn it is."""
    if state.sheet.full:
        reached = float(final_score(values.rules, state.sheet) >= target)
        return Goal(target, reached, (), best=True, exact=True, standard_error=0.0)
    try:
        found = best_chance(values, state, target)
    except UsageError as error:
        if error.code not in ("chances_take_long", "chances_unknown"):
            raise
        scores = sampled(values, state)
        chance, off = scores.at_least(target), scores.standard_error(target)
        return Goal(target, chance, (), best=False, exact=False, standard_error=off)
    return Goal(target, found.expected, found.choices, best=True, exact=True, standard_error=0.0)


def sampled(values: Values, state: State) -> FinalScores:
    """Return the results of games sampled from here, weighted so that their mean is the expected score."""
    if state.sheet.full:
        return FinalScores(final_score(values.rules, state.sheet), (1.0,), None)
    view = each_player(values, state)[state.player]
    turns = state.sheet.cells.count(None) // len(values.rules.scored)
    most = SAMPLED_TURNS_OF_DOUBLE_DICE if values.rules.has_layers else SAMPLED_TURNS
    games = max(FEWEST_GAMES, most // turns)
    sample = balanced(play_on(values, view, games, 1, 0))
    least = int(sample.scores.min())
    chances = np.bincount(sample.scores - least, sample.weights)
    curve = chances[::-1].cumsum()[::-1] / chances.sum()
    return FinalScores(least, tuple(map(float, curve)), None, exact=False, games=games)


class ScoreWorth:
    """What each final score is worth: the chance that it wins against the others, ties shared."""

    def __init__(self, others: Sequence[FinalScores]) -> None:
        samples = [
            Sample(np.arange(other.least, other.least + len(other.curve)), np.array(other.chances))
            for other in others
        ]
        self.lowest = min(other.least for other in others)
        end = max(other.least + len(other.curve) for other in others)
        mine = even(np.arange(self.lowest, end))
        self.chances: Floats64 = np.clip(Comparison([mine, *samples]).wins(0), 0.0, 1.0)
        self.exact = all(other.exact for other in others)
        # Of a chance that is even, against the least certain of the others.
        self.standard_error = max(
            (0.5 / sqrt(other.games) for other in others if not other.exact), default=0.0
        )

    def __call__(self, score: int) -> float:
        place = score - self.lowest
        return 0.0 if place < 0 else float(self.chances[place]) if place < len(self.chances) else 1.0

    @property
    def aims(self) -> Aims:
        return Aims.worth(self.lowest, np.append(self.chances, 1.0))


def scores_of_others(values: Values, state: State) -> list[FinalScores]:
    """How the games of all other players may end if they play for points."""
    found, source = [], values.source
    for player, view in enumerate(each_player(values, state)):
        if player != state.player:
            try:
                if isinstance(source, SingleSolution):
                    found.append(source.chances.final_scores(view, bonus=False))
                else:
                    found.append(final_scores(values, view))
            except UsageError as error:
                if error.code != "chances_take_long":
                    raise
                found.append(sampled(values, view))
    return found


def win_hint(values: Values, state: State) -> WinHint | None:
    """Return every choice by the chance to win, or None where it cannot be computed: early in the game, or
    without another player.
    """
    if len(state.sheets) < 2 or state.sheet.full or not can_solve(values, state):
        return None
    with values.alone:
        worth = ScoreWorth(scores_of_others(values, state))
        found = advise(Values(solution_for(values, state, worth)), state)
        found = by_points_where_equal(as_chances(found), values, state)
    return WinHint(found.expected, found.choices, worth.exact, worth.standard_error)


def can_solve(values: Values, state: State) -> bool:
    """Whether the rest of the game can be solved for any worth of the final score."""
    source, rules, sheet = values.source, values.rules, state.sheet
    if isinstance(source, SingleSolution):
        return source.place(sheet).level <= MOST_ASKED
    if isinstance(source, DoubleSolution):
        return sheet.cells.count(None) == len(rules.scored)
    return is_near_end(rules, sheet)


def solution_for(values: Values, state: State, worth: ScoreWorth) -> Solution:
    """Return the rest of the game, played for the highest mean worth."""
    source = values.source
    if isinstance(source, SingleSolution):
        return UtilitySolution(source, state.sheet, worth)
    if isinstance(source, DoubleSolution):
        from dicecup.solver.double.last_turn import LastDoubleTurns

        return LastDoubleTurns(source, worth)
    return EndGame(LastSheets(values.rules), worth.aims)


def decide_to_win(values: Values, state: State) -> Keep | Score:
    """The decision of the bot `winner`: for the win where chances can be computed, else for points.

    It does not read the tables of chances: a decision must not depend on what is in a cache.
    """
    source = values.source
    if len(state.sheets) > 1 and isinstance(source, SingleSolution):
        with values.alone:
            chances = source.computed_chances
            if all(chances.can_compute(sheet) for sheet in state.sheets):
                others = [sheet for player, sheet in enumerate(state.sheets) if player != state.player]
                worth = ScoreWorth(chances.final_scores_of_waiting(others))
                aimed = advise(Values(AimSolution(chances, worth.aims)), state)
                return by_points_where_equal(aimed, values, state).best.move
    elif found := win_hint(values, state):
        return found.choices[0].move
    return advise(values, state).best.move


def turns_to_win(values: Values) -> int:
    """The number of last turns in which the bot `winner` plays for the win."""
    source, rules = values.source, values.rules
    if isinstance(source, SingleSolution):
        return min(MOST_ASKED, rules.cells)
    turns = rules.cells // len(rules.scored)
    return min(1 if rules.has_layers else MOST_TURNS, turns)
