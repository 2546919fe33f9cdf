"""Encode a game as numbers: decisions as actions, positions as arrays. Shared by environments and data files.

Needs NumPy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from dicecup.dice import Dice, contains, format_dice, layer_faces
from dicecup.engine.checked import checked_dice, checked_sheets, checked_state, checked_throws
from dicecup.engine.legality import Moment, cell_names, cell_of, layer_offers
from dicecup.engine.play import as_dice, check_placements, legal_moves
from dicecup.engine.sheet_data import plain_sheet
from dicecup.engine.state import (
    MOST_PLAYERS,
    Announce,
    Keep,
    Placement,
    Score,
    Sheet,
    State,
    TurnMove,
    check_rules,
    column_lines,
    final_score,
)
from dicecup.errors import MoveError, Phrase, UsageError, as_integer, check_argument, whole_number
from dicecup.rules.model import Ruleset

Mask = npt.NDArray[np.int8]  # by action: 1 if it is legal
Numbers = npt.NDArray[np.int16]

MOST_ACTIONS = 1 << 20


class Actions:
    """The numbers of all decisions of a game.

    The first `keeps` actions keep dice: bit n of the number is set if the n-th die is kept, the dice in
    ascending order. Of equal dice the first ones are kept, so that every keep is one action. The others end
    the turn. A *way* to fill a box is its cell, or for crossing it out its cell + `cells`; cells are counted
    column by column. An action is `keeps` + way; where a turn fills a box for each of two layers it is
    `keeps` + way of the first × `ways` + way of the second. Where boxes are announced, the last `cells`
    actions announce them.

    >>> actions = dicecup.envs.Actions(dicecup.Rules("yatzy"))
    >>> actions.count, actions.name(0b11000), actions.name(31), actions.name(60)
    (61, 'keep 4 5', 'score ones', 'cross out yatzy')
    """

    def __init__(self, rules: Ruleset) -> None:
        check_rules(rules)
        self.rules = rules
        self.dice = rules.dice.count
        self.keeps: int = 2**self.dice - 1
        self.cells = rules.cells
        self.ways = 2 * self.cells
        self.scores: int = self.ways ** len(rules.scored)
        self.count: int = self.keeps + self.scores
        if "announced" in rules.extensions:
            self.count += self.cells
        if self.count > MOST_ACTIONS:
            raise UsageError("actions_too_many", ruleset=rules.id, count=self.count, most=MOST_ACTIONS)

    def number(self, dice: Dice, move: TurnMove) -> int:
        """Return the action of a decision about these dice.

        >>> actions = dicecup.envs.Actions(dicecup.Rules("yatzy"))
        >>> actions.number((1, 1, 2, 6, 6), dicecup.Keep((6, 6))) == 0b11000
        True
        """
        lying = checked_dice(self.rules, dice)
        return self._number(lying, self._checked_move(lying, move))

    def _number(self, dice: Dice, move: TurnMove) -> int:
        """Like `number`, for dice and moves of the engine."""
        if isinstance(move, Announce):
            return self.keeps + self.scores + cell_of(self.rules, move.box, move.column)
        if isinstance(move, Keep):
            return places_kept(dice, move.dice)
        found: int = 0
        for placed in move.placements:
            cell = cell_of(self.rules, placed.box, placed.column)
            found = found * self.ways + cell + self.cells * int(placed.strike)
        return self.keeps + found

    def move(self, dice: Dice, action: int) -> TurnMove:
        """Return the decision of an action. Keeping the second of two equal dice is keeping the first.

        >>> actions = dicecup.envs.Actions(dicecup.Rules("yatzy"))
        >>> actions.move((1, 1, 2, 6, 6), 0b11000)
        Keep(dice=(6, 6))
        """
        return self._move(checked_dice(self.rules, dice), self._checked_action(action))

    def _checked_move(self, dice: Dice, move: object) -> TurnMove:
        """Return a move in plain values; refuse what is no decision about these dice."""
        rules = self.rules
        if isinstance(move, Keep):
            kept = as_dice(rules, move.dice)
            if not contains(dice, kept):
                raise MoveError("keep_not_there", kept=format_dice(kept), dice=format_dice(dice))
            if len(kept) == len(dice):
                raise MoveError("keep_all")
            return Keep(kept)
        if isinstance(move, Announce):
            check_placements((Placement(move.box, move.column),))
            if "announced" not in rules.extensions:
                raise MoveError("column_not_announced", column=move.column)
            return move
        if not isinstance(move, Score):
            raise MoveError("move_unreadable")
        check_placements(move.placements)
        if len(move.placements) != len(rules.scored):
            raise MoveError("layers_wrong", layers=", ".join(rules.scored))
        return move

    def _checked_action(self, action: object) -> int:
        """Return an action as an `int`, or an error that says which there are."""
        number = as_integer(action)
        if number is None:
            expected = Phrase("expected_whole_number", low=0, high=self.count - 1)
            raise UsageError("argument_wrong", argument="action", expected=expected)
        if not 0 <= number < self.count:
            raise MoveError("action_unknown", action=number, most=self.count - 1)
        return number

    def _move(self, dice: Dice, action: int) -> TurnMove:
        """Like `move`, for dice of the engine and any whole number."""
        if not 0 <= action < self.count:
            raise MoveError("action_unknown", action=action, most=self.count - 1)
        if action < self.keeps:
            return Keep(tuple(die for place, die in enumerate(dice) if action >> place & 1))
        if action >= self.keeps + self.scores:
            return Announce(*cell_names(self.rules, action - self.keeps - self.scores))
        return Score(tuple(self._placements(action)))

    def _placements(self, action: int) -> Iterator[Placement]:
        rest, layers = action - self.keeps, len(self.rules.scored)
        for layer in range(layers):
            strike, cell = divmod(rest // self.ways ** (layers - 1 - layer) % self.ways, self.cells)
            box, column = cell_names(self.rules, cell)
            yield Placement(box, column, bool(strike))

    def mask(self, state: State) -> Mask:
        """Return which actions are legal: none if a throw is due or the game is over.

        >>> position = dicecup.Position.parse("yatzy / / 1 1 2 6 6 / 0")
        >>> actions = dicecup.envs.Actions(position.rules)
        >>> [actions.name(action) for action in actions.mask(position.state).nonzero()[0][:2]]
        ['score ones', 'score twos']
        """
        state = checked_state(self.rules, state)
        found = np.zeros(self.count, dtype=np.int8)
        for move in legal_moves(self.rules, state):
            found[self._number(state.dice, move)] = 1
        return found

    def name(self, action: int) -> str:
        """Describe an action: `keep 1 3` (the first and the third die), `score ones`, `cross out ones`,
        `announce announced.ones`.

        >>> actions = dicecup.envs.Actions(dicecup.Rules("jamb"))
        >>> actions.name(0b11000), actions.name(31), actions.name(actions.count - 1)
        ('keep 4 5', 'score down.ones', 'announce announced.jamb')
        """
        action = self._checked_action(action)
        if action >= self.keeps + self.scores:
            box, column = cell_names(self.rules, action - self.keeps - self.scores)
            return f"announce {column}.{box}"
        if action < self.keeps:
            places = [str(place + 1) for place in range(self.dice) if action >> place & 1]
            return " ".join(["keep", *places]) if places else "keep none"
        parts = []
        for layer, placed in zip(self.rules.scored, self._placements(action), strict=True):
            words = ["cross out" if placed.strike else "score"]
            words += [layer] if self.rules.has_layers else []
            words += [f"{placed.column}.{placed.box}" if placed.column else placed.box]
            parts.append(" ".join(words))
        return ", ".join(parts)


@lru_cache(maxsize=20_000)  # every keep of several games; of double dice those of a few turns
def places_kept(dice: Dice, kept: Dice) -> int:
    """Return a number whose bit n is set if the n-th die is kept; of equal dice the first ones are."""
    left, found = list(kept), 0
    for place, die in enumerate(dice):
        if die in left:
            left.remove(die)
            found |= 1 << place
    return found


class Observation:
    """A position as one row of numbers; `slices` has the place of every part by its name.

    Parts: `dice` (die by die, ascending, of double dice layer by layer of each die), `counts` (of each face,
    layer by layer), `throws_left`, `offers` (what the dice give in every open cell, for each layer in the
    order of scoring), then of the own sheet `filled` and `points` by cell, `upper` (the upper sum of each
    column), `repeats` and `score`, where rolls are saved `saved`, where boxes are announced `announced` (by
    cell); and of each other player, in the order of their turns, `filled`,
    `points` and `score`, as `other1_points` and so on.

    >>> position = dicecup.Position.parse("yatzy / ones=3 / 1 1 2 6 6 / 2")
    >>> layout = dicecup.envs.Observation(position.rules)
    >>> layout.of_state(position.state)[layout.slices["dice"]].tolist()
    [1, 1, 2, 6, 6]
    """

    def __init__(self, rules: Ruleset, players: int = 1) -> None:
        check_rules(rules)
        self.rules = rules
        self.players = players = whole_number("players", players, 1, MOST_PLAYERS)
        dice, layers, cells = rules.dice, len(rules.dice.layers), rules.cells
        sizes = [
            ("dice", dice.count * layers, 0, dice.faces),
            ("counts", dice.faces * layers, 0, dice.count),
            ("throws_left", 1, 0, LIMITS[1] if rules.saved_throws else rules.throws - 1),
            ("offers", len(rules.scored) * cells, *LIMITS),
            ("filled", cells, 0, 1),
            ("points", cells, *LIMITS),
            ("upper", len(rules.columns), *LIMITS),
            ("repeats", 1, 0, rules.turns * max(column.multiplier for column in rules.columns)),
            ("score", 1, *LIMITS),
        ]
        sizes += [("saved", 1, 0, LIMITS[1])] if rules.saved_throws else []
        sizes += [("announced", cells, 0, 1)] if "announced" in rules.extensions else []
        for other in range(1, players):
            names = (f"other{other}_{part}" for part in ("filled", "points", "score"))
            bounds = ((cells, 0, 1), (cells, *LIMITS), (1, *LIMITS))
            sizes += [(name, *bound) for name, bound in zip(names, bounds, strict=True)]
        ends = np.cumsum([0, *(size for _, size, _, _ in sizes)]).tolist()
        self.slices = {
            name: slice(begin, begin + size) for (name, size, _, _), begin in zip(sizes, ends, strict=False)
        }
        self.size: int = ends[-1]
        self.low = np.concatenate([np.full(size, low, dtype=np.int16) for _, size, low, _ in sizes])
        self.high = np.concatenate([np.full(size, high, dtype=np.int16) for _, size, _, high in sizes])

    def array(
        self,
        sheet: Sheet,
        dice: Dice = (),
        throws_left: int = 0,
        others: Sequence[Sheet] = (),
        announced: int | None = None,
    ) -> Numbers:
        """Return what a player sees; without dice when it is not their turn.

        >>> layout = dicecup.envs.Observation(dicecup.Rules("yatzy"))
        >>> layout.array(dicecup.Sheet((3, 6) + (None,) * 13))[layout.slices["points"]][:3].tolist()
        [3, 6, 0]
        """
        rules = self.rules
        own, lying = plain_sheet(rules, sheet), as_dice(rules, dice)
        lying = checked_dice(rules, lying) if lying else lying
        most = rules.throws + own.saved - bool(lying)
        left = checked_throws(throws_left, 0, most)
        cell = None if announced is None else whole_number("announced", announced, 0, rules.cells - 1)
        self._check_count("others", others, self.players - 1)
        return self._array(own, lying, left, checked_sheets(rules, others), cell)

    def _check_count(self, argument: str, sheets: object, count: int) -> None:
        if not isinstance(sheets, tuple | list) or len(sheets) != count:
            raise UsageError(
                "argument_wrong", argument=argument, expected=Phrase("expected_sheets", count=count)
            )

    def _array(
        self, sheet: Sheet, dice: Dice, throws_left: int, others: Sequence[Sheet], announced: int | None
    ) -> Numbers:
        """Like `array`, for values of the engine."""
        rules, parts = self.rules, list[int]()
        if dice:
            parts += [face for die in dice for face in ((die,) if isinstance(die, int) else die)]
            for layer, face in product(range(len(rules.dice.layers)), range(1, rules.dice.faces + 1)):
                parts.append(layer_faces(dice, layer).count(face))
            parts.append(throws_left)
            roll = rules.throws + sheet.saved - throws_left
            moment = Moment(roll, announced) if rules.counts_rolls else None
            for _layer, _faces, given in layer_offers(rules, sheet, dice, moment):
                parts += [scored.points if scored else 0 for scored in given]
        else:
            parts += [0] * self.slices["offers"].stop
        parts += [int(cell is not None) for cell in sheet.cells]
        parts += [cell or 0 for cell in sheet.cells]
        parts += [column_lines(rules, sheet, column)["upper_sum"] for column in range(len(rules.columns))]
        parts += [sheet.repeats, final_score(rules, sheet)]
        parts += [sheet.saved] if rules.saved_throws else []
        if "announced" in rules.extensions:
            parts += [int(cell == announced) for cell in range(rules.cells)]
        for other in others:
            parts += [int(cell is not None) for cell in other.cells]
            parts += [cell or 0 for cell in other.cells]
            parts.append(final_score(rules, other))
        return np.clip(parts, *LIMITS).astype(np.int16)  # scores of house rules can be higher

    def of_state(self, state: State) -> Numbers:
        """Return what the player sees whose turn it is.

        >>> position = dicecup.Position.parse("yatzy / ones=3 / 1 1 2 6 6 / 2")
        >>> layout = dicecup.envs.Observation(position.rules)
        >>> layout.of_state(position.state)[layout.slices["offers"]].tolist()
        [0, 2, 0, 0, 0, 12, 12, 14, 0, 0, 0, 0, 0, 16, 0]
        """
        state = checked_state(self.rules, state)
        self._check_count("sheets", state.sheets, self.players)
        order = state.sheets[state.player + 1 :] + state.sheets[: state.player]
        due = state.kept is None and not state.finished
        dice = (state.dice, state.throws_left) if due else ((), 0)
        return self._array(state.sheet, *dice, order, state.announced)


LIMITS = (-(1 << 15), (1 << 15) - 1)  # of points: those of 16 bits


MOST_REWARD = float(np.finfo(np.float32).max)


def checked_illegal(illegal: object) -> float | None:
    """Return the reward of an illegal action; None if it is an error."""
    if illegal is None:
        return None
    number: Any = None if isinstance(illegal, bool) or not isinstance(illegal, Real) else illegal
    fine = number is not None and abs(number) <= MOST_REWARD
    check_argument("illegal", fine, "expected_number_or_none")
    return float(number)


@lru_cache(maxsize=64)
def actions_of(rules: Ruleset) -> Actions:
    return Actions(rules)


@lru_cache(maxsize=64)
def observation_of(rules: Ruleset, players: int = 1) -> Observation:
    return Observation(rules, players)
