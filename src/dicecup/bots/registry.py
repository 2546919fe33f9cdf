"""The bots by name: those of this package, weakest first, installed ones, and bots of one's own.

A bot of one's own is named like `package.module:Class`, or by the name under which an installed package
registers it in the entry point group `dicecup.bots`. Loading one runs its code, so only names that the
user gave are loaded: a record or a request to the server that names a bot loads nothing. docs/coach.md
shows how the strength of the built-in bots is measured. What a bot returns is checked: it need not be a
legal move.
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
from typing import Protocol

from dicecup.bots.heuristic import CarelessBot, GreedyBot, RandomBot, SteadyBot
from dicecup.coach.advice import advise, known_values, values_at_once
from dicecup.engine.play import apply
from dicecup.engine.record import BOT_PREFIX
from dicecup.engine.state import Keep, Score, State, TurnMove
from dicecup.errors import BotError, DicecupError, UsageError
from dicecup.rules.model import Ruleset


class OptimalBot:
    """A bot that maximises the expected final score. Solves the game first if that takes seconds."""

    def decide(self, rules: Ruleset, state: State, chance: Random) -> TurnMove:  # noqa: ARG002
        return advise(values_at_once(rules), state).choices[0].move


class WinnerBot:
    """A bot that plays for the win, seeing all sheets; the others are taken to play for points.

    In games of one column and single dice it does so in the last nine turns; in other games in the very last
    turns. Before that it maximises points. Simulations of many games play so from the beginning
    (`bots.head_to_head`).
    """

    sees_others = True

    def decide(self, rules: Ruleset, state: State, chance: Random) -> TurnMove:  # noqa: ARG002
        values = known_values(rules)
        from dicecup.coach.goals import decide_to_win  # needs NumPy

        return decide_to_win(values, state)


class Bot(Protocol):
    """What a bot is: any object that decides. All chance comes from `chance`, so that a seed repeats a game.

    With an attribute `sees_others` that is true, `simulate` lets it play its games together with the others,
    so that it sees their sheets.

    >>> import dicecup
    >>> class FirstMove:
    ...     def decide(self, rules, state, chance):
    ...         return dicecup.legal_moves(rules, state)[-1]
    >>> game = dicecup.Game("yatzy", [FirstMove()], seed=1)
    >>> moves = game.play_bots()
    >>> game.finished
    True
    """

    def decide(self, rules: Ruleset, state: State, chance: Random) -> TurnMove:
        """The decision for the player whose turn it is: dice to keep, or boxes to fill.

        >>> class Chaos:
        ...     def decide(self, rules, state, chance):
        ...         return chance.choice(dicecup.legal_moves(rules, state))
        >>> dicecup.Game("yatzy", [Chaos()], seed=1).play_bots()[1]
        Score(placements=(Placement(box='twos', column='', strike=False),))
        """
        ...


BOTS: dict[str, Bot] = {
    "random": RandomBot(),
    "greedy": GreedyBot(),
    "careless": CarelessBot(),
    "steady": SteadyBot(),
    "optimal": OptimalBot(),
    "winner": WinnerBot(),
}

OURS = tuple(type(bot) for bot in BOTS.values())


def bot_called(name: str) -> Bot:
    if name not in BOTS:
        raise UsageError("bot_unknown", bot=name, known=", ".join(BOTS))
    return BOTS[name]


def is_bot(player: str) -> bool:
    """Whether a seat's name says that a bot sits there."""
    return player.startswith(BOT_PREFIX)


def bot_of_player(player: str) -> Bot | None:
    """Return the bot of a seat's name such as `bot:greedy`, or None for a person."""
    return bot_called(player.removeprefix(BOT_PREFIX)) if is_bot(player) else None


NAMES = ("random", "greedy", "careless", "steady", "optimal")
MEANS = {
    "yatzy": (30, 183, 191, 234, 249),
    "yatzy-sv": (30, 184, 191, 232, 248),
    "yahtzee": (27, 197, 212, 237, 255),
    "dice-in-dice": (50, 225, 259, 300, 315),
    "yum-plus": (50, 304, 357, 415, 465),
    "triple-yum-plus": (316, 1973, 2555, 2982, 3279),
}


def sees_others(bot: Bot) -> bool:
    """Whether a bot's decisions depend on the sheets of the others."""
    with own_code(bot):
        return bool(getattr(bot, "sees_others", False))


def usual_score(rules: Ruleset, bot: str) -> int | None:
    """Return a bot's mean score; None for a game or a bot that was not measured."""
    means = dict(zip(NAMES, MEANS.get(rules.reference, ()), strict=False))
    return means.get(bot)


