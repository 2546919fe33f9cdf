"""The ruleset model: frozen values with lookups and no other behaviour.

The terms are those of the rule sheets. A ruleset is a game with its options chosen: one plain game.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from dicecup.rules.meaning import further_meaning, identity_of
from dicecup.rules.read_only import ReadOnly, read_only

Section = Literal["upper", "lower", "after_total"]
StrikePolicy = Literal["free", "last_resort"]
ColumnOrder = Literal["free", "down", "up"]


@dataclass(frozen=True, slots=True)
class DiceSet:
    """The dice of the game: their number, faces and layers, and how many of a layer count in a box."""

    count: int
    faces: int
    layers: tuple[str, ...]
    counted: int


@dataclass(frozen=True, slots=True)
class AnyDice:
    """Any dice, if their sum is at least this much."""

    at_least: int = 0


@dataclass(frozen=True, slots=True)
class OfFace:
    """The dice that show this face."""

    face: int


@dataclass(frozen=True, slots=True)
class Alike:
    """Groups of equal dice, such as 3 and 2 in a full house; of different faces if the rules say so."""

    groups: tuple[int, ...]
    different: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """This many consecutive faces, starting anywhere. At the end a 1 may follow the face `around`, if any."""

    length: int
    around: int = 0


@dataclass(frozen=True, slots=True)
class TheseFaces:
    """Exactly these faces, each on a different die."""

    faces: tuple[int, ...]


Needs = AnyDice | OfFace | Alike | Run | TheseFaces


@dataclass(frozen=True, slots=True)
class Points:
    """base + all × (sum of all counted dice) + matching × (sum of the dice that meet the need)."""

    base: int = 0
    all: int = 0
    matching: int = 0


NO_POINTS = Points()


@dataclass(frozen=True, slots=True)
class Box:
    """One box of the sheet.

    >>> dicecup.Rules("yatzy").boxes[0].id
    'ones'
    """

    id: str
    section: Section
    needs: Needs
    points: Points
    strike: bool = True  # whether 0 may be written whatever the dice show
    after: tuple[str, ...] = ()  # scores only once these boxes are filled
    above: str | None = None  # this box must hold more points than that one, whichever is filled first
    once: tuple[str, ...] = ()  # scores only once these boxes hold points
    early: tuple[int, ...] = ()  # more points if the dice are there after the first, second … roll

    @property
    def never_pays(self) -> bool:
        """Whether the box is worth 0 whatever the dice show."""
        return self.points == NO_POINTS


@dataclass(frozen=True, slots=True)
class Tier:
    """A bonus step: reached when the upper sum is at least `at`. Only the highest step reached counts."""

    at: int
    points: int


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the sheet; its total counts `multiplier` times.

    With an order, its boxes are filled from the first down or from the last up. In an announced column only
    the box can be filled that was announced after the first roll of the turn.

    >>> dicecup.Rules("jamb").columns[0]
    Column(id='down', multiplier=1, order='down', announced=False)
    """

    id: str
    multiplier: int
    order: ColumnOrder = "free"
    announced: bool = False


@dataclass(frozen=True, slots=True)
class Joker:
    """All counted dice equal, when these boxes and the upper box of the face are filled in every column.

    Then each box in `boxes` accepts them as if they met its need. With `forced`, once `filled` holds, the
    upper box of the face must be used while it is open, after that a lower box while one is open.
    """

    filled: tuple[str, ...]
    boxes: tuple[str, ...]
    forced: bool = False


@dataclass(frozen=True, slots=True)
class Repeat:
    """Additional points each time the dice meet the need of `box` again while it holds points.

    With columns, once `box` holds points in all of them, and times the number of the column that is filled.
    """

    id: str
    box: str
    points: int


@dataclass(frozen=True, slots=True)
class Across:
    """Points for a box over all columns: if its sum is at least `at`, and `every` one of them holds points
    where that is asked for; or for `each` that does.
    """

    box: str
    points: int
    at: int = 0
    every: bool = False
    each: bool = False


@dataclass(frozen=True, slots=True)
class Win:
    """The game is won at once by dice that meet the need of `box` after this roll of a turn or before."""

    box: str
    roll: int


