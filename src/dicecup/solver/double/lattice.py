"""How the keeps and throws of double dice hang together: the index tables every backend walks along.

A double die of F faces a layer shows one of F² faces, `inner * F + outer`. Keeps of 0, 1, … dice form a
lattice: adding a die leads to the expectation of a keep, taking one away to the best keep within a throw.
Where inner and outer can be exchanged without changing any value, a multiset and its mirror image share one
row, the row of the one with the lower rank: 2.25 of 4.5 million throws are left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dicecup.solver.double.multisets import (
    Array,
    all_multisets,
    multiset_count,
    orderings,
    ranks,
    ranks_with_each,
    ranks_without_each,
    sort_members,
)


@dataclass(frozen=True)
class KeepRows:
    """The multisets of one size, one row each (mirror images joined)."""

    size: int
    row_of_rank: Array  # for every multiset of this size, its row
    less: Array  # [row, place]: the row, one size lower, without the die in that place
    pair: Array  # [row]: which pair of inner and outer multiset the dice are
    more: Array  # [row, face]: the row, one size higher, with that die added; empty for whole throws
    weight: Array  # [row]: in how many orders the dice fall, mirror image included

    @property
    def rows(self) -> int:
        return int(self.pair.shape[0])


@dataclass(frozen=True)
class Lattice:
    """The keeps of every size, whole throws last, and the pairs of inner and outer multisets."""

    dice: int
    faces: int  # of one layer
    mirrored: bool
    keeps: tuple[KeepRows, ...]
    grow: tuple[Array, ...]  # grow[k][r, face]: rank, among size k + 1, of one layer's multiset r with a face

    @property
    def double_faces(self) -> int:
        return self.faces * self.faces

    @property
    def orders(self) -> int:
        """How many ordered throws there are."""
        return int(self.double_faces**self.dice)

    def layer_multisets(self, size: int) -> int:
        return multiset_count(self.faces, size)

    def pairs(self, size: int) -> int:
        """How many pairs of inner and outer multisets are told apart."""
        count = self.layer_multisets(size)
        return count * (count + 1) // 2 if self.mirrored else count * count


def build_lattice(dice: int, faces: int, mirrored: bool, xp: Any) -> Lattice:
    double_faces = faces * faces
    members = [all_multisets(double_faces, size, xp) for size in range(dice + 1)]
    row_of_rank, first = [], []
    for size in range(dice + 1):
        mirror = ranks(mirror_members(members[size], faces, xp), double_faces, xp)
        own = xp.arange(mirror.shape[0], dtype=xp.int32)
        chosen = own <= mirror if mirrored else xp.ones(mirror.shape[0], dtype=bool)
        row = xp.cumsum(chosen).astype(xp.int32) - 1
        row_of_rank.append(xp.where(chosen, row, row[mirror]) if mirrored else row)
        first.append(chosen)
    keeps = []
    for size in range(dice + 1):
        kept, members[size] = members[size][:, first[size]], None  # the largest takes 27 MB: let it go
        keeps.append(keep_rows(kept, size, dice, faces, mirrored, row_of_rank, xp))
    grow = tuple(
        xp.stack(ranks_with_each(all_multisets(faces, size, xp), faces, xp), axis=1) for size in range(dice)
    )
    return Lattice(dice, faces, mirrored, tuple(keeps), grow)


def mirror_members(members: Array, faces: int, xp: Any) -> Array:
    """The same dice with inner and outer exchanged."""
    return sort_members((members % faces) * faces + members // faces, xp)


def keep_rows(
    members: Array, size: int, dice: int, faces: int, mirrored: bool, row_of_rank: list[Array], xp: Any
) -> KeepRows:
    double_faces = faces * faces
    rows = members.shape[1]
    less = xp.zeros((rows, size), dtype=xp.int32)
    for place, rank in enumerate(ranks_without_each(members, double_faces, xp)):
        less[:, place] = row_of_rank[size - 1][rank]
    more = xp.zeros((rows, double_faces if size < dice else 0), dtype=xp.int32)
    if size < dice:
        for face, rank in enumerate(ranks_with_each(members, double_faces, xp)):
            more[:, face] = row_of_rank[size + 1][rank]
    weight = orderings(members, xp)
    if mirrored:
        same = ranks(mirror_members(members, faces, xp), double_faces, xp) == ranks(members, double_faces, xp)
        weight = xp.where(same, weight, 2 * weight).astype(xp.int32)
    return KeepRows(size, row_of_rank[size], less, pair_of(members, faces, mirrored, xp), more, weight)


def pair_of(members: Array, faces: int, mirrored: bool, xp: Any) -> Array:
    """Which pair of inner and outer multiset the dice show."""
    inner = ranks(members // faces, faces, xp)  # sorted dice have sorted inner faces
    outer = ranks(sort_members(members % faces, xp), faces, xp)
    if not mirrored:
        return inner * multiset_count(faces, len(members)) + outer
    low, high = xp.minimum(inner, outer), xp.maximum(inner, outer)
    return high * (high + 1) // 2 + low
