"""View model of the sheets side by side, cell by cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from dicecup.engine.legality import cell_of
from dicecup.engine.state import Placement, column_lines, final_score
from dicecup.i18n.language import Language
from dicecup.i18n.names import name
from dicecup.match import Match
from dicecup.rules.model import Ruleset
from dicecup.web.service.snapshot import BoxChoice, LayerChoices
from dicecup.web.texts import line_names

CellKind = Literal["empty", "written", "offer", "closed", "picked", "line"]


@dataclass(frozen=True, slots=True)
class Cell:
    kind: CellKind
    text: str = ""
    later: str = ""  # what the layer after this one would give
    value: str = ""  # what a tap on it sends
    label: str = ""  # for screen readers
    new: bool = False  # written by the last move
    strike: bool = False


EMPTY = Cell("empty")


@dataclass(frozen=True, slots=True)
class Head:
    """One column of the view: a player's sheet, or one column of it."""

    seat: int
    column: int
    label: str
    first: bool  # the first column of its player


@dataclass(frozen=True, slots=True)
class Row:
    line: str
    label: str
    text: str
    box: bool
    cells: tuple[Cell, ...]
    spans: bool = False  # one cell per player, whatever the number of columns

    @property
    def part_id(self) -> str:
        return f"row-{self.line}"


def placement_text(placement: Placement) -> str:
    """Format as forms send it: `pair`, `x2.pair`, with `!` for a strike."""
    place = f"{placement.column}.{placement.box}" if placement.column else placement.box
    return place + ("!" if placement.strike else "")


def read_placement(text: str) -> Placement:
    column, _, box = text.removesuffix("!").rpartition(".")
    return Placement(box, column, text.endswith("!"))


def heads(rules: Ruleset, order: list[int], language: Language) -> list[Head]:
    return [
        Head(
            seat,
            column,
            name(rules, rules.columns[column].id, language.code) if rules.has_columns else "",
            not column,
        )
        for seat in order
        for column in range(len(rules.columns))
    ]


def rows(
    match: Match,
    columns: list[Head],
    choices: list[LayerChoices],
    language: Language,
    written: frozenset[int],
    last_seat: int | None,
) -> list[Row]:
    """Every line; choices belong to the player whose turn it is, `written` to the one who wrote last."""
    rules = match.rules
    waiting = [layer for layer in choices if layer.chosen is None]
    picked = {
        cell_of(rules, layer.chosen.box, layer.chosen.column): layer for layer in choices if layer.chosen
    }
    now = {choice.cell: choice for choice in waiting[0].choices} if waiting else {}
    later = {choice.cell: choice for choice in waiting[1].choices} if len(waiting) > 1 else {}
    layer_name = name(rules, waiting[0].layer, language.code) if waiting and rules.has_layers else ""
    names = line_names(rules, language)
    computed = [lines_of(match, head) for head in columns]
    found = []
    for line in rules.lines:
        label, text = names[line]
        box = rules.box_index.get(line)
        spans = rules.has_columns and line == "final_score"
        cells = []
        for head, lines in zip(columns, computed, strict=True):
            if box is None:
                if head.first or not spans:
                    cells.append(Cell("line", number(lines[line])))
                continue
            cell = head.column * len(rules.boxes) + box
            points = match.state.sheets[head.seat].cells[cell]
            if points is not None:
                new = cell in written and head.seat == last_seat
                cells.append(Cell("written", number(points), new=new))
            elif head.seat != match.state.player:
                cells.append(EMPTY)
            elif cell in picked:
                cells.append(Cell("picked", number(picked[cell].points)))
            elif cell in now:
                spoken = " ".join(part for part in (label, head.label, layer_name) if part)
                cells.append(offer(now[cell], later.get(cell), spoken))
            else:
                cells.append(EMPTY)
        found.append(Row(line, label, text, box is not None, tuple(cells), spans))
    return found


def offer(choice: BoxChoice, later: BoxChoice | None, spoken: str) -> Cell:
    place = Placement(choice.box, choice.column)
    return Cell(
        kind="offer" if choice.allowed else "closed",
        text=number(choice.points),
        later=number(later.points) if later else "",
        value=placement_text(place),
        label=f"{spoken}: {choice.points}",
        strike=choice.strike,
    )


def lines_of(match: Match, head: Head) -> Mapping[str, int]:
    """Every computed line of one column of the view, by id."""
    sheet = match.state.sheets[head.seat]
    lines = column_lines(match.rules, sheet, head.column)
    return {**lines, "final_score": final_score(match.rules, sheet)}


def number(points: int) -> str:
    """Format with a typographic minus."""
    return str(points).replace("-", "−")
