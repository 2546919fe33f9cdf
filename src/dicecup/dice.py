"""Multisets of dice: sorting, subsets, enumeration. Independent of any rules.

A die with one layer is its face, an int. A die with several layers (a small die inside a large one) is a
tuple with one face per layer. A player's dice are always a sorted tuple, so that equal dice compare equal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import combinations_with_replacement, product
from math import factorial
from typing import SupportsIndex, cast

from dicecup.errors import DiceError

Die = int | tuple[int, ...]
Dice = tuple[Die, ...]
Faces = tuple[int, ...]
AnyDie = SupportsIndex | str | Iterable[SupportsIndex]  # as programs have it: 6, "6-5", NumPy integers

MOST_DIGITS = 3  # limit on the length of a face, so that invalid input does not become huge numbers


def sort_key(die: Die) -> tuple[int, ...]:
    return (die,) if isinstance(die, int) else die


@lru_cache(maxsize=20_000)  # equal dice are one object: a server remembers those of thousands of games
def sort_dice(dice: Dice) -> Dice:
    """Return the dice in canonical order: lowest first."""
    if all(type(die) is int for die in dice):
        return shared(tuple(sorted(dice)))
    return tuple(sorted(dice, key=sort_key))


@lru_cache(maxsize=4096)
def shared(dice: Dice) -> Dice:
    """Return the same object for equal dice: games that are kept in memory hold each roll several times."""
    return dice


def layer_faces(dice: Dice, layer: int) -> Faces:
    """Return the faces of one layer of the dice, sorted."""
    if dice and isinstance(dice[0], int):  # so are all
        return tuple(sorted(cast(Faces, dice)))
    return tuple(sorted(die if isinstance(die, int) else die[layer] for die in dice))


def contains(dice: Dice, part: Dice) -> bool:
    """Return whether `part` is a sub-multiset of `dice`."""
    return not (Counter(part) - Counter(dice))


@lru_cache(maxsize=5_000)  # every throw of five dice; of six double dice 8 kB each
def parts(dice: Dice) -> tuple[Dice, ...]:
    """Return every distinct sub-multiset of `dice`, from the empty one to all of them."""
    found: list[Dice] = [()]
    counts = Counter(dice)
    for die in sorted(counts, key=sort_key):
        found = [part + (die,) * copies for part in found for copies in range(counts[die] + 1)]
    return tuple(sorted(found, key=lambda part: (len(part), [sort_key(die) for die in part])))


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
