"""The error family: every error has a stable code, a sentence made of translated parts, and an exit status.

Code below the interfaces raises errors with a code and plain values. `str(error)` is the English sentence;
the interfaces translate the same template (it is the message id of the catalogues) and substitute names for
ids.
"""

from __future__ import annotations

import errno
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import partial
from operator import index
from typing import Any, SupportsIndex

from dicecup.messages import N_, SENTENCES, Plural
from dicecup.server_messages import SERVER_SENTENCES


class Phrase:
    """A part of a sentence that is translated separately."""

    def __init__(self, code: str, **values: object) -> None:
        self.code = code
        self.values = values

    @property
    def template(self) -> str:
        return PHRASES[self.code]

    def __str__(self) -> str:
        return self.template.format(**self.values)


PHRASES = {
    "system_device": N_("it’s a device or a pipe"),
    "system_folder": N_("it’s a folder"),
    "system_folder_missing": N_("its folder doesn’t exist"),
    "system_full": N_("the disk is full"),
    "system_missing": N_("it doesn’t exist"),
    "system_no_folder": N_("part of its path isn’t a folder"),
    "system_no_permission": N_("you don’t have permission"),
    "system_other": N_("the system says “{text}”"),
    "system_read_only": N_("the disk is read-only"),
    "system_too_large": N_("it would get too large"),
    "expected_at_most": N_("at most {most} entries"),
    "expected_box": N_("the id of a box in this game; “{found}” isn’t one"),
    "expected_boxes": N_("from 1 to {most} boxes"),
    "expected_dice": N_("a list of {count} dice"),
    "expected_different_faces": N_("a different number for every box"),
    "expected_entry": N_("a throw, final, keep, announce, score, write, undo or secret"),
    "expected_every_layer": N_("each of these layers once: {layers}"),
    "expected_few_bases": N_("at most {most} files in a row, each based on the next"),
    "expected_fewer_endings": N_("fewer boxes: a turn can end in at most {most} ways"),
    "expected_header_word": N_("a line of the header (game, option, identity, date, player, dice, seed)"),
    "expected_id": N_("an id of lowercase letters, digits, “_” and “-”, at most 40 characters"),
    "expected_ids": N_("a list of different ids"),
    "expected_kept": N_("some of the dice, not all, while a roll is left"),
    "expected_multiple": N_(
        "a number of boxes that divides evenly into turns (boxes: {boxes}, per turn: {scored})"
    ),
    "expected_multiple_of": N_("a multiple of {step}, 0 or more"),
    "expected_name": N_("a name of 1 to {most} characters without a comma"),
    "expected_new_id": N_("an id that no other line of the score sheet uses"),
    "expected_no_base_cycle": N_("a file that doesn’t lead back to itself"),
    "expected_no_cycle": N_("boxes that don’t wait for each other in a circle ({boxes})"),
    "expected_no_more_dice": N_("groups of at most {counted} dice in total"),
    "expected_actions": N_("one action for each of {games} games"),
    "expected_agents": N_("one action for each of these agents: {agents}"),
    "expected_box_without_strike": N_("a lower box that can’t be crossed out; “{found}” isn’t one"),
    "expected_columns": N_("columns, over which points are given"),
    "expected_different_boxes": N_("three different boxes"),
    "expected_one_condition": N_("one of at, every or each"),
    "expected_one_layer": N_("one layer, because the game uses: {keys}"),
    "expected_one_need": N_(
        "one of alike, run, faces or at_least; “different” goes with alike only, “around” with run only"
    ),
    "expected_one_of": N_("one of: {known}"),
    "expected_one_of_keys": N_("no such key; the keys here are: {known}"),
    "expected_option": N_("an option like name=value"),
    "expected_origin": N_("where the dice come from: system, typed, points, seed or verifiable"),
    "expected_points": N_(
        "a whole number from 0 to 10000, or text like “matching”, “all”, “50 + all”, “36 - all”, “-all”"
    ),
    "expected_points_written": N_("a whole number of points"),
    "expected_record_word": N_("a line that begins with “{word}”"),
    "expected_ruleset": N_("the id of a game or the path of a rules file"),
    "expected_score": N_("a score like “full_house 21”"),
    "expected_write": N_("points in a box like “write sixes 24”"),
    "expected_strike_with_need": N_("true: only a box that takes any dice can forbid crossing out"),
    "expected_smaller_game": N_("fewer dice, smaller dice or fewer boxes"),
    "expected_table": N_("a table"),
    "expected_seed": N_("the number of a seat from 1 to {most}, then the word of its player"),
    "expected_text": N_("text of 1 to 500 characters on one line"),
    "expected_tiers": N_("a list of steps like {{ at = 63, points = 50 }}, the lowest first"),
    "expected_true_or_false": N_("true or false"),
    "expected_upper_box_for_every_face": N_("a game with an upper box for every number, which a joker needs"),
    "expected_whole_number": N_("a whole number from {low} to {high}"),
    "expected_whole_numbers": N_("a list of 1 to {most} whole numbers from {low} to {high}"),
    "expected_fewer_dice": N_("fewer than {count} dice"),
    "expected_move": N_("a move in this game"),
    "expected_path": N_("the path of a file"),
    "expected_players": N_("a list of names and bots"),
    "expected_position": N_("a position in this game"),
    "expected_bots": N_("a table of bots by their names"),
    "expected_executor": N_("an executor of concurrent.futures"),
    "expected_folder": N_("the path of a folder"),
    "expected_function": N_("a function"),
    "expected_hint": N_("a hint of Game.hint()"),
    "expected_number_or_none": N_("a finite number or None"),
    "expected_sheets": N_("a list of {count} score sheets"),
    "expected_rules": N_('rules such as dicecup.Rules("yatzy")'),
    "expected_rules_text": N_("the text of a rules file"),
    "rule_across": N_("points for what all columns hold together"),
    "rule_announced": N_("boxes that are announced"),
    "rule_difference": N_("boxes that are subtracted and multiplied"),
    "rule_early": N_("points that depend on the number of the roll"),
    "rule_order": N_("columns that are filled in order"),
    "rule_repeat": N_("points for repeats in several columns"),
    "rule_saved_throws": N_("rolls that are saved for later turns"),
    "rule_total_points": N_("a total that is turned into points"),
    "rule_win": N_("winning at once"),
}

