"""Records as human-readable text: one line per entry, each ending in a checksum.

    dicecup record 1                          #5f0c7a1e
    game yatzy                                …
    identity 3a7bd3e2360a…
    player Ann
    player Bo
    dice typed
    begin
    1 throw 3 3 3 6 6
    1 score full_house 21

The checksum covers the line and all lines before it, so that a changed line is detected and named. A line is
complete only with its line break: a partial line left by a killed process is ignored. CRLF line endings and a
byte order mark, as other systems add them, are accepted.
"""

from __future__ import annotations

import codecs
import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from dicecup.dice import format_dice, parse_dice
from dicecup.engine.legality import cell_of
from dicecup.engine.record import (
    SECRET,
    Entry,
    Header,
    Record,
    RecordBuilder,
    Reveal,
    Undo,
)
from dicecup.engine.record_header import CONTROL, TITLE, Line, read_header, written
from dicecup.engine.state import Announce, Keep, Move, Placement, Score, Sheet, State, Throw, Write
from dicecup.errors import DicecupError, RecordError, about
from dicecup.rules.loader import FindRules, load_ruleset, load_without_files
from dicecup.rules.model import Ruleset

MOST_BYTES = 4_000_000
MOST_LINE = 5_000  # characters: the longest path there is, and its word
CHECK = re.compile(r" #[0-9a-f]{8}")
CHECK_LENGTH = 10
POINTS = re.compile(r"-?[0-9]{1,6}")
CHECK_COLUMN = 56  # checksums are aligned in this column


def record_to_text(record: Record, find_rules: FindRules = load_ruleset) -> str:
    """The whole record as text, which must be possible to read back."""
    if record.first is not None:
        raise RecordError("record_from_position")
    return join_record(RecordWriter().header(record.header, find_rules), entry_texts(record))


def join_record(header: str, texts: Iterable[str]) -> str:
    """The text of a record from the text of its header and the texts of its entries, in linear time."""
    writer = RecordWriter(last_check(header.encode()))
    return header + "".join(writer.line(text) for text in texts)


def entry_texts(record: Record) -> Iterator[str]:
    """The text of every entry, found by replaying the record."""
    builder = RecordBuilder(replace(record, entries=()))
    for entry in record.entries:
        before = builder.state
        builder.add(entry)
        yield entry_text(record.rules, before, entry, builder.state)


class RecordWriter:
    """Writes one line after the other, chaining the checksums."""

    def __init__(self, check: str = "") -> None:
        self.check = check

    def line(self, text: str) -> str:
        self.check = next_check(self.check, text)
        return f"{text:<{CHECK_COLUMN}} #{self.check}\n"

    def header(self, header: Header, find_rules: FindRules = load_ruleset) -> str:
        """Return the lines of a header; reject one that could not be parsed back."""
        texts = list(written(header).lines())
        lines = [Line(number, text) for number, text in enumerate(texts, start=1)]
        for line in lines:
            if CONTROL.search(line.text) or line.text != line.text.strip() or len(line.text) > MOST_LINE:
                raise line.error("expected_text")
        read_header(lines, find_rules)
        return "".join(self.line(text) for text in texts)


def next_check(before: str, text: str) -> str:
    return hashlib.sha256(f"{before}\n{text}".encode()).hexdigest()[:8]


def entry_text(rules: Ruleset, before: State, entry: Entry, after: State) -> str:
    """The text of an entry that led from one state to another; dice in order."""
    seat = before.player + 1
    match entry:
        case Throw(dice, final):
            return f"{seat} {'final' if final else 'throw'} {format_dice(dice)}"
        case Keep(dice):
            return f"{seat} keep {format_dice(dice)}".rstrip()
        case Announce(box, column):
            return f"{seat} announce {column} {box}"
        case Score(placements):
            return f"{seat} score {score_text(rules, placements, after.sheets[before.player])}"
        case Write():
            return write_text(entry)
        case Undo(steps):
            return f"undo {steps}"
        case _:
            return f"secret {entry.secret}"


def score_text(rules: Ruleset, placements: tuple[Placement, ...], sheet: Sheet) -> str:
    """Return `full_house 21`; `x2 full_house 25` with columns; `inner pair 8, outer yatzy 0` with layers.

    The points are read from the sheet after the move, so that nothing is scored a second time.
    """
    pieces = []
    for layer, placement in zip(rules.scored, placements, strict=True):
        words = [layer] if rules.has_layers else []
        words += [placement.column] if rules.has_columns else []
        words += [placement.box, str(sheet.cells[cell_of(rules, placement.box, placement.column)])]
        words += ["struck"] if placement.strike else []
        pieces.append(" ".join(words))
    return ", ".join(pieces)


