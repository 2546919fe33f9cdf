"""The interface of the solver: the value of every sheet, roll, keep and box of a game, how the game may
end, and the progress of a solve.

All values are expected final scores under perfect play, the points on the sheet included. Each way to
solve a game (one layer of dice, double dice, a learned value) answers with its own `Solution` and
`Turn`. What they are asked is checked here, once for all of them. Needs no NumPy.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, Literal, NamedTuple, SupportsIndex

from dicecup.dice import AnyDie, Dice, lattice
from dicecup.engine.checked import checked_state
from dicecup.engine.play import as_dice
from dicecup.engine.serialize import Position
from dicecup.engine.sheet_data import check_sheet, checked_sheet, wrong
from dicecup.engine.state import Score, Sheet, State, alone, empty_sheet, final_score
from dicecup.errors import DicecupError, DiceError, Phrase, PositionError, UsageError, as_integer
from dicecup.rules.model import Ruleset

Play = Literal["points", "target"]  # for the highest expected score, or for the highest chance of a target


@dataclass(frozen=True)
class FinalScores:
    """How a game may end from one moment on: the chance of every final score, and of the bonus.

    >>> import dicecup
    >>> line = "yatzy-sv / ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 pair=12 two_pairs=22"
    >>> position = dicecup.Game.from_position(line + " chance=20 yatzy=0 low_straight=0").position
    >>> end = position.rules.solve().final_scores(position)
    >>> end.bonus, end.at_least(end.least), round(end.mean, 2) > end.least
    (1.0, 1.0, True)
    """

    least: int  # a final score that is reached in any case
    curve: tuple[float, ...]  # the chance of at least `least` + n points
    bonus: float | None  # the chance of the bonus; None where it is not known
    exact: bool = True  # or sampled
    games: int = 0  # that were sampled

    def at_least(self, score: int) -> float:
        """The chance of at least so many points.

        >>> end = dicecup.FinalScores(200, (1.0, 0.75, 0.25), bonus=0.0)
        >>> end.at_least(200), end.at_least(202), end.at_least(203)
        (1.0, 0.25, 0.0)
        """
        points = as_integer(score)
        if points is None:
            raise UsageError("argument_wrong", argument="score", expected=Phrase("expected_points_written"))
        place = points - self.least
        return 1.0 if place < 0 else self.curve[place] if place < len(self.curve) else 0.0

    def standard_error(self, score: int) -> float:
        """The standard error of the chance of at least so many points; 0 if it is exact.

        >>> end = dicecup.FinalScores(200, (1.0, 0.75, 0.25), bonus=0.0, exact=False, games=300)
        >>> round(end.standard_error(201), 3)
        0.025
        """
        chance = self.at_least(score)
        if self.exact:
            return 0.0
        # An outcome that did not occur in the sample may still happen.
        return max(sqrt(chance * (1 - chance) / self.games), 1 / self.games)

    @property
    def chances(self) -> tuple[float, ...]:
        """The chance of exactly `least` + n points.

        >>> end = dicecup.FinalScores(200, (1.0, 0.75, 0.25), bonus=0.0)
        >>> end.chances
        (0.25, 0.5, 0.25)
        """
        return tuple(one - other for one, other in zip(self.curve, (*self.curve[1:], 0.0), strict=True))

    @property
    def mean(self) -> float:
        """The mean final score.

        >>> end = dicecup.FinalScores(200, (1.0, 0.75, 0.25), bonus=0.0)
        >>> end.mean
        201.0
        """
        return self.least + sum(self.curve[1:])

    @property
    def spread(self) -> float:
        """The standard deviation of the final score.

        >>> end = dicecup.FinalScores(200, (1.0, 0.75, 0.25), bonus=0.0)
        >>> round(end.spread, 3)
        0.707
        """
        mean = self.mean - self.least
        return sqrt(sum((place - mean) ** 2 * chance for place, chance in enumerate(self.chances)))


@dataclass(frozen=True)
class Progress:
    """The progress of a solve, as passed to `on_progress`.

    While kernels are compiled, nothing is counted yet. Then `done` of `total` states are solved; `resumed` of
    them were known before, such as those of a solve that was interrupted.

    >>> progress = dicecup.Progress("solving", done=512, total=2048)
    >>> f"{progress.stage}: {progress.done / progress.total:.0%}"
    'solving: 25%'
    """

    stage: Literal["compiling", "solving"]
    done: int = 0
    total: int = 1
    resumed: int = 0


OnProgress = Callable[[Progress], None]
"""A function that is called with the `Progress` of a solve, now and then."""
OnShare = Callable[[float], None]  # called with the share of the work that is done
OnWarning = Callable[[DicecupError], None]  # called with the reason why a table is not used
OnBatch = Callable[[int], None]  # called after each batch of a level with its number of states


def no_callback(*_arguments: object) -> None:
    """The default callback: do nothing."""


DiceLike = str | Iterable[AnyDie]


class BoxValue(NamedTuple):
    """One way to end a turn: the move, the points it writes, and the expected final score after it.

    >>> import dicecup
    >>> turn = dicecup.Rules("yatzy-sv").solve().turn({"ones": 3})
    >>> max(turn.boxes((6, 6, 6, 6, 6)), key=lambda box: box.value).points
    50
    """

    move: Score
    points: int
    value: float


class Turn(ABC):
    """The values of one turn on one sheet: expected final scores under perfect play.

    >>> import dicecup
    >>> turn = dicecup.Rules("yatzy-sv").solve().turn({"ones": 3, "pair": 12})
    >>> round(turn.value, 2), round(turn.throw("6 6 1 2 6", 2), 2)
    (235.09, 244.32)
    """

    rules: Ruleset
    sheet: Sheet
    value: float

    def keep(self, dice: DiceLike, throws_left: SupportsIndex) -> float:
        """The value of keeping these dice and rolling the others, with so many rolls left before that.

        >>> turn = dicecup.Rules("yatzy-sv").solve().turn({"ones": 3, "pair": 12})
        >>> round(turn.keep((6, 6, 6), 2), 2)
        244.32
        """
        kept = self._dice(dice)
        if len(kept) >= self.rules.dice.count:
            raise wrong("dice", "expected_fewer_dice", count=self.rules.dice.count)
        return self._keep(kept, self._throws_left(throws_left, 1))

    def throw(self, dice: DiceLike, throws_left: SupportsIndex) -> float:
        """The value of the best decision for all dice of the game, with so many rolls left.

        >>> turn = dicecup.Rules("yatzy-sv").solve().turn({})
        >>> turn.throw((6, 6, 6, 6, 6), 2) > turn.throw((1, 2, 4, 5, 6), 2)
        True
        """
        return self._throw(self._all_dice(dice), self._throws_left(throws_left, 0))

    def boxes(self, dice: DiceLike) -> list[BoxValue]:
        """Every legal way to end the turn with these dice, in the order of the sheet.

        >>> dicecup.Rules("yatzy-sv").solve().turn({}).boxes((1, 2, 4, 5, 6))[0].points
        1
        """
        return self._boxes(self._all_dice(dice))

    def best_box(self, dice: DiceLike) -> BoxValue:
        """The best way to end the turn with these dice; of equal ones the first on the sheet.

        >>> dicecup.Rules("yatzy-sv").solve().turn({}).best_box((6, 6, 6, 6, 6)).points
        50
        """
        return self._best_box(self._all_dice(dice))

    def keep_values(self, throws_left: SupportsIndex) -> Sequence[float]:
        """The value of every keep, with so many rolls left before it: fewer dice first, then by their faces.

        For games of one layer. The first one is that of rolling all dice again.

        >>> values = dicecup.Rules("yatzy-sv").solve().turn({"ones": 3, "pair": 12}).keep_values(2)
        >>> len(values), round(max(values), 2)
        (210, 255.48)
        """
        if self.rules.has_layers:
            raise UsageError("keeps_with_layers", ruleset=self.rules.id)
        self._refuse_full()
        return self._keep_values(self._throws_left(throws_left, 1))

    def _keep_values(self, throws_left: int) -> Sequence[float]:
        dice = lattice(self.rules.dice.count, self.rules.dice.faces)
        return [self._keep(keep, throws_left) for keep in dice.multisets[: dice.keeps]]

    def _refuse_full(self) -> None:
        if self.sheet.full:
            raise PositionError("game_over")

    def _dice(self, dice: object) -> Dice:
        self._refuse_full()
        return as_dice(self.rules, dice)

    def _all_dice(self, dice: object) -> Dice:
        return checked_count(self.rules, self._dice(dice))

    def _throws_left(self, throws_left: object, fewest: int) -> int:
        return checked_throws(self.rules, throws_left, fewest)

    @abstractmethod
    def _keep(self, dice: Dice, throws_left: int) -> float: ...

    @abstractmethod
    def _throw(self, dice: Dice, throws_left: int) -> float: ...

    @abstractmethod
    def _boxes(self, dice: Dice) -> list[BoxValue]: ...

    def _best_box(self, dice: Dice) -> BoxValue:
        return max(self._boxes(dice), key=lambda box: box.value)


class Solution(ABC):
    """A solved game: what every sheet and every decision is worth.

    `exact` says whether the values are exact or learned. Get one with `Rules.solve()`.

    >>> import dicecup
    >>> solution = dicecup.Rules("yatzy-sv").solve()
    >>> solution.exact, round(solution.expected, 2)
    (True, 248.44)
    """

    rules: Ruleset
    exact: bool = True

    @property
    def expected(self) -> float:
        """The expected final score of the whole game.

        >>> round(dicecup.Rules("yatzy-sv").solve().expected, 4)
        248.44
        """
        return self.turn(empty_sheet(self.rules)).value

    def turn(self, sheet: Sheet | Mapping[str, Any]) -> Turn:
        """The values of the turn that begins on a sheet: a `Sheet`, or its filled boxes as data.

        >>> round(dicecup.Rules("yatzy-sv").solve().turn({"yatzy": 50}).value, 2)
        280.12
        """
        return self._unchecked_turn(checked_sheet(self.rules, sheet))

    def value(self, position: Position | State) -> float:
        """The expected final score of the player whose turn it is.

        >>> game = dicecup.Game.from_position("yatzy-sv / ones=3 pair=12 / 1 2 6 6 6 / 2")
        >>> round(game.rules.solve().value(game.position), 2)
        244.32
        """
        state = self._state_of(position)
        if state.sheet.full:
            return float(final_score(self.rules, state.sheet))
        turn = self._unchecked_turn(state.sheet)
        if not state.dice:
            return turn.value
        if state.kept is not None:
            return turn.keep(state.kept, state.throws_left)
        return turn.throw(state.dice, state.throws_left)

    def final_scores(
        self,
        position: Position | State | None = None,  # noqa: ARG002
        play: Play = "points",  # noqa: ARG002
    ) -> FinalScores:
        """How the game may end, for the player whose turn it is; without a position from its beginning on.

        In `points` play every decision is the one with the highest expected score. In `target` play each
        number is the best possible chance of at least so many points.

        >>> line = "yatzy-sv / ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 pair=12 two_pairs=22"
        >>> position = dicecup.Game.from_position(line + " chance=20 yatzy=0 low_straight=0").position
        >>> solution = position.rules.solve()
        >>> round(solution.final_scores(position).mean - solution.value(position), 9)
        0.0
        >>> aimed = solution.final_scores(position, "target").at_least(230)
        >>> aimed > solution.final_scores(position).at_least(230)
        True
        """
        raise UsageError("chances_unknown", ruleset=self.rules.id)

    def _state_of(self, position: Position | State) -> State:
        """The state of a position of this game, of plain integers and for one player, or an error."""
        if isinstance(position, Position):
            if position.rules != self.rules:
                found, wanted = position.rules.id, self.rules.id
                raise UsageError("position_of_other_game", found=found, ruleset=wanted)
            position = position.state
        if not isinstance(position, State):
            raise UsageError("argument_wrong", argument="position", expected=Phrase("expected_position"))
        return state_alone(self.rules, position)

    @abstractmethod
    def _unchecked_turn(self, sheet: Sheet) -> Turn:
        """The turn of a sheet that was checked, or that a game has reached."""


def state_alone(rules: Ruleset, state: State) -> State:
    """The moment of the player whose turn it is, in plain integers; anything else is refused."""
    own = alone(checked_state(rules, state))
    check_sheet(rules, own.sheet)
    if own.sheet.full:
        return replace(own, dice=())
    all_rolls = rules.throws + own.sheet.saved
    if not (own.dice or own.kept) and own.throws_left != all_rolls:  # it would be worth less than it seems
        raise wrong("throws_left", "expected_whole_number", low=all_rolls, high=all_rolls)
    return own


def checked_count(rules: Ruleset, dice: Dice) -> Dice:
    if len(dice) != rules.dice.count:
        raise DiceError("dice_count_wrong", found=len(dice), expected=rules.dice.count)
    return dice


def checked_throws(rules: Ruleset, throws_left: object, fewest: int) -> int:
    # Asked 600 times a hint: a protocol is slow.
    left = throws_left if type(throws_left) is int else as_integer(throws_left)
    if left is None or not fewest <= left < rules.throws:
        raise wrong("throws_left", "expected_whole_number", low=fewest, high=rules.throws - 1)
    return left
