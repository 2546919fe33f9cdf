"""Verifiable dice: commit to a secret, derive the throws from it, reveal it after the game.

Before the first throw the SHA-256 of a secret is published. Each throw is derived with HMAC-SHA-256 under
that secret from the players' seeds and the throw's number, so that neither the holder of the secret nor the
players can influence it. Throws are numbered by their position in the game: throwing again after undo gives
the same dice.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator

from dicecup.dice import Dice, Die, sort_dice
from dicecup.rules.model import DiceSet

SECRET_BYTES = 32
LABEL = b"dicecup throw 1"


def commitment(secret: bytes) -> str:
    return hashlib.sha256(secret).hexdigest()


def seed_secret(seed: int) -> bytes:
    """Return the secret of a reproducible game, which everybody who knows the seed can derive."""
    return hashlib.sha256(b"dicecup seed %d" % seed).digest()


def derive_throw(secret: bytes, seeds: tuple[str, ...], number: int, dice: DiceSet, count: int) -> Dice:
    """Return the `count` dice of the throw with this number (from 1), face by face, by rejection sampling."""
    faces = face_stream(secret, seeds, number, dice.faces)
    layers = len(dice.layers)

    def die() -> Die:
        return next(faces) if layers == 1 else tuple(next(faces) for _ in range(layers))

    return sort_dice(tuple(die() for _ in range(count)))


def face_stream(secret: bytes, seeds: tuple[str, ...], number: int, faces: int) -> Iterator[int]:
    """Yield uniformly distributed faces. Bytes past the last whole multiple of `faces` are rejected."""
    limit = 256 - 256 % faces
    # Each seed is hashed separately, so that no two lists of seeds give the same message.
    joined = b"".join(hashlib.sha256(seed.encode()).digest() for seed in seeds)
    block = 0
    while True:
        message = LABEL + number.to_bytes(8, "big") + block.to_bytes(8, "big") + joined
        for byte in hmac.new(secret, message, hashlib.sha256).digest():
            if byte < limit:
                yield byte % faces + 1
        block += 1
