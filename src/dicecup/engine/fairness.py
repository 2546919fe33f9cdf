"""Verifiable dice: commit to a secret, derive the throws from it, reveal it after the game.

Before the first throw the SHA-256 of a secret is published. Each throw is derived with HMAC-SHA-256 under
that secret from the players' seeds and the throw's number, so that undo gives no new dice.

There are three statements of what that proves. With statement 1 every seat has a seed, and whoever holds the
secret draws the seeds of bots and of players who give none: by trying many they could choose the dice.
Statement 2 leaves the holder of the secret nothing to choose once the commitment is published. Only players
have seeds, and a throw is numbered by its turn and its place in the turn, so that no decision of a bot
changes anybody else's dice.

Statement 3 is statement 2 with the same dice for everybody: turns are counted for each player by themselves.
A throw is a fixed sequence of dice; a player who throws fewer dice gets a prefix of it, whatever they kept.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from dataclasses import dataclass

from dicecup.dice import Dice, Die, sort_dice
from dicecup.rules.model import DiceSet

SECRET_BYTES = 32
LATEST_STATEMENT = 2  # for games in which each player gets different dice
SAME_DICE = 3
MOST_SEED = 10**18  # of anything that is made repeatable by a number


@dataclass(frozen=True, slots=True)
class ThrowNumber:
    """The number of a throw, in two ways; all count from 1."""

    in_game: int  # among the current throws of the game, as statement 1 counts
    turn: int  # among the turns of all players
    in_turn: int

    def message(self, statement: int) -> bytes:
        """Return the bytes that identify a throw within its game."""
        if statement == 1:
            return b"dicecup throw 1" + self.in_game.to_bytes(8, "big")
        return b"dicecup throw 2" + self.turn.to_bytes(8, "big") + self.in_turn.to_bytes(8, "big")

    def for_all(self, players: int, first: int = 1, step: int = 1) -> ThrowNumber:
        """The number that the throw has for every player: with the turn counted by the player's own turns.

        The dice of another game are those of its turns `first`, `first + step` and so on.
        """
        own = (self.turn - 1) // players
        return ThrowNumber(self.in_game, first + own * step, self.in_turn)


def commitment(secret: bytes) -> str:
    return hashlib.sha256(secret).hexdigest()


def seed_secret(seed: int) -> bytes:
    """Return the secret of a reproducible game, which anyone who knows the seed can derive."""
    return hashlib.sha256(b"dicecup seed %d" % seed).digest()


def derive_throw(
    secret: bytes, statement: int, seeds: tuple[str, ...], number: ThrowNumber, dice: DiceSet, count: int
) -> Dice:
    """Return the `count` dice of the throw with this number, face by face, by rejection sampling."""
    faces = face_stream(secret, number.message(statement), joined_seeds(statement, seeds), dice.faces)
    layers = len(dice.layers)

    def die() -> Die:
        return next(faces) if layers == 1 else tuple(next(faces) for _ in range(layers))

    return sort_dice(tuple(die() for _ in range(count)))


def joined_seeds(statement: int, seeds: tuple[str, ...]) -> bytes:
    """Return the hashes of the seeds: each by itself, so that no two lists of seeds give the same bytes.

    From statement 2 on only seeds that were given count, in an order that depends on nothing else: who sits
    where, and how many bots and empty seats there are, does not change the dice.
    """
    hashes = [hashlib.sha256(seed.encode()).digest() for seed in seeds if seed or statement == 1]
    return b"".join(hashes if statement == 1 else sorted(hashes))


def face_stream(secret: bytes, message: bytes, seeds: bytes, faces: int) -> Iterator[int]:
    """Yield uniformly distributed faces. Bytes past the last whole multiple of `faces` are rejected."""
    limit = 256 - 256 % faces
    block = 0
    while True:
        for byte in hmac.new(secret, message + block.to_bytes(8, "big") + seeds, hashlib.sha256).digest():
            if byte < limit:
                yield byte % faces + 1
        block += 1


def trimmed(seeds: tuple[str, ...]) -> tuple[str, ...]:
    """The seeds without empty ones at the end: of the dice of another game it is not known who played."""
    return seeds[: max((seat for seat, seed in enumerate(seeds, start=1) if seed), default=0)]
