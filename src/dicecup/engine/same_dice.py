"""Games in which everybody has the same dice: the turns side by side, where players parted, and taking over
the dice of another game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from dicecup.dice import Dice
from dicecup.engine.fairness import SAME_DICE
from dicecup.engine.record import DiceOrigin, Record, trimmed
from dicecup.engine.state import Keep, Move, Score, final_score
from dicecup.errors import RecordError


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

    Only verifiable dice whose secret is known can be thrown again: a player who keeps other dice throws some
    that nobody has seen. With statement 1 they depend on what the others did.
    """
    origin = record.header.origin
    if origin.kind != "verifiable" or origin.statement == 1:
        raise RecordError("dice_not_repeatable")
    if record.secret is None:
        raise RecordError("secret_missing")
    borrowed = origin.borrowed or ((1, 1) if origin.same_dice else (player + 1, len(record.header.players)))
    return replace(origin, statement=SAME_DICE, borrowed=borrowed, player_seeds=trimmed(origin.player_seeds))
