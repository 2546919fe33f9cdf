"""Large 32-bit tables in less than half the space, and reading single values of any level in compiled code.

Differences along a row are stored with as few bits as they need.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from dicecup.solver.arrays import NOWHERE, Array, by_reference
from dicecup.solver.compiled import entry_kernel, kernel, parallel_kernel
from dicecup.solver.files.tables import TableFile
from dicecup.solver.single.index import Index, Level

STEP = 2.0**-13
WORD = 64
BLOCK = 8  # differences of one width; with 4 or 16 the table of `yum-plus` is larger by 1 or 3 %


class PackedLevel(NamedTuple):
    """One level; arrays by group in the order of the level's lower classes, by row, and by word."""

    group_words: Array  # where the differences of a group begin
    widths: Array  # bits of the differences of each block, group by group
    bases: Array  # the first value of each row
    words: Array


class Shapes(NamedTuple):
    """The inner order of the groups, by [kind, open upper boxes], as the kernels read it."""

    rows: Array  # how many rows
    size: Array  # how many positions
    first: Array  # where `row` and `start` begin
    row: Array  # of each position
    start: Array  # of each position: where its row begins
    blocks: Array  # how many blocks of differences


def shapes(index: Index) -> Shapes:
    groups = [group for kind in index.groups for group in kind]
    size = np.array([group.size for group in groups], dtype=np.int64)
    rows = np.array([len(group.members) for group in groups], dtype=np.int64)
    form = (len(index.groups), len(index.groups[0]))
    return Shapes(
        rows=rows.reshape(form),
        size=size.reshape(form),
        first=(np.cumsum(size) - size).reshape(form),
        row=np.concatenate([group.row for group in groups]).astype(np.int32),
        start=np.concatenate([group.starts[group.row] for group in groups]).astype(np.int32),
        blocks=(-((rows - size) // BLOCK)).reshape(form),
    )


@kernel()
def steps_of(shapes: Shapes, kind: int, above: int, values: Any, start: int, steps: Any) -> None:
    """Compute the differences of one group in steps."""
    first = shapes.first[kind, above]
    reached = 0
    for position in range(shapes.size[kind, above]):
        row_start = shapes.start[first + position]
        if row_start == position:
            reached = 0
            continue
        risen = float(values[start + position]) - float(values[start + row_start])
        # Rounding of 32-bit values can make a row fall slightly where it should be constant.
        now = max(reached, int(np.floor(risen / STEP + 0.5)))
        steps[position - shapes.row[first + position] - 1] = now - reached
        reached = now


@parallel_kernel(nogil=True)
def measure(shapes: Shapes, groups: Any, values: Any, widths: Any, words: Any) -> None:
    """Compute how many bits each block and how many words each group needs. `groups`: see `Groups`."""
    for group in numba.prange(groups.kinds.size):
        kind, above = groups.kinds[group], groups.aboves[group]
        steps = np.zeros(shapes.blocks[kind, above] * BLOCK, np.int64)
        steps_of(shapes, kind, above, values, groups.starts[group], steps)
        bits = 0
        for block in range(shapes.blocks[kind, above]):
            largest = 0
            for place in range(block * BLOCK, (block + 1) * BLOCK):
                largest = max(largest, steps[place])
            width = 0
            while largest >> width:
                width += 1
            widths[groups.blocks[group] + block] = width
            bits += width * BLOCK
        words[group] = (bits + WORD - 1) // WORD


@parallel_kernel(nogil=True)
def write(
    shapes: Shapes, groups: Any, values: Any, widths: Any, group_words: Any, words: Any, bases: Any
) -> None:
    """Write the differences and the first values of all groups."""
    for group in numba.prange(groups.kinds.size):
        kind, above, start = groups.kinds[group], groups.aboves[group], groups.starts[group]
        steps = np.zeros(shapes.blocks[kind, above] * BLOCK, np.int64)
        steps_of(shapes, kind, above, values, start, steps)
        first = shapes.first[kind, above]
        for position in range(shapes.size[kind, above]):
            if shapes.start[first + position] == position:
                bases[groups.rows[group] + shapes.row[first + position]] = values[start + position]
        bit = group_words[group] * WORD
        for number in range(steps.size):
            width = np.int64(widths[groups.blocks[group] + number // BLOCK])
            word, shift = bit // WORD, bit % WORD
            if width:
                words[word] |= np.uint64(steps[number]) << np.uint64(shift)
            if shift + width > WORD:
                words[word + 1] |= np.uint64(steps[number]) >> np.uint64(WORD - shift)
            bit += width


@by_reference
class Source(NamedTuple):
    """Everything needed to find one value of a level, whichever way its values are stored.

    Arrays of the other ways are empty. One class for all, so that no kernel is compiled twice; flat, because
    parallel kernels cannot take nested tuples.
    """

    values: Array  # 64 bits, stored plainly
    values_32: Array
    starts: Array  # by lower class: where the plain values of its group begin
    numbers: Array  # by lower class: the number of its packed group in the level
    kinds: Array  # of the groups; see `Groups`
    aboves: Array
    rows: Array
    blocks: Array
    first: Array  # of the inner order; see `Shapes`
    row: Array
    start: Array
    group_words: Array  # of the values; see `PackedLevel`
    widths: Array
    bases: Array
    words: Array


SOURCE_TYPES: dict[str, type[np.number[Any]]] = {
    "values": np.float64,
    "values_32": np.float32,
    "starts": np.int64,
    "numbers": np.int32,
    "kinds": np.uint8,
    "aboves": np.int64,
    "rows": np.int64,
    "blocks": np.int64,
    "first": np.int64,
    "row": np.int32,
    "start": np.int32,
    "group_words": np.uint32,
    "widths": np.uint8,
    "bases": np.float32,
    "words": np.uint64,
}


@entry_kernel()
def unpack(source: Source, group: int, position: int) -> Any:
    """Return one value."""
    first = source.first[source.kinds[group], source.aboves[group]]
    row_start, row = source.start[first + position], source.row[first + position]
    number = row_start - row  # of the first difference of the row
    widths = source.widths[source.blocks[group] :]
    bit = np.int64(source.group_words[group]) * WORD
    for block in range(number // BLOCK):
        bit += np.int64(widths[block]) * BLOCK
    if number % BLOCK:
        bit += np.int64(widths[number // BLOCK]) * (number % BLOCK)
    reached = np.int64(0)
    for place in range(number, number + position - row_start):
        width = np.int64(widths[place // BLOCK])
        word, shift = bit // WORD, bit % WORD
        step = source.words[word] >> np.uint64(shift)
        if shift + width > WORD:
            step |= source.words[word + 1] << np.uint64(WORD - shift)
        reached += np.int64(step & ((np.uint64(1) << np.uint64(width)) - np.uint64(1)))
        bit += width
    return source.bases[source.rows[group] + row] + reached * STEP


class Groups(NamedTuple):
    """The groups of a level in the order of its lower classes."""

    kinds: Array
    aboves: Array  # open upper boxes
    starts: Array  # where their values begin
    rows: Array  # the number of their first row
    blocks: Array  # the number of their first block


def groups_of(index: Index, level: Level, form: Shapes) -> Groups:
    kinds = index.kinds[level.lowers]
    aboves = level.open_boxes - index.opens[level.lowers].astype(np.int64)
    rows, blocks = form.rows[kinds, aboves], form.blocks[kinds, aboves]
    starts = level.starts[level.lowers]
    return Groups(kinds, aboves, starts, np.cumsum(rows) - rows, np.cumsum(blocks) - blocks)


def pack(index: Index, level: Level, values: Array) -> PackedLevel:
    form = shapes(index)
    groups = groups_of(index, level, form)
    widths = np.zeros(int(form.blocks[groups.kinds, groups.aboves].sum()), dtype=np.uint8)
    needed = np.zeros(len(level.lowers), dtype=np.int64)
    measure(form, groups, values, widths, needed)
    group_words = np.cumsum(needed) - needed
    words = np.zeros(int(needed.sum()) + 1, dtype=np.uint64)  # one more: reading the last value may access it
    bases = np.zeros(int(form.rows[groups.kinds, groups.aboves].sum()), dtype=np.float32)
    write(form, groups, values, widths, group_words, words, bases)
    return PackedLevel(group_words.astype(np.uint32), widths, bases, words)


def packed_source(index: Index, level: Level, packed: PackedLevel) -> Source:
    form = shapes(index)
    groups = groups_of(index, level, form)
    numbers = np.full(len(index.opens), NOWHERE, dtype=np.int32)
    numbers[level.lowers] = np.arange(len(level.lowers), dtype=np.int32)
    arrays = packed._asdict() | {"numbers": numbers, "kinds": groups.kinds, "aboves": groups.aboves}
    arrays |= {"rows": groups.rows, "blocks": groups.blocks}
    return source_of(arrays | {"first": form.first, "row": form.row, "start": form.start})


def plain_source(values: Array, starts: Array) -> Source:
    """Return a level whose values are stored plainly."""
    return source_of({"values" if values.dtype == np.float64 else "values_32": values, "starts": starts})


def source_of(arrays: dict[str, Array]) -> Source:
    """Return a source with these arrays, and of the same types whatever they are: none can be written to."""
    found = {}
    for name, kind in SOURCE_TYPES.items():
        dimensions = 2 if name == "first" else 1
        array = arrays.get(name, np.empty((0,) * dimensions)).astype(kind, copy=False).view()
        array.flags.writeable = False
        found[name] = array
    return Source(**found)


@kernel()
def read(source: Source, lower: int, position: int) -> Any:
    """Return the value at a position of the group of a lower class."""
    if source.values.size:
        return source.values[source.starts[lower] + position]
    if source.values_32.size:
        return np.float64(source.values_32[source.starts[lower] + position])
    return np.float64(unpack(source, source.numbers[lower], position))


def open_source(index: Index, table: TableFile, open_boxes: int) -> Source:
    level, arrays = index.level(open_boxes), table.arrays(open_boxes)
    if table.header.encoding == "plain":
        return plain_source(arrays["values"], level.starts)
    return packed_source(index, level, PackedLevel(**arrays))
