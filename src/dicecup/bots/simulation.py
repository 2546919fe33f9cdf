"""Simulate many games of bots, alone or against each other, reproducible on any number of cores.

Most bots do not look at each other's sheets, so each plays its games alone, and games with the same number
are compared. If one does (see `bots.head_to_head`), all play together. The optimal bot of a solved game runs
in compiled kernels, all others on the engine, and so do all bots that get the same dice. `bots.summary` has
the results.
"""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from random import Random
from typing import Any, overload

from dicecup.bots.registry import (
    Bot,
    OptimalBot,
    WinnerBot,
    bot_name,
    checked_bot,
    decided,
    find_bot,
    sees_others,
)
from dicecup.bots.summary import BotResult, Simulation, Summary, difference, final_sheets, win_shares
from dicecup.bots.workers import MOST_CORES, Helpers, Player, play_pieces
from dicecup.coach.advice import known_values
from dicecup.dice import all_dice
from dicecup.engine.fairness import MOST_SEED
from dicecup.engine.play import apply
from dicecup.engine.state import State, Throw, dice_to_throw, start
from dicecup.errors import DicecupError, Phrase, UsageError, check_argument, check_executor, whole_number
from dicecup.executors import spread
from dicecup.installation import ensure
from dicecup.playout.games import FinalSheets
from dicecup.rules.loader import AnyGame, as_ruleset
from dicecup.rules.model import Ruleset
from dicecup.solver.solution import OnShare, OnWarning, no_callback

BATCH = 1_000_000  # games of a solved game at once: 100 MB
PIECE = 25  # games of any other bot between two progress reports
MOST_GAMES = 100_000_000


def warn(error: DicecupError) -> None:
    """Warn that a bot plays on one core, and why."""
    warnings.warn(str(error), stacklevel=2)


@overload
def simulate(  # type: ignore[overload-overlap]  # a text is also a sequence of texts
    game: AnyGame,
    bots: str | Bot,
    games: int = 1000,
    seed: int | None = None,
    *,
    options: Mapping[str, str] | None = None,
    cores: int | None = None,
    executor: Executor | None = None,
    same_dice: bool = False,
    on_progress: OnShare = no_callback,
    on_warning: OnWarning = warn,
) -> BotResult: ...


@overload
def simulate(
    game: AnyGame,
    bots: Sequence[str | Bot],
    games: int = 1000,
    seed: int | None = None,
    *,
    options: Mapping[str, str] | None = None,
    cores: int | None = None,
    executor: Executor | None = None,
    same_dice: bool = False,
    on_progress: OnShare = no_callback,
    on_warning: OnWarning = warn,
) -> Simulation: ...


def simulate(
    game: AnyGame,
    bots: str | Bot | Sequence[str | Bot],
    games: int = 1000,
    seed: int | None = None,
    *,
    options: Mapping[str, str] | None = None,
    cores: int | None = None,
    executor: Executor | None = None,
    same_dice: bool = False,
    on_progress: OnShare = no_callback,
    on_warning: OnWarning = warn,
) -> BotResult | Simulation:
    """Return the results of each bot, with its share of wins if there are several.

    `bots` are names (built-in, installed, or `package.module:Class`) or objects. Of one bot by itself the
    result is a `BotResult`, of a list a `Simulation`. The same seed gives the same games, whatever the
    number of cores: all of them are used, or as many as `cores` says. A bot that worker processes cannot
    load plays on one core; `on_warning` is called with the reason, which is a warning by default.

    With an `executor` (of `concurrent.futures`, a Dask client's or MPI's) its workers play instead. They get
    the rules, the bot and the numbers of the games, and find or solve tables in their own cache.

    With `same_dice` the games of a number have the same dice for all bots in every turn and roll, whatever
    they keep: bots are then told apart with fewer games. All of them play on the engine, where `winner` takes
    about a second a game.

    >>> import dicecup
    >>> dicecup.simulate("yatzy", bots="greedy", games=10, seed=1).mean
    181.5
    """
    rules = as_ruleset(game, options)
    if isinstance(bots, str) or not isinstance(bots, Sequence):
        return simulate(
            rules,
            [bots],
            games,
            seed,
            cores=cores,
            executor=executor,
            same_dice=same_dice,
            on_progress=on_progress,
            on_warning=on_warning,
        )[0]
    players = [
        Player(find_bot(bot) if isinstance(bot, str) else checked_bot(bot), bot_name(bot)) for bot in bots
    ]
    if not players:
        raise UsageError("argument_wrong", argument="bots", expected=Phrase("expected_players"))
    games = whole_number("games", games, 1, MOST_GAMES)
    seed = secrets.randbits(48) if seed is None else whole_number("seed", seed, 0, MOST_SEED)
    check_argument("same_dice", isinstance(same_dice, bool), "expected_true_or_false")
    helpers = checked_helpers(cores, executor, on_progress, on_warning)
    ensure("solver")  # NumPy counts the results
    summaries = [Summary(rules, keep_scores=len(players) > 1) for _ in players]
    if len(players) > 1 and any(sees_others(player.bot) for player in players):
        from dicecup.bots.head_to_head import play_together

        for together in play_together(rules, players, games, seed, on_progress, helpers, same_dice):
            for summary, sheets in zip(summaries, together, strict=True):
                summary.add(sheets)
    else:
        for number, (player, summary) in enumerate(zip(players, summaries, strict=True)):

            def report(share: float, number: int = number) -> None:
                on_progress((number + share) / len(players))

            own_seed = seed if same_dice else seed * len(players) + number
            if executor and is_solved(rules, player, same_dice):
                for part in spread_solved(rules, games, own_seed, report, executor, summary.keep_scores):
                    summary.join(part)
                continue
            for sheets in play(rules, player, games, own_seed, report, helpers, same_dice):
                summary.add(sheets)
    scores = [summary.all_scores for summary in summaries] if len(players) > 1 else []
    wins = win_shares([summary.ranks for summary in summaries]) if scores else [None]
    found = (
        replace(summary.result(player.name), wins=share)
        for player, summary, share in zip(players, summaries, wins, strict=True)
    )
    paired = [difference(scores[0], others) for others in scores] if same_dice else []
    return Simulation(tuple(found), seed, tuple(paired))


