"""The same dice for all players: derived alike for everybody, verified, compared turn by turn, taken over."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dicecup.dice import Dice
from dicecup.engine import Keep, Score, Throw, legal_moves
from dicecup.engine.fairness import ThrowNumber, commitment, derive_throw, seed_secret
from dicecup.engine.record import DiceOrigin, Header, Record, Reveal
from dicecup.engine.record_dice import dice_of, is_repeatable, moves_of, rounds, rounds_of, turns_of, verify
from dicecup.engine.record_text import RecordWriter, record_from_text, record_to_text
from dicecup.engine.state import dice_to_throw
from dicecup.errors import RecordError
from dicecup.rules import load_ruleset

SECRET = bytes(range(32))
COMMITMENT = commitment(SECRET)
RULES = load_ruleset("yatzy")
SAME = DiceOrigin("verifiable", commitment=COMMITMENT, player_seeds=("tulip", ""), statement=3)


def played(
    origin: DiceOrigin, players: tuple[str, ...], kept: dict[int, int], secret: bytes = SECRET
) -> Record:
    """A whole game; in each turn a player keeps so many dice twice and fills the first box, or stops."""
    record = Record(Header("yatzy", RULES, players, origin))
    while not record.state.finished:
        state = record.state
        if state.throw_due:
            count = dice_to_throw(RULES, state)
            dice = record.header.origin.throw(secret, record.next_throw, RULES, count, len(players))
            record = record.append(Throw(dice))
        elif state.throws_left and kept.get(state.player) is not None:
            record = record.append(Keep(state.dice[: kept[state.player]]))
        else:
            record = record.append(next(m for m in legal_moves(RULES, state) if isinstance(m, Score)))
    return record if origin.kind == "seed" else record.append(Reveal(secret.hex()))


def throws_of(record: Record, player: int) -> list[list[Dice]]:
    return [[m.dice for m in turn if isinstance(m, Throw)] for turn in moves_of(record, player)]


@settings(max_examples=10)
@given(st.integers(0, 4), st.integers(0, 4), st.integers(1, 4))
def test_everybody_throws_the_same_whatever_they_keep(first, second, players):
    kept = {0: first, 1: second}
    record = played(SAME, tuple(f"P{n}" for n in range(players)), kept)
    for turn in range(RULES.turns):
        for player in range(players):
            for roll, dice in enumerate(throws_of(record, player)[turn], start=1):
                number = ThrowNumber(1, turn + 1, roll)
                assert dice == derive_throw(SECRET, 2, ("tulip",), number, RULES.dice, len(dice))


def test_fewer_dice_are_the_first_of_more():
    """A throw is a fixed sequence; what is thrown together is a multiset, so any order shows it."""
    number = ThrowNumber(1, 3, 2)
    longest = list(derive_throw(SECRET, 3, (), number, RULES.dice, 5))
    for count in range(5):
        dice = derive_throw(SECRET, 3, (), number, RULES.dice, count)
        rest = longest.copy()
        for die in dice:
            rest.remove(die)
        assert len(rest) == 5 - count


@pytest.mark.parametrize("origin", [SAME, DiceOrigin("seed", seed=7, statement=3)], ids=["secret", "seed"])
def test_record_is_read_back_and_verified(origin):
    secret = SECRET if origin.kind == "verifiable" else seed_secret(7)
    record = played(origin, ("Ann", "Bo"), {0: 2}, secret)
    text = record_to_text(record)
    read, _ = record_from_text(text.encode())
    assert read.header == record.header
    proof = verify(read)
    assert proof.proved
    assert proof.same_dice
    assert proof.throws == sum(len(turn) for seat in (0, 1) for turn in throws_of(record, seat))
    assert proof.against == (("server", "players") if origin is SAME else ())


def test_other_dice_for_one_player_fail_to_verify():
    """A record with dice of one's own for everybody is not one with the same dice."""
    own = played(replace(SAME, statement=2), ("Ann", "Bo"), {})
    problem = verify(Record(replace(own.header, origin=SAME), own.entries)).problem
    assert problem is not None
    assert (problem.code, problem.values["number"]) == ("throw_wrong", 2)  # the first of the second player


