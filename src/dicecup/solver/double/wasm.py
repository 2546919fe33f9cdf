"""Turns of double dice in WebAssembly, for places without NumPy and Numba: browsers.

turn.wasm (made by `tools/turn_wasm.py` from turn.cpp) unpacks the tables that came with the package, a level
at a time, and solves a turn in about 0.1 s and 26 MB of memory. In a browser the engine is the browser's own;
elsewhere it is the package `wasmtime`, if it is installed: the tests use it.
"""

from __future__ import annotations

import atexit
import zlib
from array import array
from collections import Counter, OrderedDict
from collections.abc import Iterable
from functools import lru_cache
from importlib.resources import files
from itertools import chain, product, repeat
from math import sqrt
from typing import Any, NamedTuple, Protocol

from dicecup.dice import Dice
from dicecup.engine.state import Placement, Sheet
from dicecup.errors import StorageError
from dicecup.installation import IN_BROWSER, is_there
from dicecup.rules.model import Ruleset
from dicecup.solver.double.game_tables import SheetIndex, box_points, game_lists
from dicecup.solver.double.multisets import multiset_rank, multisets_by_rank
from dicecup.solver.double.solution import DoubleGame
from dicecup.solver.ready import double_table_file, read_packed

MAGIC = b"dicecup double dice\n"
DICE, FACES, BOXES, TOTALS, THROWS = 6, 6, 16, 106, 3  # as in turn.cpp, like the following
LAYERS = (1, 6, 21, 56, 126, 252, 462)  # multisets of one layer, by size
KEEPS = (1, 36, 666, 8436, 82251, 658008)  # multisets of double dice
GAME_TABLES = 8  # the first addresses: as in `game_lists`
CLASS_COUNT, IS_OWN, GROW, PLANES, LEVEL, LAYER_VALUES, KEEP_VALUES, ENDINGS = range(
    GAME_TABLES, GAME_TABLES + 8
)
MOST_PLANES = 1 << 22  # bytes of an unpacked table
REMEMBERED = 4  # turns, of 4 MB each
SAMPLES, SEED = 4000, 1  # as in playout.double


class Engine(Protocol):
    """An instance of turn.wasm."""

    def call(self, name: str, *arguments: float) -> Any:
        """Call an exported function."""

    def read(self, address: int, size: int) -> bytes: ...

    def write(self, address: int, data: bytes) -> None: ...


class BrowserEngine:
    """The engine of the browser that runs this interpreter, through Pyodide."""

    def __init__(self, code: bytes) -> None:
        import js
        from pyodide.ffi import to_js

        self.bytes_of = js.Uint8Array
        module = js.WebAssembly.Module.new(to_js(code))  # synchronous, as workers may; no other thread
        self.exports = js.WebAssembly.Instance.new(module).exports

    def call(self, name: str, *arguments: float) -> Any:
        return getattr(self.exports, name)(*arguments)

    def read(self, address: int, size: int) -> bytes:
        found: bytes = self.bytes_of.new(self.exports.memory.buffer, address, size).to_bytes()
        return found

    def write(self, address: int, data: bytes) -> None:
        self.bytes_of.new(self.exports.memory.buffer, address, len(data)).assign(data)


class WasmtimeEngine:
    """The engine of the package wasmtime."""

    def __init__(self, code: bytes) -> None:
        import wasmtime

        self.store = wasmtime.Store()
        atexit.register(self.store.close)  # at exit its library is already unloaded
        atexit.register(self.store.engine.close)
        module = wasmtime.Module(self.store.engine, code)
        self.exports: Any = wasmtime.Instance(self.store, module, []).exports(self.store)

    def call(self, name: str, *arguments: float) -> Any:
        return self.exports[name](self.store, *arguments)

    def read(self, address: int, size: int) -> bytes:
        return bytes(self.exports["memory"].read(self.store, address, address + size))

    def write(self, address: int, data: bytes) -> None:
        self.exports["memory"].write(self.store, data, address)


class WasmValues(NamedTuple):
    """The values of one turn's decisions, as turn.wasm lays them out."""

    layers: array[float]
    keeps: array[float]

    def layer(self, size: int, inner: int, outer: int) -> float:
        first = sum(count * count for count in LAYERS[:size])
        return self.layers[first + inner * LAYERS[size] + outer]

    def keep(self, throws_left: int, size: int, rank: int) -> float:
        assert throws_left == THROWS - 1
        return self.keeps[sum(KEEPS[:size]) + rank]


