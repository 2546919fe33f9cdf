"""What a solve takes, found before it begins: states, memory, disk, time."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import psutil

from dicecup.errors import StorageError, UsageError
from dicecup.rules.model import Ruleset
from dicecup.solver.single.components import components
from dicecup.solver.single.index import Index
from dicecup.solver.single.upper_classes import upper_part

MOST_STATES = 20_000_000_000  # a day of two cores, and 80 GB
PACK_FROM = 64_000_000  # states: from here on a 32-bit table is packed
PACKED_BYTES = 2.0  # of a state, measured with some to spare: docs/performance.md
# States a second and core in 64 bits, measured with some to spare: docs/performance.md. In 32 bits 1.6 times.
STATES_PER_SECOND = 1_000_000
SPARE_MEMORY = 500_000_000  # the interpreter, the compiler, the index


@dataclass(frozen=True)
class Size:
    """How large a game is."""

    states: int
    largest_levels: int  # states of the two largest neighbouring levels together


def size_of(rules: Ruleset) -> Size:
    """Count the states without making a place for each. A game of several columns has their product."""
    parts = components(rules)
    upper = upper_part(rules)
    lower: Counter[tuple[int, bool]] = Counter({(0, True): 1})
    for part in parts:
        if part.upper:
            continue
        grown: Counter[tuple[int, bool]] = Counter()
        for (opens, ready), count in lower.items():
            for more, also in zip(part.opens, part.ready, strict=True):
                grown[opens + more, ready and also] += count
        lower = grown
    levels: Counter[int] = Counter()
    for (opens, ready), count in lower.items():
        rows = upper.rows[1 if ready and upper.kinds > 1 else 0]
        for more, row in zip(upper.opens, rows, strict=True):
            levels[opens + more] += count * len(row.totals)
    pairs = [levels[number] + levels[number + 1] for number in range(max(levels))]
    return Size(sum(levels.values()) ** len(rules.columns), max(pairs))


def check_solvable(rules: Ruleset) -> Size:
    """Refuse what cannot be solved exactly, with what there is instead."""
    if rules.has_layers:
        raise UsageError("solve_layers", ruleset=rules.id)
    size = size_of(rules)
    if size.states > MOST_STATES:
        from dicecup.solver.learned.network import has_shipped

        states = rounded(size.states)
        if has_shipped(rules):
            raise UsageError("solve_too_large_learned", ruleset=rules.id, states=states)
        raise UsageError("solve_too_large", ruleset=rules.id, states=states)
    if len(rules.columns) > 1:
        raise UsageError("solve_columns", ruleset=rules.id)
    return size


def rounded(count: int) -> str:
    """A huge number as people write it: 3 × 10²⁶."""
    digits, power = f"{count:.0e}".split("e+")
    return f"{digits} × 10" + str(int(power)).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def check_room(index: Index, precision: int, folder: Path) -> None:
    """Refuse to begin what memory or disk will not let end."""
    largest = size_of(index.rules).largest_levels
    memory = largest * precision // 8 + SPARE_MEMORY
    free = free_memory()
    if free is not None and free < memory:
        raise StorageError("memory_short", needed=size_text(memory), found=size_text(free))
    disk = table_bytes(index.states, precision) + largest * precision // 8
    found = folder
    while not found.exists():
        found = found.parent
    left = shutil.disk_usage(found).free
    if left < disk:
        raise StorageError("disk_short", folder=folder, needed=size_text(disk), found=size_text(left))


def table_bytes(states: int, precision: int) -> int:
    packed = precision == 32 and states >= PACK_FROM
    return int(states * (PACKED_BYTES if packed else precision / 8)) + (1 << 20)


def seconds(states: int, precision: int) -> float:
    """About how long a solve takes on this machine."""
    return states / (STATES_PER_SECOND * (1.6 if precision == 32 else 1.0) * cores())


def free_memory() -> int | None:
    """Memory that can be had without pushing others out; None where the system does not say."""
    found = [free for free in (system_memory(), group_memory(), process_memory()) if free is not None]
    return min(found, default=None)


def system_memory() -> int | None:
    try:
        return int(psutil.virtual_memory().available)
    except (OSError, psutil.Error):
        return None


def group_memory() -> int | None:
    """What the limit of a container leaves."""
    folder = Path("/sys/fs/cgroup")
    try:
        most = int((folder / "memory.max").read_text(encoding="ascii"))
        return most - int((folder / "memory.current").read_text(encoding="ascii"))
    except (OSError, ValueError):  # no such limit
        return None


def process_memory() -> int | None:
    """What `ulimit -v` leaves, on Linux."""
    process = psutil.Process()
    if not hasattr(process, "rlimit"):
        return None
    most, _ = process.rlimit(psutil.RLIMIT_AS)
    if most == psutil.RLIM_INFINITY:
        return None
    return int(most - process.memory_info().vms)


def cores() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def size_text(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{max(count, 0) / 1e6:.1f} MB"
