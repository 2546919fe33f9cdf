"""Values that come with the package: five-dice games whose every sheet can be looked up without a solve.

A table is a header, which says how sheets are numbered, and a compressed block for each class of the lower
part: rows of values by the class of the upper part, then by the upper total. A question unpacks about ten
blocks. Values are rounded to `STEP`, so that no choice is off by more than 0.0001 points. Plain Python.
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
from typing import Any, NamedTuple

from dicecup.engine.state import Sheet
from dicecup.errors import StorageError
from dicecup.phrases import problem_of
from dicecup.rules.model import Ruleset
from dicecup.solver.plain_turn import PlainTurn
from dicecup.solver.solution import Solution

MAGIC = b"dicecup ready\n"
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
        self.numbering = numbering_from_data(fields)
        self.strides = strides(self.numbering.groups)
        self.ends = tuple(accumulate(fields["sizes"]))
        self.row_starts = (0, *accumulate(map(len, self.numbering.totals)))
        self.blocks: dict[int, array[int]] = {}

    def more(self, sheet: Sheet) -> float:
        """Return the points that the rest of the game is worth, the bonus included."""
        upper = lower = total = 0
        for group, stride in zip(self.numbering.groups, self.strides, strict=True):
            seen = tuple(
                remembered(kind, sheet.cells[box])
                for box, kind in zip(group.boxes, group.remember, strict=True)
            )
            if group.upper:
                upper += group.classes[seen] * stride
                total += sum(sheet.cells[box] or 0 for box in group.boxes)
            else:
                lower += group.classes[seen] * stride
        first = self.row_starts[upper]
        last = first + bisect_right(self.numbering.totals[upper], total)
        return sum(map(unfold, self.block(lower)[first:last])) * self.step

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

    def unchecked_turn(self, sheet: Sheet) -> PlainTurn:
        return PlainTurn(self.rules, sheet, self.sheet_value)

    def sheet_value(self, sheet: Sheet) -> float:
        """The expected final score of a sheet before a turn, or when it is full."""
        repeats = sheet.repeats * self.rules.repeat.points if self.rules.repeat else 0
        so_far = sum(points or 0 for points in sheet.cells) + repeats
        return (so_far + self.table.more(sheet)) * self.rules.columns[0].multiplier


def remembered(kind: str, points: int | None) -> int | None:
    """What is remembered of a box: only that it is filled, its points, or whether it has any."""
    if points is None or kind == "points":
        return points
    return int(kind == "any" and points != 0)


def strides(groups: Sequence[ReadyGroup]) -> tuple[int, ...]:
    """Return the place value of each group's class, the last group of the upper and lower part fastest."""
    found, next_stride = [], {True: 1, False: 1}
    for group in reversed(groups):
        found.append(next_stride[group.upper])
        next_stride[group.upper] *= group.size
    return tuple(reversed(found))


def fold(number: int) -> int:
    """Small numbers of either sign become small ones."""
    return number << 1 if number >= 0 else (-number << 1) - 1


def unfold(number: int) -> int:
    return number >> 1 if not number & 1 else -((number + 1) >> 1)


def pack_block(rows: Iterable[Sequence[float]]) -> bytes:
    """Compress the rows of a block: differences along each row, their bytes of equal weight together."""
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
    body = b"".join(packed)
    groups = [
        {
            "boxes": group.boxes,
            "remember": group.remember,
            "upper": group.upper,
            "classes": list(group.classes.items()),
        }
        for group in numbering.groups
    ]
    fields = {
        "format": FORMAT,
        "ruleset": rules.id,
        "identity": rules.identity,
        "expected": expected,
        "step": STEP,
        "groups": groups,
        "totals": numbering.totals,
        "sizes": list(map(len, packed)),
        "sha256": hashlib.sha256(body).hexdigest(),
    }
    return MAGIC + json.dumps(fields, separators=(",", ":")).encode() + b"\n" + body


def numbering_from_data(fields: Mapping[str, Any]) -> Numbering:
    groups = tuple(
        ReadyGroup(
            tuple(group["boxes"]),
            tuple(group["remember"]),
            group["upper"],
            {tuple(cells): number for cells, number in group["classes"]},
        )
        for group in fields["groups"]
    )
    return Numbering(groups, tuple(map(tuple, fields["totals"])))


def ready_name(rules: Ruleset) -> str:
    return f"ready-{rules.identity[:16]}.table"


def ready_file(rules: Ruleset) -> Traversable:
    return files("dicecup.solver.single").joinpath("data", ready_name(rules))


@lru_cache(maxsize=64)
def has_ready(rules: Ruleset) -> bool:
    """Whether the values of these rules came with the package."""
    return ready_file(rules).is_file()


@lru_cache(maxsize=8)
def find_ready(rules: Ruleset) -> ReadySolution | None:
    """Return the solution of these rules from the table that came with the package, if there is one.

    A damaged table is an error: it is part of the program.
    """
    if not has_ready(rules):
        return None
    path = ready_file(rules)
    try:
        return ReadySolution(rules, open_ready(path.read_bytes(), rules, path))
    except OSError as error:
        raise StorageError("file_unreadable", file=path, problem=problem_of(error)) from None


def open_ready(data: bytes, rules: Ruleset, path: Traversable) -> ReadyTable:
    head, _, body = data[len(MAGIC) :].partition(b"\n")
    try:
        fields = json.loads(head) if data.startswith(MAGIC) else {}
        if fields["sha256"] != hashlib.sha256(body).hexdigest() or fields["format"] != FORMAT:
            raise StorageError("table_damaged", file=path)
        if fields["identity"] != rules.identity:
            raise StorageError("table_of_other_rules", file=path, ruleset=fields["ruleset"])
        return ReadyTable(fields, body)
    except (ValueError, KeyError, TypeError):
        raise StorageError("table_damaged", file=path) from None
