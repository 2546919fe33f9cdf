"""Solve a game of double dice level by level, with checkpoints, here or on an executor; and its table.

A task is sent as the rules, the numbers of its sheets and the values of exactly those sheets that they can
lead to. Workers build everything else from the rules, once.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib.resources.abc import Traversable
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from dicecup.errors import StorageError, problem_of
from dicecup.executors import cores, spread
from dicecup.installation import tables_folder
from dicecup.rules.model import Ruleset
from dicecup.solver.double.game_tables import (
    DoubleLevel,
    SheetIndex,
    check_double_solvable,
    layers_interchangeable,
)
from dicecup.solver.double.multisets import multiset_count
from dicecup.solver.files.resume import UnfinishedSolve
from dicecup.solver.files.tables import (
    TableHeader,
    check_header,
    damaged,
    replace_file,
    write_errors,
)
from dicecup.solver.limits import check_memory, unknown_backend
from dicecup.solver.ready import double_table_file, double_table_name
from dicecup.solver.solution import OnBatch, OnProgress, Progress, no_callback

if TYPE_CHECKING:
    from dicecup.solver.double.turn import CpuTurns

SHEETS = 128  # of a piece: some seconds of one core; a multiple of `turn.LANES`, as on one machine


class SpreadTurns:
    """The turns of one game, by an executor."""

    part = 64 * SHEETS  # sheets between two saves

    def __init__(self, rules: Ruleset, index: SheetIndex, executor: Executor) -> None:
        self.rules = rules
        self.index = index
        self.executor = executor

    def compiled(self) -> bool:
        """Workers compile by themselves."""
        return True

    def solve_level(self, level: DoubleLevel, after: npt.NDArray[Any], on_batch: OnBatch) -> npt.NDArray[Any]:
        """Return the values of some sheets of a level, from those of the level after the turn."""
        found = []
        for values in spread(self.executor, solve_piece, self.pieces(level, after)):
            found.append(values)
            on_batch(len(values))
        return np.concatenate(found)

    def pieces(self, level: DoubleLevel, after: npt.NDArray[Any]) -> Iterator[tuple[Any, ...]]:
        for first in range(0, len(level), SHEETS):
            mask, total = level.mask[first : first + SHEETS], level.total[first : first + SHEETS]
            places = places_after(self.index, mask)
            yield self.rules, level.filled, mask, total, after[places]


def places_after(index: SheetIndex, masks: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Return the places of all sheets that a turn can lead to from these, in ascending order."""
    found = set()
    for mask in {int(mask) for mask in masks}:
        boxes = [box for box in range(index.boxes) if not mask >> box & 1]
        found |= {index.canonical[mask | 1 << one | 1 << other] for one, other in combinations(boxes, 2)}
    rows = [index.place[mask] + np.arange(len(index.class_totals[index.upper_mask[mask]])) for mask in found]
    return np.sort(np.concatenate(rows)).astype(np.int64)


def solve_piece(
    rules: Ruleset,
    filled: int,
    mask: npt.NDArray[np.int32],
    total: npt.NDArray[np.int32],
    values: npt.NDArray[Any],
) -> npt.NDArray[Any]:
    """Compute the values of these sheets in a worker."""
    turns = cpu_turns(rules)
    index = turns.solver.index
    after = np.zeros(index.level_sizes[filled + 2])
    after[places_after(index, mask)] = values
    return turns.solve_level(DoubleLevel(filled, mask, total), after, no_callback)


@lru_cache(maxsize=1)
def cpu_turns(rules: Ruleset) -> CpuTurns:
    from dicecup.solver.double.turn import CpuTurns

    return CpuTurns(rules, SheetIndex(rules))


MAGIC = b"dicecup double dice\n"
STEP = 1 / 1024  # an error of half a step is 0.0005 points
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class ValueTable:
    """The value of the rest of the game for every sheet, by filled boxes and place."""

    path: Path | Traversable
    header: TableHeader
    levels: Mapping[int, Floats]


