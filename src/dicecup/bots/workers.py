"""Games played in worker processes, a piece at a time: those of this machine's cores, or of any executor.

A worker gets the bot pickled and imports the module it is defined in. It never imports the script that runs
(`__main__`): that may be a notebook, or a script that would start the simulation again. Whatever goes wrong
in a worker reaches the caller as an error: it cannot load the bot, the bot fails, the process dies.
"""

from __future__ import annotations

import pickle
import signal
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from functools import lru_cache
from multiprocessing import current_process, get_context
from multiprocessing.connection import wait
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

from dicecup.bots.registry import Bot, described
from dicecup.errors import BotError, DicecupError
from dicecup.executors import cores, spread
from dicecup.solver.solution import OnShare, OnWarning

MOST_CORES = 4096
MOST_WORKERS = 60 if sys.platform == "win32" else MOST_CORES  # Windows waits for at most 63 pipes

Played = TypeVar("Played")
Piece = tuple[Any, ...]  # rules, first game, the game after the last, seed; and whether with the same dice
Pipe = Any  # one end of a pipe: a `Connection`, and on Windows another class with the same methods
PlayPiece = Callable[..., Any]  # a function of this package: play(bot, *piece)


class Player(NamedTuple):
    """A bot, and its name in error messages."""

    bot: Bot
    name: str


class Helpers(NamedTuple):
    """Where games run: on an executor if given, else on so many cores of this machine (default: all)."""

    cores: int | None
    executor: Executor | None
    on_warning: OnWarning  # called with the reason where a bot plays on one core only


def raise_error(error: DicecupError) -> None:
    """Raise the error: the caller asked for several cores."""
    raise error


def play_pieces(
    play: Callable[..., Played],
    player: Player,
    pieces: Sequence[Piece],
    on_progress: OnShare,
    helpers: Helpers,
) -> Iterator[Played]:
    """Yield `play(player, *piece)` for every piece, distributed over the cores or by the executor."""
    workers = min(helpers.cores or cores(), len(pieces), MOST_WORKERS)
    played: Iterator[Played] = (play(player, *piece) for piece in pieces)
    if helpers.executor:
        played = share_with(helpers.executor, play, player, pieces)
    elif workers > 1 and can_share():
        warned = helpers.on_warning if helpers.cores is None else raise_error
        played = shared_if_possible(play, player, pieces, workers, played, warned)
    for number, sheets in enumerate(played, start=1):
        yield sheets
        on_progress(number / len(pieces))


def shared_if_possible(
    play: Callable[..., Played],
    player: Player,
    pieces: Sequence[Piece],
    workers: int,
    alone: Iterator[Played],
    on_warning: OnWarning,
) -> Generator[Played]:
    """Play on several cores; where workers cannot load the bot, warn and play on one."""
    try:
        yield from share(play, player, pieces, workers)
    except BotError as error:
        if error.code != "bot_not_shared":
            raise
        on_warning(error)
        yield from alone


def can_share() -> bool:
    """Whether this process may start others."""
    return not current_process().daemon


def share(play: PlayPiece, player: Player, pieces: Sequence[Piece], cores: int) -> Iterator[Any]:
    """Yield `play(player, *piece)` for every piece, computed on several cores, in order.

    A `BotError` with the code `bot_not_shared` is raised first if workers cannot load the bot.
    """
    packed = pack(play, player)
    processes, busy, results = [], dict[Pipe, int](), dict[int, Any]()
    waiting = iter(enumerate(pieces))
    context = get_context("spawn")
    try:
        with hidden_main():
            for _core, (number, piece) in zip(range(cores), waiting, strict=False):
                mine, theirs = context.Pipe()
                process = context.Process(target=work, args=(theirs, packed, player.name), daemon=True)
                process.start()
                theirs.close()
                processes.append(process)
                busy[mine] = number
                send_piece(mine, piece, player.name)
        for number in range(len(pieces)):
            while number not in results:
                for connection in wait(list(busy)):
                    results[busy.pop(connection)] = received(connection, player.name)
                    if (following := next(waiting, None)) is not None:
                        busy[connection] = following[0]
                        send_piece(connection, following[1], player.name)
            yield results.pop(number)
    finally:
        for process in processes:
            process.kill()
            process.join()


def share_with(executor: Executor, play: PlayPiece, player: Player, pieces: Sequence[Piece]) -> Iterator[Any]:
    """Do the same on the workers of an executor, which may be other machines."""
    packed = pack(play, player)
    return spread(executor, play_packed, [(packed, player.name, piece) for piece in pieces])


def play_packed(packed: bytes, name: str, piece: Piece) -> Any:
    """Play a piece in a worker of an executor."""
    try:
        play, player = unpacked(packed)
    except Exception as error:
        raise BotError("bot_not_shared", bot=name, problem=described(error)) from None
    try:
        return play(player, *piece)
    except Exception as error:
        raise sendable(error, name) from None


@lru_cache(maxsize=4)
def unpacked(packed: bytes) -> tuple[PlayPiece, Player]:
    """Unpickle the bot of a simulation, once for all its pieces."""
    found: tuple[PlayPiece, Player] = pickle.loads(packed)
    return found


def pack(play: PlayPiece, player: Player) -> bytes:
    if type(player.bot).__module__ == "__main__":
        problem = f"{type(player.bot).__qualname__} is defined in __main__"
        raise BotError("bot_not_shared", bot=player.name, problem=problem)
    try:
        return pickle.dumps((play, player))
    except Exception as error:
        raise BotError("bot_not_shared", bot=player.name, problem=described(error)) from None


@contextmanager
def hidden_main() -> Iterator[None]:
    """Keep processes started in this block from importing `__main__` again."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def send_piece(connection: Pipe, piece: Piece, name: str) -> None:
    """Send a piece to a worker; raise an error if the worker has died."""
    try:
        # `send` leaves its buffer in the error, about which Python 3.13 complains to the user later.
        connection.send_bytes(pickle.dumps(piece))
    except OSError:
        raise BotError("bot_worker_died", bot=name) from None


def received(connection: Pipe, name: str) -> Any:
    try:
        result = connection.recv()
    except (EOFError, OSError):
        raise BotError("bot_worker_died", bot=name) from None
    if isinstance(result, DicecupError):
        raise result
    return result


def work(connection: Pipe, packed: bytes, name: str) -> None:
    """Run a worker process: play pieces until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started it
    try:
        play, player = pickle.loads(packed)
    except Exception as error:
        connection.recv()
        connection.send(BotError("bot_not_shared", bot=name, problem=described(error)))
        return
    while True:
        try:
            piece = connection.recv()
        except EOFError:
            return
        try:
            connection.send(play(player, *piece))
        except Exception as error:
            connection.send(sendable(error, name))


def sendable(error: Exception, name: str) -> DicecupError:
    """Return the error if it can be pickled, else one that describes it."""
    try:
        if isinstance(error, DicecupError):
            pickle.dumps(error)
            return error
    except Exception:
        pass
    return BotError("bot_failed", bot=name, problem=described(error))
