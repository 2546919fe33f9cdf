"""A game in the terminal: dice and sheets drawn with characters, and what players may type."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from dicecup.cli.common import _, pad, paint, shorten, speech, width
from dicecup.dice import Dice, Die, parse_dice
from dicecup.engine.legality import Offers
from dicecup.engine.state import (
    Keep,
    Placement,
    Sheet,
    State,
    column_lines,
    final_score,
    overall_lines,
    rolls_made,
)
from dicecup.errors import UsageError
from dicecup.i18n.language import name, printable
from dicecup.messages import N_
from dicecup.rules.model import Ruleset

PIPS = {
    1: ("     ", "  ●  ", "     "),
    2: ("●    ", "     ", "    ●"),
    3: ("●    ", "  ●  ", "    ●"),
    4: ("●   ●", "     ", "●   ●"),
    5: ("●   ●", "  ●  ", "●   ●"),
    6: ("●   ●", "●   ●", "●   ●"),
}
PLAIN = str.maketrans("●┌┐└┘─│╔╗╚╝═║…×–•·\u00a0’“”„«»", "o++++-|####=#.x-*. '" + 5 * '"') | {ord("ß"): "ss"}
LABEL_COLUMNS = 27
CELL_COLUMNS = 10
MOST_SHEETS = 5  # as many fit side by side in 80 columns


def fitting(text: str) -> str:
    """Return the text in characters that the output encoding has."""
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        decomposed = unicodedata.normalize("NFKD", text.translate(PLAIN))
        plain = "".join(char for char in decomposed if not unicodedata.combining(char))
        return plain.encode("ascii", "replace").decode()
    return text


def draw_dice(dice: Dice) -> str:
    """Return the dice side by side."""
    drawn = [draw_die(die) for die in dice]
    return "\n".join("  ".join(lines) for lines in zip(*drawn, strict=True))


def draw_die(die: Die) -> list[str]:
    """Return a die with pips; a double die is a large one with the small one inside."""
    if isinstance(die, int):
        rows = PIPS.get(die, ("     ", f"{die:^5}", "     "))
        return ["┌───────┐", *(f"│ {row} │" for row in rows), "└───────┘"]
    outer, inner = die[0], "·".join(map(str, die[1:]))
    return [
        "╔═══════╗",
        f"║{outer}┌───┐ ║",
        f"║ │{inner:^3}│ ║",
        f"║ └───┘{outer}║",
        "╚═══════╝",
    ]


BLOCK_COLUMNS = 39  # two blocks side by side in 80 columns
MOST_ROWS = 14  # of a block: with dice, title and prompt that is 24 lines


def draw_turn_sheet(rules: Ruleset, state: State, players: tuple[str, ...], given: Sequence[Offers]) -> str:
    """Return the sheet of whoever plays in two blocks, which with the dice fits 80 columns and 24 lines."""
    lines = [line for line in rules.lines if line not in rules.overall_lines]
    upper = sum(line in UPPER_LINES or line in upper_boxes(rules) for line in lines)
    first = upper if len(lines) - upper <= MOST_ROWS else -(-len(lines) // 2)
    blocks = [
        [block_head(rules), *(block_line(rules, state, line, given) for line in part)]
        for part in (lines[:first], lines[first:])
    ]
    rows = [
        (left if left else " " * BLOCK_COLUMNS) + "  " + right
        for left, right in zip_longest(*blocks, fillvalue="")
    ]
    if not rules.has_columns:
        rows = rows[1:]
    if len(players) > 1:
        rows.insert(0, scores_line(rules, state, players))
    return "\n".join(row.rstrip() for row in rows)


UPPER_LINES = ("upper_sum", "bonus", "upper_total")


def upper_boxes(rules: Ruleset) -> frozenset[str]:
    return frozenset(box.id for box in rules.boxes if box.section == "upper")


def scores_line(rules: Ruleset, state: State, players: tuple[str, ...]) -> str:
    """Return everybody's points in one line, beginning with whoever plays."""
    turn = state.player
    names = [printable(player) for player in players[turn:] + players[:turn]]
    sheets = state.sheets[turn:] + state.sheets[:turn]
    scores = [
        f"{shorten(name, 20)} {final_score(rules, sheet)}" for name, sheet in zip(names, sheets, strict=True)
    ]
    return paint(shorten(" · ".join(scores), 2 * BLOCK_COLUMNS + 1), bold=True)


def block_head(rules: Ruleset) -> str:
    labels = [name(rules, column.id, speech.language.code) for column in rules.columns]
    cells = [pad(shorten(f"{label} ", cell_width(rules)), cell_width(rules), right=True) for label in labels]
    return " " * (BLOCK_COLUMNS - len(cells) * cell_width(rules)) + "".join(cells)


