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
from dataclasses import dataclass, replace

from dicecup.dice import format_dice, parse_dice
from dicecup.engine.fairness import SAME_DICE
from dicecup.engine.legality import cell_of
from dicecup.engine.record import (
    SECRET,
    Borrowed,
    DiceOrigin,
    Entry,
    Header,
    Record,
    RecordBuilder,
    Reveal,
    Undo,
    trimmed,
)
from dicecup.engine.state import Announce, Keep, Move, Placement, Score, Sheet, State, Throw, Write
from dicecup.errors import DicecupError, RecordError, about
from dicecup.phrases import Phrase
from dicecup.rules.loader import FindRules, load_builtin, load_ruleset
from dicecup.rules.model import Ruleset

VERSION = 1
TITLE = "dicecup record"
MOST_BYTES = 4_000_000
MOST_LINE = 5_000  # characters: the longest path there is, and its word
MOST_PLAYERS_READ = 100
MOST_NAME = 60
CHECK = re.compile(r" #[0-9a-f]{8}")
CHECK_LENGTH = 10
POINTS = re.compile(r"-?[0-9]{1,6}")
COMMITMENT = re.compile(r"[0-9a-f]{64}")
TURNS = re.compile(r"[1-9][0-9]{0,5}")  # numbers of turns of another game
# Control characters, line breaks, and the surrogates that undecodable bytes become.
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
CHECK_COLUMN = 56  # checksums are aligned in this column


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a record without its checksum, and its location."""

    number: int
    text: str

    def error(self, expected: str, **values: object) -> RecordError:
        return RecordError("record_line_wrong", line=self.number, expected=Phrase(expected, **values))

    def after(self, word: str) -> str:
        """Return the rest of a line that begins with this word."""
        first, _, rest = self.text.partition(" ")
        if first != word or not rest:
            raise self.error("expected_record_word", word=word)
        return rest


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


@dataclass(frozen=True, slots=True)
class WrittenHeader:
    """A header as text: complete and in order, before the rules it names are loaded."""

    reference: str
    options: tuple[tuple[str, str], ...]
    identity: str
    players: tuple[str, ...]
    origin: DiceOrigin
    date: str = ""

    def lines(self) -> Iterator[str]:
        yield f"{TITLE} {VERSION}"
        yield f"game {self.reference}"
        for name, value in self.options:
            yield f"option {name}={value}"
        yield f"identity {self.identity}"
        if self.date:
            yield f"date {self.date}"
        for player in self.players:
            yield f"player {player}"
        match self.origin.kind:
            case "seed":
                yield f"dice seed {self.origin.seed}{' same' if self.origin.same_dice else ''}"
            case "verifiable" if self.origin.statement == 1:
                yield f"dice verifiable {self.origin.commitment}"
                for seed in self.origin.player_seeds:
                    yield f"seed {seed}"
            case "verifiable":
                numbers = "".join(f" {number}" for number in self.origin.borrowed or ())
                yield f"dice verifiable {self.origin.statement} {self.origin.commitment}{numbers}"
                for seat, seed in enumerate(self.origin.player_seeds, start=1):
                    if seed:
                        yield f"seed {seat} {seed}"
            case kind:
                yield f"dice {kind}"
        yield "begin"

    def compare(self, lines: list[Line]) -> None:
        """Reject lines that differ from these."""
        for line, text in zip(lines, self.lines(), strict=False):
            if line.text != text:
                raise RecordError("record_line_other", line=line.number, expected=text)


def written(header: Header) -> WrittenHeader:
    rules = header.rules
    options = tuple(rules.options.items())
    return WrittenHeader(
        header.reference, options, rules.identity, header.players, header.origin, header.date
    )


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


def record_from_text(data: bytes, find_rules: FindRules = load_builtin) -> tuple[Record, int]:
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


def read_header(lines: list[Line], find_rules: FindRules = load_builtin) -> tuple[Header, int]:
    """Return the header, and the index of the first line after it. Rules are loaded once it is complete."""
    found, first_entry = parse_header(lines)
    rules = find_rules(found.reference, dict(found.options))
    if found.identity != rules.identity:
        expected = rules.identity[:12]
        raise RecordError(
            "record_of_other_rules", ruleset=found.reference, found=found.identity[:12], expected=expected
        )
    header = Header(found.reference, rules, found.players, found.origin, found.date)
    written(header).compare(lines)  # with every option of the rules, in their order
    return header, first_entry


def parse_header(lines: list[Line]) -> tuple[WrittenHeader, int]:
    """Parse and check a header without loading its rules; return the index of the first line after it."""
    end = next((place for place, line in enumerate(lines) if line.text == "begin"), None)
    if end is None:
        raise RecordError("record_cut")
    by_word = lines_by_word(lines[: end + 1])
    players = tuple(read_name(line) for line in by_word["player"])
    if len(players) > MOST_PLAYERS_READ:
        raise by_word["player"][MOST_PLAYERS_READ].error("expected_at_most", most=MOST_PLAYERS_READ)
    found = WrittenHeader(
        reference=by_word["game"][0].after("game"),
        options=tuple(read_option(line) for line in by_word.get("option", [])),
        identity=by_word["identity"][0].after("identity"),
        players=players,
        origin=read_origin(by_word["dice"][0], by_word.get("seed", []), len(players)),
        date=by_word["date"][0].after("date") if "date" in by_word else "",
    )
    for line in lines[:end]:
        if CONTROL.search(line.text):
            raise line.error("expected_text")
    found.compare(lines)
    return found, end + 1


def lines_by_word(lines: list[Line]) -> dict[str, list[Line]]:
    """Group the lines between the first and the last of a header by their first word."""
    version, *rest, begin = lines
    if version.text != f"{TITLE} {VERSION}":
        found = version.text.removeprefix(TITLE).strip()
        raise RecordError("record_version_unknown", found=found, known=VERSION)
    by_word: dict[str, list[Line]] = {}
    for line in rest:
        word = line.text.partition(" ")[0]
        if word not in ("game", "option", "identity", "date", "player", "dice", "seed"):
            raise line.error("expected_header_word")
        by_word.setdefault(word, []).append(line)
    for word in ("game", "identity", "player", "dice"):
        if word not in by_word:
            raise begin.error("expected_record_word", word=word)
    return by_word


def read_option(line: Line) -> tuple[str, str]:
    name, sign, value = line.after("option").partition("=")
    if not sign:
        raise line.error("expected_option")
    return name, value


def read_name(line: Line) -> str:
    name = line.after("player")
    if not good_name(name):
        raise line.error("expected_name", most=MOST_NAME)
    return name


def good_name(name: str) -> bool:
    """Return whether a player's name is valid: one line, no outer spaces, no comma (it separates names)."""
    whole = bool(name) and name == name.strip() and not CONTROL.search(name)
    return whole and len(name) <= MOST_NAME and "," not in name


