"""Multisets of faces as numbers, and the index tables of keeps and throws of double dice."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb
from typing import Any

from dicecup.dice import Faces

Array = Any  # of numpy or of CuPy
BLOCK = 1 << 16  # columns processed together, so that intermediate results stay in the cache


def multiset_count(faces: int, size: int) -> int:
    return comb(faces + size - 1, size)


def multiset_rank(faces: Iterable[int]) -> int:
    """Return the rank of sorted faces, numbered from 0: multisets are ordered by their highest face first."""
    return sum(rank_part(face, place) for place, face in enumerate(faces))


def rank_part(face: int, place: int) -> int:
    """Return what a face adds to the rank at its place, the lowest face at place 0."""
    return comb(face + place, place + 1)


def multisets_by_rank(faces: int, size: int) -> list[Faces]:
    """Return the multisets of one layer's dice in the order of their rank."""
    found = combinations_with_replacement(range(1, faces + 1), size)
    return sorted(found, key=lambda dice: dice[::-1])


def rank_weights(faces: int, size: int, xp: Any) -> Array:
    """Return weights[j, c]: what face c adds to the rank as the j-th lowest face."""
    rows = [[rank_part(face, place) for face in range(faces)] for place in range(size)]
    return xp.asarray(rows, dtype=xp.int32).reshape(size, faces)


def all_multisets(faces: int, size: int, xp: Any) -> Array:
    """Return every multiset in the order of its rank: a row per place, a column per multiset."""
    small = xp.uint8 if faces <= 256 else xp.int16  # six double dice have 27 million members
    members = xp.zeros((0, 1), dtype=small)
    for smaller in range(size):
        # Those with highest face c: every smaller multiset of faces up to c, which come first, and c.
        parts = []
        for face in range(faces):
            part = members[:, : multiset_count(face + 1, smaller)]
            highest = xp.full((1, part.shape[1]), face, dtype=small)
            parts.append(xp.concatenate([part, highest]))
        members = xp.concatenate(parts, axis=1)
    return members


def sort_members(members: Array, xp: Any) -> Array:
    """Return each column sorted, by a network of whole-row exchanges: for few places faster than a sort."""
    rows = list(members)
    for end in range(len(rows) - 1, 0, -1):
        for place in range(end):
            low, high = rows[place], rows[place + 1]
            rows[place], rows[place + 1] = xp.minimum(low, high), xp.maximum(low, high)
    return xp.stack(rows) if rows else members


def ranks(members: Array, faces: int, xp: Any) -> Array:
    """Return the rank of each column."""
    weights = rank_weights(faces, len(members), xp)
    total = xp.zeros(members.shape[1], dtype=xp.int32)
    for place, row in enumerate(members):
        total += weights[place][row]
    return total


def ranks_without_each(members: Array, faces: int, xp: Any) -> list[Array]:
    """Return for each place the rank of the multiset without the face there."""
    size = len(members)
    weights = rank_weights(faces, size, xp)
    stay = [weights[place][row] for place, row in enumerate(members)]
    move = [weights[place - 1][members[place]] for place in range(1, size)]  # one place down
    below = [xp.zeros(members.shape[1], dtype=xp.int32)]  # of all places before this one
    for part in stay[:-1]:
        below.append(below[-1] + part)
    found = below[:size]
    for gone in range(size - 1):
        for part in move[gone:]:
            found[gone] += part
    return found


def ranks_with_each(members: Array, faces: int, xp: Any) -> list[Array]:
    """Return for each face the rank of the multiset with that face added."""
    size = len(members)
    weights = rank_weights(faces, size + 1, xp)
    stay = [weights[place][row] for place, row in enumerate(members)]
    move = [weights[place + 1][row] for place, row in enumerate(members)]  # one place up
    found = []
    for face in range(faces):
        total = xp.zeros(members.shape[1], dtype=xp.int32)
        below = xp.zeros(members.shape[1], dtype=xp.uint8)
        for place, row in enumerate(members):
            lower = row <= face
            below += lower.astype(xp.uint8)
            total += xp.where(lower, stay[place], move[place])
        total += weights[:, face][below]
        found.append(total)
    return found