def cell_width(rules: Ruleset) -> int:
    return min(CELL_COLUMNS, (BLOCK_COLUMNS - 18) // len(rules.columns))


def block_line(rules: Ruleset, state: State, line: str, given: Sequence[Offers]) -> str:
    """Return a line of a block in colour: what is written, what the dice would give, sums."""
    wide = cell_width(rules)
    space = BLOCK_COLUMNS - wide * len(rules.columns)
    label = pad(shorten(printable(name(rules, line, speech.language.code)), space - 3), space - 2)
    if line not in rules.box_index:
        sums = [sum_text(rules, state.sheet, line, column) for column in range(len(rules.columns))]
        return paint(f"= {label}" + "".join(pad(text, wide, right=True) for text in sums), dim=True)
    cells = []
    for column in range(len(rules.columns)):
        cell = column * len(rules.boxes) + rules.box_index[line]
        text = pad(cell_text(state.sheet, cell, given), wide, right=True)
        cells.append(paint(text, **cell_style(state.sheet, cell, given)))
    return f"  {label}" + "".join(cells)


def sum_text(rules: Ruleset, sheet: Sheet, line: str, column: int) -> str:
    return f"{({**column_lines(rules, sheet, column), **overall_lines(rules, sheet)})[line]} "


def cell_style(sheet: Sheet, cell: int, given: Sequence[Offers]) -> dict[str, object]:
    if sheet.cells[cell] is not None:
        return {"bold": True}
    offered = [scored.points for layer in given if (scored := layer[cell]) is not None]
    return {"fg": "green"} if any(offered) else {"dim": True}


def draw_sheets(rules: Ruleset, sheets: tuple[Sheet, ...], players: tuple[str, ...]) -> str:
    """Return every player's sheet, in blocks below each other where they do not fit side by side."""
    if rules.has_columns:
        alone = zip(sheets, players, strict=True)
        return "\n\n".join(columns_text(rules, sheet, player) for sheet, player in alone)
    blocks = []
    for first in range(0, len(players), MOST_SHEETS):
        part = slice(first, first + MOST_SHEETS)
        blocks.append(block_text(rules, players[part], [(sheet, 0) for sheet in sheets[part]]))
    return "\n\n".join(blocks)


def columns_text(rules: Ruleset, sheet: Sheet, player: str) -> str:
    """Return a sheet with columns, the sums of all columns and the final score."""
    labels = [name(rules, column.id, speech.language.code) for column in rules.columns]
    columns = [(sheet, column) for column in range(len(labels))]
    lines = [player, block_text(rules, labels, columns)]
    for line in rules.overall_lines[:-1]:
        lines.append(
            labelled("=", name(rules, line, speech.language.code), [sum_text(rules, sheet, line, 0)])
        )
    return "\n".join([*lines, "", labelled(" ", player, [f"{final_score(rules, sheet)} "])])


def block_text(rules: Ruleset, labels: Sequence[str], columns: Sequence[tuple[Sheet, int]]) -> str:
    """Return columns of sheets side by side."""
    heads = [pad(shorten(label, CELL_COLUMNS - 1), CELL_COLUMNS, right=True) for label in labels]
    head = " " * LABEL_COLUMNS + "".join(heads)
    lines = [head, "─" * width(head)]
    for line in rules.lines:
        if line in rules.overall_lines:
            continue
        if line in rules.box_index:
            box, mark = rules.box_index[line], " "
            texts = [cell_text(sheet, column * len(rules.boxes) + box) for sheet, column in columns]
        else:
            mark, texts = "=", [sum_text(rules, sheet, line, column) for sheet, column in columns]
        lines.append(labelled(mark, name(rules, line, speech.language.code), texts))
    return "\n".join(lines)


def labelled(mark: str, label: str, texts: Sequence[str]) -> str:
    cells = "".join(pad(text, CELL_COLUMNS, right=True) for text in texts)
    return f"{mark} {pad(shorten(label, LABEL_COLUMNS - 3), LABEL_COLUMNS - 2)}{cells}"


def cell_text(sheet: Sheet, cell: int, given: Sequence[Offers] = ()) -> str:
    """Return the points in a cell, or in brackets what the dice would give."""
    points = sheet.cells[cell]
    if points is not None:
        return f"{points} "
    offered = [str(scored.points) for layer in given if (scored := layer[cell]) is not None]
    return f"({'/'.join(offered)})" if offered else "· "


def turn_title(rules: Ruleset, state: State, player: str) -> str:
    """Return a heading: whose turn it is, and which roll."""
    filled = sum(points is not None for points in state.sheet.cells)
    return _("{player} – turn {turn} of {turns}, roll {throw} of {throws}").format(
        player=player,
        turn=filled // len(rules.scored) + 1,
        turns=rules.turns,
        throw=rolls_made(rules, state),
        throws=rules.throws + state.sheet.saved,
    )


# Each command with its short form; the words are translated, and the English ones always work.
WORDS = {
    "keep": (N_("keep"), "k"),
    "strike": (N_("cross"), "x"),
    "announce": (N_("announce"), "a"),
    "undo": (N_("undo"), "u"),
    "sheet": (N_("sheet"), ""),
    "hint": (N_("hint"), "h"),
    "help": (N_("help"), "?"),
    "quit": (N_("quit"), "q"),
}
FORMER_WORDS = {"behall": "keep", "strike": "strike", "zuruck": "undo"}  # still understood
ASIDES = ("undo", "help", "quit", "sheet", "hint")  # commands that decide nothing
DICE_TEXT = re.compile(r"[0-9][0-9\s,._/-]*")


@dataclass(frozen=True, slots=True)
class Typed:
    """A command that a player typed, and its arguments."""

    command: str  # a key of WORDS, or "score"
    rest: str = ""


def understand(text: str) -> Typed:
    """Parse a line: bare dice mean keep, a command word is that command, anything else should be a box."""
    if DICE_TEXT.fullmatch(text):
        return Typed("keep", text)
    first, _space, rest = text.partition(" ")
    for command, (word, short) in WORDS.items():
        if plain(first) in (plain(word), plain(speech.language.gettext(word))) or (short and first == short):
            return Typed(command, rest.strip())
    if plain(first) in FORMER_WORDS:
        return Typed(FORMER_WORDS[plain(first)], rest.strip())
    return Typed("score", text)


def read_keep(rules: Ruleset, text: str) -> Keep:
    return Keep(parse_dice(text.replace(",", " ").split(), rules.dice.faces, len(rules.dice.layers)))


def read_placement(rules: Ruleset, text: str, *, strike: bool = False) -> Placement:
    """Parse a box, given by id, name or the beginning of either, with the column before or after it."""
    typed = understand(text)
    if typed.command == "strike":
        strike, text = True, typed.rest
    if strike and not text:
        raise UsageError("strike_what")
    words = text.split()
    column = ""
    if rules.has_columns:
        called = column_words(rules)
        for place in (0, -1):
            if words and (found := called.get(words[place]) or called.get(plain(words[place]))):
                words.pop(place)
                column = found
                break
    return Placement(find_box(rules, " ".join(words)), column, strike)


def column_words(rules: Ruleset) -> dict[str, str]:
    """Return the columns by what a player may type: their ids, and their names unless those are numbers."""
    names = {plain(name(rules, column.id, speech.language.code)): column.id for column in rules.columns}
    words = {word: column for word, column in names.items() if not word.isdigit()}
    return words | {column.id: column.id for column in rules.columns}


def columns_alike(rules: Ruleset) -> bool:
    """Return whether it makes no difference in which column a box is filled."""
    linked = any(box.after or box.above or box.once for box in rules.boxes)
    kinds = {(column.multiplier, column.order, column.announced) for column in rules.columns}
    return len(kinds) == 1 and not (linked or rules.bonus or rules.difference)


def find_box(rules: Ruleset, text: str) -> str:
    wanted = plain(text)
    called = {
        box.id: {
            plain(box.id),
            plain(name(rules, box.id, speech.language.code)),
            plain(name(rules, box.id, "en")),
        }
        for box in rules.boxes
    }
    exact = [box for box, names in called.items() if wanted in names]
    begun = [
        box for box, names in called.items() if wanted and any(word.startswith(wanted) for word in names)
    ]
    found = exact or begun
    if len(found) == 1:
        return found[0]
    known = [name(rules, box, speech.language.code) for box in (found or called)]
    raise UsageError("box_ambiguous" if found else "box_not_found", text=text[:40], known=", ".join(known))


def plain(text: str) -> str:
    """Return lowercase letters and digits without accents, spaces and signs, to compare what people type."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in decomposed if char.isalnum())


def help_text(rules: Ruleset, *, typed: bool) -> str:
    local = {command: _(word) for command, (word, _short) in WORDS.items()}
    last = name(rules, rules.boxes[-1].id, speech.language.code).casefold()
    box = _("chance") if "chance" in rules.box_index else last
    lines = [
        ("6 6 5", _("keep these dice and roll the others again")),
        (local["keep"], _("keep nothing: roll all dice again")),
        (box, _("fill this box (its name, or the start of it)")),
        (f"{local['strike']} {box}", _("cross out this box for 0 points")),
        (local["undo"], _("undo the last decision")),
        (local["sheet"], _("show all score sheets")),
        (local["hint"], _("ask the coach what is best")),
        (local["quit"], _("leave; the game is saved and can be continued")),
    ]
    if "announced" in rules.extensions:
        lines.insert(3, (f"{local['announce']} {box}", _("announce this box after the first roll")))
    if rules.has_layers:
        meaning = _("fill two boxes: first for the inner dice, then for the outer dice")
        lines.insert(3, (_("chance, yatzy"), meaning))
    if typed:
        lines.insert(0, ("1 2 3 4 5", _("when asked: what your dice show")))
    width = max(len(said) for said, _meaning in lines)
    return "\n".join(f"  {said:{width}}  {meaning}" for said, meaning in lines)
