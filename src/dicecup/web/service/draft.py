"""What the player whose turn it is has begun but not done, and where the dice lie. Never stored.

The record knows which dice were kept, but not where they lay on the screen: every die keeps its slot through
a turn. A match that is read from the store again only loses which of several equal dice was meant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from typing import Literal

from dicecup.dice import Dice, Die
from dicecup.engine.record import Record
from dicecup.engine.state import Announce, Keep, Placement, Throw, Write

NO_SLOTS: frozenset[int] = frozenset()
SlotState = Literal["thrown", "kept", "leaving", "resting"]


@dataclass(frozen=True, slots=True)
class Slot:
    """A die in its place: just thrown, kept, about to be thrown again, or left from the turn before."""

    die: Die
    state: SlotState


@dataclass(slots=True)
class Draft:
    """The marks and picks of one version of a match, and the slots of the dice that were kept this turn."""

    version: int = -1
    marked: frozenset[int] | None = None  # None: nobody has said anything, the kept dice stay marked
    picked: Mapping[str, Placement] = field(default_factory=dict)  # by layer
    kept: dict[int, frozenset[int]] = field(default_factory=dict)  # by the number of the keep

    def mark(self, version: int, slots: frozenset[int]) -> None:
        self.at(version).marked = slots

    def pick(self, version: int, picked: Mapping[str, Placement]) -> None:
        self.at(version).picked = picked

    def at(self, version: int) -> Draft:
        """Forget what was begun at another version."""
        if self.version != version:
            self.version, self.marked, self.picked = version, None, {}
        return self

    def keep(self, number: int, slots: frozenset[int]) -> None:
        """Remember where the dice lie that this move keeps."""
        self.kept = {move: old for move, old in self.kept.items() if number - 4 <= move < number}
        self.kept[number] = slots


def slots_of(match: str, record: Record, kept: Mapping[int, frozenset[int]]) -> list[Slot]:
    """Every die in its slot; before the first throw of a turn the dice of the turn before."""
    turns: list[list[tuple[int, Throw | Keep]]] = [[]]  # the last one and, if it is empty, the one before
    for back, (_, move, _) in enumerate(record.backwards(), start=1):
        if isinstance(move, Write):
            return []  # a pad has no dice
        if isinstance(move, Throw | Keep):
            turns[-1].append((record.moves_made - back, move))
        elif isinstance(move, Announce):
            continue
        elif turns[-1]:
            break
        else:
            turns.append([])
    slots: list[Slot] = []
    for number, move in reversed(turns[-1]):
        if isinstance(move, Throw):
            typed = record.header.origin.kind == "typed"  # physical dice are shown as they are recorded
            slots = thrown(slots, move.dice if typed else in_any_order(match, number, move.dice))
        else:
            stay = chosen(slots, move.dice, kept.get(number, NO_SLOTS))
            slots = [Slot(slot.die, "kept" if at in stay else "leaving") for at, slot in enumerate(slots)]
    return [Slot(slot.die, "resting") for slot in slots] if len(turns) > 1 else slots


@lru_cache(maxsize=4096)
def in_any_order(match: str, number: int, dice: Dice) -> Dice:
    """Dice fall in no order, the same one on every screen."""
    fallen = list(dice)
    Random(f"{match} {number}").shuffle(fallen)
    return tuple(fallen)


def thrown(slots: list[Slot], dice: Dice) -> list[Slot]:
    if not slots:
        return [Slot(die, "thrown") for die in dice]
    falling = iter(dice)
    return [Slot(next(falling), "thrown") if slot.state == "leaving" else slot for slot in slots]


def chosen(slots: list[Slot], dice: Dice, slots_meant: frozenset[int]) -> frozenset[int]:
    """The slots of the dice that are kept: those that were meant, else dice that were kept before."""
    meant = frozenset(at for at in slots_meant if at < len(slots))
    wanted = Counter(dice)
    if Counter(slots[at].die for at in meant) == wanted:
        return meant
    found = []
    for at in sorted(range(len(slots)), key=lambda at: slots[at].state != "kept"):
        if wanted[slots[at].die]:
            wanted[slots[at].die] -= 1
            found.append(at)
    return frozenset(found)
