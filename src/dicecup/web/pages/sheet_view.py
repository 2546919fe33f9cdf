"""View model of one player's sheet: two blocks of rows that stand side by side, cell by cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import ceil
from typing import Literal

from dicecup.engine.legality import cell_of
from dicecup.engine.state import Announce, Placement, Sheet, bonus, column_lines, overall_lines
from dicecup.i18n.language import Language, name
from dicecup.rules.model import OfFace, Ruleset
from dicecup.web.service.snapshot import BoxChoice, LayerChoices
from dicecup.web.texts import line_names

CellKind = Literal["empty", "written", "offer", "line", "bonus"]
SLIM = 0.5  # the height of a computed line, in boxes
UNEVEN = 4  # how much higher one block may be than the other before boxes move over
EVEN = 2  # … and then how much higher it may stay


@dataclass(frozen=True, slots=True)
class Target:
    """What a tap on a cell does for the dice of one layer."""

    id: str
    layer: str
    text: str
    value: str  # what the tap sends
    label: str  # for screen readers
    zero: bool
    fixed: bool  # cannot be struck
    picked: bool = False
    closed: bool = False  # the rules forbid this box now


@dataclass(frozen=True, slots=True)
class Cell:
    kind: CellKind
    text: str = ""
    note: str = ""  # how the bonus goes, in words
    state: str = ""  # … and as an id
    targets: tuple[Target, ...] = ()
    new: bool = False  # written by the last move
    layer: str = ""  # the dice that were written here, where a turn writes several, as an id
    dice: str = ""  # … and in words


EMPTY = Cell("empty")


@dataclass(frozen=True, slots=True)
class Row:
    line: str
    label: str
    box: bool
    cells: tuple[Cell, ...]
    spans: bool  # one cell, whatever the number of columns
    of_sheet: str  # the beginning of the id

    @property
    def part_id(self) -> str:
        return row_id(self.of_sheet, self.line)


def row_id(of_sheet: str, line: str) -> str:
    return f"{of_sheet}-{line}"


@dataclass(frozen=True, slots=True)
class SheetView:
    """A player's sheet. Its rows are made when they are asked for: most changes leave a sheet as it is.

    Choices are those of the turn, `written` is what was written last, `of_sheet` begins the ids of the rows.
    Equal ones look the same: equal rules may have other names and lines, so `worded` is compared as well.
    """

    rules: Ruleset
    sheet: Sheet
    of_sheet: str
    language: Language
    choices: tuple[LayerChoices, ...] = ()
    written: frozenset[int] = frozenset()
    layers: tuple[tuple[int, str], ...] = ()  # which dice were written in which cell, where there are several
    announcements: tuple[Announce, ...] = ()  # the boxes that can be announced
    worded: tuple[object, ...] = field(init=False)  # what the names and the printed lines follow from

    def __post_init__(self) -> None:
        object.__setattr__(self, "worded", (self.rules.reference, *self.rules.options.items()))

    @property
    def heads(self) -> list[str]:
        """The names of the columns, if there are several."""
        return column_names(self.rules, self.language)

    @property
    def signs(self) -> list[tuple[str, str]]:
        """The columns as they are headed: a sign, if they have one, and the name."""
        return column_signs(self.rules, self.language)

    @property
    def blocks(self) -> list[Block]:
        return [Block(self, number) for number in range(len(lines_in_blocks(self.rules)))]

    @property
    def high(self) -> int:
        """The height of the higher block, in boxes."""
        highest = max(height(self.rules, block) for block in lines_in_blocks(self.rules))
        return ceil(highest + (SLIM if self.rules.has_columns else 0))


@dataclass(frozen=True, slots=True)
class Block:
    """Half a sheet, as a source of the parts of a page."""

    view: SheetView
    number: int

    @property
    def name(self) -> str:
        return f"{self.view.of_sheet}.{self.number}"

    @property
    def part_ids(self) -> tuple[str, ...]:
        return row_ids(self.view.of_sheet, lines_in_blocks(self.view.rules)[self.number])

    def items(self, before: Block | None) -> list[Row]:
        """The rows; of those that are known to be as in `before` none."""
        view, old = self.view, before.view if before else None
        lines = lines_in_blocks(view.rules)[self.number]
        choosing = old and (old.choices or old.announcements), view.choices or view.announcements
        if old is None or any(choosing) or old.language is not view.language:
            return rows_of(view, lines)
        if (old.sheet, old.written, old.layers) == (view.sheet, view.written, view.layers):
            return []
        return rows_of(view, [line for line in lines if may_differ(old, view, line)])


def placement_text(placement: Placement) -> str:
    """Format as forms send it: `pair`, `x2.pair`, with `!` for a strike."""
    place = f"{placement.column}.{placement.box}" if placement.column else placement.box
    return place + ("!" if placement.strike else "")


def read_placement(text: str) -> Placement:
    column, _, box = text.removesuffix("!").rpartition(".")
    return Placement(box, column, text.endswith("!"))


def picked_text(picked: Mapping[str, Placement]) -> str:
    """Format as forms and addresses carry it: `inner:pair,outer:chance!`."""
    return ",".join(f"{layer}:{placement_text(place)}" for layer, place in picked.items())


def read_picked(text: str) -> dict[str, Placement]:
    parts = [part.partition(":") for part in text[:200].split(",")]
    return {layer: read_placement(place) for layer, _, place in parts if layer and place}


def read_target(rules: Ruleset, text: str) -> tuple[str, Placement]:
    """Read which layer goes into which box; without a layer, the one that is scored first."""
    layer, _, place = text.rpartition(":")
    return layer or rules.scored[0], read_placement(place)


def toggled(picked: Mapping[str, Placement], layer: str, place: Placement) -> Mapping[str, Placement]:
    """Return the picks after a tap; tapping the picked box again removes it."""
    before = picked.get(layer)
    others = {key: other for key, other in picked.items() if key != layer}
    again = before is not None and (before.box, before.column) == (place.box, place.column)
    return others if again else {**others, layer: place}


def by_layer(rules: Ruleset, picked: Mapping[str, Placement]) -> Iterator[Placement]:
    """Return the picks in the rules' layer order, whichever was picked first."""
    for layer in rules.scored:
        if layer in picked:
            yield picked[layer]


