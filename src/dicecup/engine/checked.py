"""The engine's functions for callers outside: arguments are checked first and converted to plain integers.

Dice and points of NumPy equal plain ones, so the engine's caches would take them in and give them to every
later game. States that the engine has made itself are not checked again: `engine.play` takes them as they
are.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from operator import is_
from typing import Any

from dicecup.dice import Dice, contains, sort_dice
from dicecup.engine import pad, play
from dicecup.engine import state as states
from dicecup.engine.legality import announceable, cell_names
from dicecup.engine.play import as_dice, made_last
from dicecup.engine.sheet_data import plain_sheet, wrong
from dicecup.engine.state import Move, Sheet, State, TurnMove, check_rules
from dicecup.errors import DiceError, MoveError, Phrase, UsageError, as_integer, whole_number
from dicecup.rules.model import Ruleset

INTEGERS = frozenset({int})
MOST_SHEETS = 10_000  # the rules know no limit, a match does

checked_last: list[tuple[Ruleset, State] | None] = [None]  # programs try several moves on one state


def apply(rules: Ruleset, state: State, move: Move) -> State:
    """Return the state after the move; raise the reason if it is illegal.

    >>> import dicecup
    >>> game = dicecup.Game.from_position("yatzy / / 1 1 2 3 5 / 0")
    >>> dicecup.apply(game.rules, game.state, game.legal_moves()[0]).sheets[0].cells[0]
    2
    """
    return play.apply(rules, checked_state(rules, state), move)


def check(rules: Ruleset, state: State, move: Move) -> None:
    """Raise the reason if the move is illegal.

    >>> game = dicecup.Game("yatzy")
    >>> dicecup.engine.check(game.rules, game.state, dicecup.Keep((6,)))
    Traceback (most recent call last):
    dicecup.errors.MoveError: The dice haven’t been rolled yet. Roll them first.
    """
    apply(rules, state, move)


def is_legal(rules: Ruleset, state: State, move: Move) -> bool:
    """Return whether the rules allow the move now.

    >>> game = dicecup.Game("yatzy")
    >>> dicecup.engine.is_legal(game.rules, game.state, dicecup.Throw((1, 2, 3, 4, 5)))
    True
    """
    return play.is_legal(rules, checked_state(rules, state), move)


def legal_moves(rules: Ruleset, state: State) -> tuple[TurnMove, ...]:
    """Return every decision the player can make now; none if a throw is due or the game is over.

    >>> import dicecup
    >>> game = dicecup.Game.from_position("yatzy / / 6 6 6 6 6 / 0")
    >>> len(dicecup.legal_moves(game.rules, game.state))
    23
    """
    return play.legal_moves(rules, checked_state(rules, state))


def possible_values(rules: Ruleset, sheet: Sheet, box: str, column: str = "") -> tuple[int, ...]:
    """Return all points that can be written in a box, or instead of those that it holds; lowest first.

    >>> import dicecup
    >>> game = dicecup.Game("yatzy", ["Ann"], dice="points")
    >>> dicecup.possible_values(game.rules, game.state.sheet, "sixes")
    (0, 6, 12, 18, 24, 30)
    """
    check_rules(rules)
    return pad.possible_values(rules, plain_sheet(rules, sheet), box, column)


def start(rules: Ruleset, players: int = 1) -> State:
    """Return the state before the first throw of a game.

    >>> state = dicecup.engine.start(dicecup.Rules("yatzy"), players=2)
    >>> len(state.sheets), state.player, state.dice
    (2, 0, ())
    """
    check_rules(rules)
    number = as_integer(players)
    if number is not None and number < 1:
        raise MoveError("players_missing")
    return states.start(rules, whole_number("players", players, 1, MOST_SHEETS))


def empty_sheet(rules: Ruleset) -> Sheet:
    """Return a sheet without any points.

    >>> dicecup.engine.empty_sheet(dicecup.Rules("yatzy")).cells.count(None)
    15
    """
    check_rules(rules)
    return states.empty_sheet(rules)


def dice_to_throw(rules: Ruleset, state: State) -> int:
    """Return how many dice are due to be thrown.

    >>> game = dicecup.Game.from_position("yatzy / / 1 1 2 6 6 / 1")
    >>> game.keep(6, 6)
    >>> dicecup.engine.dice_to_throw(game.rules, game.state)
    3
    """
    return states.dice_to_throw(rules, checked_state(rules, state))


def column_lines(rules: Ruleset, sheet: Sheet, column: int) -> Mapping[str, int]:
    """Return every computed line of one column by id; `rules.lines` lists those that are printed.

    >>> game = dicecup.Game.from_position("yatzy / ones=3 pair=12")
    >>> dicecup.engine.column_lines(game.rules, game.state.sheet, 0)["upper_sum"]
    3
    """
    check_rules(rules)
    number = whole_number("column", column, 0, len(rules.columns) - 1)
    return states.column_lines(rules, plain_sheet(rules, sheet), number)


def overall_lines(rules: Ruleset, sheet: Sheet) -> Mapping[str, int]:
    """Return every line that stands once for all columns by id; `rules.overall_lines` are printed.

    >>> game = dicecup.Game.from_position("yatzy / ones=3 pair=12")
    >>> dicecup.engine.overall_lines(game.rules, game.state.sheet)["final_score"]
    15
    """
    check_rules(rules)
    return states.overall_lines(rules, plain_sheet(rules, sheet))


def final_score(rules: Ruleset, sheet: Sheet) -> int:
    """Return the final score: columns by multiplier, bonus, repeats, boxes after the total; or the points
    that they are worth.

    >>> game = dicecup.Game.from_position("yatzy / ones=3 pair=12")
    >>> dicecup.engine.final_score(game.rules, game.state.sheet)
    15
    """
    check_rules(rules)
    return states.final_score(rules, plain_sheet(rules, sheet))


def standings(rules: Ruleset, state: State) -> tuple[tuple[int, int, int], ...]:
    """Return (place, player, final score), best first; equal scores share the place.

    Who has won at once is first, whatever the scores are.

    >>> game = dicecup.Game("yatzy", ["Ann", "Bo"])
    >>> dicecup.engine.standings(game.rules, game.state)
    ((1, 0, 0), (1, 1, 0))
    """
    return states.standings(rules, checked_state(rules, state))


def checked_state(rules: Ruleset, state: object) -> State:
    """Return the state with plain integers, the same object if it has them already; refuse other values."""
    for known in (made_last[0], checked_last[0]):
        if known is not None and known[1] is state and known[0] is rules:
            return known[1]
    check_rules(rules)
    if not isinstance(state, State):
        raise not_a_state()
    found = plain_state(rules, state)
    checked_last[0] = rules, found
    return found


def plain_state(rules: Ruleset, state: State) -> State:
    sheets = checked_sheets(rules, state.sheets)
    player = checked_seat(state.player, sheets)
    winner = None if state.winner is None else checked_seat(state.winner, sheets)
    sheet, dice = sheets[player], state.dice
    most = rules.throws + sheet.saved
    if state.kept is None:
        kept, dice = None, checked_dice(rules, dice)
        throws_left = checked_throws(state.throws_left, 0, most - 1)
    else:
        kept, dice = as_dice(rules, state.kept), as_dice(rules, dice)
        if dice != kept:  # else the dice to be rolled again are dropped: they no longer matter
            dice = checked_dice(rules, dice)
        if len(kept) == rules.dice.count or not contains(dice, kept):
            raise wrong("kept", "expected_kept")
        throws_left = checked_throws(state.throws_left, 1, most - 1 if dice else most)
    announced = None if state.announced is None else checked_announced(rules, sheet, state.announced)
    if (
        sheets is state.sheets
        and dice is state.dice
        and kept is state.kept
        and player is state.player
        and throws_left is state.throws_left
        and announced is state.announced
        and winner is state.winner
    ):
        return state
    return State(sheets, player, dice, kept, throws_left, announced, winner)


def not_a_state() -> UsageError:
    return UsageError("argument_wrong", argument="state", expected=Phrase("expected_position"))


def checked_sheets(rules: Ruleset, sheets: object) -> tuple[Sheet, ...]:
    if not isinstance(sheets, tuple | list) or not all(isinstance(sheet, Sheet) for sheet in sheets):
        raise not_a_state()
    found = tuple([plain_sheet(rules, sheet) for sheet in sheets])
    return sheets if isinstance(sheets, tuple) and all(map(is_, found, sheets)) else found


def checked_seat(seat: object, sheets: tuple[Sheet, ...]) -> int:
    number = seat if type(seat) is int else as_integer(seat)
    if number is None or not 0 <= number < len(sheets):
        raise not_a_state()
    return number


def checked_dice(rules: Ruleset, dice: Any) -> Dice:
    """Return all dice of a game, sorted."""
    plain = type(dice) is tuple and INTEGERS.issuperset(map(type, dice)) and is_throw(rules, dice)
    found: Dice = dice if plain else as_dice(rules, dice)
    if len(found) != rules.dice.count:
        raise DiceError("dice_count_wrong", found=len(found), expected=rules.dice.count)
    return found


@lru_cache(maxsize=5_000)  # every throw of several games
def is_throw(rules: Ruleset, dice: Dice) -> bool:
    """Return whether plain numbers are sorted dice of one layer."""
    return len(rules.dice.layers) == 1 and sort_dice(dice) == dice == as_dice(rules, dice)


def checked_throws(throws_left: object, fewest: int, most: int) -> int:
    number = throws_left if type(throws_left) is int else as_integer(throws_left)
    if number is None or not fewest <= number <= most:
        raise wrong("throws_left", "expected_whole_number", low=fewest, high=most)
    return number


def checked_announced(rules: Ruleset, sheet: Sheet, announced: object) -> int:
    number = announced if type(announced) is int else as_integer(announced)
    if number is None or number not in announceable(rules, sheet):
        known = ", ".join(announced_names(rules, sheet))
        raise wrong("announced", "expected_one_of", known=known or "–")
    return number


def announced_names(rules: Ruleset, sheet: Sheet) -> dict[str, int]:
    """Return the cells that can be announced, by their names as `column.box`."""
    return {".".join(reversed(cell_names(rules, cell))): cell for cell in announceable(rules, sheet)}
