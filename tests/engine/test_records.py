"""What a record derives from its entries: states, undo, the revealed secret."""

from __future__ import annotations

import pickle

import pytest

from dicecup.engine import Keep, Throw, apply, score, start
from dicecup.engine import record as record_module
from dicecup.engine.fairness import commitment, seed_secret
from dicecup.engine.play import apply_and_score
from dicecup.engine.record import DiceOrigin, Header, Record, RecordBuilder, Reveal, Undo, secret_of
from dicecup.rules import load_ruleset

YATZY = load_ruleset("yatzy")
SECRET = bytes(range(32))
VERIFIABLE = DiceOrigin("verifiable", commitment=commitment(SECRET), player_seeds=("a", "b"))


def new(origin: DiceOrigin | None = None, players: tuple[str, ...] = ("Ann", "Bo")) -> Record:
    return Record(Header("yatzy", YATZY, players, origin or DiceOrigin("typed")))


def test_states_follow_the_moves():
    record = new()
    states = [start(YATZY, 2)]
    for move in (Throw((1, 2, 3, 4, 5)), Keep((5,)), Throw((5, 5, 5, 5)), score("yatzy")):
        states.append(apply(YATZY, states[-1], move))
        record = record.append(move)
    assert record.states == tuple(states)
    assert record.state == states[-1]
    assert record.throws_made == 2
    assert Record(record.header, record.entries).states == record.states


def test_append_leaves_the_record_as_it_was():
    record = new()
    longer = record.append(Throw((1, 2, 3, 4, 5)))
    assert (record.entries, len(longer.entries)) == ((), 1)
    with pytest.raises(AttributeError):
        record.entries = ()  # type: ignore[misc]


def test_builder_gives_what_append_gives(played):
    record = played("dice-in-dice", 40).append(Undo(3))
    builder = RecordBuilder(Record(record.header))
    for entry in record.entries:
        builder.add(entry)
    built = builder.build()
    assert (built.entries, built.states) == (record.entries, record.states)
    assert built == record
    replayed = Record(record.header, record.entries)
    assert (replayed.states, replayed.last_scored) == (built.states, built.last_scored)


def test_last_scored():
    record = new()
    assert record.last_scored == ()
    record = record.append(Throw((1, 2, 3, 4, 5)))
    assert record.last_scored == ()
    (scored,) = record.append(score("chance")).last_scored
    assert (scored.points, scored.counted) == (15, (1, 2, 3, 4, 5))


def test_pickle_holds_no_states(played):
    """A record is sent to worker processes from the event loop: with its states that would take too long."""
    record = played("triple-yum-plus", 60)
    again = pickle.loads(pickle.dumps(record))
    assert "_line" not in vars(again)
    assert (again.entries, again.state) == (record.entries, record.state)


def test_pickle_of_a_shortened_record_holds_the_states_it_remembers(played, monkeypatch):
    """So that a process need not replay what another one has played."""
    record = played("triple-yum-plus", 60)
    again = pickle.loads(pickle.dumps(record.shortened(5)))
    with monkeypatch.context() as patched:
        patched.setattr(record_module, "apply_and_score", None)
        assert (again.state, again.moves_made) == (record.state, record.moves_made)
    assert again.states == record.states
    undone = record.append(Undo(60)).shortened(5)  # its entries are as many as before
    again = pickle.loads(pickle.dumps(undone))
    monkeypatch.setattr(record_module, "apply_and_score", None)
    assert again.state == undone.state


def test_dice_are_put_in_order():
    record = new().append(Throw((5, 1, 3, 2, 4))).append(Keep((5, 1)))
    assert record.entries == (Throw((1, 2, 3, 4, 5)), Keep((1, 5)))


def test_illegal_entry(refused):
    with refused("score_before_throw"):
        new().append(score("ones"))


def test_undo_to_the_start_and_not_past_it(refused):
    record = new()
    with refused("undo_too_far", most=0):
        record.append(Undo(1))
    record = record.append(Throw((1, 2, 3, 4, 5))).append(Keep((5,))).append(Throw((1, 1, 1, 1)))
    with refused("undo_too_far", most=3):
        record.append(Undo(4))
    for steps in (0, -1):
        with refused("undo_too_far"):
            record.append(Undo(steps))
    undone = record.append(Undo(3))
    assert (undone.moves, undone.state) == ((), start(YATZY, 2))
    assert len(undone.entries) == 4  # undone entries are not lost