SYSTEM_PROBLEMS = {
    errno.EACCES: Phrase("system_no_permission"),
    errno.EFBIG: Phrase("system_too_large"),
    errno.EISDIR: Phrase("system_folder"),
    errno.ENOENT: Phrase("system_missing"),
    errno.ENOSPC: Phrase("system_full"),
    errno.ENOTDIR: Phrase("system_no_folder"),
    errno.EPERM: Phrase("system_no_permission"),
    errno.EROFS: Phrase("system_read_only"),
}


def problem_of(error: OSError | ValueError) -> Phrase:
    """Return the operating system's reason for a file error, as a translatable phrase where known."""
    known = SYSTEM_PROBLEMS.get(getattr(error, "errno", None) or 0)
    return known or Phrase("system_other", text=getattr(error, "strerror", None) or str(error))


ALL_SENTENCES = SENTENCES | SERVER_SENTENCES


class DicecupError(Exception):
    """Base class of all errors; the sentence says what cannot be done, why, and what to do.

    `code` is stable and meant for programs; `values` fill the placeholders of the sentence.

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
        """The English sentence with its placeholders.

        >>> dicecup.DiceError("dice_count_wrong", found=3, expected=5).template
        'That’s the wrong number of dice: {found}. Give {expected}.'
        """
        sentence = ALL_SENTENCES[self.code]
        if isinstance(sentence, str):
            return sentence
        return sentence.one if self.values.get(sentence.by) == 1 else sentence.many

    @property
    def plural(self) -> Plural | None:
        """The two forms of the sentence, where it has them.

        >>> dicecup.RecordError("undo_too_far", most=1).plural.many
        'Only {most} steps can be undone. Undo fewer.'
        """
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


def check_argument(argument: str, fine: bool, expected: str) -> None:
    """Refuse an argument that is not as expected; `expected` is the code of a phrase."""
    if not fine:
        raise UsageError("argument_wrong", argument=argument, expected=Phrase(expected))


def check_one_of(argument: str, value: object, known: Collection[str]) -> None:
    """Refuse an argument that is none of these words."""
    if not isinstance(value, str) or value not in known:
        expected = Phrase("expected_one_of", known=", ".join(known))
        raise UsageError("argument_wrong", argument=argument, expected=expected)


def check_executor(executor: object) -> None:
    """Refuse what cannot be given work; executors of other packages need not inherit from `Executor`."""
    check_argument(
        "executor", executor is None or callable(getattr(executor, "submit", None)), "expected_executor"
    )


def as_integer(value: object) -> int | None:
    """The value as an `int`; None if it is no whole number, such as an array of several."""
    try:
        return index(value) if isinstance(value, SupportsIndex) else None
    except TypeError:
        return None


def whole_number(argument: str, value: object, low: int, high: int) -> int:
    """The value of an argument as an `int`; anything but a whole number in these bounds is refused."""
    number = as_integer(value)
    if number is None or not low <= number <= high:
        expected = Phrase("expected_whole_number", low=low, high=high)
        raise UsageError("argument_wrong", argument=argument, expected=expected)
    return number
