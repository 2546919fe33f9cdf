"""Bots of one's own: found by name, checked, and never trusted to return a legal move.

A bot is named like `package.module:Class`, or by the name under which an installed package registers it in
the entry point group `dicecup.bots`. Loading one runs its code, so only names that the user gave are loaded:
a record or a request to the server that names a bot loads nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from random import Random

from dicecup.bots.registry import BOT_PREFIX, BOTS, Bot
from dicecup.engine.play import apply
from dicecup.engine.state import Keep, Score, State
from dicecup.errors import BotError, DicecupError, UsageError
from dicecup.rules.model import Ruleset

GROUP = "dicecup.bots"


@contextmanager
def current_folder_searched() -> Iterator[None]:
    """In here, bots are also found in the folder that the program runs in."""
    sys.path.insert(0, str(Path.cwd()))
    try:
        yield
    finally:
        sys.path.pop(0)


def find_bot(name: str) -> Bot:
    """The bot of this name: a built-in one, one an installed package registers, or `package.module:Class`."""
    if name in BOTS:
        return BOTS[name]
    if name in installed_bots():
        return made(name, installed_bots()[name].load)
    if ":" in name:
        return made(name, lambda: imported(name))
    raise UsageError("bot_unknown", bot=name[:80], known=", ".join((*BOTS, *installed_bots())))


@cache
def installed_bots() -> dict[str, EntryPoint]:
    """What installed packages register; a name of ours stays ours."""
    return {entry.name: entry for entry in entry_points(group=GROUP) if entry.name not in BOTS}


def imported(name: str) -> object:
    module, _, path = name.partition(":")
    found: object = import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    return found


def made(name: str, load: object) -> Bot:
    """The bot that loading gives: an object, or a class that is called without arguments."""
    assert callable(load)
    try:
        found = load()
        bot = found() if isinstance(found, type) else found
    except Exception as error:
        raise BotError("bot_not_loaded", bot=name[:80], problem=described(error)) from error
    return checked_bot(bot, name[:80])


def checked_bot(bot: object, name: str = "") -> Bot:
    """The bot, if it is one."""
    if isinstance(bot, type) or not callable(getattr(bot, "decide", None)):
        raise BotError("bot_without_decide", bot=name or shown(bot))
    return bot  # type: ignore[return-value]


def bot_name(bot: Bot | str) -> str:
    """What a bot is called in records and results."""
    if isinstance(bot, str):
        return bot
    built_in = next((name for name, known in BOTS.items() if known is bot), None)
    return built_in or type(checked_bot(bot)).__name__


def known_bot(player: str) -> Bot | None:
    """The bot at a seat, if it can be had without loading code that only the record names."""
    name = player.removeprefix(BOT_PREFIX)
    return find_bot(name) if name in BOTS or name in installed_bots() else None


def decided(bot: Bot, name: str, rules: Ruleset, state: State, chance: Random) -> tuple[Keep | Score, State]:
    """The bot's decision, and the state after it; an error names the bot."""
    try:
        move = bot.decide(rules, state, chance)
    except DicecupError:
        raise
    except Exception as error:
        raise BotError("bot_failed", bot=name, problem=described(error)) from error
    if not isinstance(move, Keep | Score):
        raise BotError("bot_no_move", bot=name, found=shown(move))
    try:
        return move, apply(rules, state, move)
    except DicecupError as error:
        raise BotError("bot_illegal", bot=name, problem=error) from error
    except Exception as error:  # a move made of rubbish
        raise BotError("bot_no_move", bot=name, found=shown(move)) from error


def described(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:300] if str(error) else type(error).__name__


def shown(value: object) -> str:
    return repr(value)[:80]
