"""The statements of verifiable dice: what the holder of the secret can still choose, and who is protected."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.test_verifiable import by_hand

from dicecup.dice import Dice
from dicecup.engine import Keep, Score, Throw, legal_moves
from dicecup.engine.fairness import ThrowNumber, commitment, derive_throw
from dicecup.engine.record import DiceOrigin, Header, Record, Reveal, Undo
from dicecup.engine.record_dice import verify
from dicecup.engine.record_text import record_from_text, record_to_text
from dicecup.engine.state import dice_to_throw
from dicecup.rules import DiceSet, load_ruleset

SECRET = bytes(range(32))
RULES = load_ruleset("yatzy")
FIVE = DiceSet(5, 6, ("dice",), 5)
PLAYERS = ("Ann", "bot:greedy")
SIXES = (6, 6, 6, 6, 6)
words = st.text(st.characters(categories=("L", "N")), max_size=8)


def origin(statement: int, *seeds: str) -> DiceOrigin:
    return DiceOrigin("verifiable", commitment=commitment(SECRET), player_seeds=seeds, statement=statement)


def first_throw(dice_origin: DiceOrigin) -> Dice:
    return dice_origin.throw(SECRET, ThrowNumber(1, 1, 1), RULES, 5)


def after(record: Record, kept: int | None = None) -> Record:
    """Return the record after the due throw; else after keeping so many dice, or scoring the first box."""
    state = record.state
    if state.throw_due:
        count = dice_to_throw(RULES, state)
        return record.append(Throw(record.header.origin.throw(SECRET, record.next_throw, RULES, count)))
    if kept is not None:
        return record.append(Keep(state.dice[:kept]))
    return record.append(next(move for move in legal_moves(RULES, state) if isinstance(move, Score)))


def whole_game(dice_origin: DiceOrigin, players: tuple[str, ...] = PLAYERS) -> Record:
    record = Record(Header("yatzy", RULES, players, dice_origin))
    while not record.state.finished:
        record = after(record)
    return record.append(Reveal(SECRET.hex()))


def seed_that_gives_sixes(statement: int) -> str:
    """Return a seed for the bot, chosen after Ann's is known, with which the first throw is five sixes."""
    tries = (f"try {number}" for number in itertools.count())
    return next(seed for seed in tries if first_throw(origin(statement, "tulip", seed)) == SIXES)


# What the holder of the secret could do before, and cannot do now


def test_first_statement_lets_the_holder_of_the_secret_choose_the_dice():
    """The dice are chosen and the record verifies: therefore it proves nothing against the server."""
    chosen = origin(1, "tulip", seed_that_gives_sixes(1))
    proof = verify(whole_game(chosen))
    assert first_throw(chosen) == SIXES
    assert proof.proved
    assert (proof.statement, proof.against) == (1, ("players",))


def test_seed_for_a_bot_fails_to_verify():
    chosen = origin(2, "tulip", seed_that_gives_sixes(2))
    assert first_throw(chosen) == SIXES
    record, _ = record_from_text(record_to_text(whole_game(chosen)).encode())
    proof = verify(record)
    assert not proof.proved
    assert proof.against == ()
    assert proof.problem is not None
    assert (proof.problem.code, proof.problem.values) == ("seed_of_bot", {"player": "bot:greedy"})


def test_removing_the_seed_afterwards_does_not_help():
    chosen = whole_game(origin(2, "tulip", seed_that_gives_sixes(2)))
    hidden = replace(chosen.header, origin=origin(2, "tulip", ""))
    problem = verify(Record(hidden, chosen.entries)).problem
    assert problem is not None
    assert (problem.code, problem.values["number"]) == ("throw_wrong", 1)


@given(st.lists(words, min_size=1, max_size=5), st.randoms(), st.integers(0, 4))
def test_seats_bots_and_order_do_not_change_the_dice(seeds, chance, empty):
    """Whoever seats the players chooses nothing by it: only the words themselves count."""
    number = ThrowNumber(9, 4, 2)
    mixed = [*seeds, *[""] * empty]
    chance.shuffle(mixed)
    expected = derive_throw(SECRET, 2, tuple(seeds), number, FIVE, 5)
    assert derive_throw(SECRET, 2, tuple(mixed), number, FIVE, 5) == expected


@given(
    st.binary(min_size=16, max_size=64),
    st.lists(words, max_size=4).map(tuple),
    st.integers(1, 10**6),
    st.integers(1, 5),
    st.integers(2, 12),
    st.integers(1, 8),
)
def test_derivation_is_the_one_described(secret, seeds, turn, in_turn, faces, count):
    dice = DiceSet(count, faces, ("dice",), count)
    found = derive_throw(secret, 2, seeds, ThrowNumber(77, turn, in_turn), dice, count)
    assert list(found) == sorted(by_hand(secret, seeds, turn, faces, count, in_turn))


