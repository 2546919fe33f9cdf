"""View model of a score pad: all players side by side, line by line, and the values that a box can hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from dicecup.engine.legality import cell_of
from dicecup.engine.pad import is_repeat, written
from dicecup.engine.state import Write, standings
from dicecup.errors import MoveError
from dicecup.i18n.language import Language
from dicecup.i18n.sentences import cell_text
from dicecup.match import Match
from dicecup.rules.model import Ruleset
from dicecup.web.pages.sheet_view import Row, SheetView, column_signs, number, rows_of
from dicecup.web.service.snapshot import box_values
from dicecup.web.texts import line_names, player_name

MOST_AT = 80  # characters that name a box in an address


@dataclass(frozen=True, slots=True)
class PadPlayer:
    seat: int
    name: str
    points: str
    next: bool  # whose turn it seems to be


@dataclass(frozen=True, slots=True)
class PadCell:
    at: str  # names the box in addresses; empty: nothing can be written here
    kind: str
    text: str
    label: str  # for screen readers
    struck: bool
    new: bool
    first: bool  # of a player's columns
    state: str = ""  # of the bonus
    span: int = 1  # columns that it stands for


@dataclass(frozen=True, slots=True)
class PadRow:
    line: str
    label: str
    box: bool
    cells: tuple[PadCell, ...]


@dataclass(frozen=True, slots=True)
class PadView:
    players: list[PadPlayer]
    columns: list[tuple[str, str]]
    rows: list[PadRow]


@dataclass(frozen=True, slots=True)
class ChooserView:
    """One box of one player, and what can be written in it."""

    at: str
    player: str
    box: str
    about: str
    was: int | None
    likely: list[int]
    values: list[int]
    may_empty: bool

    @property
    def shown(self) -> dict[int, str]:
        return {points: number(points) for points in self.values}


def at_text(seat: int, box: str, column: str) -> str:
    """Name a box as addresses and forms do: `1.sixes`, `1.x2.sixes`."""
    return ".".join(filter(None, (str(seat), column, box)))


def read_at(rules: Ruleset, players: int, text: str) -> tuple[int, str, str]:
    """Return the seat, the box and the column that an address names."""
    seat, _, rest = text[:MOST_AT].partition(".")
    column, _, box = rest.rpartition(".")
    if not (seat.isascii() and seat.isdigit()) or int(seat) >= players:
        raise MoveError("seat_unknown")
    if not is_repeat(rules, box):
        cell_of(rules, box, column)
    return int(seat), box, column


def pad_view(match: Match, seated: bool, language: Language) -> PadView:
    rules, state = match.rules, match.state
    points = {seat: given for _, seat, given in standings(rules, state)}
    names = [player_name(player, language) for player in match.record.header.players]
    players = [
        PadPlayer(seat, player, number(points[seat]), seat == state.player and not state.finished)
        for seat, player in enumerate(names)
    ]
    last = match.record.moves[-1] if match.record.moves else None
    written_last = last if isinstance(last, Write) else None
    by_player = [
        player_cells(
            SheetView(rules, sheet, "pad", language),
            seat,
            names[seat],
            seated,
            written_last if written_last and written_last.seat == seat else None,
        )
        for seat, sheet in enumerate(state.sheets)
    ]
    rows = [
        PadRow(row.line, row.label, row.box, tuple(chain.from_iterable(cells)))
        for row, *cells in zip(
            flat(SheetView(rules, state.sheets[0], "pad", language)), *by_player, strict=True
        )
    ]
    return PadView(players, column_signs(rules, language), rows)


def flat(view: SheetView) -> list[Row]:
    return rows_of(view, view.rules.lines)


@lru_cache(maxsize=200)  # of 30 kB; most changes leave a sheet as it is
def player_cells(
    view: SheetView, seat: int, player: str, seated: bool, last: Write | None
) -> tuple[tuple[PadCell, ...], ...]:
    """Return the cells of one player, line by line."""
    return tuple(
        tuple(pad_cells(view.rules, row, seat, player, seated, last, view.language)) for row in flat(view)
    )


def pad_cells(
    rules: Ruleset, row: Row, seat: int, player: str, seated: bool, last: Write | None, language: Language
) -> Iterator[PadCell]:
    """Yield the cells of a line of one player's sheet, one for each column."""
    writable = row.box or is_repeat(rules, row.line)
    for place, cell in enumerate(row.cells):
        column = "" if row.spans else rules.columns[place].id
        label = cell_text(rules, row.line, column, language) if writable else row.label
        text = cell.text or (language.gettext("empty") if writable else "")
        new = last is not None and (last.box, last.column) == (row.line, column)
        yield PadCell(
            at=at_text(seat, row.line, column) if writable and seated else "",
            kind=cell.kind,
            text=cell.text,
            label=f"{player}, {label}: {text}",
            struck=row.box and cell.text == "0",
            new=new,
            first=place == 0,
            state=cell.state,
            span=len(rules.columns) // len(row.cells),
        )


def chooser_view(match: Match, at: str, language: Language) -> ChooserView:
    rules, state = match.rules, match.state
    seat, box, column = read_at(rules, len(state.sheets), at)
    found = box_values(rules, state.sheets[seat], box, column)
    about = line_names(rules, language)[box][1] if box in line_names(rules, language) else ""
    if not found.values:
        about = language.sentence(MoveError("box_out_of_order", box=box), rules)
    return ChooserView(
        at=at_text(seat, box, column),
        player=player_name(match.record.header.players[seat], language),
        box=cell_text(rules, box, column, language),
        about=about,
        was=found.was,
        likely=list(found.likely),
        values=list(found.values),
        may_empty=found.was is not None and not is_repeat(rules, box),
    )


def read_write(match: Match, at: str, points: str, was: str) -> Write:
    """Return the move that a form asks for; without JavaScript, too."""
    rules, state = match.rules, match.state
    seat, box, column = read_at(rules, len(state.sheets), at)
    before = written(rules, state.sheets[seat], box, column)
    if was != ("" if before is None else str(before)):
        raise MoveError("box_changed", box=box)
    if points == "nothing":
        return Write(seat, box, None, column, before)
    if not points.removeprefix("-").isdecimal() or not points.isascii() or len(points) > 6:
        raise MoveError("points_impossible", box=box, points=points[:10])
    return Write(seat, box, int(points), column, before)