@dataclass(frozen=True, slots=True)
class Difference:
    """A line: the points of `high` less those of `low`, times those of `times`; never less than 0.

    It counts once the three boxes of the column are filled. `high` and `low` themselves do not count.
    """

    id: str
    high: str
    low: str
    times: str


@dataclass(frozen=True, eq=False)
class Ruleset:
    """One game with its options chosen. Two rulesets with the same `identity` are the same game.

    `identity`, a hash of that meaning, decides. So whatever is remembered by ruleset is also found for the
    same rules under another id, and must depend on nothing that the identity leaves out.

    >>> import dicecup
    >>> dicecup.Rules("yatzy-sv") == dicecup.Rules("yatzy-sv"), dicecup.Rules("yatzy").turns
    (True, 15)
    """

    id: str
    dice: DiceSet
    throws: int
    scored: tuple[str, ...]  # the layers scored at the end of a turn, in order, each in a different box
    boxes: tuple[Box, ...]
    bonus: tuple[Tier, ...]
    columns: tuple[Column, ...]
    joker: Joker | None
    repeat: Repeat | None
    strike: StrikePolicy
    section_totals: bool  # whether the printed sheet has total lines for its upper and lower section
    options: Mapping[str, str]  # the value chosen for every option
    choices: Mapping[str, tuple[str, ...]]  # every option with its values, the default first
    names: Mapping[str, Mapping[str, Any]] = field(repr=False)  # language → names
    reference: str = field(repr=False)  # the id or path it was loaded by
    across: tuple[Across, ...] = ()
    total_points: tuple[Tier, ...] = ()  # the total of all columns counts as the points of the highest step
    saved_throws: bool = False  # whether rolls that a turn leaves over are saved for later turns
    win: Win | None = None
    difference: Difference | None = None

    def __post_init__(self) -> None:
        for name in ("options", "choices", "names"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    def __eq__(self, other: object) -> bool:
        return self.identity == other.identity if isinstance(other, Ruleset) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.identity)

    @cached_property
    def identity(self) -> str:
        """A hash of the game's meaning: names, printed totals, and the options chosen do not affect it.

        >>> dicecup.Rules("yatzy", {"scoring": "scandinavian"}).identity == dicecup.Rules("yatzy").identity
        False
        """
        return identity_of(self)

    @cached_property
    def extensions(self) -> frozenset[str]:
        """The rules of this game that most games lack; code that does not support them must refuse the game.

        Whether a box may be filled, and for how much, depends here on more than the sheet and the dice, or
        the final score is more than the sum of all lines.

        >>> dicecup.Rules("maxi-yatzy").extensions, dicecup.Rules("yatzy").extensions
        (frozenset({'saved_throws'}), frozenset())
        """
        more = set(further_meaning(self)) | {"order" for column in self.columns if column.order != "free"}
        more |= {"announced" for column in self.columns if column.announced}
        more |= {"early" for box in self.boxes if box.early}
        more |= {"repeat"} if self.repeat and self.has_columns else set()
        return frozenset(more)

    @cached_property
    def counts_rolls(self) -> bool:
        """Whether it matters how often the dice of a turn were rolled.

        >>> dicecup.Rules("generala").counts_rolls, dicecup.Rules("yatzy").counts_rolls
        (True, False)
        """
        return bool(self.extensions & {"saved_throws", "win", "announced", "early"})

    @cached_property
    def box_index(self) -> Mapping[str, int]:
        """The indices of the boxes by id: where a `Sheet` holds their points, in the first column.

        >>> dicecup.Rules("yatzy").box_index["pair"]
        6
        """
        return ReadOnly({box.id: index for index, box in enumerate(self.boxes)})

    @cached_property
    def column_index(self) -> Mapping[str, int]:
        """The indices of the columns by id.

        >>> dicecup.Rules("jamb").column_index
        {'down': 0, 'free': 1, 'up': 2, 'announced': 3}
        """
        return ReadOnly({column.id: index for index, column in enumerate(self.columns)})

    @cached_property
    def upper(self) -> tuple[int, ...]:
        """The indices of the upper boxes.

        >>> dicecup.Rules("yatzy").upper
        (0, 1, 2, 3, 4, 5)
        """
        return tuple(index for index, box in enumerate(self.boxes) if box.section == "upper")

    @cached_property
    def upper_box_of_face(self) -> Mapping[int, int]:
        """The indices of the upper boxes by face.

        >>> dicecup.Rules("yatzy").upper_box_of_face[6]
        5
        """
        upper = ((index, self.boxes[index].needs) for index in self.upper)
        return ReadOnly({needs.face: index for index, needs in upper if isinstance(needs, OfFace)})

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Boxes and computed lines in the order of the printed sheet.

        >>> dicecup.Rules("yatzy").lines[5:9]
        ('sixes', 'upper_sum', 'bonus', 'pair')
        """
        section = {
            name: [box.id for box in self.boxes if box.section == name]
            for name in ("upper", "lower", "after_total")
        }
        lines = section["upper"]
        lines += ["upper_sum"] if section["upper"] else []
        lines += ["bonus"] if self.bonus else []
        lines += ["upper_total"] if self.section_totals and section["upper"] else []
        lower = section["lower"]
        if self.difference:
            last = max(lower.index(box) for box in (self.difference.high, self.difference.low))
            lower.insert(last + 1, self.difference.id)
        lines += lower + ([self.repeat.id] if self.repeat and not self.has_columns else [])
        lines += ["lower_total"] if self.section_totals else []
        lines += ["grand_total", *section["after_total"], *(["weighted_total"] if self.has_weights else [])]
        lines += self.overall_lines
        lines += ["final_score"] if section["after_total"] and not self.has_columns else []
        return tuple(lines)

    @cached_property
    def overall_lines(self) -> tuple[str, ...]:
        """The lines that stand once for all columns together.

        >>> dicecup.Rules("balut").overall_lines
        ('all_columns', 'across', 'total_points', 'final_score')
        """
        if not self.has_columns:
            return ()
        lines = ["all_columns"] if self.across or self.total_points else []
        lines += [self.repeat.id] if self.repeat else []
        lines += ["across"] if self.across else []
        lines += ["total_points"] if self.total_points else []
        return (*lines, "final_score")

    @cached_property
    def has_weights(self) -> bool:
        """Whether a column counts for something else than the total of its lines.

        >>> dicecup.Rules("triple-yum-plus").has_weights, dicecup.Rules("jamb").has_weights
        (True, False)
        """
        after_total = any(box.section == "after_total" for box in self.boxes)
        return self.has_columns and (after_total or any(column.multiplier > 1 for column in self.columns))

    @cached_property
    def non_default_options(self) -> Mapping[str, str]:
        """The options whose value is not the default.

        >>> dicecup.Rules("yatzy", {"scoring": "scandinavian"}).non_default_options
        {'scoring': 'scandinavian'}
        """
        return ReadOnly({key: value for key, value in self.options.items() if value != self.choices[key][0]})

    @cached_property
    def cells(self) -> int:
        """The number of boxes on a sheet, in all columns together.

        >>> dicecup.Rules("yatzy").cells, dicecup.Rules("triple-yum-plus").cells
        (15, 66)
        """
        return len(self.boxes) * len(self.columns)

    @property
    def turns(self) -> int:
        """How many turns each player has.

        >>> dicecup.Rules("yatzy").turns, dicecup.Rules("dice-in-dice").turns
        (15, 8)
        """
        return self.cells // len(self.scored)

    @cached_property
    def has_columns(self) -> bool:
        """Whether columns have names, which moves and sheets then use.

        >>> dicecup.Rules("jamb").has_columns, dicecup.Rules("yatzy").has_columns
        (True, False)
        """
        return bool(self.columns[0].id)

    @property
    def has_layers(self) -> bool:
        """Whether a die has several layers, each scored in a box of its own.

        >>> dicecup.Rules("dice-in-dice").has_layers, dicecup.Rules("yatzy").has_layers
        (True, False)
        """
        return len(self.dice.layers) > 1