def checked_helpers(cores: object, executor: Any, on_progress: object, on_warning: Any) -> Helpers:
    """Where games run, after checking what a caller gave."""
    if cores is not None:
        cores = whole_number("cores", cores, 1, MOST_CORES)
    check_executor(executor)
    for argument, function in (("on_progress", on_progress), ("on_warning", on_warning)):
        check_argument(argument, callable(function), "expected_function")
    return Helpers(cores, executor, on_warning)


def play(
    rules: Ruleset,
    player: Player,
    games: int,
    seed: int,
    on_progress: OnShare,
    helpers: Helpers,
    same_dice: bool = False,
) -> Iterator[FinalSheets]:
    """Yield the full sheets of a bot's games, in batches."""
    if is_solved(rules, player, same_dice):
        return play_solved(rules, games, seed, on_progress)
    return play_engine(rules, player, games, seed, on_progress, helpers, same_dice)


def is_solved(rules: Ruleset, player: Player, same_dice: bool) -> bool:
    """Whether the games can be played in compiled kernels, from a table."""
    perfect = isinstance(player.bot, OptimalBot | WinnerBot)  # alone, both are one
    return perfect and not same_dice and known_values(rules).exact


def spread_solved(
    rules: Ruleset, games: int, seed: int, on_progress: OnShare, executor: Executor, keep_scores: bool
) -> Iterator[Summary]:
    """Yield summaries of a perfect player's games, which workers play from tables in their own cache."""
    pieces = [
        (rules, first, min(BATCH, games - first), seed, keep_scores) for first in range(0, games, BATCH)
    ]
    for number, part in enumerate(spread(executor, solved_piece, pieces), start=1):
        yield part
        on_progress(number / len(pieces))


def solved_piece(rules: Ruleset, first: int, count: int, seed: int, keep_scores: bool) -> Summary:
    """Play and count the games of these numbers in the worker: it returns a few kilobytes, not all sheets."""
    from dicecup.playout.games import play_games

    found = Summary(rules, keep_scores=keep_scores)
    found.add(play_games(known_values(rules).source, count, seed, first_game=first))
    return found


def play_solved(rules: Ruleset, games: int, seed: int, on_progress: OnShare) -> Iterator[FinalSheets]:
    from dicecup.playout.games import play_games

    source = known_values(rules).source
    for first in range(0, games, BATCH):
        count = min(BATCH, games - first)

        def report(done: int, total: int, first: int = first, count: int = count) -> None:
            on_progress((first + count * done / total) / games)

        yield play_games(source, count, seed, first_game=first, on_turns=report)


def play_engine(
    rules: Ruleset,
    player: Player,
    games: int,
    seed: int,
    on_progress: OnShare,
    helpers: Helpers,
    same_dice: bool = False,
) -> Iterator[FinalSheets]:
    """Play games one by one on the engine, distributed over the cores."""
    pieces = [(rules, first, min(first + PIECE, games), seed, same_dice) for first in range(0, games, PIECE)]
    return play_pieces(play_piece, player, pieces, on_progress, helpers)


def play_piece(
    player: Player, rules: Ruleset, first: int, end: int, seed: int, same_dice: bool = False
) -> FinalSheets:
    """Play the games of these numbers."""
    games = [(f"{seed} {number}", Random(f"{seed} {number}")) for number in range(first, end)]
    ends = [play_table(rules, [player], chance, name if same_dice else "") for name, chance in games]
    return final_sheets(rules, [end.sheet for end in ends], [end.winner is not None for end in ends])


def play_table(rules: Ruleset, players: Sequence[Player], chance: Random, same: str = "") -> State:
    """Play one game of these players, in this order.

    `same` names the games of all who are to have the same dice in every turn and roll, together or alone.
    """
    sides = all_dice(rules.dice.faces, len(rules.dice.layers))
    state = start(rules, len(players))
    begun = 0  # turns, of all players
    while not state.finished:
        if state.throw_due:
            begun += not state.dice
            turn = -(-begun // len(players))
            left = state.throws_left - state.sheet.saved  # rolls that were saved must not change the dice
            source = Random(f"{same} {turn} {left}") if same else chance
            dice = tuple(source.choice(sides) for _ in range(dice_to_throw(rules, state)))
            state = apply(rules, state, Throw(dice))
        else:
            player = players[state.player]
            _, state = decided(player.bot, player.name, rules, state, chance)
    return state