def column_names(rules: Ruleset, language: Language) -> list[str]:
    return [name(rules, column.id, language.code) for column in rules.columns] if rules.has_columns else []


def column_signs(rules: Ruleset, language: Language) -> list[tuple[str, str]]:
    """The columns with their names; with signs, where they differ in when a box may be filled."""
    names = column_names(rules, language)
    if not rules.extensions & {"order", "announced"}:
        return [("", head) for head in names]
    arrows = {"down": "↓", "up": "↑", "free": "↕"}
    signs = ["!" if column.announced else arrows[column.order] for column in rules.columns]
    return list(zip(signs, names, strict=True))


def may_differ(old: SheetView, new: SheetView, line: str) -> bool:
    """Whether a line of two sheets without choices can differ. Computed ones can, whatever was written."""
    rules = new.rules
    box = rules.box_index.get(line)
    if box is None:
        return True
    other_dice = {cell for cell, _ in set(old.layers) ^ set(new.layers)}  # for the same points, perhaps
    return any(
        old.sheet.cells[cell] != new.sheet.cells[cell]
        or (cell in old.written) != (cell in new.written)
        or cell in other_dice
        for cell in range(box, rules.cells, len(rules.boxes))
    )


def rows_of(view: SheetView, wanted: Sequence[str]) -> list[Row]:
    rules, language, sheet = view.rules, view.language, view.sheet
    heads = view.heads
    names = line_names(rules, language)
    lines = [column_lines(rules, sheet, column) for column in range(len(rules.columns))]
    layers = dict(view.layers)
    overall = overall_lines(rules, sheet)
    announced = {cell_of(rules, one.box, one.column) for one in view.announcements}
    rows = []
    for line in wanted:
        label = names[line][0]
        box = rules.box_index.get(line)
        spans = line in rules.overall_lines
        cells = []
        for column in range(1 if spans else len(rules.columns)):
            if box is None:
                cells.append(computed(rules, sheet, column, line, {**lines[column], **overall}, language))
                continue
            cell = column * len(rules.boxes) + box
            points = sheet.cells[cell]
            if points is not None:
                layer = layers.get(cell, "")
                dice = name(rules, layer, language.code) if layer else ""
                cells.append(
                    Cell("written", number(points), new=cell in view.written, layer=layer, dice=dice)
                )
                continue
            spoken = f"{label} {heads[column]}" if heads else label
            targets = targets_of(rules, cell, view.choices, spoken, language) if view.choices else ()
            if cell in announced:
                targets = (announcement_target(line, rules.columns[column].id, spoken, language),)
            cells.append(Cell("offer", targets=targets) if targets else EMPTY)
        rows.append(Row(line, label, box is not None, tuple(cells), spans, view.of_sheet))
    return rows


