"""Fixtures shared by the engine tests."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from random import Random

import pytest
import tests.same_examples  # noqa: F401 - for all tests

from dicecup.dice import all_dice
from dicecup.engine import Move, Throw, dice_to_throw, legal_moves
from dicecup.engine.record import DiceOrigin, Header, Record
from dicecup.rules import load_ruleset


@pytest.fixture(scope="session")
def played() -> Callable[..., Record]:
    """played(game, moves, …) → a record with that many random moves, reproducible."""

    def played(
        game: str,
        moves: int = 10_000,
        *,
        players: tuple[str, ...] = ("Ann", "Bo"),
        options: dict[str, str] | None = None,
        origin: DiceOrigin | None = None,
        secret: bytes | None = None,
        chance: object = "",
    ) -> Record:
        rules = load_ruleset(game, options)
        origin = origin or DiceOrigin("typed")
        record = Record(Header(game, rules, players, origin))
        random = Random(f"{game} {chance}")
        for _ in range(moves):
            state = record.state
            if state.finished:
                break
            move: Move
            if state.throw_due:
                count = dice_to_throw(rules, state)
                if secret is None:
                    sides = all_dice(rules.dice.faces, len(rules.dice.layers))
                    move = Throw(tuple(random.choice(sides) for _ in range(count)))
                else:
                    move = Throw(origin.throw(secret, record.next_throw, rules, count))
            else:
                move = random.choice(legal_moves(rules, state))
            record = record.append(move)
        return record

    return played


@pytest.fixture(scope="session")
def chained() -> Callable[[list[str]], bytes]:
    """chained(lines) → the bytes of a record with these lines and valid checksums, as documented."""

    def chained(lines: list[str]) -> bytes:
        text, check = "", ""
        for line in lines:
            check = hashlib.sha256((check + "\n" + line).encode()).hexdigest()[:8]
            text += line.ljust(56) + " #" + check + "\n"
        return text.encode()

    return chained


@pytest.fixture(scope="session")
def unchained() -> Callable[[str], list[str]]:
    """unchained(text) → the lines of a record without their checksums."""
    return lambda text: [line.rpartition("#")[0].rstrip() for line in text.splitlines()]
