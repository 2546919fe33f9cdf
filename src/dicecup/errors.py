"""The one error family: every error has a stable code, a sentence, and an exit status.

Code below the interfaces raises errors with a code and plain values. `str(error)` is the English sentence;
the interfaces translate the same template (it is the message id of the catalogues) and put in names for ids.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dicecup.messages import SENTENCES


class DicecupError(Exception):
    """Something a player or programmer asked for cannot be done; the sentence says why and what to do."""

    exit_status = 2

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code, values)
        self.code = code
        self.values = values
        self.rules: object = None  # those it speaks of, where it knows them

    @property
    def template(self) -> str:
        """The English sentence with its places for values still open."""
        return SENTENCES[self.code]

    def __str__(self) -> str:
        return self.template.format(**self.values)


@contextmanager
def about(rules: object) -> Iterator[None]:
    """An error from in here knows the rules it speaks of, so that boxes can be called by their names."""
    try:
        yield
    except DicecupError as error:
        error.rules = rules
        raise


class RulesError(DicecupError):
    """A rules file, a ruleset id or an option is wrong."""


class DiceError(DicecupError):
    """A text or a value is not the dice that the game asks for."""


class MoveError(DicecupError):
    """The move is understood, but the rules do not allow it now."""


class PositionError(DicecupError):
    """A position cannot be read, or cannot occur in the game."""


class RecordError(DicecupError):
    """A record cannot be read, is damaged, or belongs to other rules."""

    exit_status = 1


class StorageError(DicecupError):
    """A file cannot be read or written."""


class UsageError(DicecupError):
    """The command line or the call asks for something that does not exist."""
