"""The dice of records: the proof of verifiable throws, and games in which everybody has the same dice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Literal

from dicecup.dice import Dice, format_dice
from dicecup.engine.fairness import SAME_DICE, ThrowNumber, commitment, trimmed
from dicecup.engine.recent import FIRST_THROW, number_after
from dicecup.engine.record import (
    BOT_PREFIX,
    DiceKind,
    DiceOrigin,
    Record,
    Reveal,
    Undo,
    secret_of,
)
from dicecup.engine.state import Keep, Move, Score, Throw, final_score
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
        """The parties that provably did not choose the dice.

        The server is included only if a player gave a seed that was unknown to it when it published the
        commitment, and no later seed came from an accomplice.
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
    """Return what is wrong with the commitment made before the first throw, if anything."""
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
    """Derive every throw; the proof covers the throws before the first that differs."""
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


@dataclass(frozen=True, slots=True)
class Decided:
    """What a player did with the dice on the table."""

    dice: Dice
    move: Keep | Score


@dataclass(frozen=True, slots=True)
class TurnPlayed:
    """A finished turn of one player: its decisions, and how many points the final score gained."""

    decisions: tuple[Decided, ...]
    points: int


@dataclass(frozen=True, slots=True)
class Round:
    """A turn of every player, in seat order, with the same dice for all."""

    turns: tuple[TurnPlayed, ...]

    @property
    def parted(self) -> int | None:
        """The decision, from 0, at which not all players did the same; None if they all did."""
        decided = zip_longest(*(turn.decisions for turn in self.turns))
        return next((number for number, made in enumerate(decided) if len(set(made)) > 1), None)


def turns_of(record: Record, player: int) -> list[TurnPlayed]:
    """The finished turns of a player, in order."""
    found: list[TurnPlayed] = []
    made: list[Decided] = []
    states = record.states
    for number, move in enumerate(record.moves):
        before, after = states[number], states[number + 1]
        if before.player != player or not isinstance(move, Keep | Score):
            continue
        made.append(Decided(before.dice, move))
        if isinstance(move, Score):
            sheets = before.sheets[player], after.sheets[player]
            earlier, now = (final_score(record.rules, sheet) for sheet in sheets)
            found.append(TurnPlayed(tuple(made), now - earlier))
            made = []
    return found


def rounds(played: Sequence[Sequence[TurnPlayed]]) -> list[Round]:
    """The turns that all players have finished, side by side."""
    return [Round(turns) for turns in zip(*played, strict=False)]


def rounds_of(record: Record) -> list[Round]:
    """The finished turns of all players of a record, side by side."""
    return rounds([turns_of(record, player) for player in range(len(record.header.players))])


def moves_of(record: Record, player: int) -> list[list[Move]]:
    """All moves of a player, turn by turn; the last turn may be unfinished."""
    found: list[list[Move]] = []
    for move, before in zip(record.moves, record.states, strict=False):
        if before.player == player:
            if not before.dice:
                found.append([])
            found[-1].append(move)
    return found


def is_repeatable(record: Record) -> bool:
    """Whether the dice of a finished game can be thrown again."""
    origin = record.header.origin
    return record.secret is not None and origin.kind == "verifiable" and origin.statement != 1


def dice_of(record: Record, player: int) -> DiceOrigin:
    """The origin of a game with the dice that a player had in this one, for everybody.

    Only verifiable dice whose secret is known can be thrown again: a player who keeps other dice needs throws
    that were never made. With statement 1 the dice depend on what the other players did.
    """
    origin = record.header.origin
    if origin.kind != "verifiable" or origin.statement == 1:
        raise RecordError("dice_not_repeatable")
    if record.secret is None:
        raise RecordError("secret_missing")
    borrowed = origin.borrowed or ((1, 1) if origin.same_dice else (player + 1, len(record.header.players)))
    return replace(origin, statement=SAME_DICE, borrowed=borrowed, player_seeds=trimmed(origin.player_seeds))
