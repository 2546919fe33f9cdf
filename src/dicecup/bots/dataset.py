"""Games of a bot as a Parquet file: every decision with the position, the action, exact values and the loss.

docs/data.md describes the columns. The games are those that `simulate` plays with the same seed. They are
made in pieces (rules, numbers of games, a seed), so that the file is the same, byte for byte, on one core,
several, or by the workers of an executor.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from random import Random
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from dicecup.bots.registry import Bot, bot_name, checked_bot, decided, find_bot
from dicecup.bots.simulation import checked_helpers, warn
from dicecup.bots.workers import Player, play_pieces
from dicecup.coach.advice import Values, advise, known_values, ready_values
from dicecup.dice import all_dice
from dicecup.engine.fairness import MOST_SEED
from dicecup.engine.play import apply
from dicecup.engine.serialize import move_to_data
from dicecup.engine.state import State, Throw, dice_to_throw, empty_sheet, final_score, start
from dicecup.errors import StorageError, UsageError, check_argument, problem_of, whole_number
from dicecup.executors import version
from dicecup.installation import check_replaceable, ensure, need, path_of
from dicecup.rules.loader import AnyGame, as_ruleset
from dicecup.rules.model import Ruleset
from dicecup.solver.solution import OnShare, OnWarning, no_callback

if TYPE_CHECKING:
    import pyarrow

FORMAT = "1"
MOST_GAMES = 10_000_000
PIECE = 10  # games in one task
TOGETHER = 100  # pieces of a row group
# Why a game has no exact values; other errors, such as a full disk, are those of solving it.
UNSOLVED = {
    *("double_not_solvable", "solve_columns", "solve_entangled", "solve_extension"),
    *("solve_takes_long", "solve_too_large"),
}

DataRow = dict[str, Any]


@dataclass(frozen=True)
class DataSummary:
    """What was written: how many games and decisions, the mean score and the mean loss of a game.

    >>> summary = dicecup.write_data("games.parquet", "yatzy-sv", "greedy", games=4, seed=1)
    >>> summary.games, summary.exact, summary.loss > 20
    (4, True, True)
    """

    games: int
    decisions: int
    mean: float
    standard_error: float | None  # of the mean; None for a single game
    loss: float | None  # None where no exact values are known
    loss_standard_error: float | None
    exact: bool
    seed: int


def write_data(
    path: str | os.PathLike[str],
    game: AnyGame,
    bot: str | Bot,
    games: int = 1000,
    seed: int | None = None,
    *,
    options: Mapping[str, str] | None = None,
    values: bool = True,
    cores: int | None = None,
    executor: Executor | None = None,
    on_progress: OnShare = no_callback,
    on_warning: OnWarning = warn,
) -> DataSummary:
    """Write the games of a bot into a Parquet file, a row for each decision.

    With `values`, every row has the exact value of every legal action, where the game is solved. The file
    appears when it is complete. The same seed gives the same file, whatever the number of `cores`, and by
    the workers of any `executor`.

    >>> import dicecup
    >>> dicecup.write_data("games.parquet", "yatzy-sv", "random", games=2, seed=1).games
    2
    """
    file = path_of("path", path, "expected_path")
    need("data")
    ensure("solver")
    from dicecup.encoding import actions_of

    rules = as_ruleset(game, options)
    player = Player(find_bot(bot) if isinstance(bot, str) else checked_bot(bot), bot_name(bot))
    games = whole_number("games", games, 1, MOST_GAMES)
    seed = secrets.randbits(48) if seed is None else whole_number("seed", seed, 0, MOST_SEED)
    check_argument("values", isinstance(values, bool), "expected_true_or_false")
    helpers = checked_helpers(cores, executor, on_progress, on_warning)
    exact = values and is_exact(rules)
    pieces = [(rules, first, min(first + PIECE, games), seed, exact) for first in range(0, games, PIECE)]
    played = play_pieces(data_piece, player, pieces, on_progress, helpers)
    about = {
        "format": FORMAT,
        "version": version(),
        "game": rules.id,
        "options": json.dumps(dict(rules.options), sort_keys=True),
        "identity": rules.identity,
        "bot": player.name,
        "games": str(games),
        "seed": str(seed),
        "exact": "true" if exact else "false",
        "actions": str(actions_of(rules).count),
    }
    decisions, scores, losses = write_rows(file, rules, about, played)
    undecided = games - len(scores)  # won by the first roll: they have no rows, but count
    scores += [final_score(rules, empty_sheet(rules))] * undecided
    losses += [0.0] * undecided
    mean, error = mean_and_error(scores)
    loss, loss_error = mean_and_error(losses) if exact else (None, None)
    return DataSummary(games, decisions, mean, error, loss, loss_error, exact, seed)


def mean_and_error(numbers: Sequence[float]) -> tuple[float, float | None]:
    """Return the mean and its standard error."""
    return fmean(numbers), stdev(numbers) / sqrt(len(numbers)) if len(numbers) > 1 else None


def is_exact(rules: Ruleset) -> bool:
    """Return whether the exact values of a game are known or can be found in seconds."""
    try:
        exact_values(rules)
    except UsageError as error:
        if error.code in UNSOLVED:
            return False
        raise
    return True


def exact_values(rules: Ruleset) -> Values:
    """Return the exact values of a game, or raise the reason why they are not known."""
    found = ready_values(rules) or known_values(rules)
    if found.why_learned is not None:
        raise found.why_learned
    return found


def data_piece(player: Player, rules: Ruleset, first: int, end: int, seed: int, exact: bool) -> list[DataRow]:
    """The decisions of the games with these numbers."""
    values = exact_values(rules) if exact else None
    rows: list[DataRow] = []
    for number in range(first, end):
        own = list(game_rows(player, rules, Random(f"{seed} {number}"), values))
        if not own:  # the first roll won the game
            continue
        final = own[-1]["score"] + own[-1]["reward"]
        for step, row in enumerate(own):
            rows.append({"game": number, "step": step, **row, "final_score": final})
    return rows


def game_rows(player: Player, rules: Ruleset, chance: Random, values: Values | None) -> Iterator[DataRow]:
    """Play a game as `simulate` does, and yield its decisions."""
    sides = all_dice(rules.dice.faces, len(rules.dice.layers))
    state = start(rules)
    while not state.finished:
        if state.throw_due:
            dice = tuple(chance.choice(sides) for _ in range(dice_to_throw(rules, state)))
            state = apply(rules, state, Throw(dice))
            continue
        move, after = decided(player.bot, player.name, rules, state, chance)
        gained = final_score(rules, after.sheet) - final_score(rules, state.sheet)
        known = position_row(rules, state) | {"reward": gained}
        known |= {"move": json.dumps(move_to_data(rules, move), separators=(",", ":"))}
        yield known | value_row(rules, state, move, values)
        state = after


def position_row(rules: Ruleset, state: State) -> DataRow:
    return {
        "turn": sum(cell is not None for cell in state.sheet.cells) // len(rules.scored),
        "throws_left": state.throws_left,
        "dice": [face for die in state.dice for face in ((die,) if isinstance(die, int) else die)],
        "sheet": list(state.sheet.cells),
        "repeats": state.sheet.repeats,
        "saved": state.sheet.saved,
        "announced": state.announced,
        "score": final_score(rules, state.sheet),
    }


def value_row(rules: Ruleset, state: State, move: Any, values: Values | None) -> DataRow:
    """The action, and where values are known, those of all legal actions, in ascending order of these."""
    from dicecup.encoding import actions_of

    actions = actions_of(rules)
    if values is None:
        row: DataRow = {"action": actions._number(state.dice, move)}
        return row | dict.fromkeys(("value", "best", "loss", "legal", "values"))
    hint = advise(values, state)
    chosen = hint.choice(move)
    by_action = sorted((actions._number(state.dice, one.move), one.expected) for one in hint.choices)
    return {
        "action": actions._number(state.dice, chosen.move),
        "value": chosen.expected,
        "best": hint.expected,
        "loss": chosen.loss,
        "legal": [action for action, _ in by_action],
        "values": [value for _, value in by_action],
    }


def schema_of(rules: Ruleset, about: Mapping[str, str]) -> pyarrow.Schema:
    """The columns, as docs/data.md describes them."""
    import pyarrow as pa

    dice = rules.dice.count * len(rules.dice.layers)
    columns = {
        "game": pa.int32(),
        "step": pa.int32(),
        "turn": pa.int16(),
        "throws_left": pa.int8(),
        "dice": pa.list_(pa.int8(), dice),
        "sheet": pa.list_(pa.int16(), rules.cells),
        "repeats": pa.int16(),
        "saved": pa.int16(),
        "announced": pa.int16(),
        "score": pa.int32(),
        "action": pa.int32(),
        "move": pa.string(),
        "reward": pa.int32(),
        "final_score": pa.int32(),
        "value": pa.float64(),
        "best": pa.float64(),
        "loss": pa.float64(),
        "legal": pa.list_(pa.int32()),
        "values": pa.list_(pa.float64()),
    }
    return pa.schema(columns, {f"dicecup.{key}": value for key, value in about.items()})


def write_rows(
    path: Path, rules: Ruleset, about: Mapping[str, str], played: Iterator[list[DataRow]]
) -> tuple[int, list[int], list[float]]:
    """Write the rows; return how many they are, and by game the final score and what was lost.

    They are written to a temporary file, which is renamed on completion.
    """
    import pyarrow as pa
    from pyarrow import parquet

    check_replaceable(path)
    schema, aside = schema_of(rules, about), path.with_name(f".{path.name}.{os.getpid()}")
    decisions, scores, losses = 0, list[int](), list[float]()
    try:
        with parquet.ParquetWriter(aside, schema, compression="zstd") as writer:
            for rows in grouped(played):
                writer.write_table(pa.Table.from_pylist(rows, schema=schema))
                decisions += len(rows)
                for row in rows:
                    if row["step"] == 0:
                        scores.append(row["final_score"])
                        losses.append(0.0)
                    losses[-1] += row["loss"] or 0.0
        aside.replace(path)
    except OSError as error:
        raise StorageError("file_unwritable", file=path, problem=problem_of(error)) from None
    finally:
        with contextlib.suppress(OSError):  # a name that is too long
            aside.unlink(missing_ok=True)
    return decisions, scores, losses


def grouped(played: Iterator[list[DataRow]]) -> Iterator[list[DataRow]]:
    """Join the pieces that make a row group."""
    rows: list[DataRow] = []
    for number, piece in enumerate(played, start=1):
        rows += piece
        if number % TOGETHER == 0:
            yield rows
            rows = []
    if rows:
        yield rows
