"""Many games of bots, alone or head to head, repeatable whatever the number of cores.

Players of these games do not disturb each other, so every bot plays its games alone, and games of the same
number are compared. The optimal bot of a solved game plays by the compiled kernels, all others by the engine.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import get_context
from random import Random

import numpy as np

from dicecup.bots.registry import bot_called
from dicecup.bots.statistics import BotResult, Summary
from dicecup.coach.knowledge import known_values
from dicecup.coach.sheets import Scores, Sheets
from dicecup.dice import all_dice
from dicecup.engine.moves import Throw
from dicecup.engine.play import apply
from dicecup.engine.state import Sheet, dice_to_throw, start
from dicecup.rules.model import Ruleset

BATCH = 1_000_000  # games of a solved game at once: 100 MB
PIECE = 25  # games of any other bot between two reports

Watch = Callable[[float], None]  # told which share of the work is done


def ignore(share: float) -> None:
    """Nobody is watching."""


def simulate(
    rules: Ruleset,
    bots: Sequence[str],
    games: int,
    seed: int,
    *,
    watch: Watch = ignore,
    cores: int | None = None,
) -> tuple[BotResult, ...]:
    """The results of each bot, with its share of wins where several play."""
    results, scores = [], []
    for number, name in enumerate(bots):
        bot_called(name)
        summary = Summary(rules, keep_scores=len(bots) > 1)

        def tell(share: float, number: int = number) -> None:
            watch((number + share) / len(bots))

        for sheets in play(rules, name, games, seed * len(bots) + number, tell, cores):
            summary.add(sheets)
        results.append(summary.result(name))
        if len(bots) > 1:
            scores.append(summary.all_scores)
    wins = win_shares(scores) if len(bots) > 1 else [None]
    return tuple(result.with_wins(share) for result, share in zip(results, wins, strict=True))


def win_shares(scores: list[Scores]) -> list[float | None]:
    """The share of games that each player wins; a tie is shared."""
    table = np.stack(scores)
    best = table == table.max(axis=0)
    return [float(share) for share in (best / best.sum(axis=0)).mean(axis=1)]


def play(
    rules: Ruleset, name: str, games: int, seed: int, watch: Watch, cores: int | None
) -> Iterator[Sheets]:
    """The full sheets of a bot's games, in batches."""
    if name == "optimal":
        values = known_values(rules)
        if values.exact:
            yield from play_solved(rules, games, seed, watch)
            return
    yield from play_engine(rules, name, games, seed, watch, cores)


def play_solved(rules: Ruleset, games: int, seed: int, watch: Watch) -> Iterator[Sheets]:
    from dicecup.coach.many import play_games

    source = known_values(rules).source
    for first in range(0, games, BATCH):
        count = min(BATCH, games - first)

        def tell(done: int, total: int, first: int = first, count: int = count) -> None:
            watch((first + count * done / total) / games)

        yield play_games(source, count, seed, first_game=first, watch=tell)


def play_engine(
    rules: Ruleset, name: str, games: int, seed: int, watch: Watch, cores: int | None
) -> Iterator[Sheets]:
    """Game by game with the engine, shared out over the cores."""
    firsts = range(0, games, PIECE)
    tasks = [(rules, name, first, min(first + PIECE, games), seed) for first in firsts]
    cores = cores or os.cpu_count() or 1
    if cores == 1 or len(tasks) < 2:
        for number, task in enumerate(tasks, start=1):
            yield play_piece(task)
            watch(number / len(tasks))
        return
    # Leaving ends the processes at once. Ctrl-C is for this one; they would each answer it with a traceback.
    with get_context("spawn").Pool(cores, signal.signal, (signal.SIGINT, signal.SIG_IGN)) as pool:
        for number, sheets in enumerate(pool.imap(play_piece, tasks), start=1):
            yield sheets
            watch(number / len(tasks))


def play_piece(task: tuple[Ruleset, str, int, int, int]) -> Sheets:
    rules, name, first, end, seed = task
    sheets = [play_game(rules, name, Random(f"{seed} {number}")) for number in range(first, end)]
    return Sheets(
        rules,
        np.array([sheet.cells for sheet in sheets], dtype=np.int16),
        np.array([sheet.repeats for sheet in sheets], dtype=np.int16),
    )


def play_game(rules: Ruleset, name: str, chance: Random) -> Sheet:
    bot = bot_called(name)
    sides = all_dice(rules.dice.faces, len(rules.dice.layers))
    state = start(rules)
    while not state.finished:
        if state.throw_due:
            dice = tuple(chance.choice(sides) for _ in range(dice_to_throw(rules, state)))
            state = apply(rules, state, Throw(dice))
        else:
            state = apply(rules, state, bot.decide(rules, state, chance))
    return state.sheet
