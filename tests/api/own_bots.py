"""Bots as somebody else would write them, in a module that worker processes can import."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from random import Random
from typing import Any

from dicecup import Keep, Ruleset, Score, State, apply, legal_moves
from dicecup.bots.heuristic import RandomBot
from dicecup.engine.state import TurnMove


class Cautious:
    """Takes the last move there is."""

    def decide(self, rules: Ruleset, state: State, chance: Random) -> Keep | Score:
        move = legal_moves(rules, state)[-1]
        assert isinstance(move, Score)
        return move


class Raising(Cautious):
    def decide(self, rules: Ruleset, state: State, chance: Random) -> Keep | Score:
        raise ZeroDivisionError("no idea")


class Confused(Cautious):
    """Tries its move out first, and it is not legal."""

    def decide(self, rules: Ruleset, state: State, chance: Random) -> Keep | Score:
        apply(rules, state, Keep((9,)))
        raise AssertionError("nobody gets here")


class Unspeakable(Cautious):
    """Raises an error that cannot be put into words."""

    def decide(self, rules: Ruleset, state: State, chance: Random) -> Keep | Score:
        raise UnspeakableError


class UnspeakableError(Exception):
    def __str__(self) -> str:
        raise ZeroDivisionError


class Unshowable(Cautious):
    """Answers with something that cannot be shown, either."""

    def decide(self, rules: Ruleset, state: State, chance: Random) -> Keep | Score:
        return Hidden()  # type: ignore[return-value]


class Hidden:
    def __repr__(self) -> str:
        raise ZeroDivisionError


class Leaving(Cautious):
    def decide(self, rules: Ruleset, state: State, chance: Random) -> Keep | Score:
        sys.exit("that is enough")


class Closing(Cautious):
    def decide(self, rules: Ruleset, state: State, chance: Random) -> Keep | Score:
        raise GeneratorExit


class Iterating(Cautious):
    """Keeps the highest die, by an iterator."""

    def decide(self, rules: Ruleset, state: State, chance: Random) -> Keep | Score:
        if state.throws_left:
            return Keep(iter(state.dice[-1:]))  # type: ignore[arg-type]
        return Score(iter(super().decide(rules, state, chance).placements))  # type: ignore[arg-type, union-attr]


class Keeping(Cautious):
    """Keeps the two highest dice, in a form of its own."""

    def __init__(self, form: Callable[[Any], Any]) -> None:
        self.form = form

    def decide(self, rules: Ruleset, state: State, chance: Random) -> Keep | Score:
        if state.throws_left:
            return Keep(self.form(state.dice[-2:]))
        return super().decide(rules, state, chance)


class Torn:
    """Cannot even say whether it decides."""

    @property
    def decide(self) -> Callable[[Ruleset, State, Random], TurnMove]:
        raise ZeroDivisionError("no idea")


class Blind(Cautious):
    """Cannot say whether it sees the others."""

    @property
    def sees_others(self) -> bool:
        raise ZeroDivisionError("no idea")


class Illegal(Cautious):
    def decide(self, rules: Ruleset, state: State, chance: Random) -> Keep | Score:
        return Keep(state.dice)


class Silent(Cautious):
    def decide(self, rules: Ruleset, state: State, chance: Random) -> Keep | Score:
        return None  # type: ignore[return-value]


class Rubbish(Cautious):
    def decide(self, rules: Ruleset, state: State, chance: Random) -> Keep | Score:
        return Keep(7)  # type: ignore[arg-type]


class Dying(Cautious):
    def decide(self, rules: Ruleset, state: State, chance: Random) -> Keep | Score:
        os._exit(3)


class Unpicklable(Cautious):
    def __init__(self) -> None:
        self.choose = lambda moves: moves[-1]


class Unloadable(Cautious):
    """Can be pickled, but not be read back."""

    def __setstate__(self, state: object) -> None:
        raise RuntimeError("not here")

    def __getstate__(self) -> object:
        return {"some": "state"}


class NeedsArguments(Cautious):
    def __init__(self, strength: int) -> None:
        self.strength = strength


instance = Cautious()
not_a_bot = 7


class Mortal(RandomBot):
    """Kills the first worker process that plays with it, once it has begun to; `latch` is a file.

    Its scores depend on all dice and choices, so that a game that is played otherwise shows.
    """

    def __init__(self, latch: str) -> None:
        self.latch = latch

    def decide(self, rules: Ruleset, state: State, chance: Random) -> TurnMove:
        try:
            os.close(os.open(self.latch, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return super().decide(rules, state, chance)
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("nobody gets here")
