"""Multisets of faces as numbers: their order, their rank, their neighbours.

Faces are 0, 1, …; a multiset of size k is k sorted faces and its rank is its place in colexicographic order,
which is a sum of k table entries: C(c₁, 1) + C(c₂ + 1, 2) + … + C(cₖ + k - 1, k). Everything here works on
whole arrays, with numpy or with CuPy, handed in as `xp`: the tables of six double dice take a second on a
processor and some milliseconds on a card.
"""

from __future__ import annotations

from math import comb
from typing import Any

Array = Any  # of numpy or of CuPy


def multiset_count(faces: int, size: int) -> int:
    return comb(faces + size - 1, size)


def rank_weights(faces: int, size: int, xp: Any) -> Array:
    """weights[j, c]: what face c adds to the rank when it stands in place j (the lowest is place 0)."""
    rows = [[comb(face + place, place + 1) for face in range(faces)] for place in range(size)]
    return xp.asarray(rows, dtype=xp.int32).reshape(size, faces)


def all_multisets(faces: int, size: int, xp: Any) -> Array:
    """Every multiset in the order of its rank: one row a place, one column a multiset."""
    small = xp.uint8 if faces <= 256 else xp.int16  # six double dice have 27 million members
    members = xp.zeros((0, 1), dtype=small)
    for smaller in range(size):
        # Those with highest face c: every smaller multiset of faces up to c, and c. They are a first part.
        parts = []
        for face in range(faces):
            part = members[:, : multiset_count(face + 1, smaller)]
            highest = xp.full((1, part.shape[1]), face, dtype=small)
            parts.append(xp.concatenate([part, highest]))
        members = xp.concatenate(parts, axis=1)
    return members


def sort_members(members: Array, xp: Any) -> Array:
    """Each column sorted, by exchanges of whole rows: for few places much faster than a sort."""
    rows = list(members)
    for end in range(len(rows) - 1, 0, -1):
        for place in range(end):
            low, high = rows[place], rows[place + 1]
            rows[place], rows[place + 1] = xp.minimum(low, high), xp.maximum(low, high)
    return xp.stack(rows) if rows else members


def ranks(members: Array, faces: int, xp: Any) -> Array:
    """The rank of each column."""
    weights = rank_weights(faces, len(members), xp)
    total = xp.zeros(members.shape[1], dtype=xp.int32)
    for place, row in enumerate(members):
        total += weights[place][row]
    return total


def ranks_without_each(members: Array, faces: int, xp: Any) -> list[Array]:
    """For each place, the rank of the multiset that is left when the face there is taken away."""
    size = len(members)
    weights = rank_weights(faces, size, xp)
    stay = [weights[place][row] for place, row in enumerate(members)]
    move = [weights[place - 1][members[place]] for place in range(1, size)]  # one place down
    found = []
    for gone in range(size):
        total = xp.zeros(members.shape[1], dtype=xp.int32)
        for part in stay[:gone] + move[gone:]:
            total += part
        found.append(total)
    return found


def ranks_with_each(members: Array, faces: int, xp: Any) -> list[Array]:
    """For each face, the rank of the multiset with that face added."""
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
    """In how many orders the dice of each multiset can fall: k! over the factorials of the repeats."""
    size = len(members)
    count = xp.ones(members.shape[1], dtype=xp.int32)
    run = xp.ones(members.shape[1], dtype=xp.int32)
    for place in range(1, size):
        run = xp.where(members[place] == members[place - 1], run + 1, 1).astype(xp.int32)
        count = (count * (place + 1)) // run
    return count