class WasmGame(DoubleGame):
    """A game of double dice, its table unpacked and its turns solved by WebAssembly."""

    def __init__(self, rules: Ruleset, engine: Engine) -> None:
        self.rules = rules
        self.engine = engine
        self.index = SheetIndex(rules)
        self.levels: dict[int, array[float]] = {}
        self.solved: tuple[int, int] | None = None
        self.unpacked: int | None = None
        self.remembered: OrderedDict[tuple[int, int], WasmValues] = OrderedDict()
        path = double_table_file(rules)
        self.header, body = read_packed(path, rules, MAGIC)
        planes = zlib.decompress(body)
        self.count = sum(self.index.level_sizes[::2])
        if len(planes) != self.count * self.header["width"] or len(planes) > MOST_PLANES:
            raise StorageError("table_damaged", file=path)
        self.write_tables()
        self.engine.write(self.address(PLANES), planes)

    def write_tables(self) -> None:
        for number, table in enumerate(game_lists(self.index, box_points(self.rules))):
            self.write_numbers(number, chain.from_iterable(table) if isinstance(table[0], list) else table)
        self.write_numbers(CLASS_COUNT, map(len, self.index.class_totals))
        self.engine.write(self.address(IS_OWN), bytes(self.index.is_own))
        self.write_numbers(GROW, growing_ranks())

    def address(self, table: int) -> int:
        return int(self.engine.call("address", table))

    def write_numbers(self, table: int, numbers: Iterable[int]) -> None:
        self.engine.write(self.address(table), array("i", numbers).tobytes())

    def read_numbers(self, table: int, count: int) -> array[float]:
        return array("f", self.engine.read(self.address(table), 4 * count))

    @property
    def expected(self) -> float:
        return float(self.header["expected"])

    def unpack(self, filled: int) -> None:
        """Unpack the level with so many filled boxes."""
        first = sum(self.index.level_sizes[:filled:2])
        width, step = self.header["width"], self.header["step"]
        self.engine.call("unpack_level", filled, first, width, self.count, step)
        self.unpacked = filled

    def rest(self, mask: int, total: int) -> float:
        filled = mask.bit_count()
        if filled not in self.levels:
            self.unpack(filled)
            self.levels[filled] = self.read_numbers(LEVEL, self.index.level_sizes[filled])
        return self.levels[filled][self.index.place_of(mask, total)]

    def solve(self, mask: int, total: int) -> None:
        """Solve a turn, and leave its values in memory where they are read and turns are sampled."""
        self.unpack(mask.bit_count() + 2)
        self.engine.call("solve_turn", mask, total)
        self.solved = mask, total

    def sample_endings(
        self, sheet: Sheet, kept: Dice, throws_left: int
    ) -> tuple[list[tuple[float, list[tuple[Placement, int]]]], float]:
        """Return all endings of the turn with their chances, and the largest standard error of a chance.

        They are those of `playout.double`: the same random numbers choose them.
        """
        turn = self._unchecked_turn(sheet)
        if (self.solved, self.unpacked) != ((turn.mask, turn.total), turn.mask.bit_count() + 2):
            self.solve(turn.mask, turn.total)
        dice = [inner * FACES + outer for inner, outer in turn.faces(kept)]
        self.write_numbers(ENDINGS, dice)
        self.engine.call("play_turns", turn.mask, turn.total, len(dice), throws_left, SAMPLES, SEED)
        found = array("i", self.engine.read(self.address(ENDINGS), 16 * SAMPLES))
        places = [Placement(box.id) for box in self.rules.boxes]
        counted = Counter(zip(*(found[at::4] for at in range(4)), strict=True))
        endings = [
            (times / SAMPLES, [(places[box], points), (places[other], others)])
            for (box, points, other, others), times in counted.items()
        ]
        return endings, 0.5 / sqrt(SAMPLES)

    def decisions(self, mask: int, total: int) -> WasmValues:
        key = (mask, total)
        if key not in self.remembered:
            self.solve(mask, total)
            layers = self.read_numbers(LAYER_VALUES, sum(count * count for count in LAYERS))
            self.remembered[key] = WasmValues(layers, self.read_numbers(KEEP_VALUES, sum(KEEPS)))
            if len(self.remembered) > REMEMBERED:
                self.remembered.popitem(last=False)
        self.remembered.move_to_end(key)
        return self.remembered[key]


def growing_ranks() -> Iterable[int]:
    """Yield the rank of one layer's multiset with a face more, by size, rank and face; 252 ranks a size."""
    for size, count in enumerate(LAYERS[:DICE]):
        for dice, face in product(multisets_by_rank(FACES, size), range(1, FACES + 1)):
            yield multiset_rank(sorted(other - 1 for other in (*dice, face)))
        yield from repeat(0, (max(LAYERS[:DICE]) - count) * FACES)


def turn_code() -> bytes:
    return files("dicecup.solver.double").joinpath("turn.wasm").read_bytes()


def has_wasm(rules: Ruleset) -> bool:
    """Whether turns of these rules can be solved here: their table is shipped, and there is an engine."""
    sizes = rules.dice.count, rules.dice.faces, len(rules.boxes), rules.throws
    fits = rules.has_layers and sizes == (DICE, FACES, BOXES, THROWS)
    return fits and (IN_BROWSER or is_there("wasmtime")) and double_table_file(rules).is_file()


@lru_cache(maxsize=2)
def find_wasm(rules: Ruleset) -> WasmGame | None:
    """Return the game with its turns in WebAssembly, if that is possible here."""
    if not has_wasm(rules):
        return None
    engine = BrowserEngine if IN_BROWSER else WasmtimeEngine
    return WasmGame(rules, engine(turn_code()))
