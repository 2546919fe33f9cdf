"""Who has a match open and how many may, and the short reactions of players: never stored, not in the record.

Presence comes from open event streams. Somebody who reloads a page is not away for that moment. Processes on
one database tell each other who is here and what is said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

from dicecup.errors import MoveError, UsageError
from dicecup.messages import N_

AWAY_AFTER = 5.0  # seconds after the last stream of a player has ended
TOLD_EVERY = (
    60.0  # seconds; processes tell each other again who is here, in case one has died or just started
)
MOST_SILENT = 150.0  # seconds for which that holds
BETWEEN = 2.0  # seconds between two reactions of a seat
MOST_WATCHERS = 200  # spectators of one match
MOST_OF_ADDRESS = 100  # a class behind one address; nobody can take all places alone
MOST_OF_PLAYER = 20  # matches and devices of somebody who has a seat
MOST_WATCHERS_IN_ALL = 5000
RESERVE = 2000  # places beyond those, for players in their own matches
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
    here: frozenset[int] = frozenset()  # the seats whose players are here or there
    presence: str = ""  # the same, as the live stream sends them
    reaction: Reaction = NO_REACTION  # the last one
    reacted: dict[int, float] = field(default_factory=dict)  # when each seat did so last
    unguided: set[str] = field(default_factory=set)  # holders of seats who skipped the guide of a first game

    def arrive(self, holder: str, seats_of: SeatsOf) -> bool:
        """Count a stream; return whether somebody is here now who was away."""
        self.streams[holder] += 1
        return self.look_around(seats_of)

    def depart(self, holder: str) -> None:
        self.streams[holder] -= 1
        if self.streams[holder] <= 0:
            del self.streams[holder]

    def look_around(self, seats_of: SeatsOf) -> bool:
        """Find out who is here; return whether that has changed."""
        before, recent = self.here, monotonic() - MOST_SILENT
        there = (seats for told, seats in self.elsewhere.values() if told > recent)
        self.here = frozenset[int]().union(*map(seats_of, self.streams), *there)
        self.presence = in_words(self.here)
        return before != self.here

    def seats_here(self, seats_of: SeatsOf) -> str:
        """The seats with a stream at this process, which other processes are notified of."""
        return in_words(frozenset[int]().union(*map(seats_of, self.streams)))

    def hear(self, text: str, seats_of: SeatsOf) -> bool:
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
            return self.look_around(seats_of)
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


def in_words(seats: frozenset[int]) -> str:
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
