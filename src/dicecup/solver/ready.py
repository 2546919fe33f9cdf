"""Values shipped with the package, evaluated in plain Python.

The exact table of a five-dice game is a header, which says how sheets are numbered, and a compressed block
for each class of the lower part: rows of values by the class of the upper part, then by the upper total. A
question unpacks about ten blocks. Values are rounded to `STEP`, so that no choice is off by more than 0.0001
points. Games with too many sheets for that have their quick value: what each part of a sheet adds to the
points still to come, now and at the beginning.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import accumulate
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

from dicecup.engine.state import Sheet, final_score
from dicecup.errors import StorageError, problem_of
from dicecup.rules.model import Ruleset
from dicecup.solver.plain_turn import PlainTurn
from dicecup.solver.solution import Solution

MAGIC = b"dicecup ready\n"
QUICK_MAGIC = b"dicecup quick\n"
FORMAT = 1
STEP = 1 / 5120
WIDTH = 3  # bytes of a difference
Remembered = tuple[int | None, ...]


class ReadyGroup(NamedTuple):
    """How a group of boxes is read from a sheet: what is remembered of each box, and the class of that."""

    boxes: tuple[int, ...]
    remember: tuple[str, ...]
    upper: bool
    classes: Mapping[Remembered, int]

    @property
    def size(self) -> int:
        return max(self.classes.values()) + 1


class ClassNumbers(dict[Any, int]):
    """The class of a group times its stride, by what is written in its boxes; each computed once."""

    def __init__(self, group: ReadyGroup, stride: int = 1) -> None:
        self.group = group
        self.stride = stride
        self.written = itemgetter(*group.boxes)  # of a column's cells: a tuple, or the only one

    def __missing__(self, written: Any) -> int:
        group = self.group
        cells = written if len(group.boxes) > 1 else (written,)
        known = tuple(map(remembered, group.remember, cells))
        found = self[written] = group.classes[known] * self.stride
        return found


def class_numbers(groups: Sequence[ReadyGroup]) -> list[ClassNumbers]:
    """Return the digits of a number of classes, one for each group."""
    strides = strides_of([group.size for group in groups])
    return list(map(ClassNumbers, groups, strides))


class Numbering(NamedTuple):
    """How all sheets of a game are numbered."""

    groups: tuple[ReadyGroup, ...]
    totals: tuple[tuple[int, ...], ...]  # by upper class: the lowest upper total of each slot


class ReadyTable:
    """An open table."""

    def __init__(self, fields: Mapping[str, Any], body: bytes) -> None:
        self.body = body
        self.step = float(fields["step"])
        self.expected = float(fields["expected"])
        self.numbering = Numbering(groups_from_data(fields), tuple(map(tuple, fields["totals"])))
        groups = self.numbering.groups
        self.upper_numbers = class_numbers([group for group in groups if group.upper])
        self.lower_numbers = class_numbers([group for group in groups if not group.upper])
        self.upper = [box for group in groups if group.upper for box in group.boxes]
        self.ends = tuple(accumulate(fields["sizes"]))
        self.row_starts = (0, *accumulate(map(len, self.numbering.totals)))
        self.blocks: dict[int, array[int]] = {}
        self.rows: dict[tuple[int, int], array[int]] = {}  # by lower and upper class

    def more(self, sheet: Sheet) -> float:
        """Return the points that the rest of the game is worth, the bonus included."""
        cells = sheet.cells
        upper, lower = (
            sum([number[number.written(cells)] for number in numbers])
            for numbers in (self.upper_numbers, self.lower_numbers)
        )
        total = sum([cells[box] or 0 for box in self.upper])
        place = bisect_right(self.numbering.totals[upper], total) - 1
        return self.row(lower, upper)[place] * self.step

    def row(self, lower: int, upper: int) -> array[int]:
        """Return the steps of a row, by slot of the upper total."""
        key = (lower, upper)
        if key not in self.rows:
            folded = self.block(lower)[self.row_starts[upper] : self.row_starts[upper + 1]]
            self.rows[key] = array("i", accumulate(map(unfold, folded)))
        return self.rows[key]

    def block(self, lower: int) -> array[int]:
        """Return the differences of a block, as they were folded."""
        if lower not in self.blocks:
            start = self.ends[lower - 1] if lower else 0
            self.blocks[lower] = unpack_block(self.body[start : self.ends[lower]], self.row_starts[-1])
        return self.blocks[lower]


class ReadySolution(Solution):
    """A game whose values came with the package."""

    def __init__(self, rules: Ruleset, table: ReadyTable) -> None:
        self.rules = rules
        self.table = table

    @property
    def expected(self) -> float:
        return self.table.expected

    def _unchecked_turn(self, sheet: Sheet) -> PlainTurn:
        return PlainTurn(self.rules, sheet, self.sheet_value)

    def sheet_value(self, sheet: Sheet) -> float:
        """The expected final score of a sheet before a turn, or when it is full."""
        repeats = sheet.repeats * self.rules.repeat.points if self.rules.repeat else 0
        so_far = sum(points or 0 for points in sheet.cells) + repeats
        return (so_far + self.table.more(sheet)) * self.rules.columns[0].multiplier


class QuickTable:
    """What each part of a column adds to the points still to come: its upper boxes, and its groups of others.

    The rows of all columns follow each other. A part is worth `late`, plus `early` times the share of boxes
    that are still open.
    """

    def __init__(self, fields: Mapping[str, Any], body: bytes) -> None:
        values = array("f", zlib.decompress(body))
        self.late, self.early = values[: len(values) // 2], values[len(values) // 2 :]
        self.start: tuple[float, float] = tuple(fields["start"])
        self.upper: tuple[int, ...] = tuple(fields["upper"])
        self.totals: int = fields["totals"]
        self.groups = [ClassNumbers(group) for group in groups_from_data(fields)]
        self.firsts: tuple[int, ...] = tuple(fields["firsts"])  # rows of the groups, and the end

    @lru_cache(maxsize=4096)  # a turn changes one column, in some hundred ways  # noqa: B019
    def column(self, number: int, cells: tuple[int | None, ...]) -> tuple[float, float]:
        """Return what a column adds, late and early."""
        filled = sum(1 << place for place, box in enumerate(self.upper) if cells[box] is not None)
        total = min(sum(cells[box] or 0 for box in self.upper), self.totals - 1)
        first = number * self.firsts[-1]
        rows = [first + filled * self.totals + total]
        rows += [
            first + start + group[group.written(cells)]
            for group, start in zip(self.groups, self.firsts, strict=False)
        ]
        return sum(map(self.late.__getitem__, rows)), sum(map(self.early.__getitem__, rows))


class QuickSolution(Solution):
    """A game valued by its quick value: turns are solved exactly, later sheets approximately."""

    exact = False

    def __init__(self, rules: Ruleset, table: QuickTable) -> None:
        self.rules = rules
        self.table = table

    def _unchecked_turn(self, sheet: Sheet) -> PlainTurn:
        return PlainTurn(self.rules, sheet, self.sheet_value)

    def sheet_value(self, sheet: Sheet) -> float:
        """The expected final score of a sheet before a turn, or when it is full."""
        score = float(final_score(self.rules, sheet))
        if sheet.full:
            return score
        boxes = len(self.rules.boxes)
        late, early = self.table.start
        for number in range(len(self.rules.columns)):
            more = self.table.column(number, sheet.cells[number * boxes : (number + 1) * boxes])
            late, early = late + more[0], early + more[1]
        return score + late + early * sheet.cells.count(None) / len(sheet.cells)


def remembered(kind: str, points: int | None) -> int | None:
    """What is remembered of a box: only that it is filled, its points, or whether it has any."""
    if points is None or kind == "points":
        return points
    return int(kind == "any" and points != 0)


def strides_of(sizes: Sequence[int]) -> tuple[int, ...]:
    """Return the place values of a number whose digits have these sizes, the last digit counting fastest."""
    strides = [1]
    for size in reversed(sizes[1:]):
        strides.append(strides[-1] * size)
    return tuple(reversed(strides)) if sizes else ()


def fold(number: int) -> int:
    """Map signed integers to natural numbers: small ones of either sign to small ones."""
    return number << 1 if number >= 0 else (-number << 1) - 1


def unfold(number: int) -> int:
    return number >> 1 if not number & 1 else -((number + 1) >> 1)


def pack_block(rows: Iterable[Sequence[float]]) -> bytes:
    """Compress the rows of a block: differences along each row, as byte planes (all low bytes first)."""
    folded = array("I")
    for row in rows:
        steps = [round(value / STEP) for value in row]
        folded.extend(fold(step - before) for before, step in zip([0, *steps], steps, strict=False))
    plain = folded.tobytes()
    if max(folded) >> 8 * WIDTH:
        raise ValueError("a difference is too large")
    return zlib.compress(b"".join(plain[place::4] for place in range(WIDTH)), 9)


def unpack_block(data: bytes, count: int) -> array[int]:
    planes = zlib.decompress(data)
    if len(planes) != WIDTH * count:
        raise ValueError(len(planes))
    plain = bytearray(4 * count)
    for place in range(WIDTH):
        plain[place::4] = planes[place * count : (place + 1) * count]
    folded = array("I")
    folded.frombytes(plain)
    return folded


def pack_table(
    rules: Ruleset, numbering: Numbering, expected: float, blocks: Iterable[Iterable[Sequence[float]]]
) -> bytes:
    """Return the file of a table: the blocks by lower class, each by upper class."""
    packed = [pack_block(block) for block in blocks]
    fields = {
        "expected": expected,
        "step": STEP,
        "groups": groups_data(numbering.groups),
        "totals": numbering.totals,
        "sizes": list(map(len, packed)),
    }
    return packed_file(MAGIC, rules, fields, b"".join(packed))


def pack_quick(rules: Ruleset, groups: Sequence[ReadyGroup], fields: dict[str, Any], rows: bytes) -> bytes:
    """Return the file of a quick table; `rows` are the values of all rows, late and then early."""
    return packed_file(QUICK_MAGIC, rules, fields | {"groups": groups_data(groups)}, zlib.compress(rows, 9))


def packed_file(magic: bytes, rules: Ruleset, fields: dict[str, Any], body: bytes) -> bytes:
    stamp = {"format": FORMAT, "ruleset": rules.id, "identity": rules.identity}
    fields = stamp | fields | {"sha256": hashlib.sha256(body).hexdigest()}
    return magic + json.dumps(fields, separators=(",", ":")).encode() + b"\n" + body


def groups_data(groups: Iterable[ReadyGroup]) -> list[dict[str, Any]]:
    return [group._asdict() | {"classes": list(group.classes.items())} for group in groups]


def groups_from_data(fields: Mapping[str, Any]) -> tuple[ReadyGroup, ...]:
    return tuple(
        ReadyGroup(
            tuple(group["boxes"]),
            tuple(group["remember"]),
            group["upper"],
            {tuple(cells): number for cells, number in group["classes"]},
        )
        for group in fields["groups"]
    )


def ready_name(rules: Ruleset) -> str:
    return f"ready-{rules.identity[:16]}.table"


def quick_name(rules: Ruleset) -> str:
    return f"quick-{rules.identity[:16]}.rows"


def ready_file(rules: Ruleset) -> Traversable:
    return files("dicecup.solver").joinpath("single", "data", ready_name(rules))


def quick_file(rules: Ruleset) -> Traversable:
    return files("dicecup.solver").joinpath("learned", "data", quick_name(rules))


def double_table_name(rules: Ruleset) -> str:
    return f"double-{rules.identity[:16]}.table"


def double_table_file(rules: Ruleset) -> Traversable:
    """Return where the package has the table of these rules, if it has one; double dice only."""
    return files("dicecup.solver").joinpath("double", "data", double_table_name(rules))


@lru_cache(maxsize=64)
def has_ready(rules: Ruleset) -> bool:
    """Whether exact values of these rules came with the package, for plain Python."""
    return ready_file(rules).is_file()


@lru_cache(maxsize=64)
def has_quick(rules: Ruleset) -> bool:
    """Whether a quick value of these rules came with the package, for plain Python."""
    return quick_file(rules).is_file()


@lru_cache(maxsize=8)
def find_ready(rules: Ruleset) -> ReadySolution | None:
    """Return the solution of these rules from the table that came with the package, if there is one.

    A damaged table is an error: it is part of the program.
    """
    if not has_ready(rules):
        return None
    fields, body = read_packed(ready_file(rules), rules, MAGIC)
    return ReadySolution(rules, opened(ReadyTable, fields, body, ready_file(rules)))


@lru_cache(maxsize=8)
def find_plain_quick(rules: Ruleset) -> QuickSolution | None:
    """Return the quick value that came with the package for these rules, if there is one."""
    if not has_quick(rules):
        return None
    fields, body = read_packed(quick_file(rules), rules, QUICK_MAGIC)
    return QuickSolution(rules, opened(QuickTable, fields, body, quick_file(rules)))


def read_packed(path: Traversable, rules: Ruleset, magic: bytes) -> tuple[dict[str, Any], bytes]:
    try:
        return open_packed(path.read_bytes(), rules, path, magic)
    except OSError as error:
        raise StorageError("file_unreadable", file=path, problem=problem_of(error)) from None


def open_packed(
    data: bytes, rules: Ruleset, path: Traversable, magic: bytes = MAGIC
) -> tuple[dict[str, Any], bytes]:
    """Return the header and the body of a file, if it is intact and of these rules."""
    head, _, body = data[len(magic) :].partition(b"\n")
    try:
        fields = json.loads(head) if data.startswith(magic) else {}
        if fields["sha256"] != hashlib.sha256(body).hexdigest() or fields["format"] != FORMAT:
            raise StorageError("table_damaged", file=path)
        if fields["identity"] != rules.identity:
            raise StorageError("table_of_other_rules", file=path, ruleset=fields["ruleset"])
    except (ValueError, KeyError, TypeError):
        raise StorageError("table_damaged", file=path) from None
    return fields, body


Table = TypeVar("Table", ReadyTable, QuickTable)


def opened(kind: type[Table], fields: Mapping[str, Any], body: bytes, path: Traversable) -> Table:
    try:
        return kind(fields, body)
    except (ValueError, KeyError, TypeError):
        raise StorageError("table_damaged", file=path) from None