def read_origin(line: Line, seeds: list[Line], players: int) -> DiceOrigin:
    match line.after("dice").split(" "):
        case ["typed" | "system" | "points" as kind]:
            return DiceOrigin(kind)
        case ["seed", number] if re.fullmatch(r"[0-9]{1,30}", number):
            return DiceOrigin("seed", seed=int(number))
        case ["verifiable", commitment] if COMMITMENT.fullmatch(commitment) and len(seeds) == players:
            return DiceOrigin(
                "verifiable", commitment=commitment, player_seeds=tuple(seed.after("seed") for seed in seeds)
            )
        case ["seed", number, "same"] if re.fullmatch(r"[0-9]{1,30}", number):
            return DiceOrigin("seed", seed=int(number), statement=SAME_DICE)
        case ["verifiable", "2" | "3" as statement, commitment] if COMMITMENT.fullmatch(commitment):
            return DiceOrigin(
                "verifiable",
                commitment=commitment,
                player_seeds=seeds_by_seat(seeds, players),
                statement=int(statement),
            )
        case ["verifiable", "3", commitment, *numbers] if COMMITMENT.fullmatch(commitment):
            return DiceOrigin(
                "verifiable",
                commitment=commitment,
                player_seeds=trimmed(seeds_by_seat(seeds, MOST_PLAYERS_READ)),
                statement=SAME_DICE,
                borrowed=read_borrowed(line, numbers),
            )
        case _:
            raise line.error("expected_origin")


def seeds_by_seat(seeds: list[Line], players: int) -> tuple[str, ...]:
    """The seed of every seat, empty where there is none."""
    by_seat = dict(read_seed(seed, players) for seed in seeds)
    return tuple(by_seat.get(seat, "") for seat in range(1, players + 1))


def read_borrowed(line: Line, numbers: list[str]) -> Borrowed:
    """Read which turns of another game the dice are from: the first, and the step to the next."""
    match numbers:
        case [first, step] if TURNS.fullmatch(first) and TURNS.fullmatch(step):
            return int(first), int(step)
        case _:
            raise line.error("expected_origin")


def read_seed(line: Line, players: int) -> tuple[int, str]:
    """Read `seed 2 tulip`: the seat, and what its player contributed to the dice."""
    seat, _, seed = line.after("seed").partition(" ")
    if not re.fullmatch(r"[0-9]{1,3}", seat) or not 1 <= int(seat) <= players or not seed:
        raise line.error("expected_seed", most=players)
    return int(seat), seed


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