def test_seed_for_a_bot_fails_to_verify():
    problem = verify(played(SAME, ("bot:greedy", "Ann"), {})).problem
    assert problem is not None
    assert problem.code == "seed_of_bot"


# Where players parted


def test_players_part_at_the_first_different_decision():
    record = played(SAME, ("Ann", "Bo"), {0: 2, 1: 2})
    alike = rounds_of(record)
    assert [one.parted for one in alike] == [None] * RULES.turns
    record = played(SAME, ("Ann", "Bo"), {0: 2, 1: 3})
    assert {one.parted for one in rounds([turns_of(record, 0), turns_of(record, 1)])} == {0}
    record = played(SAME, ("Ann", "Bo"), {0: 2})
    stopped = rounds([turns_of(record, 0), turns_of(record, 1)])[0]
    assert stopped.parted == 0
    assert isinstance(stopped.turns[1].decisions[0].move, Score)


def test_points_of_the_turns_are_the_final_score():
    record = played(SAME, ("Ann", "Bo"), {0: 3})
    from dicecup.engine.state import final_score

    for seat in (0, 1):
        assert sum(turn.points for turn in turns_of(record, seat)) == final_score(
            RULES, record.state.sheets[seat]
        )


def test_only_turns_that_all_have_finished_are_compared():
    record = played(SAME, ("Ann", "Bo"), {})
    half = Record(record.header, record.entries[:5])  # one whole turn of each, and a throw
    assert len(rounds([turns_of(half, 0), turns_of(half, 1)])) == 1
    assert [len(turn) for turn in moves_of(half, 0)] == [2, 1]


# The dice of another game


@pytest.mark.parametrize("statement", [2, 3])
def test_dice_of_a_player_can_be_thrown_again(statement):
    first = DiceOrigin(
        "verifiable", commitment=COMMITMENT, player_seeds=("tulip", "rose", ""), statement=statement
    )
    former = played(first, ("Ann", "Bo", "Cy"), {1: 2})
    assert is_repeatable(former)
    origin = dice_of(former, 1)
    assert origin.borrowed == ((2, 3) if statement == 2 else (1, 1))
    again = played(origin, ("Bo", "Bo before"), {0: 2, 1: 2})
    assert throws_of(again, 0) == throws_of(again, 1) == throws_of(former, 1)
    read, _ = record_from_text(record_to_text(again).encode())
    assert read.header == again.header
    proof = verify(read)
    assert (proof.proved, proof.borrowed, proof.against, proof.contributors) == (True, True, (), ())
    assert dice_of(again, 0) == origin


@pytest.mark.parametrize(
    ("origin", "code"),
    [
        (DiceOrigin("typed"), "dice_not_repeatable"),
        (DiceOrigin("verifiable", commitment=COMMITMENT, player_seeds=("x",)), "dice_not_repeatable"),
        (replace(SAME, player_seeds=("x",)), "secret_missing"),
    ],
)
def test_dice_that_cannot_be_thrown_again(origin, code):
    record = Record(Header("yatzy", RULES, ("Ann",), origin))
    assert not is_repeatable(record)
    with pytest.raises(RecordError) as refused:
        dice_of(record, 0)
    assert refused.value.code == code


@pytest.mark.parametrize("numbers", ["0 1", "1", "1 2 3", "1 x", "1 0", "1234567 1"])
def test_unreadable_turns_of_another_game(numbers):
    header = Header("yatzy", RULES, ("Ann",), replace(SAME, player_seeds=(), borrowed=(1, 1)))
    text = RecordWriter().header(header)
    lines = [line[:-10].rstrip() for line in text.splitlines()]
    writer = RecordWriter()
    wrong = "".join(
        writer.line(line.replace(f"{COMMITMENT} 1 1", f"{COMMITMENT} {numbers}")) for line in lines
    )
    with pytest.raises(RecordError) as refused:
        record_from_text(wrong.encode())
    assert refused.value.code == "record_line_wrong"