@given(words, words, st.integers(0, 1), st.integers(1, 10), st.integers(1, 3))
def test_every_input_changes_the_bytes(word, other, more, turn, in_turn):
    """No two different inputs give the same message: words, turn and throw are told apart."""
    first = (tuple(sorted(filter(None, (word, other)))), turn, in_turn)
    second = (tuple(sorted(filter(None, (word + "!", other)))), turn + more, in_turn)
    faces = [
        [derive_throw(SECRET, 2, seeds, ThrowNumber(1, turn, roll), DiceSet(60, 6, ("a",), 60), 60)]
        for seeds, turn, roll in (first, second)
    ]
    assert faces[0] != faces[1]


def test_decisions_of_others_do_not_change_a_players_dice():
    """With statement 1 a bot that stops early shifts all later throws; with statement 2 it does not."""

    def second_throw_of_ann(statement: int, throws_of_bot: int) -> Dice:
        record = after(after(Record(Header("yatzy", RULES, PLAYERS, origin(statement, "tulip", "")))))
        for _ in range(throws_of_bot):
            record = after(record)  # throws
            if record.state.throws_left and _ < throws_of_bot - 1:
                record = after(record, kept=2)
        record = after(after(record))  # the bot's box, Ann's throw
        assert record.state.player == 0
        return record.state.dice

    assert len({second_throw_of_ann(2, throws) for throws in (1, 2, 3)}) == 1
    assert len({second_throw_of_ann(1, throws) for throws in (1, 2, 3)}) > 1


def test_undo_gives_the_same_dice_and_both_throws_are_proved():
    record = after(Record(Header("yatzy", RULES, PLAYERS, origin(2, "tulip", ""))))
    again = after(after(record, kept=1))
    undone = after(again.append(Undo(1)))
    assert undone.state == again.state
    while not undone.state.finished:
        undone = after(undone)
    proof = verify(undone.append(Reveal(SECRET.hex())))
    assert (proof.problem, proof.throws) == (None, 32)


# What is proved against whom


@pytest.mark.parametrize(
    ("dice_origin", "players", "against", "contributors"),
    [
        (origin(2, "tulip", ""), PLAYERS, ("server", "players"), ("Ann",)),
        (origin(2, "", "rose"), ("Ann", "Bo"), ("server", "players"), ("Bo",)),
        (origin(2, "", ""), PLAYERS, ("players",), ()),
        (origin(1, "tulip", "drawn"), PLAYERS, ("players",), PLAYERS),
    ],
)
def test_proof_says_against_whom(dice_origin, players, against, contributors):
    proof = verify(whole_game(dice_origin, players))
    assert proof.proved
    assert (proof.statement, proof.against) == (dice_origin.statement, against)
    assert proof.contributors == contributors


def test_unproved_dice_and_dice_of_a_seed_protect_nobody():
    unfinished = after(Record(Header("yatzy", RULES, PLAYERS, origin(2, "tulip", ""))))
    assert verify(unfinished).against == ()
    seeded = verify(Record(Header("yatzy", RULES, PLAYERS, DiceOrigin("seed", seed=1))))
    assert (seeded.proved, seeded.against, seeded.statement) == (True, (), None)


# Text


def test_only_given_seeds_stand_in_the_record():
    text = record_to_text(
        Record(Header("yatzy", RULES, ("Ann", "bot:greedy", "Bo"), origin(2, "", "", "a b")))
    )
    lines = [line.rpartition(" #")[0].rstrip() for line in text.splitlines()]
    assert f"dice verifiable 2 {commitment(SECRET)}" in lines
    assert [line for line in lines if line.startswith("seed")] == ["seed 3 a b"]
    record, _ = record_from_text(text.encode())
    assert record.header.origin == origin(2, "", "", "a b")


@pytest.mark.parametrize(
    ("seeds", "problem"),
    [
        (["seed tulip"], "expected_seed"),
        (["seed 0 tulip"], "expected_seed"),
        (["seed 3 tulip"], "expected_seed"),
        (["seed 1"], "expected_seed"),
        (["seed ² tulip"], "expected_seed"),
        (["seed 2 a", "seed 1 b"], None),
        (["seed 1 a", "seed 1 b"], None),
        (["seed 01 a"], None),
    ],
)
def test_wrong_seeds_are_refused(chained, refused, seeds, problem):
    text = record_to_text(Record(Header("yatzy", RULES, PLAYERS, origin(2, "", ""))))
    lines = [line.rpartition(" #")[0].rstrip() for line in text.splitlines()]
    expected = {"expected": problem} if problem else {}
    with refused("record_line_wrong" if problem else "record_line_other", **expected):
        record_from_text(chained([*lines[:-1], *seeds, "begin"]))


@pytest.mark.parametrize("dice", ["verifiable 4", "verifiable 2", "verifiable 1"])
def test_unknown_statements_are_refused(chained, refused, dice):
    text = record_to_text(Record(Header("yatzy", RULES, PLAYERS, origin(2, "", ""))))
    lines = [line.rpartition(" #")[0].rstrip() for line in text.splitlines()]
    wrong = f"dice {dice} {commitment(SECRET) if dice != 'verifiable 2' else 'abc'}"
    with refused("record_line_wrong", expected="expected_origin"):
        record_from_text(chained([*lines[:-2], wrong, "begin"]))
