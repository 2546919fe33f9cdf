"""How a game may end, and the chance to reach a goal: exact where the game is solved with one column and
single dice, and in the last turns of all games (double dice: in the last one); sampled elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeGuard

import numpy as np

from dicecup.coach.advice import EQUAL_CHANCES, Choice, Hint, Values, advise
from dicecup.coach.endgame import EndGame, LastSheets, end_scores, is_near_end
from dicecup.coach.winning import balanced, each_player, play_on
from dicecup.engine.state import State, final_score
from dicecup.errors import UsageError
from dicecup.solver.double.solution import DoubleSolution
from dicecup.solver.single.chance_tables import solve_chances
from dicecup.solver.single.chance_turn import Aims
from dicecup.solver.single.chances import AimSolution
from dicecup.solver.single.solution import SingleSolution
from dicecup.solver.solution import FinalScores, OnProgress, Play, Solution

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
    """How games end that are played on from here, weighted so that their mean is the expected score."""
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
