"""A position of an environment as plain text, and as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dicecup.dice import format_dice
from dicecup.engine.state import Sheet, State, column_lines, overall_lines
from dicecup.rules.model import Ruleset

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

Pixels = npt.NDArray[np.uint8]  # [row, column, colour]


def text(rules: Ruleset, state: State) -> str:
    """Return the dice and all sheets, a line for each box; of an open box a dot."""
    rows = sheet_rows(rules, state.sheets)
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = [
        "  ".join(
            [
                row[0].ljust(widths[0]),
                *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)),
            ]
        )
        for row in rows
    ]
    return "\n".join([turn_text(rules, state), *lines]) + "\n"


def turn_text(rules: Ruleset, state: State) -> str:
    if state.finished:
        return f"{rules.id}: the game is over"
    player = f"player {state.player}, " if len(state.sheets) > 1 else ""
    return f"{rules.id}: {player}dice {format_dice(state.dice) or '–'}, throws left {state.throws_left}"


def sheet_rows(rules: Ruleset, sheets: tuple[Sheet, ...]) -> list[list[str]]:
    """Return a row for each line of the sheet: its id, and a cell for each column of each player."""
    boxes = len(rules.boxes)
    rows = [
        ["", *(column_name(rules, seat, column) for seat in range(len(sheets)) for column in rules.columns)]
    ]
    for line in rules.lines:
        if line == "final_score":
            continue
        if line in rules.overall_lines:
            rows.append([line, *overall_cells(rules, sheets, line)])
            continue
        cells = []
        for sheet in sheets:
            for column in range(len(rules.columns)):
                if line in rules.box_index:
                    points = sheet.cells[column * boxes + rules.box_index[line]]
                    cells.append("·" if points is None else str(points))
                else:
                    cells.append(str(column_lines(rules, sheet, column)[line]))
        rows.append([line, *cells])
    return [*rows, ["final_score", *overall_cells(rules, sheets, "final_score")]]


def overall_cells(rules: Ruleset, sheets: tuple[Sheet, ...], line: str) -> list[str]:
    """Return the cells of a line that stands once for all columns: under the last of them."""
    empty = [""] * (len(rules.columns) - 1)
    return [cell for sheet in sheets for cell in (*empty, str(overall_lines(rules, sheet)[line]))]


def column_name(rules: Ruleset, seat: int, column: Any) -> str:
    return column.id if rules.has_columns else f"player_{seat}"


DIE, GAP, LINE, LEFT, WIDTH = 48, 10, 18, 150, 60
PAPER, INK, GREY, FELT = (255, 255, 255), (20, 30, 40), (150, 160, 170), (226, 240, 234)
PIPS = {
    1: [(1, 1)],
    2: [(0, 0), (2, 2)],
    3: [(0, 0), (1, 1), (2, 2)],
    4: [(0, 0), (0, 2), (2, 0), (2, 2)],
    5: [(0, 0), (0, 2), (1, 1), (2, 0), (2, 2)],
    6: [(0, 0), (0, 1), (0, 2), (2, 0), (2, 1), (2, 2)],
}


def picture(rules: Ruleset, state: State) -> Pixels:
    """Return the dice and all sheets as an image of red, green and blue."""
    from dicecup.installation import need

    need("env")
    from PIL import Image, ImageDraw

    rows = sheet_rows(rules, state.sheets)
    dice = DIE * (2 - 0.5 ** (len(rules.dice.layers) - 1)) + GAP / 2 * (len(rules.dice.layers) - 1)
    felt = round(dice) + 2 * GAP
    height = felt + GAP + LINE * len(rows)
    width = max(LEFT + WIDTH * (len(rows[0]) - 1), (DIE + GAP) * rules.dice.count) + 2 * GAP
    image = Image.new("RGB", (width, height), PAPER)
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, width, felt), fill=FELT)
    for place, die in enumerate(state.dice):
        faces = (die,) if isinstance(die, int) else die
        draw_die(draw, GAP + place * (DIE + GAP), GAP, DIE, faces)
    for number, row in enumerate(rows):
        top = felt + 4 + LINE * number
        draw.line((GAP, top + LINE - 3, width - GAP, top + LINE - 3), fill=FELT)
        draw.text((GAP, top), row[0], fill=INK)
        for place, cell in enumerate(row[1:], start=1):
            right = GAP + LEFT + WIDTH * place - 4
            shown = cell.replace("·", "-")  # the default font has no such dot everywhere
            draw.text((right - draw.textlength(shown), top), shown, fill=GREY if cell == "·" else INK)
    return np.asarray(image, dtype=np.uint8).copy()


def draw_die(draw: ImageDraw, left: float, top: float, size: float, faces: tuple[int, ...]) -> None:
    """Draw a die, and small ones below it for what is inside, so that they hide no pips."""
    draw.rounded_rectangle((left, top, left + size, top + size), radius=size / 6, fill=PAPER, outline=INK)
    pips = PIPS.get(faces[0])
    if pips is None:
        draw.text((left + size / 3, top + size / 3), str(faces[0]), fill=INK)
    for row, column in pips or ():
        x, y, radius = left + size * (1 + row) / 4, top + size * (1 + column) / 4, size / 12
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=INK)
    if len(faces) > 1:
        draw_die(draw, left + size / 4, top + size + GAP / 2, size / 2, faces[1:])
