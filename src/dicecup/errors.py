"""The error family: every error has a stable code, a sentence, and an exit status.

Code below the interfaces raises errors with a code and plain values. `str(error)` is the English sentence;
the interfaces translate the same template (it is the message id of the catalogues) and substitute names for
ids.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dicecup.messages import SENTENCES


class DicecupError(Exception):
    """Base class of all errors; the sentence says what cannot be done, why, and what to do."""

    exit_status = 2

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code, values)
        self.code = code
        self.values = values
        self.rules: object = None  # the rules it refers to, where known

    @property
    def template(self) -> str:
        """The English sentence with its placeholders."""
        return SENTENCES[self.code]

    def __str__(self) -> str:
        return self.template.format(**self.values)


@contextmanager
def about(rules: object) -> Iterator[None]:
    """Attach the rules to errors raised in this block, so that boxes can be shown by name."""
    try:
        yield
    except DicecupError as error:
        error.rules = rules
        raise


class RulesError(DicecupError):
    """Raised for an invalid rules file, ruleset id or option."""


class DiceError(DicecupError):
    """Raised for a text or value that is not valid dice of the game."""


class MoveError(DicecupError):
    """Raised for a well-formed move that the rules do not allow now."""


class PositionError(DicecupError):
    """Raised for a position that cannot be parsed or cannot occur in the game."""


class RecordError(DicecupError):
    """Raised for a record that cannot be parsed, is damaged, or belongs to other rules."""

    exit_status = 1


class StorageError(DicecupError):
    """Raised for a file that cannot be read or written."""


class UsageError(DicecupError):
    """Raised for a command or call that names something nonexistent."""
