"""Games in which bots see each other's sheets; they take turns to go first.

If all of them play for the win or for points and there are many games, they run in compiled kernels,
thousands at once, by tables of chances; otherwise on the engine, without tables. Which of the two depends on
the bots, the number of games and whether all get the same dice, never on what is in a cache: the same seed
gives the same games.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from random import Random

from dicecup.bots.registry import Bot, OptimalBot, WinnerBot, sees_others
from dicecup.bots.simulation import play_table
from dicecup.bots.summary import final_sheets
from dicecup.bots.workers import Helpers, Player, play_pieces
from dicecup.coach.advice import Values, known_values
from dicecup.engine.state import State, TurnMove
from dicecup.executors import spread
from dicecup.playout.games import FinalSheets
from dicecup.rules.model import Ruleset
from dicecup.solver.single.chances import ChanceTable, find_chances, solve_chances
from dicecup.solver.single.solution import SingleSolution
from dicecup.solver.solution import OnProgress, OnShare, Play, no_callback

BATCH = 20_000  # games in compiled kernels at once
PIECE = 5  # games on the engine between two progress reports
MANY_GAMES = 50  # from this many games on, computing the tables takes less time than playing without them
MOST_STATES = 5_000_000  # of a game whose tables are computed unasked: a gigabyte or two
PLAYS: tuple[Play, ...] = ("points", "target")


class Team:
    """Several bots as one object, so that all of them can be sent to a worker process together."""

    def __init__(self, players: Sequence[Player]) -> None:
        self.players = list(players)

    def decide(self, rules: Ruleset, state: State, chance: Random) -> TurnMove:
        """The decision of the bot whose turn it is."""
        return self.players[state.player].bot.decide(rules, state, chance)


def play_together(
    rules: Ruleset,
    players: Sequence[Player],
    games: int,
    seed: int,
    on_progress: OnShare,
    helpers: Helpers,
    same_dice: bool = False,
) -> Iterator[list[FinalSheets]]:
    """Yield the full sheets of each bot, in batches of games. Who goes first rotates from game to game."""
    bots = [player.bot for player in players]
    if not same_dice and needs_tables(rules, bots, games):
        tables = win_tables(known_values(rules))
        to_win = [isinstance(player.bot, WinnerBot) for player in players]
        if helpers.executor:
            yield from spread_compiled(rules, to_win, games, seed, on_progress, helpers.executor)
        else:
            yield from play_compiled(rules, tables, to_win, games, seed, on_progress)
        return
    team = Player(Team(players), ", ".join(player.name for player in players))
    pieces = [(rules, first, min(first + PIECE, games), seed, same_dice) for first in range(0, games, PIECE)]
    yield from play_pieces(play_team, team, pieces, on_progress, helpers)


def needs_tables(rules: Ruleset, bots: Sequence[Bot], games: int) -> bool:
    """Whether these bots use tables of chances, which pays off for this many games."""
    if games < MANY_GAMES or len(bots) < 2 or not any(map(sees_others, bots)):
        return False
    if not all(isinstance(bot, WinnerBot | OptimalBot) for bot in bots):
        return False
    source = known_values(rules).source
    return isinstance(source, SingleSolution) and source.table.header.states <= MOST_STATES


def win_tables(values: Values, on_progress: OnProgress = no_callback) -> dict[Play, ChanceTable]:
    """Return the tables of chances that play for the win reads; missing ones are computed."""
    source = values.source
    assert isinstance(source, SingleSolution)
    return {
        play: find_chances(source, play) or solve_chances(source, play, on_progress=on_progress, wait=True)
        for play in PLAYS
    }


def batches(games: int, players: int) -> list[tuple[int, int]]:
    """Return the first game and the size of each batch; the same player goes first in all its games."""
    most = BATCH - BATCH % players
    return [(first, min(most, games - first)) for first in range(0, games, most)]


def play_compiled(
    rules: Ruleset,
    tables: dict[Play, ChanceTable],
    to_win: list[bool],
    games: int,
    seed: int,
    on_progress: OnShare,
) -> Iterator[list[FinalSheets]]:
    from dicecup.playout.to_win import HeadToHead

    source = known_values(rules).source
    assert isinstance(source, SingleSolution)
    playing = HeadToHead(source, tables, to_win)
    for first, count in batches(games, len(to_win)):

        def report(done: int, total: int, first: int = first, count: int = count) -> None:
            on_progress((first + count * done / total) / games)

        yield playing.play(count, seed, first, report)


def spread_compiled(
    rules: Ruleset, to_win: list[bool], games: int, seed: int, on_progress: OnShare, executor: Executor
) -> Iterator[list[FinalSheets]]:
    """Play the same games on the workers of an executor, which compute the tables in their own cache."""
    pieces = [(rules, to_win, first, count, seed) for first, count in batches(games, len(to_win))]
    for number, played in enumerate(spread(executor, compiled_piece, pieces), start=1):
        yield played
        on_progress(number / len(pieces))


def compiled_piece(
    rules: Ruleset, to_win: list[bool], first: int, count: int, seed: int
) -> list[FinalSheets]:
    """Play the games of these numbers. Compute missing tables: all workers must play by the same values."""
    from dicecup.playout.to_win import HeadToHead

    values = known_values(rules)
    assert isinstance(values.source, SingleSolution)
    return HeadToHead(values.source, win_tables(values), to_win).play(count, seed, first)


def play_team(
    team: Player, rules: Ruleset, first: int, end: int, seed: int, same_dice: bool = False
) -> list[FinalSheets]:
    """Play the games of these numbers."""
    assert isinstance(team.bot, Team)
    players = team.bot.players
    games = []
    for number in range(first, end):
        begins = number % len(players)
        order = [*players[begins:], *players[:begins]]
        name = f"{seed} {number}"
        played = play_table(rules, order, Random(name), name if same_dice else "")
        ends = [(sheet, seat == played.winner) for seat, sheet in enumerate(played.sheets)]
        games.append([*ends[len(players) - begins :], *ends[: len(players) - begins]])
    return [
        final_sheets(rules, [sheet for sheet, _ in own], [won for _, won in own])
        for own in zip(*games, strict=True)
    ]