def orderings(members: Array, xp: Any) -> Array:
    """Return the number of orders of each multiset: k! over the factorials of the repeats."""
    size = len(members)
    count = xp.ones(members.shape[1], dtype=xp.int32)
    run = xp.ones(members.shape[1], dtype=xp.int32)
    for place in range(1, size):
        run = xp.where(members[place] == members[place - 1], run + 1, 1).astype(xp.int32)
        count = (count * (place + 1)) // run
    return count


@dataclass(frozen=True)
class KeepRows:
    """The multisets of one size, one row each (mirror images merged)."""

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
class DoubleLattice:
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
        """The number of ordered throws."""
        return int(self.double_faces**self.dice)

    def layer_multisets(self, size: int) -> int:
        return multiset_count(self.faces, size)

    def pairs(self, size: int) -> int:
        """Return the number of different pairs of inner and outer multisets."""
        count = self.layer_multisets(size)
        return count * (count + 1) // 2 if self.mirrored else count * count


def build_lattice(dice: int, faces: int, mirrored: bool, xp: Any) -> DoubleLattice:
    double_faces = faces * faces
    members = [all_multisets(double_faces, size, xp) for size in range(dice + 1)]
    row_of_rank, images = [], []  # how many throws a row stands for: itself, and its mirror image
    for size in range(dice + 1):
        own = xp.arange(members[size].shape[1], dtype=xp.int32)
        if not mirrored:
            row_of_rank.append(own)
            images.append(xp.int32(1))
            continue
        mirror = xp.empty_like(own)
        for begin in range(0, len(own), BLOCK):
            some = members[size][:, begin : begin + BLOCK]
            mirror[begin : begin + BLOCK] = ranks(mirror_members(some, faces, xp), double_faces, xp)
        chosen = own <= mirror
        row = xp.cumsum(chosen, dtype=xp.int32) - 1
        row_of_rank.append(xp.where(chosen, row, row[mirror]))
        members[size] = members[size][:, chosen]
        images.append((own != mirror)[chosen] + xp.int32(1))
    keeps = []
    for size in range(dice + 1):
        kept, members[size] = members[size], None  # the largest takes 14 MB: free it
        keeps.append(keep_rows(kept, images[size], dice, faces, mirrored, row_of_rank, xp))
    grow = tuple(
        xp.stack(ranks_with_each(all_multisets(faces, size, xp), faces, xp), axis=1) for size in range(dice)
    )
    return DoubleLattice(dice, faces, mirrored, tuple(keeps), grow)


def mirror_members(members: Array, faces: int, xp: Any) -> Array:
    """Return the same dice with inner and outer exchanged."""
    return sort_members((members % faces) * faces + members // faces, xp)


def keep_rows(
    members: Array, images: Array, dice: int, faces: int, mirrored: bool, row_of_rank: list[Array], xp: Any
) -> KeepRows:
    double_faces = faces * faces
    size, rows = members.shape
    less = xp.empty((rows, size), dtype=xp.int32)
    more = xp.empty((rows, double_faces if size < dice else 0), dtype=xp.int32)
    pair, weight = xp.empty(rows, dtype=xp.int32), xp.empty(rows, dtype=xp.int32)
    for begin in range(0, rows, BLOCK):
        here = slice(begin, begin + BLOCK)
        some = members[:, here]
        for place, rank in enumerate(ranks_without_each(some, double_faces, xp)):
            less[here, place] = row_of_rank[size - 1][rank]
        if size < dice:
            for face, rank in enumerate(ranks_with_each(some, double_faces, xp)):
                more[here, face] = row_of_rank[size + 1][rank]
        pair[here], weight[here] = pair_of(some, faces, mirrored, xp), orderings(some, xp)
    return KeepRows(size, row_of_rank[size], less, pair, more, weight * images)


def pair_of(members: Array, faces: int, mirrored: bool, xp: Any) -> Array:
    """Return the number of the pair of inner and outer multiset."""
    inner = ranks(members // faces, faces, xp)  # sorted dice have sorted inner faces
    outer = ranks(sort_members(members % faces, xp), faces, xp)
    if not mirrored:
        return inner * multiset_count(faces, len(members)) + outer
    low, high = xp.minimum(inner, outer), xp.maximum(inner, outer)
    return high * (high + 1) // 2 + low
