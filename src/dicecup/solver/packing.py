"""Large 32-bit tables in less than half the room: differences along a row, in as few bits as a group needs.

Along a row (same boxes filled, rising upper total) values rise slowly. They are rounded to multiples of STEP,
and what is kept is the first value of each row and the difference from each slot to the next, all differences
of a group in as many bits as its largest one needs. No rounding adds up: every value is within STEP / 2 of what
was solved, and solving never reads packed values.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from dicecup.solver.compiled import kernel
from dicecup.solver.index import Array, Index, Level

STEP = 2.0**-11
WORD = 64


class PackedLevel(NamedTuple):
    """One level; arrays by group in the order of the level's lower classes, by row, and by word."""

    group_words: Array  # where the differences of a group begin
    widths: Array  # bits of each difference of a group
    bases: Array  # the first value of each row
    words: Array


class Shapes(NamedTuple):
    """The inner order of the groups, by [kind, open upper boxes], as the kernels read it."""

    rows: Array  # how many rows
    size: Array  # how many positions
    first: Array  # where `row` and `start` begin
    row: Array  # of each position
    start: Array  # of each position: where its row begins


def shapes(index: Index) -> Shapes:
    groups = [group for kind in index.groups for group in kind]
    size = np.array([group.size for group in groups], dtype=np.int64)
    form = (len(index.groups), len(index.groups[0]))
    return Shapes(
        rows=np.array([len(group.members) for group in groups], dtype=np.int64).reshape(form),
        size=size.reshape(form),
        first=(np.cumsum(size) - size).reshape(form),
        row=np.concatenate([group.row for group in groups]).astype(np.int32),
        start=np.concatenate([group.starts[group.row] for group in groups]).astype(np.int32),
    )


@kernel()
def steps_of(shapes: Shapes, kind: int, above: int, values: Any, start: int, steps: Any) -> int:
    """The differences of one group in steps; the result is the largest."""
    first = shapes.first[kind, above]
    largest = reached = 0
    for position in range(shapes.size[kind, above]):
        row_start = shapes.start[first + position]
        if row_start == position:
            reached = 0
            continue
        risen = float(values[start + position]) - float(values[start + row_start])
        # Rounding of 32-bit values can make a row fall by a hair where it should be level.
        now = max(reached, int(np.floor(risen / STEP + 0.5)))
        steps[position - shapes.row[first + position] - 1] = now - reached
        largest = max(largest, now - reached)
        reached = now
    return largest


@kernel(parallel=True, nogil=True)
def measure(shapes: Shapes, kinds: Any, aboves: Any, values: Any, starts: Any, widths: Any, words: Any) -> None:
    """How many bits and words each group needs."""
    for group in numba.prange(starts.size):
        kind, above = kinds[group], aboves[group]
        count = shapes.size[kind, above] - shapes.rows[kind, above]
        steps = np.empty(max(count, 1), np.int64)
        largest = steps_of(shapes, kind, above, values, starts[group], steps)
        width = 0
        while largest >> width:
            width += 1
        widths[group] = width
        words[group] = (count * width + WORD - 1) // WORD


@kernel(parallel=True, nogil=True)
def write(
    shapes: Shapes,
    kinds: Any,
    aboves: Any,
    values: Any,
    starts: Any,
    widths: Any,
    group_words: Any,
    words: Any,
    rows: Any,
    bases: Any,
) -> None:
    for group in numba.prange(starts.size):
        kind, above = kinds[group], aboves[group]
        count = shapes.size[kind, above] - shapes.rows[kind, above]
        steps = np.empty(max(count, 1), np.int64)
        steps_of(shapes, kind, above, values, starts[group], steps)
        first = shapes.first[kind, above]
        for position in range(shapes.size[kind, above]):
            if shapes.start[first + position] == position:
                bases[rows[group] + shapes.row[first + position]] = values[starts[group] + position]
        bit = np.int64(group_words[group]) * WORD
        for number in range(count):
            step = np.uint64(steps[number])
            word, shift = bit // WORD, bit % WORD
            words[word] |= step << np.uint64(shift)
            if shift + widths[group] > WORD:
                words[word + 1] |= step >> np.uint64(WORD - shift)
            bit += widths[group]


@kernel()
def unpack(
    shapes: Shapes, kind: int, above: int, position: int, start: int, width: int, words: Any, row: int, bases: Any
) -> float:
    """One value; `start` is the group's first word and `row` its first row."""
    first = shapes.first[kind, above]
    row_start, within = shapes.start[first + position], shapes.row[first + position]
    mask = (np.uint64(1) << np.uint64(width)) - np.uint64(1)
    bit = np.int64(start) * WORD + (row_start - within) * np.int64(width)
    reached = np.int64(0)
    for _ in range(row_start, position):
        word, shift = bit // WORD, bit % WORD
        step = words[word] >> np.uint64(shift)
        if shift + width > WORD:
            step |= words[word + 1] << np.uint64(WORD - shift)
        reached += np.int64(step & mask)
        bit += width
    return bases[row + within] + reached * STEP


def row_starts(index: Index, level: Level, form: Shapes) -> Array:
    """The number of the first row of each group of a level."""
    rows = form.rows[index.kinds[level.lowers], level.open_boxes - index.opens[level.lowers].astype(np.int64)]
    return np.asarray(np.cumsum(rows) - rows)


def pack(index: Index, level: Level, values: Array) -> PackedLevel:
    form = shapes(index)
    kinds = index.kinds[level.lowers]
    aboves = level.open_boxes - index.opens[level.lowers].astype(np.int64)
    starts = level.starts[level.lowers]
    widths = np.zeros(len(level.lowers), dtype=np.uint8)
    needed = np.zeros(len(level.lowers), dtype=np.int64)
    measure(form, kinds, aboves, values, starts, widths, needed)
    group_words = np.cumsum(needed) - needed
    words = np.zeros(int(needed.sum()) + 1, dtype=np.uint64)  # one more: the last value may look beyond
    rows = row_starts(index, level, form)
    bases = np.zeros(int(form.rows[kinds, aboves].sum()), dtype=np.float32)
    write(form, kinds, aboves, values, starts, widths, group_words, words, rows, bases)
    return PackedLevel(group_words.astype(np.uint32), widths, bases, words)
