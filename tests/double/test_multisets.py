"""The index tables, each entry compared with a dictionary of sorted tuples."""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import factorial

import numpy as np
import pytest

from dicecup.solver.double.multisets import DoubleLattice, all_multisets, build_lattice, multiset_count, ranks


def dice_of_rank(lattice: DoubleLattice, size: int) -> list[tuple[int, ...]]:
    return [tuple(column) for column in all_multisets(lattice.double_faces, size, np).T.tolist()]


def mirror(dice: tuple[int, ...], faces: int) -> tuple[int, ...]:
    return tuple(sorted(die % faces * faces + die // faces for die in dice))


@pytest.fixture(scope="module", params=[(3, 2, True), (3, 2, False), (2, 3, True), (3, 3, True)])
def lattice(request) -> DoubleLattice:
    dice, faces, mirrored = request.param
    return build_lattice(dice, faces, mirrored, np)


def rows(lattice: DoubleLattice, size: int) -> dict[tuple[int, ...], int]:
    return dict(zip(dice_of_rank(lattice, size), lattice.keeps[size].row_of_rank.tolist(), strict=True))


@pytest.mark.parametrize(("faces", "size"), [(2, 0), (4, 3), (6, 6), (36, 3)])
def test_multisets_are_sorted_by_rank(faces, size):
    members = all_multisets(faces, size, np)
    found = sorted(tuple(column) for column in members.T.tolist())
    assert found == list(combinations_with_replacement(range(faces), size))
    assert ranks(members, faces, np).tolist() == list(range(multiset_count(faces, size)))


def test_mirror_images_share_a_row(lattice):
    for size in range(lattice.dice + 1):
        row = rows(lattice, size)
        assert sorted(set(row.values())) == list(range(lattice.keeps[size].rows))
        for dice, number in row.items():
            alike = {other for other in row if row[other] == number}
            assert alike == ({dice, mirror(dice, lattice.faces)} if lattice.mirrored else {dice})


def test_adding_and_taking_away_a_die(lattice):
    for size in range(1, lattice.dice + 1):
        upper, lower = rows(lattice, size), rows(lattice, size - 1)
        for dice, row in upper.items():
            less = lattice.keeps[size].less[row].tolist()
            assert set(less) == {lower[dice[:place] + dice[place + 1 :]] for place in range(size)}
        for dice, row in lower.items():
            more = lattice.keeps[size - 1].more[row].tolist()
            wanted = [upper[tuple(sorted((*dice, face)))] for face in range(lattice.double_faces)]
            assert sorted(more) == sorted(wanted)  # the row may be that of the mirror image


def test_weights_count_the_ordered_throws(lattice):
    whole = lattice.keeps[-1]
    counted = [0] * whole.rows
    for dice, row in rows(lattice, lattice.dice).items():
        orders = factorial(lattice.dice)
        for face in set(dice):
            orders //= factorial(dice.count(face))
        counted[row] += orders
    assert counted == whole.weight.tolist()
    assert sum(counted) == lattice.orders


def test_pairs_tell_inner_and_outer_apart(lattice):
    for size in range(lattice.dice + 1):
        known: dict[object, int] = {}
        for dice, row in rows(lattice, size).items():
            inner = tuple(sorted(die // lattice.faces for die in dice))
            outer = tuple(sorted(die % lattice.faces for die in dice))
            pair = frozenset((inner, outer)) if lattice.mirrored else (inner, outer)
            number = int(lattice.keeps[size].pair[row])
            assert known.setdefault(pair, number) == number
        assert sorted(known.values()) == list(range(lattice.pairs(size)))


def test_the_whole_game_has_the_size_that_was_counted():
    sizes = [multiset_count(36, size) for size in range(7)]
    assert sizes == [1, 36, 666, 8436, 82251, 658008, 4496388]
