"""The tables that games of the quick value are played by."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

import numpy as np

from dicecup.coach.games import parts_inside
from dicecup.coach.quick_kernel import QuickTables
from dicecup.rules.model import Ruleset
from dicecup.solver.lattice import lattice
from dicecup.solver.learned.layout import layout
from dicecup.solver.learned.moves import CLOSED, Array, book


@lru_cache(maxsize=4)
def tables_of(rules: Ruleset) -> QuickTables:
    known, moves = lattice(rules.dice.count, rules.dice.faces), book(rules).moves
    part_start, part = parts_inside(known)
    pays: list[list[tuple[int, int, float]]] = [[] for _ in moves.entry_zero]
    kinds: list[list[int]] = [[] for _ in known.throws]
    count = 0
    for entries in entries_of_boxes(rules):
        slots, points = moves.entry_slot[entries, : len(kinds)], moves.entry_points[entries, : len(kinds)]
        pay = (slots != moves.entry_zero[entries, None]) | (points != 0)
        _, example, kind = np.unique(
            np.concatenate([slots, points]), axis=1, return_index=True, return_inverse=True
        )
        for place, entry in enumerate(entries):
            pays[entry] += [
                (count + number, slots[place, throw], points[place, throw])
                for number, throw in enumerate(example)
                if pay[place, throw]
            ]
        for throw in np.flatnonzero(pay.any(axis=0)):
            kinds[throw].append(count + int(kind[throw]))
        count += len(example)
    pay_kind, pay_slot, pay_points = zip(*(one for entry in pays for one in entry), strict=True)
    return QuickTables(
        add=known.add,
        take=known.take,
        take_starts=known.take_starts,
        weights=known.weights,
        part_start=part_start,
        part=part,
        pay_start=np.cumsum([0, *map(len, pays)], dtype=np.int32),
        pay_kind=np.array(pay_kind, dtype=np.int32),
        pay_slot=np.array(pay_slot, dtype=np.int32),
        pay_points=np.array(pay_points, dtype=np.float32),
        kind_start=np.cumsum([0, *map(len, kinds)], dtype=np.int32),
        kind=np.concatenate([np.array(own, dtype=np.int32) for own in kinds]),
        joker_throw=np.flatnonzero(moves.joker >= 0).astype(np.int32),
    )


def entries_of_boxes(rules: Ruleset) -> Iterator[Array]:
    """By box of a column: the entries it has, whatever else is on the sheet."""
    moves, first = book(rules).moves, layout(rules).first
    for part, number in islice(zip(moves.cell_place, moves.cell_number, strict=True), len(rules.boxes)):
        entries = np.unique(moves.entry[first[part] : first[part + 1], number])
        yield entries[entries != CLOSED]