def write_text(move: Write) -> str:
    """Return `2 write sixes 24`, `2 write x2 sixes 18 was 24`; `nothing` stands for an empty box."""
    words = [str(move.seat + 1), "write", *([move.column] if move.column else []), move.box]
    words.append("nothing" if move.points is None else str(move.points))
    return " ".join(words if move.was is None else [*words, "was", str(move.was)])


def record_from_text(data: bytes, find_rules: FindRules = load_without_files) -> tuple[Record, int]:
    """Parse a record; return it with the number of bytes it takes. Bytes beyond that are a truncated line.

    Records come from untrusted sources, so by default they may name built-in games only.
    """
    lines, whole = split_lines(data)
    header, first_entry = read_header(lines, find_rules)
    builder = RecordBuilder(Record(header))
    with about(header.rules):
        for line in lines[first_entry:]:
            add_line(builder, line)
    return builder.build(), whole


def split_lines(data: bytes) -> tuple[list[Line], int]:
    """Return the complete lines, with their checksums verified."""
    if len(data) > MOST_BYTES:
        raise RecordError("record_too_large", most=MOST_BYTES)
    whole = data.rfind(b"\n") + 1
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise RecordError("record_not_utf8")
    begun = data.removeprefix(codecs.BOM_UTF8)
    if not begun.startswith(TITLE.encode()[: len(begun)]):
        raise RecordError("record_not_text")
    try:
        text = data[:whole].decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RecordError("record_damaged", line=data.count(b"\n", 0, error.start) + 1) from None
    lines = []
    check = ""
    for number, raw in enumerate(text.split("\n")[:-1], start=1):
        line = raw.removesuffix("\r")
        text, found = line[:-CHECK_LENGTH].rstrip(" "), line[-CHECK_LENGTH:]
        check = next_check(check, text)
        if len(line) > MOST_LINE + CHECK_LENGTH or not CHECK.fullmatch(found) or found[2:] != check:
            raise RecordError("record_damaged", line=number)
        lines.append(Line(number, text))
    return lines, whole


def last_check(data: bytes) -> str:
    """Return the checksum of the last complete line, from which a writer continues."""
    found = re.search(rb"#([0-9a-f]{8})\r?\n[^\n]*\Z", data)
    assert found is not None  # a parsed record has complete lines
    return found[1].decode()


def add_line(builder: RecordBuilder, line: Line) -> None:
    """Add the entry of one more line; an error names the line."""
    entry, before = read_entry(builder.rules, line), builder.state
    try:
        builder.add(entry)
    except DicecupError as problem:
        raise RecordError("record_illegal", line=line.number, problem=problem) from None
    expected = entry_text(builder.rules, before, entry, builder.state)
    if expected != line.text:
        raise RecordError("record_line_other", line=line.number, expected=expected)


def read_entry(rules: Ruleset, line: Line) -> Entry:
    words = line.text.split(" ")
    match words:
        case ["undo", steps] if re.fullmatch(r"[0-9]{1,6}", steps):
            return Undo(int(steps))
        case ["secret", secret] if SECRET.fullmatch(secret):
            return Reveal(secret)
        case [seat, "throw" | "final" | "keep" | "score" as what, *rest] if seat.isdigit():
            return read_move(rules, line, what, rest)
        case [seat, "announce", column, box] if seat.isdigit():
            return Announce(box, column)
        case [seat, "write", *rest] if re.fullmatch(r"[0-9]{1,3}", seat):
            return read_write(line, int(seat) - 1, rest)
        case _:
            raise line.error("expected_entry")


def read_move(rules: Ruleset, line: Line, what: str, rest: list[str]) -> Move:
    if what == "score":
        pieces = " ".join(rest).split(", ")
        return Score(tuple(read_placement(rules, line, piece.split(" ")) for piece in pieces))
    try:
        dice = parse_dice(rest, rules.dice.faces, len(rules.dice.layers))
    except DicecupError as problem:
        raise RecordError("record_illegal", line=line.number, problem=problem) from None
    return Keep(dice) if what == "keep" else Throw(dice, final=what == "final")


def read_write(line: Line, seat: int, words: list[str]) -> Write:
    was = None
    if len(words) > 3 and words[-2] == "was" and POINTS.fullmatch(words[-1]):
        was = int(words[-1])
        words = words[:-2]
    if len(words) not in (2, 3) or not (words[-1] == "nothing" or POINTS.fullmatch(words[-1])):
        raise line.error("expected_write")
    points = None if words[-1] == "nothing" else int(words[-1])
    return Write(seat, words[-2], points, words[0] if len(words) == 3 else "", was)


def read_placement(rules: Ruleset, line: Line, words: list[str]) -> Placement:
    strike = words[-1] == "struck"
    expected = 2 + rules.has_layers + rules.has_columns + strike
    if len(words) != expected:
        raise line.error("expected_score")
    words = words[rules.has_layers :]
    return Placement(words[rules.has_columns], words[0] if rules.has_columns else "", strike)
