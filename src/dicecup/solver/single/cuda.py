"""The CUDA backend: the same levels on one GPU, through CuPy.

The level below stays on the GPU from one level to the next; each level comes back as it is solved.
"""

from __future__ import annotations

from importlib import resources
from itertools import pairwise
from typing import Any

import numpy as np

from dicecup.dice import Lattice, lattice
from dicecup.errors import UsageError
from dicecup.solver.arrays import PADDING, POISON, Array, number_type
from dicecup.solver.limits import load_cupy
from dicecup.solver.single.index import Index, Level
from dicecup.solver.single.kernel_tables import BARRING, NEUTRAL, YIELDING, KernelTables
from dicecup.solver.solution import OnBatch

LANES = 32  # states of a block: a warp
WORKERS = 8  # warps of a block
BATCH = 1 << 19  # blocks of one launch: a second or less, so that progress is shown and Ctrl-C works
C_TYPES = {
    "int8": "signed char",
    "uint8": "unsigned char",
    "bool": "unsigned char",
    "int32": "int",
    "int64": "long long",
    "float32": "float",
    "float64": "double",
}


def kernel_arrays(program: KernelTables) -> dict[str, Array]:
    """Return the arrays of the kernel: the program's, and the throws of each worker."""
    throws = program.weights.size
    worker_throw = np.array([throws * worker // WORKERS for worker in range(WORKERS + 1)], dtype=np.int32)
    bounds = [
        start + np.searchsorted(program.entry_dice[start:end], worker_throw)
        for row in program.entry_bounds
        for start, end in pairwise(row)
    ]
    own = {"worker_throw": worker_throw, "worker_bounds": np.array(bounds, dtype=np.int32)}
    # An array without entries still needs an address.
    return {
        name: np.ascontiguousarray(array if array.size else np.zeros(1, array.dtype))
        for name, array in (program._asdict() | own).items()
    }


def kernel_source(index: Index, program: KernelTables, arrays: dict[str, Array], precision: int) -> str:
    """Return the source of level.cu, with all constants of the game in front."""
    rules = index.rules
    dice = lattice(rules.dice.count, rules.dice.faces)
    numbers = {
        "LANES": LANES,
        "WORKERS": WORKERS,
        "DICE": dice.count,
        "FACES": dice.faces,
        "ROWS": dice.rows,
        "KEEPS": dice.keeps,
        "THROWS": len(dice.throws),
        "PARTS": program.stride.size,
        "UPPER_PARTS": program.member_state.shape[1],
        "UPPER_STATES": len(program.upper_states),
        "ABOVES": program.group_size.shape[1],
        "JOKERS": program.joker_dice.size,
        "REPEATS": program.repeat_dice.size,
        "TURN_THROWS": int(program.settings[0]),
        "REPEAT_POINTS": int(program.settings[1]),
        "STRIKES_YIELD": int(program.settings[2]),
        "BARRING": BARRING,
        "YIELDING": YIELDING,
        "NEUTRAL": NEUTRAL,
    }
    parameters = [f"const {C_TYPES[array.dtype.name]}* __restrict__ {name}" for name, array in arrays.items()]
    lines = [
        f"typedef {'double' if precision == 64 else 'float'} real;",
        *(f"#define {name} {number}" for name, number in numbers.items()),
        f"#define ARRAYS {', '.join(parameters)}",
        f"#define NAMES {', '.join(arrays)}",
        *lattice_constants(dice),
        resources.files("dicecup.solver.single").joinpath("level.cu").read_text(encoding="utf-8"),
    ]
    return "\n".join(lines)


def lattice_constants(dice: Lattice) -> list[str]:
    """Return the lattice as constant memory, where a number that all lanes of a warp read costs one cycle."""
    tables = {"SIZES": dice.starts, "ADD": dice.add, "TAKE": dice.take, "TAKE_STARTS": dice.take_starts}
    return [
        f"__constant__ short {name}[] = {{{', '.join(map(str, table.ravel().tolist()))}}};"
        for name, table in tables.items()
    ]


class CudaBackend:
    """Solves a game on one GPU."""

    def __init__(self, index: Index, program: KernelTables, precision: int) -> None:
        self.cupy = load_cupy()
        self.index = index
        self.precision = precision
        arrays = kernel_arrays(program)
        source = "#define SHARED_ROOM(name) extern __shared__ real name[];\n" + kernel_source(
            index, program, arrays, precision
        )
        self.kernel = self.cupy.RawKernel(source, "solve_blocks", options=("--std=c++14",))
        rows = program.take_starts.size - 1 + program.weights.size + most_targets(program)
        self.room = rows * LANES * precision // 8
        most = self.cupy.cuda.Device().attributes["MaxSharedMemoryPerBlockOptin"]
        if self.room > most:
            raise UsageError("gpu_too_small", needed=self.room // 1024, found=most // 1024)
        self.kernel.max_dynamic_shared_size_bytes = self.room
        self.arrays = tuple(self.cupy.asarray(array) for array in arrays.values())
        self.last: tuple[int, Any] | None = None  # open boxes and values of the level that is on the GPU

    def compiled(self, below: Array) -> bool:  # noqa: ARG002
        return True  # CuPy compiles in a second or two, and keeps the result

    def solve_level(self, level: Level, below: Level, values: Array, on_batch: OnBatch) -> Array:
        cupy, kinds = self.cupy, self.index.kinds[level.lowers]
        if self.last is None or self.last[0] != below.open_boxes:
            self.last = (below.open_boxes, cupy.asarray(values))
        above = level.open_boxes - self.index.opens[level.lowers].astype(np.int64)
        sizes = self.index.group_sizes[kinds, above]
        blocks = -(-sizes // LANES)
        block_lower = np.repeat(level.lowers, blocks).astype(np.int32)
        block_first = (np.arange(len(block_lower)) - np.repeat(np.cumsum(blocks) - blocks, blocks)) * LANES
        device_lower, device_first = cupy.asarray(block_lower), cupy.asarray(block_first.astype(np.int32))
        below_starts, starts = cupy.asarray(below.starts), cupy.asarray(level.starts)
        result = cupy.full(level.size + PADDING, POISON, dtype=number_type(self.precision))
        for first in range(0, len(block_lower), BATCH):
            count = min(BATCH, len(block_lower) - first)
            self.kernel(
                (count,),
                (LANES, WORKERS),
                (
                    *self.arrays,
                    device_lower[first : first + count],
                    device_first[first : first + count],
                    np.int32(level.open_boxes),
                    self.last[1],
                    below_starts,
                    result,
                    starts,
                ),
                shared_mem=self.room,
            )
            cupy.cuda.Device().synchronize()
            on_batch(int(np.minimum(sizes.sum(), count * LANES)))
        self.last = (level.open_boxes, result)
        return np.asarray(cupy.asnumpy(result))


def most_targets(program: KernelTables) -> int:
    """Return the most rows that the sheets after a turn can take: of each group the state with
    most targets.
    """
    counts = np.diff(program.target_start)
    lower = [
        counts[program.digit_state[first : first + size]].max(initial=0)
        for first, size in zip(program.digit_first, program.digits, strict=True)
    ]
    # Different lanes can have different states of the same upper group.
    upper = counts[program.upper_states[:, 0]].sum() if program.upper_states.size else 0
    return max(int(sum(lower) + upper), WORKERS)