def test_undo_of_a_keep_of_a_box_and_across_seats():
    record = new().append(Throw((1, 2, 3, 4, 5))).append(Keep((5,)))
    assert record.append(Undo(1)).state == record.states[1]
    record = record.append(Throw((1, 1, 1, 1))).append(score("ones")).append(Throw((6, 6, 6, 6, 6)))
    back = record.append(Undo(2))
    assert (back.state.player, back.state.dice, back.state.sheet.cells[0]) == (0, (1, 1, 1, 1, 5), None)


def test_undo_then_different_play():
    record = new().append(Throw((1, 2, 3, 4, 5))).append(score("ones"))
    record = record.append(Undo(1)).append(Keep((4, 5))).append(Undo(1)).append(score("twos"))
    assert record.moves == (Throw((1, 2, 3, 4, 5)), score("twos"))
    assert record.state.sheets[0].cells[:2] == (None, 2)
    assert Record(record.header, record.entries).state == record.state


def test_reveal_only_at_the_end_of_a_game_with_a_secret(refused, played):
    secret = Reveal(SECRET.hex())
    with refused("reveal_not_due"):
        new().append(secret)
    with refused("reveal_not_due"):
        played("yatzy", players=("Ann",)).append(secret)
    with refused("reveal_too_early"):
        new(VERIFIABLE).append(secret)
    record = played("yatzy", origin=VERIFIABLE, secret=SECRET)
    assert record.secret is None
    assert secret_of(record) is None
    for text in ("", "zz" * 16, "ab" * 15, "a" * 33, "AB" * 16, "ab" * 65):
        with refused("secret_unreadable"):
            record.append(Reveal(text))
    record = record.append(secret)
    assert record.secret == SECRET.hex()
    assert secret_of(record) == SECRET


def test_nothing_follows_the_reveal(refused, played):
    record = played("yatzy", origin=VERIFIABLE, secret=SECRET).append(Reveal(SECRET.hex()))
    for entry in (Undo(1), Reveal(SECRET.hex()), Throw((1, 2, 3, 4, 5))):
        with refused("record_closed"):
            record.append(entry)


def test_secret_of_a_seed():
    assert secret_of(new(DiceOrigin("seed", seed=7))) == seed_secret(7)
    assert seed_secret(7) != seed_secret(8)
    assert secret_of(new()) is None
    assert secret_of(new(DiceOrigin("system"))) is None


def same(one: Record, other: Record) -> bool:
    """Whether two records tell the same, whatever they remember."""
    return (
        (one.state, one.last_scored, one.moves_made, one.throws_made, one.next_throw)
        == (other.state, other.last_scored, other.moves_made, other.throws_made, other.next_throw)
        and list(one.backwards()) == list(other.backwards())
        and (one.moves, one.states) == (other.moves, other.states)
    )


@pytest.mark.parametrize("most", [1, 2, 7, 30])
def test_a_record_that_remembers_little_tells_the_same(played, most):
    whole = played("yatzy", 30)
    short = whole.shortened(most)
    assert short.remembered == most
    assert same(short, whole)
    again = short.shortened(1)
    assert same(again, whole)


def test_what_a_record_remembers_grows_and_is_undone(played):
    whole = played("yatzy", 30)
    short = whole.shortened(4)
    for entry in (Undo(2), *whole.moves[-2:], Undo(3), Undo(20), *whole.moves[7:9], Undo(9)):
        whole, short = whole.append(entry), short.append(entry)
        assert same(short, whole)
    assert short.moves_made == 0
    assert short.state == short.beginning
    assert same(Record(short.header).shortened(3), Record(short.header))


def test_what_was_undone_is_not_played_again(played, monkeypatch):
    """Somebody can throw and undo without end: finding earlier states takes no longer than the game."""
    record, really, computed = played("yatzy", 20), apply_and_score, []
    for _ in range(50):
        record = record.append(Undo(1)).append(record.moves[-1])

    def count(*arguments):
        computed.append(arguments)
        return really(*arguments)

    monkeypatch.setattr(record_module, "apply_and_score", count)
    short = record.shortened(2)
    assert short.states == record.states
    assert short.append(Undo(5)).state == record.states[-6]
    assert len(computed) == 2 * record.moves_made


def test_undo_past_the_start_of_what_is_remembered(refused, played):
    short = played("yatzy", 10).shortened(2)
    with refused("undo_too_far", most=10):
        short.append(Undo(11))


def test_backwards_gives_the_states_around_each_move(played):
    record = played("yatzy", 12)
    steps = list(zip(record.states, record.moves, record.states[1:], strict=False))
    assert list(record.backwards()) == steps[::-1]
