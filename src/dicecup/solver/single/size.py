"""How large a game is, found before a solve begins: states, memory, disk, time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import comb
from pathlib import Path

from dicecup.errors import UsageError
from dicecup.rules.model import Ruleset
from dicecup.solver.components import Component, components, offered_points
from dicecup.solver.files.tables import has_weights
from dicecup.solver.limits import check_disk, check_memory, cores
from dicecup.solver.single.upper_classes import UpperPart, upper_part

MOST_STATES = 20_000_000_000  # a day of two cores, and 80 GB
PACK_FROM = 64_000_000  # states: from here on a 32-bit table is packed
PACKED_BYTES = 2.0  # of a state, measured with some to spare: docs/performance.md
# Steps a second and core in 64 bits, measured with some to spare: docs/performance.md. In 32 bits 1.6 times.
# A state of Yatzy takes 8,820 steps: a million states a second.
STEPS_PER_SECOND = 8_820_000_000
ENTRY_BYTES = 70  # of one way to fill a box with one throw while tables are built; measured
MOVE_BYTES = 8  # of one move of the upper part, which is there twice while tables are built
SPARE_MEMORY = 500_000_000  # the interpreter, the compiler, the index


@dataclass(frozen=True)
class GameSize:
    """How large a game is."""

    states: int
    largest_levels: int  # states of the two largest neighbouring levels together
    steps: int  # of the walks over the dice and of scoring all throws, for one state
    table_bytes: int  # memory for the tables that the kernels read, while they are built


def size_of(rules: Ruleset) -> GameSize:
    """Count the states without numbering them. A game of several columns has the product of its columns."""
    parts, upper = components(rules), upper_part(rules)
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
    return GameSize(
        states=sum(levels.values()) ** len(rules.columns),
        largest_levels=max(pairs),
        steps=turn_steps(rules),
        table_bytes=ENTRY_BYTES * count_entries(rules, parts) + MOVE_BYTES * count_moves(upper),
    )


def turn_steps(rules: Ruleset) -> int:
    """Return the steps of one turn: two walks over the keeps for each roll but the last, and all scores."""
    dice = rules.dice
    keeps = comb(dice.count - 1 + dice.faces, dice.faces)  # multisets of fewer dice than all
    throws = comb(dice.count + dice.faces - 1, dice.count)
    return 2 * (rules.throws - 1) * keeps * dice.faces + throws * len(rules.boxes)


def count_entries(rules: Ruleset, parts: tuple[Component, ...]) -> int:
    """Return how many ways there are to fill a box, over all throws and all sheets of each group of boxes."""
    found = 0
    for part in parts:
        throws = Counter(offered_points(rules, part.boxes).throws)
        found += sum(
            count * len(state.offers[column]) for state in part.states for column, count in throws.items()
        )
    return found


def count_moves(upper: UpperPart) -> int:
    """Return the size of all tables of moves of the upper part."""
    targets = sum(
        len({(option.target, option.gain) for options in state.offers.values() for option in options})
        for part in upper.components
        for state in part.states
    )
    return targets * sum(len(row.totals) for rows in upper.rows for row in rows)


def check_solvable(rules: Ruleset) -> GameSize:
    """Return the size of the game; if it cannot be solved exactly, an error says what there is instead."""
    if rules.has_layers:
        raise UsageError("solve_layers", ruleset=rules.id)
    size = size_of(rules)
    if size.states > MOST_STATES:
        code = "solve_too_large_learned" if has_weights(rules) else "solve_too_large"
        raise UsageError(code, ruleset=rules.id, states=rounded(size.states))
    if len(rules.columns) > 1:
        raise UsageError("solve_columns", ruleset=rules.id)
    return size


def rounded(count: int) -> str:
    """Return a huge number as people write it: 3 × 10²⁶."""
    digits, power = f"{count:.0e}".split("e+")
    return f"{digits} × 10" + str(int(power)).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def check_room(rules: Ruleset, precision: int, folder: Path) -> None:
    """Raise an error if memory or disk are too small for the solve."""
    size = size_of(rules)
    levels = size.largest_levels * precision // 8
    check_memory(levels + size.table_bytes + SPARE_MEMORY)
    check_disk(folder, table_bytes(size.states, precision) + levels)


def table_bytes(states: int, precision: int) -> int:
    packed = precision == 32 and states >= PACK_FROM
    return int(states * (PACKED_BYTES if packed else precision / 8)) + (1 << 20)


def solve_seconds(size: GameSize, precision: int) -> float:
    """Estimate how long a solve takes on this machine."""
    return size.states * size.steps / (STEPS_PER_SECOND * (1.6 if precision == 32 else 1.0) * cores())
