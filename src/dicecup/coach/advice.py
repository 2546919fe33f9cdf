"""The values of a game, and every choice of a position ranked by them.

All values are expected final scores under perfect play from there on, the points on the sheet included. They
come from an exact table, or from a learned value, which solves the turn exactly against its estimates of the
sheets that can follow, and is marked as not exact. Both are a `Solution` (see `solver.solution`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from operator import index
from pathlib import Path
from threading import Lock, RLock
from typing import TYPE_CHECKING

from dicecup.dice import Die, sort_dice
from dicecup.engine.checked import checked_state
from dicecup.engine.play import MOST_TEXT, check_placements, keeps
from dicecup.engine.state import Keep, Score, Sheet, State, TurnMove, final_score
from dicecup.errors import DicecupError, MoveError, UsageError, as_integer, check_argument
from dicecup.installation import house_folder, is_installed, is_there, need
from dicecup.rules.house import is_house
from dicecup.rules.model import Ruleset
from dicecup.solver.double.wasm import find_wasm, has_wasm
from dicecup.solver.ready import find_plain_quick, find_ready, has_quick, has_ready
from dicecup.solver.solution import OnProgress, OnWarning, no_callback

if TYPE_CHECKING:
    from dicecup.solver.solution import Solution, Turn


MOST_REMEMBERED = 64  # turns; a review asks about the same turn up to five times, one after the other


class Values:
    """A game's values, and whether they are exact. Keeps the turns that were solved last.

    Threads may share it: a lock lets one at a time solve a turn.
    """

    def __init__(self, source: Solution, *, why_learned: DicecupError | None = None) -> None:
        self.source = source
        self.why_learned = why_learned  # the reason why the values are not exact, if they are not
        self.remembered: dict[Sheet, Turn] = {}
        self.alone = RLock()

    @property
    def exact(self) -> bool:
        return self.why_learned is None

    @property
    def rules(self) -> Ruleset:
        return self.source.rules

    def turn(self, sheet: Sheet) -> Turn:
        with self.alone:
            if sheet not in self.remembered:
                if len(self.remembered) >= MOST_REMEMBERED:
                    self.remembered.pop(next(iter(self.remembered)))
                self.remembered[sheet] = self.source.turn(sheet)
            return self.remembered[sheet]


FINDING = Lock()  # one thread at a time finds values, or solves the game


def values_at_once(rules: Ruleset) -> Values:
    """Return the values that answer fastest: those shipped with the package, else `known_values`.

    For single questions: hints, reviews, bots. Where the extra `solver` is not installed, as in a browser,
    this is all there is of the coach, for the games that `is_coached` names. Thousands of games,
    distributions of scores and chances to win need the compiled solution.
    """
    if found := ready_values(rules):
        return found
    found = None if is_installed("solver") else values_without_solver(rules)
    return found or known_values(rules)


def is_coached(rules: Ruleset) -> bool:
    """Whether `values_at_once` answers here without the extra `solver`."""
    return has_ready(rules) or has_quick(rules) or has_wasm(rules)


@lru_cache(maxsize=8)
def ready_values(rules: Ruleset) -> Values | None:
    """Return the exact values that came with the package for plain Python; None if there are none."""
    found = find_ready(rules)
    return Values(found) if found else None


@lru_cache(maxsize=8)
def values_without_solver(rules: Ruleset) -> Values | None:
    """Return the values of games too large for `ready_values` where Numba is not installed.

    The learned value needs NumPy; the quick value, which is less precise, needs nothing. Double dice need an
    engine for WebAssembly, which a browser is.
    """
    if exact := find_wasm(rules):
        return Values(exact)
    found: Solution | None = None
    if has_quick(rules) and is_there("numpy"):
        from dicecup.solver.learned import find_learned

        found = find_learned(rules)
    found = found or find_plain_quick(rules)
    return Values(found, why_learned=UsageError("solver_missing")) if found else None


def need_solver(rules: Ruleset) -> None:
    """Install the packages that solving needs, unless no solver supports the rules."""
    from dicecup.solver.components import check_rules

    check_rules(rules)
    need("solver")


def known_values(rules: Ruleset) -> Values:
    """Return `find_values` from a cache, for players and services that ask repeatedly."""
    with FINDING:
        return remembered_values(rules)


@lru_cache(maxsize=4)
def remembered_values(rules: Ruleset) -> Values:
    if not is_house(rules.reference):
        return find_values(rules)
    need_solver(rules)
    from dicecup.solver.files.tables import forget_oldest
    from dicecup.solver.find import find_table

    folder = house_folder()
    if not solve_house_rules and find_table(rules, 64, folder) is None:
        raise UsageError("house_unsolved")
    found = find_values(rules, folder=folder)
    forget_oldest(folder)
    return found


solve_house_rules = True  # without being asked, if it takes seconds; a server sets this to False


def find_values(
    rules: Ruleset,
    *,
    folder: Path | None = None,
    on_progress: OnProgress = no_callback,
    on_warning: OnWarning = no_callback,
) -> Values:
    """Return the best values available; if there are none, raise an error that names the command to run."""
    need_solver(rules)
    from dicecup.solver.find import find_solution
    from dicecup.solver.learned import find_learned

    try:
        return Values(find_solution(rules, folder=folder, on_progress=on_progress, on_warning=on_warning))
    except UsageError as error:
        if learned := find_learned(rules):
            return Values(learned, why_learned=error.with_traceback(None))
        raise


@dataclass(frozen=True, slots=True)
class Choice:
    """One decision a player may take now: what it makes of the expected final score, and its loss.

    >>> import dicecup
    >>> hint = dicecup.Game.from_position("yatzy-sv / ones=3 pair=12 / 1 2 6 6 6 / 2").hint()
    >>> hint.choices[1].move, round(hint.choices[1].loss, 2)
    (Keep(dice=(1, 6, 6, 6)), 2.32)
    """

    move: Keep | Score
    expected: float
    loss: float
    points: int = 0  # what it writes on the sheet at once, bonus aside


@dataclass(frozen=True, slots=True)
class Hint:
    """What a position is worth, and every choice, best first. While a throw is due there is none.

    >>> import dicecup
    >>> hint = dicecup.Game.from_position("yatzy-sv / ones=3 pair=12 / 1 2 6 6 6 / 2").hint()
    >>> hint.best.move, round(hint.expected, 2), hint.exact
    (Keep(dice=(6, 6, 6)), 244.32, True)
    """

    expected: float
    exact: bool
    choices: tuple[Choice, ...] = ()

    @property
    def best(self) -> Choice:
        """The best choice; there is none while a throw is due or when the game is over.

        >>> dicecup.Game.from_position("yatzy-sv / / 6 6 6 6 6 / 2").hint().best.points
        50
        """
        if not self.choices:
            raise MoveError("decision_not_due")
        return self.choices[0]

    def choice(self, move: TurnMove) -> Choice:
        """The choice that a player took; striking a box that gives 0 is filling it.

        >>> hint = dicecup.Game.from_position("yatzy-sv / / 1 2 6 6 6 / 2").hint()
        >>> round(hint.choice(dicecup.Keep((1, 2))).loss, 2)
        13.15
        """
        move = plain_move(move)
        for wanted in (move, without_strikes(move)):
            for choice in self.choices:
                if choice.move == wanted:
                    return choice
        raise MoveError("choice_unknown")


EQUAL_CHANCES = 2e-5  # chances that differ less are the same: tables are rounded


@dataclass(frozen=True, slots=True)
class WinHint:
    """The chance to win of the player whose turn it is, and every choice by it, best first.

    What a `Choice` calls expected, and its loss, are chances here. While a throw is due there is none. The
    others are taken to play for points; `exact` says whether their possible scores are known or sampled.

    >>> import dicecup
    >>> game = dicecup.Game("yatzy", ["Ann", "Bo"], seed=1)
    >>> dice = game.roll()
    >>> game.win_hint() is None  # too many boxes are open
    True
    """

    chance: float
    choices: tuple[Choice, ...]
    exact: bool
    standard_error: float

    def chance_of(self, move: Keep | Score) -> float | None:
        """The chance that a choice leaves.

        >>> dicecup.WinHint(0.5, (dicecup.Choice(dicecup.Keep(()), 0.5, 0.0),), True, 0.0).chance_of(
        ...     dicecup.Keep(())
        ... )
        0.5
        """
        wanted = plain_move(move)
        return next((choice.expected for choice in self.choices if choice.move == wanted), None)

    def parts_from(self, hint: Hint) -> bool:
        """Whether the best choice for the win is another one than the best for points.

        >>> dicecup.WinHint(0.5, (), True, 0.0).parts_from(dicecup.Hint(200.0, True))
        False
        """
        check_argument("hint", isinstance(hint, Hint), "expected_hint")
        if not self.choices or not hint.choices:
            return False
        by_points = self.chance_of(hint.best.move)
        return by_points is not None and self.chance - by_points > EQUAL_CHANCES


def advise(values: Values, state: State) -> Hint:
    """Return a hint for the player whose turn it is; other players' sheets do not change it."""
    state = checked_state(values.rules, state)
    if state.sheet.full:
        return Hint(float(final_score(values.rules, state.sheet)), exact=True)
    turn = values.turn(state.sheet)
    if not state.dice:
        return Hint(turn.value, values.exact)
    if state.kept is not None:
        return Hint(turn.keep(state.kept, state.throws_left), values.exact)
    worth = worths(turn, state)
    best = max(expected for _, expected, _ in worth)
    # Equal choices keep this order: ending the turn before rolling again, boxes as on the sheet.
    worth.sort(key=lambda found: -found[1])
    choices = tuple(Choice(move, expected, best - expected, points) for move, expected, points in worth)
    return Hint(best, values.exact, choices)


