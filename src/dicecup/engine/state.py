"""The state of a game at one moment (sheets, whose turn it is, the dice), the moves that change it, and its
totals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from operator import index
from types import MappingProxyType

from dicecup.dice import Dice
from dicecup.errors import MoveError, Phrase, PositionError, UsageError
from dicecup.rules.model import Difference, Ruleset, Section

MOST_PLAYERS = 24  # in a game: in the browser, in the terminal and on a printed score pad


@dataclass(frozen=True, slots=True)
class Throw:
    """A throw with its outcome: the dice that were not kept.

    `final` dice are those that a turn ended with; how often they were thrown, and what was kept, is unknown.

    >>> dicecup.Throw((1, 3, 3, 6, 6)).dice
    (1, 3, 3, 6, 6)
    """

    dice: Dice
    final: bool = field(default=False, repr=False)


@dataclass(frozen=True, slots=True)
class Keep:
    """The dice to keep; the others are thrown again.

    >>> dicecup.Keep((6, 6)) == dicecup.Keep((6, 6))
    True
    """

    dice: Dice


@dataclass(frozen=True, slots=True)
class Placement:
    """A box to fill. With `strike` it gets 0 whatever the dice would score.

    >>> dicecup.Placement("yatzy", strike=True)
    Placement(box='yatzy', column='', strike=True)
    """

    box: str
    column: str = ""
    strike: bool = False


@dataclass(frozen=True, slots=True)
class Score:
    """The end of a turn: one placement per scored layer, in the rules' order.

    >>> dicecup.Score((dicecup.Placement("pair"),)).placements[0].box
    'pair'
    """

    placements: tuple[Placement, ...]


@dataclass(frozen=True, slots=True)
class Announce:
    """The box of an announced column that this turn will fill; said after the first roll.

    >>> dicecup.Announce("sixes", "announced")
    Announce(box='sixes', column='announced')
    """

    box: str
    column: str = ""


@dataclass(frozen=True, slots=True)
class Write:
    """Points written in a box of any player, without dice. None empties the box.

    `was` is what the box held before: a write that was made against anything else is refused.

    >>> dicecup.Write(0, "sixes", 24)
    Write(seat=0, box='sixes', points=24, column='', was=None)
    """

    seat: int
    box: str
    points: int | None
    column: str = ""
    was: int | None = None


TurnMove = Keep | Announce | Score
"""What a player decides when the dice lie on the table: a `Keep`, a `Score`, or an `Announce`."""
Move = Throw | TurnMove | Write
"""Any move: a `TurnMove`, the `Throw` before it, or a `Write` on a score pad."""


def score(box: str, column: str = "", *, strike: bool = False) -> Score:
    """Return the score of a game with one box per turn.

    >>> from dicecup.engine import score
    >>> score("sixes")
    Score(placements=(Placement(box='sixes', column='', strike=False),))
    """
    return Score((Placement(box, column, strike),))


Cells = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """One player's sheet: the points in every cell, column by column, the number of scored repeats (times
    the numbers of their columns), and the rolls that earlier turns have saved.

    >>> dicecup.Game.from_position("yatzy / ones=3 twos=6").state.sheet.cells[:3]
    (3, 6, None)
    """

    cells: Cells
    repeats: int = 0
    saved: int = 0

    @property
    def full(self) -> bool:
        """Whether every box is filled.

        >>> dicecup.Game("yatzy").state.sheet.full
        False
        """
        return None not in self.cells


@dataclass(frozen=True, slots=True)
class State:
    """The state of a game at one moment.

    `kept` holds the kept dice while a throw is due, and is None when a decision is due. A turn begins with no
    dice and nothing kept: the first throw is of all dice. `announced` is the cell that the turn must fill,
    where one was announced; `winner` is the player who has won at once, in games where that can happen.

    >>> state = dicecup.Game("yatzy", ["Ann", "Bo"]).state
    >>> state.player, state.dice, state.kept, state.throws_left
    (0, (), (), 3)
    """

    sheets: tuple[Sheet, ...]
    player: int
    dice: Dice
    kept: Dice | None
    throws_left: int
    announced: int | None = None
    winner: int | None = None

    @property
    def finished(self) -> bool:
        """Whether every sheet is full, or somebody has won at once.

        >>> game = dicecup.Game("yatzy", ["bot:random"], seed=1)
        >>> moves = game.play_bots()
        >>> game.state.finished
        True
        """
        return self.winner is not None or all(sheet.full for sheet in self.sheets)

    @property
    def throw_due(self) -> bool:
        """Whether the dice have to be thrown next.

        >>> state = dicecup.Position.parse("yatzy / / 1 1 2 6 6 / 1").state
        >>> state.throw_due, dicecup.apply(dicecup.Rules("yatzy"), state, dicecup.Keep((6, 6))).throw_due
        (False, True)
        """
        return self.kept is not None and not self.finished

    @property
    def sheet(self) -> Sheet:
        """The sheet of the player whose turn it is.

        >>> dicecup.Game.from_position("yatzy / ones=3").state.sheet.cells[:2]
        (3, None)
        """
        return self.sheets[self.player]


def check_rules(rules: object) -> None:
    """Refuse what is not the rules of a game, such as its id."""
    if not isinstance(rules, Ruleset):
        raise UsageError("argument_wrong", argument="rules", expected=Phrase("expected_rules"))


def check_size(rules: Ruleset, sheet: object) -> None:
    """Refuse what is not a sheet with as many boxes as this game has."""
    cells: object = sheet.cells if isinstance(sheet, Sheet) else ()
    found = len(cells) if isinstance(cells, tuple | list) else 0
    if found != rules.cells:
        raise PositionError("sheet_of_other_game", found=found, expected=rules.cells)


def empty_sheet(rules: Ruleset) -> Sheet:
    return Sheet((None,) * rules.cells)


def start(rules: Ruleset, players: int = 1) -> State:
    """Return the state before the first throw of a game."""
    if players < 1:
        raise MoveError("players_missing")
    return turn_start(rules, (empty_sheet(rules),) * players, 0)


def turn_start(rules: Ruleset, sheets: tuple[Sheet, ...], player: int) -> State:
    return State(sheets, player, dice=(), kept=(), throws_left=rules.throws + sheets[player].saved)


def alone(state: State) -> State:
    """Return the state reduced to the sheet of the player whose turn it is."""
    winner = 0 if state.winner == state.player else None
    return replace(state, sheets=(state.sheet,), player=0, winner=winner)


def rolls_made(rules: Ruleset, state: State) -> int:
    """Return how often the dice have been rolled in this turn."""
    return rules.throws + state.sheet.saved - state.throws_left


def dice_to_throw(rules: Ruleset, state: State) -> int:
    """Return how many dice are due to be thrown."""
    return rules.dice.count - len(state.kept or ())


def bonus(rules: Ruleset, upper_sum: int) -> int:
    """Return the points of the highest bonus step that the upper sum reaches."""
    return max((tier.points for tier in rules.bonus if upper_sum >= tier.at), default=0)


def column_lines(rules: Ruleset, sheet: Sheet, column: int) -> Mapping[str, int]:
    """Return every computed line of one column by id; `rules.lines` lists those that are printed."""
    first = column * len(rules.boxes)
    return lines_of(rules, sheet.cells[first : first + len(rules.boxes)], sheet.repeats, column)


@lru_cache(maxsize=2048)  # a move changes one column: the others are known
def lines_of(rules: Ruleset, cells: Cells, repeats: int, column: int) -> Mapping[str, int]:
    # NumPy integers equal plain ones: the cache would hand them to other games. Floats are refused.
    cells, repeats = tuple([None if points is None else index(points) for points in cells]), index(repeats)
    sums: dict[Section, int] = {"upper": 0, "lower": 0, "after_total": 0}
    difference = rules.difference
    uncounted = (difference.high, difference.low) if difference else ()
    for box, points in zip(rules.boxes, cells, strict=True):
        if points and box.id not in uncounted:
            sums[box.section] += points
    upper_sum = sums["upper"]
    upper_total = upper_sum + bonus(rules, upper_sum)
    own: dict[str, int] = {}  # lines that only some games have
    if rules.repeat and not rules.has_columns:
        own[rules.repeat.id] = repeats * rules.repeat.points
    if difference:
        own[difference.id] = difference_points(rules, difference, cells)
    lower_total = sums["lower"] + sum(own.values())
    grand_total = upper_total + lower_total
    lines = {
        "upper_sum": upper_sum,
        "bonus": upper_total - upper_sum,
        "upper_total": upper_total,
        "lower_total": lower_total,
        "grand_total": grand_total,
        "weighted_total": (grand_total + sums["after_total"]) * rules.columns[column].multiplier,
    }
    return MappingProxyType(lines | own)


def difference_points(rules: Ruleset, difference: Difference, cells: Cells) -> int:
    """Return the points of the difference in a column."""
    high, low, times = (
        cells[rules.box_index[box]] for box in (difference.high, difference.low, difference.times)
    )
    return max(high - low, 0) * times if None not in (high, low, times) else 0  # type: ignore[operator]


def across_points(rules: Ruleset, sheet: Sheet) -> int:
    """Return the points that boxes give for what all columns hold."""
    found = 0
    for across in rules.across:
        written = [points or 0 for points in sheet.cells[rules.box_index[across.box] :: len(rules.boxes)]]
        if across.each:
            found += across.points * sum(points > 0 for points in written)
        elif sum(written) >= across.at and (min(written) > 0 or not across.every):
            found += across.points
    return found


def overall_lines(rules: Ruleset, sheet: Sheet) -> Mapping[str, int]:
    """Return every line that stands once for all columns by id; `rules.overall_lines` are printed."""
    total = sum(column_lines(rules, sheet, column)["weighted_total"] for column in range(len(rules.columns)))
    lines = {"all_columns": total, "across": across_points(rules, sheet)}
    final = total + lines["across"]
    if rules.repeat and rules.has_columns:
        lines[rules.repeat.id] = sheet.repeats * rules.repeat.points
        final += lines[rules.repeat.id]
    if rules.total_points:
        steps = [tier.points for tier in rules.total_points if total >= tier.at]
        lines["total_points"] = steps[-1] if steps else 0
        final += lines["total_points"] - total
    return MappingProxyType(lines | {"final_score": final})


def final_score(rules: Ruleset, sheet: Sheet) -> int:
    """Return the final score: columns by multiplier, bonus, repeats, boxes after the total; or the points
    that they are worth.
    """
    return overall_lines(rules, sheet)["final_score"]


def standings(rules: Ruleset, state: State) -> tuple[tuple[int, int, int], ...]:
    """Return (place, player, final score), best first; equal scores share the place.

    Who has won at once is first, whatever the scores are.
    """
    scores = [final_score(rules, sheet) for sheet in state.sheets]
    ranks = [(player == state.winner, score) for player, score in enumerate(scores)]
    rows = [
        (1 + sum(other > rank for other in ranks), player, score)
        for player, (rank, score) in enumerate(zip(ranks, scores, strict=True))
    ]
    return tuple(sorted(rows))
