"""The proof of the dice of a record: every throw is derived again and compared with what was written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from dicecup.dice import Dice, format_dice
from dicecup.engine.fairness import ThrowNumber, commitment
from dicecup.engine.record import (
    BOT_PREFIX,
    FIRST_THROW,
    DiceKind,
    Record,
    Reveal,
    Undo,
    number_after,
    secret_of,
)
from dicecup.engine.state import Throw
from dicecup.errors import DicecupError, RecordError

Party = Literal["server", "players"]  # who could otherwise choose the dice; server: whoever holds the secret


@dataclass(frozen=True, slots=True)
class Proof:
    """The result of verifying the dice of a record, and what follows from it."""

    kind: DiceKind
    throws: int = 0  # how many were compared and agree
    problem: DicecupError | None = None  # the first disagreement
    statement: int | None = None  # of verifiable dice
    contributors: tuple[str, ...] = ()  # players with a seed, even if it was drawn for them
    same_dice: bool = False  # whether all players had the same dice, as far as the proof holds
    borrowed: bool = False  # whether they are the dice of another game, and could be known before

    @property
    def proved(self) -> bool:
        return self.problem is None and self.kind in ("seed", "verifiable")

    @property
    def against(self) -> tuple[Party, ...]:
        """Who is proved not to have chosen the dice.

        The server only if a player gave a seed that it did not know when it published the commitment, and
        nobody who works together with it gave one later.
        """
        if not self.proved or self.kind == "seed" or self.borrowed:
            return ()
        return ("server", "players") if self.statement != 1 and self.contributors else ("players",)


def verify(record: Record) -> Proof:
    """Derive every throw again and compare, including undone ones."""
    header = record.header
    origin = header.origin
    if origin.kind != "verifiable":
        proof = Proof(origin.kind, same_dice=origin.same_dice)
        return proof if origin.kind in ("system", "typed", "points") else compare_throws(record, proof)
    seeded = zip(header.players, () if origin.borrowed else origin.player_seeds, strict=False)
    proof = Proof(
        origin.kind,
        statement=origin.statement,
        contributors=tuple(player for player, seed in seeded if seed),
        same_dice=origin.same_dice,
        borrowed=origin.borrowed is not None,
    )
    if problem := commitment_problem(record, proof):
        return replace(proof, problem=problem)
    return compare_throws(record, proof)


def commitment_problem(record: Record, proof: Proof) -> RecordError | None:
    """What is wrong with what was fixed before the first throw."""
    for player in proof.contributors:
        if proof.statement != 1 and player.startswith(BOT_PREFIX):
            return RecordError("seed_of_bot", player=player)
    secret = secret_of(record)
    if secret is None:
        return RecordError("secret_missing")
    if commitment(secret) != record.header.origin.commitment:
        return RecordError("commitment_wrong")
    return None


def compare_throws(record: Record, proof: Proof) -> Proof:
    """Derive every throw; the proof holds up to the first that differs."""
    header, secret = record.header, secret_of(record)
    assert secret is not None
    compared = 0
    for index, number, found in throws_in(record):
        expected = header.origin.throw(secret, number, record.rules, len(found), len(header.players))
        if expected != found:
            problem = RecordError(
                "throw_wrong", number=index, expected=format_dice(expected), found=format_dice(found)
            )
            return replace(proof, throws=compared, problem=problem)
        compared += 1
    return replace(proof, throws=compared)


def throws_in(record: Record) -> Iterator[tuple[int, ThrowNumber, Dice]]:
    """Yield every throw entry: its index among all throws, its number in the game, its dice."""
    written = 0
    numbers = [FIRST_THROW]  # of the next throw: at the start, and after each current move
    for entry in record.entries:
        if isinstance(entry, Undo):
            del numbers[-entry.steps :]
        elif not isinstance(entry, Reveal):
            if isinstance(entry, Throw):
                written += 1
                yield written, numbers[-1], entry.dice
            numbers.append(number_after(numbers[-1], entry))
