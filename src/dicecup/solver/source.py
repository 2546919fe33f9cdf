"""Reading single values out of a level of a table, plain or packed, from compiled code."""

from __future__ import annotations

from typing import Any, NamedTuple

from numba.extending import overload

from dicecup.solver.index import Array, Index
from dicecup.solver.packing import PackedLevel, PackedSource, packed_source, unpack
from dicecup.solver.tables import TableFile


class PlainSource(NamedTuple):
    """A level whose values stand as they are."""

    values: Array
    starts: Array  # by lower class


Source = PlainSource | PackedSource


def read(source: Source, lower: int, above: int, position: int) -> float:
    """The value at a position of the group of a lower class, with so many open upper boxes."""
    raise NotImplementedError  # only compiled code calls it, and is given one of those below


def read_plain(source: Any, lower: Any, above: Any, position: Any) -> Any:  # noqa: ARG001
    return source.values[source.starts[lower] + position]


def read_packed(source: Any, lower: Any, above: Any, position: Any) -> Any:  # noqa: ARG001
    return unpack(source, source.numbers[lower], position)


@overload(read)
def choose_reader(source: Any, lower: Any, above: Any, position: Any) -> Any:  # noqa: ARG001
    return read_plain if source.instance_class is PlainSource else read_packed


def open_source(index: Index, table: TableFile, open_boxes: int) -> Source:
    level, arrays = index.level(open_boxes), table.arrays(open_boxes)
    if table.header.encoding == "plain":
        return PlainSource(arrays["values"], level.starts)
    return packed_source(index, level, PackedLevel(**arrays))