def blocks(index: SheetIndex) -> Iterator[tuple[int, npt.NDArray[np.int64]]]:
    """Yield the places of each block's values, by level: one row a set of lower boxes, one column a class."""
    masks = np.flatnonzero(index.is_own)
    masks = masks[np.bitwise_count(masks) % 2 == 0]
    kind = np.bitwise_count(masks).astype(np.int64) << len(index.upper) | index.upper_mask[masks]
    order = np.argsort(kind, kind="stable")
    masks, kind = masks[order], kind[order]
    for rows in np.split(masks, np.flatnonzero(np.diff(kind)) + 1):
        classes = len(index.class_totals[index.upper_mask[rows[0]]])
        yield int(rows[0]).bit_count(), index.place[rows].astype(np.int64)[:, None] + np.arange(classes)


def make_header(rules: Ruleset, index: SheetIndex, backend: str) -> TableHeader:
    """Return the header of a table whose values are not known yet."""
    return TableHeader(rules.id, rules.identity, 32, "packed", sum(index.level_sizes[::2]), backend)


def pack(header: TableHeader, index: SheetIndex, levels: Mapping[int, npt.NDArray[Any]]) -> bytes:
    parts = []
    for filled, places in blocks(index):
        steps = np.rint(np.asarray(levels[filled])[places] / STEP).astype(np.int64)
        parts.append(np.diff(np.diff(steps, axis=0, prepend=0), axis=1, prepend=0).ravel())
    rest = np.concatenate(parts)
    folded = ((rest << 1) ^ (rest >> 63)).astype(np.uint64)  # small numbers of either sign become small ones
    width = max(1, (int(folded.max()).bit_length() + 7) // 8)
    planes = folded.view(np.uint8).reshape(-1, 8)[:, :width].T
    body = zlib.compress(np.ascontiguousarray(planes).tobytes(), 9)
    data = asdict(header) | {"expected": float(levels[0][0])}
    data |= {"step": STEP, "width": width, "sha256": hashlib.sha256(body).hexdigest()}
    return MAGIC + json.dumps(data, sort_keys=True).encode() + b"\n" + body


def unpack(data: bytes, rules: Ruleset, index: SheetIndex, path: Path | Traversable) -> ValueTable:
    """Return the table in a file's bytes; an error says so if it is damaged or not of these rules."""
    fields, body = read_header(data, path)
    try:
        check_header(fields, rules, path)
        width, step, digest = (fields.pop(name) for name in ("width", "step", "sha256"))
        if hashlib.sha256(body).hexdigest() != digest or not 1 <= width <= 8:
            raise damaged(path)
        header = TableHeader(**fields)
        size = width * sum(places.size for _, places in blocks(index))
        plain = zlib.decompressobj().decompress(body, size + 1)
        if len(plain) != size or not isinstance(step, float):
            raise damaged(path)
    except (KeyError, TypeError, zlib.error):
        raise damaged(path) from None
    rest = unfold(np.frombuffer(plain, dtype=np.uint8).reshape(width, -1))
    levels = {
        filled: np.zeros(index.level_sizes[filled], dtype=np.float32)
        for filled in range(0, index.boxes + 1, 2)
    }
    first = 0
    for filled, places in blocks(index):
        block = rest[first : first + places.size].reshape(places.shape)
        levels[filled][places] = np.cumsum(np.cumsum(block, axis=1), axis=0) * step
        first += places.size
    return ValueTable(path, header, levels)


def unfold(planes: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
    folded = np.zeros(planes.shape[1], dtype=np.int64)
    for place, plane in enumerate(planes):
        folded |= plane.astype(np.int64) << (8 * place)
    return (folded >> 1) ^ -(folded & 1)


def read_header(data: bytes, path: Path | Traversable) -> tuple[dict[str, Any], bytes]:
    line, newline, body = data[len(MAGIC) :].partition(b"\n")
    try:
        fields = json.loads(line) if data.startswith(MAGIC) and newline else None
    except ValueError:
        fields = None
    if not isinstance(fields, dict):
        raise damaged(path)
    return fields, body


def packed_table_path(folder: Path, rules: Ruleset) -> Path:
    return folder / double_table_name(rules)


def find_packed_table(rules: Ruleset, folder: Path, index: SheetIndex | None = None) -> ValueTable | None:
    """Return the table of these rules, if it is shipped or the user has solved the game."""
    for path in (double_table_file(rules), packed_table_path(folder, rules)):
        if path.is_file():
            return unpack(read_bytes(path), rules, index or SheetIndex(rules), path)
    return None


def read_bytes(path: Traversable) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise StorageError("file_unreadable", file=path, problem=problem_of(error)) from None


THROWS_PER_SECOND = 60_000_000  # of one core, by sheet; measured: docs/dice-in-dice-solved.md

WORK_NUMBERS = 30  # of 4 bytes for each multiset of dice: temporary arrays, and the lanes of a batch


class DoubleBackend(Protocol):
    """Solves the levels of one game."""

    part: int  # sheets between two saves

    def compiled(self) -> bool:
        """Return whether work can start without compiling first."""

    def solve_level(self, level: DoubleLevel, after: npt.NDArray[Any], on_batch: OnBatch) -> npt.NDArray[Any]:
        """Return the values of some sheets of a level, from those of the level after the turn."""


def make_backend(
    name: str, rules: Ruleset, index: SheetIndex, executor: Executor | None = None
) -> DoubleBackend:
    if executor:
        return SpreadTurns(rules, index, executor)
    if name == "cpu":
        from dicecup.solver.double.turn import CpuTurns

        return CpuTurns(rules, index)
    if name == "cuda":
        from dicecup.solver.double.cuda import CudaTurns

        return CudaTurns(rules, index)
    raise unknown_backend(name)


def solve_seconds(rules: Ruleset, index: SheetIndex) -> float:
    """Estimate how long a solve takes on this machine's processor."""
    throws = multiset_count(rules.dice.faces**2, rules.dice.count)
    if layers_interchangeable(rules):
        throws //= 2
    return sum(index.level_sizes[::2]) * throws / THROWS_PER_SECOND / cores()


def check_room(rules: Ruleset) -> None:
    """Raise an error if memory is too small for the lattice of the dice and the work space of a turn."""
    dice, faces = rules.dice.count, rules.dice.faces**2
    rows = [multiset_count(faces, size) for size in range(dice + 1)]
    numbers = sum(count * (faces + size + WORK_NUMBERS) for size, count in enumerate(rows[:-1]))
    numbers += rows[-1] * (dice + WORK_NUMBERS)
    check_memory(4 * numbers // (2 if layers_interchangeable(rules) else 1))


def solve_double(
    rules: Ruleset,
    *,
    backend: str = "cpu",
    folder: Path | None = None,
    on_progress: OnProgress = no_callback,
    wait: bool = False,
    executor: Executor | None = None,
) -> ValueTable:
    """Solve the game and keep its table, resuming from what an earlier run left unfinished.

    If another process is solving the game, raise an error, or `wait` for its table.
    """
    check_double_solvable(rules)
    if backend == "cpu" and not executor:
        check_room(rules)
    index = SheetIndex(rules)
    machine = make_backend(backend, rules, index, executor)
    path = packed_table_path(folder or tables_folder(), rules)
    header = make_header(rules, index, backend)
    with write_errors(path), UnfinishedSolve(path, header, wait=wait) as unfinished:
        if wait and path.is_file():
            with suppress(StorageError):  # an invalid table is solved again
                return unpack(path.read_bytes(), rules, index, path)
        levels = solve_levels(index, machine, unfinished, on_progress)
        data = pack(header, index, levels)
        replace_file(path, data)
        unfinished.remove()
    return unpack(data, rules, index, path)


def solve_levels(
    index: SheetIndex, machine: DoubleBackend, unfinished: UnfinishedSolve, on_progress: OnProgress
) -> dict[int, npt.NDArray[Any]]:
    """Return the values of every level, saved part by part."""
    levels = {index.boxes: np.zeros(1)}
    total = sum(index.level_sizes[::2])
    done = resumed = 1  # the full sheet is known

    def on_batch(sheets: int) -> None:
        nonlocal done
        done += sheets
        on_progress(Progress("solving", done, total, resumed))

    if not machine.compiled():
        on_progress(Progress("compiling"))
    for filled in range(index.boxes - 2, -1, -2):
        level = index.level(filled)
        values = unfinished.load(filled, np.float64).values[: len(level)]
        resumed += len(values)
        done += len(values)
        for first in range(len(values), len(level), machine.part):
            rest = DoubleLevel(
                filled, level.mask[first:][: machine.part], level.total[first:][: machine.part]
            )
            values = np.append(values, machine.solve_level(rest, levels[filled + 2], on_batch))
            unfinished.save(filled, values)
        levels[filled] = values
    return levels
