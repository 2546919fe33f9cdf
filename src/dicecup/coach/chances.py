"""How a game may end: exact where the game is solved with one column and single dice, sampled elsewhere."""

from __future__ import annotations

import numpy as np

from dicecup.coach.advice import Choice, Values, advise
from dicecup.coach.winning import balanced, each_player, play_on
from dicecup.engine.state import State, final_score
from dicecup.errors import UsageError
from dicecup.solver.single.chance_tables import solve_chances
from dicecup.solver.single.chance_turn import Aims
from dicecup.solver.single.chances import AimSolution
from dicecup.solver.single.solution import SingleSolution
from dicecup.solver.solution import FinalScores, OnProgress, Play

SAMPLED_TURNS = 60_000  # of all sampled games together
FEWEST_GAMES = 400


def final_scores(
    values: Values, state: State, play: Play = "points", *, on_progress: OnProgress | None = None
) -> FinalScores:
    """How the game of the player whose turn it is may end.

    With `on_progress`, a table that is missing is worked out, which takes minutes; without it, an error says
    what to run.
    """
    source = values.source
    if not isinstance(source, SingleSolution):
        if play == "target":
            raise UsageError("chances_unknown", ruleset=values.rules.id)
        return sampled(values, state)
    try:
        return source.final_scores(state, play)
    except UsageError as error:
        if error.code != "chances_take_long" or on_progress is None:
            raise
    solve_chances(source, play, on_progress=on_progress, wait=True)
    return source.final_scores(state, play)


def target_choices(values: Values, state: State, target: int) -> tuple[Choice, ...]:
    """Every choice by the best chance of at least so many points that it leaves, best first.

    What a `Choice` calls expected, and its loss, are chances here. While a roll is due there is none.
    """
    source = values.source
    if not isinstance(source, SingleSolution):
        raise UsageError("chances_unknown", ruleset=values.rules.id)
    aimed = AimSolution(source.chances, Aims.at_least(target))
    return advise(Values(aimed), state).choices


def sampled(values: Values, state: State) -> FinalScores:
    """How games end that are played on from here, weighted so that their mean is the expected score."""
    if state.sheet.full:
        return FinalScores(final_score(values.rules, state.sheet), (1.0,), None)
    view = each_player(values, state)[state.player]
    turns = state.sheet.cells.count(None) // len(values.rules.scored)
    games = max(FEWEST_GAMES, SAMPLED_TURNS // turns)
    sample = balanced(play_on(values, view, games, 1, 0))
    least = int(sample.scores.min())
    chances = np.bincount(sample.scores - least, sample.weights)
    curve = chances[::-1].cumsum()[::-1] / chances.sum()
    return FinalScores(least, tuple(map(float, curve)), None, exact=False)
