"""Playing for the win: every choice by the chance to win that it leaves, the others playing for points.

What a final score is worth is the chance that it beats the others' final scores, ties shared. The coach shows
the best mean of that worth, computed exactly while few boxes are open. The bot `winner` goes by the mean,
over the others' possible scores, of the best chance to beat each: it will know more about them later.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np

from dicecup.coach.advice import Values, WinHint, advise
from dicecup.coach.endgame import MOST_TURNS, EndGame, LastSheets, is_near_end
from dicecup.coach.goals import as_chances, by_points_where_equal, final_scores, sampled
from dicecup.coach.winning import Comparison, Numbers, Sample, each_player, even
from dicecup.engine.state import Keep, Score, State
from dicecup.errors import UsageError
from dicecup.solver.double.solution import DoubleSolution
from dicecup.solver.single.chance_turn import Aims
from dicecup.solver.single.chances import MOST_ASKED, AimSolution, UtilitySolution
from dicecup.solver.single.solution import SingleSolution
from dicecup.solver.solution import FinalScores, Solution


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
        self.chances: Numbers = np.clip(Comparison([mine, *samples]).wins(0), 0.0, 1.0)
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
    found = []
    for player, view in enumerate(each_player(values, state)):
        if player != state.player:
            try:
                found.append(final_scores(values, view))
            except UsageError as error:
                if error.code != "chances_take_long":
                    raise
                found.append(sampled(values, view))
    return found


def win_hint(values: Values, state: State) -> WinHint | None:
    """Return every choice by the chance to win, or None where that cannot be had: early in the game, or
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
                views = each_player(values, state)
                others = [view for player, view in enumerate(views) if player != state.player]
                worth = ScoreWorth([chances.final_scores(view) for view in others])
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
