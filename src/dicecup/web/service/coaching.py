"""The coach, where there is one: advice for the choice that is due, luck and losses so far, chances to win.

This is the only place of the web app that knows `dicecup.coach`. Until that package is there with what it
needs, there is no coach: tables cannot have it, pages do not mention it, the API says `coach_missing`.
Everything here takes its time and is called in threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

from dicecup.engine.moves import Keep, Score
from dicecup.engine.record import Record
from dicecup.engine.state import State
from dicecup.errors import UsageError
from dicecup.rules.model import Ruleset


class Choice(Protocol):
    @property
    def move(self) -> Keep | Score: ...
    @property
    def expected(self) -> float: ...
    @property
    def loss(self) -> float: ...


class Advice(Protocol):
    """What a position is worth, and every choice, best first."""

    @property
    def expected(self) -> float: ...
    @property
    def exact(self) -> bool: ...
    @property
    def choices(self) -> Sequence[Choice]: ...


class Coach:
    """What the web app asks of `dicecup.coach`."""

    def __init__(self) -> None:
        self.values = import_module("dicecup.coach.knowledge").known_values
        self.advise = import_module("dicecup.coach.advice").advise
        self.take_apart = import_module("dicecup.coach.review").review
        self.chances = import_module("dicecup.coach.winning").win_chances

    def advice(self, rules: Ruleset, state: State) -> Advice:
        found: Advice = self.advise(self.values(rules), state)
        return found

    def review(self, record: Record) -> Any:
        """Luck, skill and every decision of each player; of a game that still goes on, so far."""
        return self.take_apart(record, self.values(record.rules))

    def wins(self, rules: Ruleset, state: State) -> Any:
        """Each player's chance to win, and how sure that is."""
        return self.chances(self.values(rules), state)

    def win_chances(self, rules: Ruleset, state: State) -> tuple[Sequence[float], float]:
        """Each player's chance to win, and its standard error."""
        found = self.wins(rules, state)
        return found.chances, found.standard_error


@cache
def find_coach() -> Coach | None:
    if find_spec("dicecup.coach") is None:
        return None
    try:
        return Coach()
    except ImportError:
        return None


def coach() -> Coach:
    found = find_coach()
    if found is None:
        raise UsageError("coach_missing")
    return found