GROUP = "dicecup.bots"
FAILURES = (Exception, SystemExit, GeneratorExit)  # in the code of a bot: all but Ctrl-C


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
    """The bots that installed packages register; built-in names take precedence."""
    return {entry.name: entry for entry in entry_points(group=GROUP) if entry.name not in BOTS}


def imported(name: str) -> object:
    module, _, path = name.partition(":")
    found: object = import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    return found


def made(name: str, load: object) -> Bot:
    """Return the bot that was loaded: an object, or an instance of a class that takes no arguments."""
    assert callable(load)
    try:
        found = load()
        bot = found() if isinstance(found, type) else found
    except FAILURES as error:
        raise BotError("bot_not_loaded", bot=name[:80], problem=described(error)) from error
    return checked_bot(bot, name[:80])


def checked_bot(bot: object, name: str = "") -> Bot:
    """Return the bot; refuse an object that is not a bot."""
    with own_code(bot, name):
        decides = not isinstance(bot, type) and callable(getattr(bot, "decide", None))
    if not decides:
        raise BotError("bot_without_decide", bot=name or shown(bot))
    return bot  # type: ignore[return-value]


@contextmanager
def own_code(bot: object, name: str = "") -> Iterator[None]:
    """Name the bot in an error that its attributes raise in this block."""
    try:
        yield
    except FAILURES as error:
        name = name or type(bot).__name__
        raise BotError("bot_failed", bot=name, problem=described(error)) from error


def bot_name(bot: Bot | str) -> str:
    """What a bot is called in records and results."""
    if isinstance(bot, str):
        return bot
    built_in = next((name for name, known in BOTS.items() if known is bot), None)
    if built_in:
        return built_in
    kind = type(checked_bot(bot))
    # The built-in bot of that name would play on where the record is loaded.
    return f"{kind.__module__}:{kind.__name__}" if kind.__name__ in BOTS else kind.__name__


def known_bot(player: str) -> Bot | None:
    """The bot at a seat, unless that would load code that only the record names."""
    name = player.removeprefix(BOT_PREFIX)
    return find_bot(name) if name in BOTS or name in installed_bots() else None


def decided(bot: Bot, name: str, rules: Ruleset, state: State, chance: Random) -> tuple[TurnMove, State]:
    """The bot's decision in plain values, and the state after it; an error names the bot."""
    move = asked(bot, name, rules, state, chance)
    try:
        if type(bot) in OURS:
            return move, apply(rules, state, move)
        move = listed(move)
        after = apply(rules, state, move)
        # The dice of a move may be numbers of NumPy, texts, or an iterator that is read by now.
        return move if after.kept is None or not isinstance(move, Keep) else Keep(after.kept), after
    except DicecupError as error:
        raise BotError("bot_illegal", bot=name, problem=error) from error
    except Exception as error:  # a malformed move
        raise BotError("bot_no_move", bot=name, found=shown(move)) from error


def decision(bot: Bot, name: str, rules: Ruleset, state: State, chance: Random) -> TurnMove:
    """The bot's decision in plain values; those of our own bots are applied only once, by the caller."""
    if type(bot) in OURS:
        return asked(bot, name, rules, state, chance)
    return decided(bot, name, rules, state, chance)[0]


def asked(bot: Bot, name: str, rules: Ruleset, state: State, chance: Random) -> TurnMove:
    """What the bot answers, which may still be illegal or malformed; an error names the bot."""
    try:
        move = bot.decide(rules, state, chance)
    except DicecupError as error:
        if type(bot) in OURS:
            raise
        raise BotError("bot_failed", bot=name, problem=described(error)) from error
    except FAILURES as error:
        raise BotError("bot_failed", bot=name, problem=described(error)) from error
    if not isinstance(move, TurnMove):
        raise BotError("bot_no_move", bot=name, found=shown(move))
    return move


def listed(move: TurnMove) -> TurnMove:
    """The move, its boxes in a tuple: an iterator can be read only once."""
    if isinstance(move, Score) and isinstance(move.placements, Iterator):
        return Score(tuple(move.placements))
    return move


def described(error: BaseException) -> str:
    """Describe an error in a bot's code in one line."""
    try:
        text = " ".join(str(error)[:300].split()).rstrip(".")  # the text is followed by more of a sentence
    except Exception:  # an error whose `__str__` fails
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def shown(value: object) -> str:
    try:
        return repr(value)[:80]
    except Exception:
        return object.__repr__(value)[:80]
