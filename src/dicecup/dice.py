"""Multisets of dice: sorting, subsets, enumeration, and their lattice. Independent of any rules.

A die with one layer is its face, an int. A die with several layers (a small die inside a large one) is a
tuple with one face per layer. A player's dice are always a sorted tuple, so that equal dice compare equal.

Kept dice and rolled dice are multisets of up to `count` dice, numbered by size; a *row* is such a number.
Rolling n dice is rolling one die n times, so the expectation of a keep is the mean over the faces of the
keeps with one die more; and the parts of some dice are the parts of these dice with one die taken away. Both
walks visit each pair of neighbours once: 1,260 steps for five dice, instead of 4,116 pairs of keep and roll.

The lattice itself is plain Python. The arrays that kernels read are made when they are first used; only they
need NumPy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import accumulate, chain, combinations_with_replacement, product
from math import factorial, prod
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Protocol, SupportsIndex, cast

from dicecup.errors import DiceError

if TYPE_CHECKING:
    import numpy as np

    Indexes = np.ndarray[tuple[int, ...], np.dtype[np.int32]]
    Floats64 = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


Die = int | tuple[int, ...]
"""A die: the face it shows, or with several layers a tuple of one face a layer, such as `(6, 5)`."""
Dice = tuple[Die, ...]
"""Dice, the lowest first: `(3, 3, 5, 6, 6)`."""
Faces = tuple[int, ...]
AnyDie = SupportsIndex | str | Iterable[SupportsIndex]
"""A die as programs may hand it in: `6`, `"6"`, `"6-5"`, `(6, 5)`, also with NumPy integers."""

MOST_DIGITS = 3  # limit on the length of a face, so that invalid input does not become huge numbers


def die_faces(die: Die) -> tuple[int, ...]:
    """Return the face of each layer of a die, by which dice are sorted."""
    return (die,) if isinstance(die, int) else die


@lru_cache(maxsize=20_000)  # equal dice are one object: a server remembers those of thousands of games
def sort_dice(dice: Dice) -> Dice:
    """Return the dice in canonical order: lowest first."""
    if all(type(die) is int for die in dice):
        return shared(tuple(sorted(dice)))
    return tuple(sorted(dice, key=die_faces))


@lru_cache(maxsize=4096)
def shared(dice: Dice) -> Dice:
    """Return the same object for equal dice: games that are kept in memory hold each roll several times."""
    return dice


def layer_faces(dice: Dice, layer: int) -> Faces:
    """Return the faces of one layer of the dice, sorted."""
    if dice and isinstance(dice[0], int):  # then every die is one
        return tuple(sorted(cast("Faces", dice)))
    return tuple(sorted(die[layer] if isinstance(die, tuple) else die for die in dice))


def contains(dice: Dice, part: Dice) -> bool:
    """Return whether `part` is a sub-multiset of `dice`."""
    left = list(dice)
    for die in part:
        if die not in left:
            return False
        left.remove(die)
    return True


@lru_cache(maxsize=5_000)  # every throw of five dice; of six double dice 8 kB each
def parts(dice: Dice) -> tuple[Dice, ...]:
    """Return every distinct sub-multiset of `dice`, from the empty one to all of them."""
    found: list[Dice] = [()]
    counts = Counter(dice)
    for die in sorted(counts, key=die_faces):
        found = [part + (die,) * copies for part in found for copies in range(counts[die] + 1)]
    return tuple(sorted(found, key=lambda part: (len(part), [die_faces(die) for die in part])))


def all_dice(faces: int, layers: int) -> tuple[Die, ...]:
    """Return every face of one die."""
    if layers == 1:
        return tuple(range(1, faces + 1))
    return tuple(product(range(1, faces + 1), repeat=layers))


def throws(count: int, faces: int, layers: int = 1) -> Iterator[tuple[Dice, int]]:
    """Yield every distinct throw of `count` dice, with the number of ordered throws it stands for.

    The weights add up to `(faces ** layers) ** count`.
    """
    for dice in combinations_with_replacement(all_dice(faces, layers), count):
        weight = factorial(count)
        for copies in Counter(dice).values():
            weight //= factorial(copies)
        yield dice, weight


def format_die(die: Die) -> str:
    return str(die) if isinstance(die, int) else "-".join(map(str, die))


def format_dice(dice: Dice) -> str:
    return " ".join(map(format_die, dice))


def parse_die(text: str, faces: int, layers: int) -> Die:
    """Parse one die: `6`, or `6-5` for a die with two layers."""
    pieces = text.split("-")
    if len(pieces) != layers or not all(piece.isascii() and piece.isdigit() for piece in pieces):
        raise DiceError("die_unreadable", text=text, example="-".join("65432"[:layers]))
    values = []
    for piece in pieces:
        if len(piece) > MOST_DIGITS or not 1 <= int(piece) <= faces:
            raise DiceError("face_out_of_range", text=text, faces=faces)
        values.append(int(piece))
    return values[0] if layers == 1 else tuple(values)


def parse_dice(texts: list[str] | tuple[str, ...], faces: int, layers: int) -> Dice:
    """Parse dice; plain dice may be written without spaces, `33366`, if no face has two digits."""
    if layers == 1 and faces < 10:
        texts = [die for text in texts for die in (text if text.isascii() and text.isdigit() else [text])]
    return sort_dice(tuple(parse_die(text, faces, layers) for text in texts))


RowNumbers = tuple[int, ...]


class LatticeArrays(Protocol):
    """The arrays of a lattice that the kernels of a turn read; see `Lattice`."""

    @property
    def add(self) -> Any: ...
    @property
    def take(self) -> Any: ...
    @property
    def take_starts(self) -> Any: ...
    @property
    def weights(self) -> Any: ...


class Lattice:
    """All multisets of up to `count` dice and their neighbours."""

    def __init__(self, count: int, faces: int) -> None:
        values = range(1, faces + 1)
        sizes = [tuple(combinations_with_replacement(values, size)) for size in range(count + 1)]
        self.count = count
        self.faces = faces
        self.multisets: tuple[Faces, ...] = tuple(chain.from_iterable(sizes))  # by size; the full ones last
        self.throws: tuple[Faces, ...] = sizes[-1]  # the full multisets
        self.keeps = len(self.multisets) - len(self.throws)  # rows that leave at least one die to roll
        self.size_starts: RowNumbers = tuple(accumulate(map(len, sizes), initial=0))  # and the end
        self.number: dict[Faces, int] = {dice: row for row, dice in enumerate(self.multisets)}

    @property
    def rows(self) -> int:
        return len(self.multisets)

    @cached_property
    def more(self) -> tuple[RowNumbers, ...]:
        """[keep, face]: the row with one die more."""
        values = range(1, self.faces + 1)
        return tuple(
            tuple(self.number[tuple(sorted((*dice, face)))] for face in values)
            for dice in self.multisets[: self.keeps]
        )

    @cached_property
    def fewer(self) -> tuple[RowNumbers, ...]:
        """By row: the different rows with one die less."""
        return tuple(
            tuple(self.number[without(dice, face)] for face in sorted(set(dice))) for dice in self.multisets
        )

    @cached_property
    def keeps_inside(self) -> tuple[RowNumbers, ...]:
        """By throw: the rows of everything that can be kept of it, in ascending order; all dice aside."""
        inside: list[set[int]] = []
        for row, fewer in enumerate(self.fewer):
            inside.append({row}.union(*(inside[less] for less in fewer)))
        return tuple(tuple(sorted(rows - {row})) for row, rows in enumerate(inside) if row >= self.keeps)

    @cached_property
    def chances(self) -> tuple[float, ...]:
        """By row: the chance to roll exactly these dice with as many dice."""
        return tuple(chance(dice, self.faces) for dice in self.multisets)

    # Walks from row to row, in plain Python

    @cached_property
    def pick_more(self) -> list[Callable[[list[float]], tuple[float, ...]]]:
        """By keep: a getter of the numbers of `more`, which is faster than a loop."""
        return [itemgetter(*more) for more in self.more]

    @cached_property
    def pick_fewer(self) -> list[Callable[[list[float]], tuple[float, ...]]]:
        """By row: a getter of its own number and those of `fewer`."""
        return [itemgetter(row, row, *fewer) for row, fewer in enumerate(self.fewer)]

    def mean_rolls(self, full: list[float]) -> list[float]:
        """Return the value of every row when its missing dice are rolled, from the values of the throws."""
        values = [0.0] * self.keeps + full
        for keep, pick in zip(range(self.keeps - 1, -1, -1), reversed(self.pick_more), strict=True):
            values[keep] = sum(pick(values)) / self.faces
        return values

    def best_within(self, kept: list[float], full: list[float]) -> list[float]:
        """Return the value of every throw when any part or all of it may be kept."""
        best = kept[: self.keeps] + full
        for row, pick in enumerate(self.pick_fewer):
            best[row] = max(pick(best))
        return best[self.keeps :]

    def best_parts(self, values: list[float]) -> list[int]:
        """Return for every row its most valuable part; the row itself if no part is worth more."""
        best: list[int] = []
        for row, fewer in enumerate(self.fewer):
            found = row
            for part in fewer:
                if values[best[part]] > values[found]:
                    found = best[part]
            best.append(found)
        return best

    def roll_all(self, chances: list[float]) -> None:
        """Roll what each keep leaves, die by die: the chances of keeps become those of throws."""
        for row, more in enumerate(self.more):
            if chances[row]:
                share = chances[row] / self.faces
                chances[row] = 0.0
                for grown in more:
                    chances[grown] += share

    # The same as arrays, for kernels

    @cached_property
    def starts(self) -> Indexes:
        """Where each size begins, and the end."""
        return as_indexes(self.size_starts)

    @cached_property
    def add(self) -> Indexes:
        """[keep, face]: the row with one die more."""
        return as_indexes(self.more).reshape(self.keeps, self.faces)

    @cached_property
    def take(self) -> Indexes:
        """The rows with one die less, those of one row after those of the other."""
        return as_indexes(tuple(chain.from_iterable(self.fewer)))

    @cached_property
    def take_starts(self) -> Indexes:
        """Where the rows of `take` begin for each row, and the end."""
        return starts_of(self.fewer)

    @cached_property
    def inside(self) -> Indexes:
        """`keeps_inside`, those of one throw after those of the other."""
        return as_indexes(tuple(chain.from_iterable(self.keeps_inside)))

    @cached_property
    def inside_starts(self) -> Indexes:
        """Where the rows of `inside` begin for each throw, and the end."""
        return starts_of(self.keeps_inside)

    @cached_property
    def weights(self) -> Floats64:
        """The chance of each throw."""
        import numpy as np

        return np.array(self.chances[self.keeps :])

    @cached_property
    def throw_chances(self) -> Floats64:
        """[keep, throw]: the chance of the throw when the other dice are rolled."""
        import numpy as np

        found = np.zeros((self.keeps, len(self.throws)))
        for row, kept in enumerate(self.multisets[: self.keeps]):
            missing = self.count - len(kept)
            for rolled in range(self.size_starts[missing], self.size_starts[missing + 1]):
                dice = tuple(sorted(kept + self.multisets[rolled]))
                found[row, self.number[dice] - self.keeps] = self.chances[rolled]
        return found


@lru_cache(maxsize=8)
def lattice(count: int, faces: int) -> Lattice:
    """Return the lattice of so many dice."""
    return Lattice(count, faces)


def as_indexes(numbers: object) -> Indexes:
    import numpy as np

    return np.array(numbers, dtype=np.int32)


def starts_of(rows: tuple[RowNumbers, ...]) -> Indexes:
    return as_indexes(tuple(accumulate(map(len, rows), initial=0)))


def without(dice: Faces, face: int) -> Faces:
    index = dice.index(face)
    return dice[:index] + dice[index + 1 :]


def chance(dice: Faces, faces: int) -> float:
    """Return the chance to roll exactly these dice."""
    copies = Counter(dice).values()
    return float(factorial(len(dice)) / prod(map(factorial, copies)) / faces ** len(dice))
