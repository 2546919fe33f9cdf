"""Transient state of a match, which is never stored: presence, reactions, and a turn that was begun.

Presence comes from open event streams; reloading a page does not count as leaving. Processes that share a
database exchange presence and reactions.

The record knows which dice were kept, but not where they lay on the screen: every die keeps its slot through
a turn. A match that is read from the store again only loses which of several equal dice was meant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from time import monotonic
from typing import Literal

from dicecup.dice import Dice, Die
from dicecup.engine.record import Record
from dicecup.engine.state import Announce, Keep, Placement, Throw, Write
from dicecup.errors import MoveError, UsageError
from dicecup.messages import N_

AWAY_AFTER = 5.0  # seconds after the last stream of a player has ended
PRESENCE_INTERVAL = 60.0  # seconds; processes publish it again, in case one has died or just started
MOST_SILENT = 150.0  # seconds for which such a report is valid
BETWEEN = 2.0  # seconds between two reactions of a seat
MOST_WATCHERS = 200  # spectators of one match
MOST_OF_ADDRESS = 100  # a school class behind one address; one address cannot use up all streams
MOST_OF_PLAYER = 20  # matches and devices of somebody who has a seat
MOST_WATCHERS_IN_ALL = 5000
RESERVE = 2000  # further streams, for players in their own matches
MOST_PLAYERS_OF_ADDRESS = 300  # streams of seated players behind one address: seats cost nothing
# By id: what is sent, and what everybody reads in their own language.
REACTIONS = {
    "well-played": N_("Well played!"),
    "ouch": N_("Ouch!"),
    "lucky": N_("Lucky!"),
    "hurry": N_("Your turn!"),
    "thanks": N_("Thanks!"),
}

SeatsOf = Callable[[str], frozenset[int]]  # by the holder of a key


@dataclass(frozen=True, slots=True)
class Reaction:
    number: int  # counts those of this match
    seat: int
    id: str


NO_REACTION = Reaction(0, -1, "")


@dataclass(slots=True)
class Company:
    """The people around one match."""

    streams: Counter[str] = field(default_factory=Counter)  # open streams by the holder of a seat
    elsewhere: dict[str, tuple[float, frozenset[int]]] = field(
        default_factory=dict
    )  # by process: when, seats
    here: frozenset[int] = frozenset()  # the seats whose players are connected to any process
    presence: str = ""  # the same, as the live stream sends them
    reaction: Reaction = NO_REACTION  # the last one
    reacted: dict[int, float] = field(default_factory=dict)  # when each seat did so last
    unguided: set[str] = field(default_factory=set)  # holders of seats who skipped the guide of a first game

    def arrive(self, holder: str, seats_of: SeatsOf) -> bool:
        """Count a stream; return whether a player who was away is now present."""
        self.streams[holder] += 1
        return self.update_presence(seats_of)

    def depart(self, holder: str) -> None:
        self.streams[holder] -= 1
        if self.streams[holder] <= 0:
            del self.streams[holder]

    def update_presence(self, seats_of: SeatsOf) -> bool:
        """Update which players are present; return whether that has changed."""
        before, recent = self.here, monotonic() - MOST_SILENT
        there = (seats for reported, seats in self.elsewhere.values() if reported > recent)
        self.here = frozenset[int]().union(*map(seats_of, self.streams), *there)
        self.presence = joined(self.here)
        return before != self.here

    def seats_here(self, seats_of: SeatsOf) -> str:
        """The seats with a stream at this process, which other processes are notified of."""
        return joined(frozenset[int]().union(*map(seats_of, self.streams)))

    def receive(self, text: str, seats_of: SeatsOf) -> bool:
        """Take over what another process published; return whether subscribers here must be notified."""
        kind, *words = text.split(" ")
        if kind == "reaction" and len(words) == 2 and words[0].isdigit() and words[1] in REACTIONS:
            self.show(int(words[0]), words[1])
            return True
        if kind in ("here", "asks") and words:
            self.elsewhere[words[0]] = (
                monotonic(),
                frozenset(int(word) for word in words[1:] if word.isdigit()),
            )
            return self.update_presence(seats_of)
        return False

    def react(self, seats: frozenset[int], reaction: str, seat: int | None = None) -> Reaction:
        """Send a reaction from one's own seat, the first one if none is named; not several at once."""
        chosen = min(seats, default=None) if seat is None else seat
        if chosen is None or chosen not in seats:
            raise MoveError("seat_not_yours")
        if reaction not in REACTIONS:
            raise UsageError("reaction_unknown", reaction=reaction[:40], known=", ".join(REACTIONS))
        now = monotonic()
        if now - self.reacted.get(chosen, -BETWEEN) < BETWEEN:
            raise UsageError("reaction_too_soon")
        self.reacted[chosen] = now
        return self.show(chosen, reaction)

    def show(self, seat: int, reaction: str) -> Reaction:
        self.reaction = Reaction(self.reaction.number + 1, seat, reaction)
        return self.reaction


def joined(seats: frozenset[int]) -> str:
    return " ".join(map(str, sorted(seats)))


@dataclass(frozen=True, slots=True)
class Subscriber:
    address: str
    player: str = ""  # the holder of a seat in this match; empty for a spectator

    def limits(self, match: str) -> dict[tuple[str, str], int]:
        """What is counted, and the limit of each. A spectator never takes the place of a player."""
        if self.player:
            return {
                ("player", self.player): MOST_OF_PLAYER,
                ("address of players", self.address): MOST_PLAYERS_OF_ADDRESS,
                ("all", ""): MOST_WATCHERS_IN_ALL + RESERVE,
            }
        return {
            ("match", match): MOST_WATCHERS,
            ("address", self.address): MOST_OF_ADDRESS,
            ("all", ""): MOST_WATCHERS_IN_ALL,
        }


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
    marked: frozenset[int] | None = None  # None: not marked yet, the kept dice stay marked
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
    """Return the dice in a random order that is the same on every screen."""
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