def worths(turn: Turn, state: State) -> list[tuple[Keep | Score, float, int]]:
    found: list[tuple[Keep | Score, float, int]] = [
        (box.move, box.value, box.points) for box in turn.boxes(state.dice)
    ]
    if state.throws_left:
        found += [(move, turn.keep(move.dice, state.throws_left), 0) for move in keeps(state.dice)]
    return found


def plain_move(move: object) -> Keep | Score:
    """The same move in plain values, which can be compared: arrays cannot. What is no decision is refused."""
    if isinstance(move, Score):
        check_placements(move.placements)
        return move
    if not isinstance(move, Keep):
        raise MoveError("move_unreadable")
    try:
        given = tuple(islice(move.dice, MOST_TEXT))
        return Keep(sort_dice(tuple(plain_die(die) for die in given)))
    except TypeError:
        raise MoveError("move_unreadable") from None


def plain_die(die: object) -> Die:
    face = as_integer(die)
    return tuple(map(index, die)) if face is None else face  # type: ignore[call-overload]


def without_strikes(move: TurnMove) -> TurnMove:
    if not isinstance(move, Score):
        return move
    return Score(tuple(replace(placement, strike=False) for placement in move.placements))


def is_strike(choice: Choice) -> bool:
    """Whether a choice writes 0 into a box that would score."""
    return isinstance(choice.move, Score) and any(placed.strike for placed in choice.move.placements)
