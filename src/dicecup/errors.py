"""The error family: every error has a stable code, a sentence, and an exit status.

Code below the interfaces raises errors with a code and plain values. `str(error)` is the English sentence;
the interfaces translate the same template (it is the message id of the catalogues) and substitute names for
ids.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from operator import index
from typing import Any, SupportsIndex

from dicecup.messages import SENTENCES, Plural
from dicecup.phrases import Phrase
from dicecup.server_messages import SERVER_SENTENCES

ALL_SENTENCES = SENTENCES | SERVER_SENTENCES


class DicecupError(Exception):
    """Base class of all errors; the sentence says what cannot be done, why, and what to do.

    `code` is stable and meant for programs; `values` are what the sentence speaks of.

    >>> import dicecup
    >>> try:
    ...     dicecup.Game("bridge")
    ... except dicecup.DicecupError as error:
    ...     print(error.code, error.values["ruleset"])
    ruleset_unknown bridge
    """

    exit_status = 2

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code, values)
        self.code = code
        self.values = values
        self.rules: object = None  # the rules it refers to, where known

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the code and the values, so that an error of a worker process arrives whole."""
        return partial(type(self), self.code, **self.values), (), {"rules": self.rules}

    @property
    def template(self) -> str:
        """The English sentence with its placeholders."""
        sentence = ALL_SENTENCES[self.code]
        if isinstance(sentence, str):
            return sentence
        return sentence.one if self.values.get(sentence.by) == 1 else sentence.many

    @property
    def plural(self) -> Plural | None:
        """The two forms of the sentence, where it has them."""
        sentence = ALL_SENTENCES[self.code]
        return sentence if isinstance(sentence, Plural) else None

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
    """Raised for an invalid rules file, ruleset id or option.

    >>> import dicecup
    >>> dicecup.Rules("yatzy", {"scoring": "chess"})
    Traceback (most recent call last):
    dicecup.errors.RulesError: The option scoring has no value “chess”. ...
    """


class DiceError(DicecupError):
    """Raised for a text or value that is not valid dice of the game.

    >>> import dicecup
    >>> dicecup.Rules("yatzy").score((1, 2, 3))
    Traceback (most recent call last):
    dicecup.errors.DiceError: That’s the wrong number of dice: 3. Give 5.
    """


class MoveError(DicecupError):
    """Raised for a well-formed move that the rules do not allow now.

    >>> import dicecup
    >>> dicecup.Game("yatzy").score("sixes")
    Traceback (most recent call last):
    dicecup.errors.MoveError: You haven’t rolled yet. Roll the dice first.
    """


class PositionError(DicecupError):
    """Raised for a position that cannot be parsed or cannot occur in the game.

    >>> import dicecup
    >>> dicecup.Position.parse("yatzy / ones=7")
    Traceback (most recent call last):
    dicecup.errors.PositionError: ones can’t hold 7 points. Correct the score sheet.
    """


class RecordError(DicecupError):
    """Raised for a record that cannot be parsed, is damaged, or belongs to other rules.

    >>> import dicecup
    >>> dicecup.Game("yatzy").undo()
    Traceback (most recent call last):
    dicecup.errors.RecordError: Only 0 steps can be undone. Undo fewer.
    """

    exit_status = 1


class StorageError(DicecupError):
    """Raised for a file that cannot be read or written.

    >>> import dicecup
    >>> dicecup.Game.load("nowhere.record")
    Traceback (most recent call last):
    dicecup.errors.StorageError: nowhere.record can’t be read: it doesn’t exist. ...
    """


class UsageError(DicecupError):
    """Raised for a command or call that names something nonexistent.

    >>> import dicecup
    >>> dicecup.Game("yatzy", ["bot:genius"])
    Traceback (most recent call last):
    dicecup.errors.UsageError: There’s no bot “genius”. Choose one of: random, greedy, ...
    """


class BotError(DicecupError):
    """Raised for a bot of one's own that cannot be loaded, fails, or returns an illegal move.

    >>> import dicecup
    >>> dicecup.Game("yatzy", ["bot:no_such_module:Bot"])
    Traceback (most recent call last):
    dicecup.errors.BotError: The bot no_such_module:Bot can’t be loaded: ...
    """


def whole_number(argument: str, value: object, low: int, high: int) -> int:
    """The value of an argument as an `int`; anything but a whole number in these bounds is refused."""
    if not isinstance(value, SupportsIndex) or not low <= index(value) <= high:
        expected = Phrase("expected_whole_number", low=low, high=high)
        raise UsageError("argument_wrong", argument=argument, expected=expected)
    return index(value)