def lines_in_blocks(rules: Ruleset) -> tuple[tuple[str, ...], ...]:
    return divided(rules, rules.lines)


@lru_cache(maxsize=256)
def divided(rules: Ruleset, lines: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The upper section and the rest; if that is far longer, its first boxes move over."""
    lower = {box.id for box in rules.boxes if box.section != "upper"}
    at = next((place for place, line in enumerate(lines) if line in lower), len(lines))
    if height(rules, lines[at:]) - height(rules, lines[:at]) > UNEVEN:
        while height(rules, lines[at:]) - height(rules, lines[:at]) > EVEN and lines[at] in rules.box_index:
            at += 1
    return tuple(block for block in (lines[:at], lines[at:]) if block)


@lru_cache(maxsize=1024)
def row_ids(of_sheet: str, lines: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(row_id(of_sheet, line) for line in lines)


def height(rules: Ruleset, lines: Sequence[str]) -> float:
    return sum(1 if line in rules.box_index else SLIM for line in lines)


def targets_of(
    rules: Ruleset, cell: int, choices: Sequence[LayerChoices], label: str, language: Language
) -> tuple[Target, ...]:
    """One target for each layer of dice that can be written here."""
    found = []
    for layer in choices:
        given = next((choice for choice in layer.choices if choice.cell == cell), None)
        if given is None:
            continue
        chosen = layer.chosen
        picked = chosen is not None and cell_of(rules, chosen.box, chosen.column) == cell
        spoken = f"{label}, {name(rules, layer.layer, language.code)}" if rules.has_layers else label
        found.append(target(given, layer, picked, spoken, rules.has_layers))
    return tuple(found)


def target(choice: BoxChoice, layer: LayerChoices, picked: bool, spoken: str, layered: bool) -> Target:
    place = placement_text(Placement(choice.box, choice.column))
    points = layer.points if picked else choice.points
    return Target(
        id=f"box-{layer.layer}-{place}" if layered else f"box-{place}",
        layer=layer.layer,
        text=number(points),
        value=f"{layer.layer}:{place}",
        label=f"{spoken}: {number(points)}",
        zero=not points,
        fixed=not choice.strike,
        picked=picked,
        closed=not choice.allowed,
    )


def announcement_target(box: str, column: str, spoken: str, language: Language) -> Target:
    """What a tap on a cell does that can be announced."""
    place = placement_text(Placement(box, column))
    label = language.gettext("Announce {box}").format(box=spoken)
    return Target(f"announce-{place}", "announce", "!", f"announce:{place}", label, zero=False, fixed=True)


def computed(
    rules: Ruleset, sheet: Sheet, column: int, line: str, lines: Mapping[str, int], language: Language
) -> Cell:
    """A line that is no box. The bonus shows how far it is while it can still grow."""
    if line == "bonus":
        going = bonus_going(rules, sheet, column, language)
        if going:
            return going
    return Cell("line", number(lines[line]))


def bonus_going(rules: Ruleset, sheet: Sheet, column: int, language: Language) -> Cell | None:
    """Return the progress towards the next bonus step; None once it cannot change."""
    faces, filled, total = [], 0, 0
    for box, points in zip(rules.boxes, sheet.cells[column * len(rules.boxes) :], strict=False):
        if isinstance(box.needs, OfFace) and box.section == "upper":
            faces.append((box.needs.face, points))
            total += points or 0
            filled += box.needs.face if points is not None else 0
    most = total + sum(rules.dice.counted * face for face, points in faces if points is None)
    step = min((tier.at for tier in rules.bonus if tier.at > total), default=0)
    whole = sum(face for face, _ in faces)
    if not step or filled == whole or (most < step and bonus(rules, total)):
        return None
    _ = language.gettext
    behind = -(-step * filled // whole) - total
    if most < step:
        state, note = "missed", _("out of reach")
    elif behind <= 0:
        state, note = "ahead", _("on course")
    else:
        state, note = "behind", _("{points} behind").format(points=behind)
    return Cell("bonus", f"{total}/{step}", note, state)


def number(points: int) -> str:
    """Format with a typographic minus."""
    return str(points).replace("-", "−")
