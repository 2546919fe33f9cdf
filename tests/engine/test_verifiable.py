"""Verifiable dice: the derivation against a second implementation, and verifications that must fail."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicecup.dice import Dice, format_dice
from dicecup.engine import Throw, is_legal
from dicecup.engine.fairness import SECRET_BYTES, ThrowNumber, commitment, derive_throw, seed_secret
from dicecup.engine.record import DiceOrigin, Header, Record, Reveal, Undo
from dicecup.engine.record_dice import verify
from dicecup.engine.record_text import record_from_text, record_to_text
from dicecup.errors import DicecupError
from dicecup.rules import DiceSet, load_ruleset

SECRET = bytes(range(32))
ORIGIN = DiceOrigin("verifiable", commitment=commitment(SECRET), player_seeds=("ann's", "bo's"))
ONE_LAYER = DiceSet(5, 6, ("dice",), 5)


def first_statement(secret: bytes, seeds: tuple[str, ...], number: int, dice: DiceSet, count: int) -> Dice:
    return derive_throw(secret, 1, seeds, ThrowNumber(number, 0, 0), dice, count)


def by_hand(
    secret: bytes,
    seeds: tuple[str, ...],
    number: int,
    faces: int,
    count: int,
    in_turn: int = 0,
) -> list[int]:
    """Compute the faces of a throw from the documentation alone; statement 2 numbers throws by turns."""
    found: list[int] = []
    counter = 0
    while len(found) < count:
        message = b"dicecup throw 2" if in_turn else b"dicecup throw 1"
        message += number.to_bytes(8, "big")
        if in_turn:
            message += in_turn.to_bytes(8, "big")
            seeds = tuple(sorted((seed for seed in seeds if seed), key=hashed))
        message += counter.to_bytes(8, "big")
        for seed in seeds:
            message += hashed(seed)
        for value in hmac.digest(secret, message, "sha256"):
            if value < (256 // faces) * faces:
                found.append(1 + value % faces)
        counter += 1
    return found[:count]


def hashed(seed: str) -> bytes:
    return hashlib.sha256(seed.encode("utf-8")).digest()


@given(
    st.binary(min_size=16, max_size=64),
    st.lists(st.text(max_size=10).filter(lambda text: text.isprintable()), max_size=4).map(tuple),
    st.integers(1, 10**6),
    st.integers(2, 12),
    st.integers(1, 8),
    st.integers(1, 3),
)
def test_derivation_is_the_one_described(secret, seeds, number, faces, count, layers):
    dice = DiceSet(count, faces, ("a", "b", "c")[:layers], count)
    hand = by_hand(secret, seeds, number, faces, count * layers)
    expected = [tuple(hand[place : place + layers]) for place in range(0, count * layers, layers)]
    expected.sort()
    found = first_statement(secret, seeds, number, dice, count)
    assert [die if isinstance(die, tuple) else (die,) for die in found] == expected


def test_long_throws_need_several_blocks():
    """A block of 32 bytes gives at most 32 faces; 8 dice with 3 layers and 10 faces sometimes need more."""
    dice = DiceSet(8, 10, ("a", "b", "c"), 8)
    for number in range(1, 40):
        flat = by_hand(SECRET, (), number, 10, 100)
        expected = sorted(tuple(flat[place : place + 3]) for place in range(0, 24, 3))
        assert list(first_statement(SECRET, (), number, dice, 8)) == expected
        assert len(first_statement(SECRET, (), number, dice, 60)) == 60


@pytest.mark.parametrize(("faces", "bound"), [(2, 23.93), (6, 35.89), (10, 45.08)])
def test_faces_are_equally_likely(faces, bound):
    """Chi-square test over 30 000 dice of a fixed secret.

    With one degree of freedom fewer than faces, fair dice exceed these bounds for one secret in a million. A
    wrong stream (a face never drawn, a die stuck) exceeds them by far. That bytes are rejected rather than
    folded, a difference of one in a hundred of a face's share, is proved by the second implementation above.
    """
    counts: Counter = Counter()
    dice = DiceSet(5, faces, ("dice",), 5)
    for number in range(1, 6001):
        counts.update(first_statement(SECRET, ("a",), number, dice, 5))
    expected = 30_000 / faces
    statistic = sum((counts[face] - expected) ** 2 / expected for face in range(1, faces + 1))
    assert set(counts) == set(range(1, faces + 1))
    assert statistic < bound


def test_every_input_changes_the_dice():
    def course(secret: bytes = SECRET, seeds: tuple[str, ...] = ("a", "b"), first: int = 1) -> list:
        return [first_statement(secret, seeds, number, ONE_LAYER, 5) for number in range(first, first + 20)]

    courses = [
        course(),
        course(secret=SECRET[:-1] + b"\xff"),
        course(secret=SECRET + b"\x01"),
        course(seeds=("A", "b")),
        course(seeds=("a", "c")),
        course(seeds=("b", "a")),
        course(seeds=("ab",)),
        course(seeds=("ab", "")),
        course(seeds=("", "ab")),
        course(seeds=("a", "b", "")),
        course(seeds=()),
        course(first=2),
    ]
    assert len({tuple(dice) for dice in courses}) == len(courses)
    assert course() == course()


def test_commitment_is_the_sha256_of_the_secret():
    assert commitment(b"abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert SECRET_BYTES * 8 >= 128
    assert len(seed_secret(1)) >= 16


# Proofs


@pytest.fixture(scope="module")
def proved(played):
    return played("yatzy", origin=ORIGIN, secret=SECRET).append(Reveal(SECRET.hex()))


def test_every_throw_is_proved(proved):
    proof = verify(proved)
    assert (proof.kind, proof.problem, proof.proved) == ("verifiable", None, True)
    assert proof.throws == sum(isinstance(entry, Throw) for entry in proved.entries)
    assert proof.throws >= 30


def test_double_dice_are_proved(played):
    record = played("dice-in-dice", origin=ORIGIN, secret=SECRET).append(Reveal(SECRET.hex()))
    assert verify(record).proved


def test_secret_is_not_there_yet(played):
    proof = verify(played("yatzy", 20, origin=ORIGIN, secret=SECRET))
    assert not proof.proved
    assert proof.problem is not None
    assert proof.problem.code == "secret_missing"


def test_another_secret_than_the_promised(proved):
    other = Record(proved.header, (*proved.entries[:-1], Reveal(bytes(32).hex())))
    proof = verify(other)
    assert not proof.proved
    assert proof.problem is not None
    assert proof.problem.code == "commitment_wrong"


def swapped(record: Record, place: int) -> Record | None:
    """Return the record with another throw at this index, if the game can continue with it."""
    throw = record.entries[place]
    assert isinstance(throw, Throw)
    for face in range(1, 7):
        dice = tuple(sorted((face, *throw.dice[1:])))
        if dice == throw.dice:
            continue
        changed = Record(record.header)
        try:
            for entry in (*record.entries[:place], Throw(dice), *record.entries[place + 1 :]):
                changed = changed.append(entry)
        except DicecupError:
            continue
        return changed
    return None


def test_first_wrong_throw_is_named(proved):
    """Checksums and points are all valid, so that only the secret reveals the change."""
    throws = [place for place, entry in enumerate(proved.entries) if isinstance(entry, Throw)]
    found = 0
    for number, place in enumerate(throws, start=1):
        if number % 5 and number > 3:
            continue
        changed = swapped(proved, place)
        if changed is None:
            continue
        found += 1
        again, _ = record_from_text(record_to_text(changed).encode())
        proof = verify(again)
        assert not proof.proved
        assert proof.throws == number - 1
        assert proof.problem is not None
        assert proof.problem.code == "throw_wrong"
        wrong, right = changed.entries[place], proved.entries[place]
        assert isinstance(wrong, Throw)
        assert isinstance(right, Throw)
        assert proof.problem.values == {
            "number": number,
            "found": format_dice(wrong.dice),
            "expected": format_dice(right.dice),
        }
        assert f"Roll {number} is wrong" in str(proof.problem)
    assert found > 3


def test_changed_seed_of_a_player_is_found(proved):
    origin = replace(proved.header.origin, player_seeds=("ann's", "eve's"))
    proof = verify(Record(replace(proved.header, origin=origin), proved.entries))
    assert proof.problem is not None
    assert (proof.problem.code, proof.problem.values["number"]) == ("throw_wrong", 1)


def test_dice_of_a_seed_are_proved(played):
    secret = seed_secret(7)
    record = played("yatzy", 50, origin=DiceOrigin("seed", seed=7), secret=secret)
    proof = verify(record)
    assert (proof.kind, proof.proved, proof.throws) == ("seed", True, record.throws_made)
    proof = verify(Record(replace(record.header, origin=DiceOrigin("seed", seed=8)), record.entries))
    assert proof.problem is not None
    assert (proof.problem.code, proof.throws) == ("throw_wrong", 0)


@pytest.mark.parametrize("kind", ["typed", "system"])
def test_other_dice_have_nothing_to_prove(played, kind):
    proof = verify(played("yatzy", 50, origin=DiceOrigin(kind)))
    assert (proof.kind, proof.throws, proof.problem, proof.proved) == (kind, 0, None, False)


def test_dice_thrown_again_after_undo_are_the_same():
    """Undoing a throw does not give a new one; the verification also covers the undone throw."""
    rules = load_ruleset("yatzy")
    record = Record(Header("yatzy", rules, ("Ann",), DiceOrigin("seed", seed=3)))
    secret = seed_secret(3)

    def throw(record: Record) -> Record:
        count = 5 - len(record.state.kept or ())
        dice = record.header.origin.throw(secret, record.next_throw, rules, count)
        return record.append(Throw(dice))

    first = throw(record)
    again = throw(first.append(Undo(1)))
    assert again.state == first.state
    assert verify(again).throws == 2
    assert verify(again).proved
    other = next(dice for dice in ((1, 1, 1, 1, 1), (2, 2, 2, 2, 2)) if dice != first.state.dice)
    assert is_legal(rules, record.state, Throw(other))
    cheated = first.append(Undo(1)).append(Throw(other))
    problem = verify(cheated).problem
    assert problem is not None
    assert (problem.code, problem.values["number"]) == ("throw_wrong", 2)
