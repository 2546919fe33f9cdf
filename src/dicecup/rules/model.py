"""The ruleset model: frozen values with lookups and no other behaviour.

The terms are those of the rule sheets. A ruleset is a game with its options chosen: one plain game.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Literal

Section = Literal["upper", "lower", "after_total"]
StrikePolicy = Literal["free", "last_resort"]


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
    """This many consecutive faces, starting anywhere."""

    length: int


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


@dataclass(frozen=True, slots=True)
class Box:
    """One box of the sheet."""

    id: str
    section: Section
    needs: Needs
    points: Points
    strike: bool = True  # whether 0 may be written whatever the dice show
    after: tuple[str, ...] = ()  # scores only once these boxes are filled
    above: str | None = None  # this box must hold more points than that one, whichever is filled first

    @property
    def never_pays(self) -> bool:
        """Whether the box is worth 0 whatever the dice show."""
        return self.points == Points()


@dataclass(frozen=True, slots=True)
class Tier:
    """A bonus step: reached when the upper sum is at least `at`. Only the highest step reached counts."""

    at: int
    points: int


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the sheet; its total counts `multiplier` times."""

    id: str
    multiplier: int


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
    """Additional points each time the dice meet the need of `box` again while it holds points."""

    id: str
    box: str
    points: int


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

    def __eq__(self, other: object) -> bool:
        return self.identity == other.identity if isinstance(other, Ruleset) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.identity)

    @cached_property
    def identity(self) -> str:
        """A hash of the game's meaning: names, printed totals, and the options chosen do not affect it."""
        meaning = {
            "dice": asdict(self.dice),
            "throws": self.throws,
            "scored": self.scored,
            "boxes": [box_meaning(box) for box in self.boxes],
            "bonus": [asdict(tier) for tier in self.bonus],
            "columns": [asdict(column) for column in self.columns],
            "joker": joker_meaning(self.joker) if self.joker else None,
            "repeat": asdict(self.repeat) if self.repeat else None,
            "strike": self.strike,
        }
        text = json.dumps(meaning, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def box_index(self) -> Mapping[str, int]:
        return {box.id: index for index, box in enumerate(self.boxes)}

    @cached_property
    def column_index(self) -> Mapping[str, int]:
        return {column.id: index for index, column in enumerate(self.columns)}

    @cached_property
    def upper(self) -> tuple[int, ...]:
        """The indices of the upper boxes."""
        return tuple(index for index, box in enumerate(self.boxes) if box.section == "upper")

    @cached_property
    def upper_box_of_face(self) -> Mapping[int, int]:
        """The indices of the upper boxes by face."""
        return {
            box.needs.face: index
            for index, box in enumerate(self.boxes)
            if box.section == "upper" and isinstance(box.needs, OfFace)
        }

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Boxes and computed lines in the order of the printed sheet."""
        section = {
            name: [box.id for box in self.boxes if box.section == name]
            for name in ("upper", "lower", "after_total")
        }
        lines = section["upper"]
        lines += ["upper_sum"] if section["upper"] else []
        lines += ["bonus"] if self.bonus else []
        lines += ["upper_total"] if self.section_totals and section["upper"] else []
        lines += section["lower"]
        lines += [self.repeat.id] if self.repeat else []
        lines += ["lower_total"] if self.section_totals else []
        lines += ["grand_total", *section["after_total"]]
        lines += ["weighted_total"] if self.has_columns else []
        lines += ["final_score"] if self.has_columns or section["after_total"] else []
        return tuple(lines)

    @cached_property
    def non_default_options(self) -> Mapping[str, str]:
        return {name: value for name, value in self.options.items() if value != self.choices[name][0]}

    @cached_property
    def cells(self) -> int:
        """The number of boxes on a sheet, in all columns together."""
        return len(self.boxes) * len(self.columns)

    @property
    def turns(self) -> int:
        """How many turns each player has."""
        return self.cells // len(self.scored)

    @cached_property
    def has_columns(self) -> bool:
        """Whether columns have names, which moves and sheets then use."""
        return bool(self.columns[0].id)

    @property
    def has_layers(self) -> bool:
        """Whether a die has several layers, each scored in a box of its own."""
        return len(self.dice.layers) > 1


def box_meaning(box: Box) -> dict[str, Any]:
    """Return a box as plain data, including the kind of need, since two kinds can have equal fields."""
    return asdict(box) | {
        "needs": [type(box.needs).__name__, asdict(box.needs)],
        "after": sorted(box.after),
    }


def joker_meaning(joker: Joker) -> dict[str, Any]:
    """Return a joker as plain data; the order of its boxes is irrelevant."""
    return asdict(joker) | {"filled": sorted(joker.filled), "boxes": sorted(joker.boxes)}
