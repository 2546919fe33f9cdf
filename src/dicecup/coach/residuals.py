"""How far final scores end from what was expected, measured in simulated games: double dice.

There a turn takes a hundredth of a second to work out, too long to play thousands of games on to their end.
So the turn that is due is played, and after it the final score is drawn: the differences between final and
expected score were measured once (`tools/fit_residuals.py`), by the number of turns left. They are kept as
quantiles, in perfect turns: the expected score at the start divided by the number of turns. So other options
and rules of the house have them too.
"""

from __future__ import annotations

import json
from functools import lru_cache
from importlib import resources
from pathlib import Path

import numpy as np
import numpy.typing as npt

from dicecup.coach.advice import advise
from dicecup.coach.double_forecast import play_rest_of_turn, solution_of
from dicecup.coach.double_games import expected_scores
from dicecup.coach.games import turn_seed
from dicecup.coach.sheets import Scores
from dicecup.coach.values import Values
from dicecup.engine.state import State, start
from dicecup.rules.model import Ruleset

GRID = (np.arange(200) + 0.5) / 200  # which quantiles are kept
FILE = "residuals.json"

Numbers = npt.NDArray[np.float64]


def residuals_from(differences: dict[int, Numbers]) -> Numbers:
    """[turns left, quantile] out of final minus expected scores, by turns left."""
    nothing = np.zeros(len(GRID))
    rows = [np.quantile(differences[left], GRID) for left in sorted(differences)]
    return np.stack([nothing, *(row - row.mean() for row in rows)])


def save_residuals(folder: Path, rules: Ruleset, table: Numbers, expected: float, games: int) -> None:
    quantiles = [[round(float(number) * rules.turns / expected, 4) for number in row] for row in table]
    header = {"ruleset": rules.id, "identity": rules.identity, "games": games}
    lines = ",\n".join(json.dumps(row) for row in quantiles)
    text = json.dumps(header)[:-1] + ', "quantiles": [\n' + lines + "\n]}\n"
    (folder / FILE).write_text(text, encoding="ascii")


@lru_cache(maxsize=1)
def residuals() -> Numbers:
    """[turns left, quantile], in perfect turns."""
    text = resources.files("dicecup.coach").joinpath("data", FILE).read_text(encoding="ascii")
    return np.array(json.loads(text)["quantiles"])


def spread_with(values: Values, turns_left: int) -> Numbers:
    """The quantiles of final minus expected score with so many turns left, in points."""
    rules, known = values.rules, residuals()
    at = turns_left * (len(known) - 1) / rules.turns  # other sheets have other numbers of turns
    low = int(at)
    part = at - low
    between = (1 - part) * known[low] + part * known[min(low + 1, len(known) - 1)]
    return np.asarray(between * advise(values, start(rules)).expected / rules.turns)


def draw_scores(values: Values, state: State, games: int, seed: int, first_game: int) -> Scores:
    """Final scores of one player: the turn that is due is played, the rest drawn."""
    rules, solution, sheet = values.rules, solution_of(values), state.sheet
    given = state.dice if state.kept is None else state.kept
    chance = turn_seed(seed, first_game)
    played = play_rest_of_turn(solution, sheet, given, state.throws_left, games, np.uint64(chance))
    left = sheet.cells.count(None) // len(rules.scored) - 1
    worth = sum(points or 0 for points in sheet.cells) + expected_scores(solution, played)
    drawn = np.interp(np.random.default_rng(chance).random(games), GRID, spread_with(values, left))
    return np.rint((worth + drawn) * rules.columns[0].multiplier).astype(np.int64)
