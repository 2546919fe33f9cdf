"""A match: one authority over a game, which persists every change before it is in the new state."""

from __future__ import annotations

import asyncio

import pytest

from dicecup.engine import Keep, Throw, score
from dicecup.engine import play as play_module
from dicecup.engine.record import DiceOrigin, Entry, Header, Record, Undo
from dicecup.engine.record_dice import verify
from dicecup.engine.record_text import entry_texts, record_from_text, record_to_text
from dicecup.errors import StorageError
from dicecup.match import Change, Match, new_secret, verifiable_origin
from dicecup.rules import load_ruleset

YATZY = load_ruleset("yatzy")
SEED = DiceOrigin("seed", seed=7)
TYPED = DiceOrigin("typed")


class Shelf:
    """A store that keeps what a match saves, or fails."""

    def __init__(self) -> None:
        self.saved: list[Change] = []
        self.full = False

    def save(self, change: Change) -> None:
        if self.full:
            raise StorageError("file_unwritable", file="shelf", problem="No space left on device")
        self.saved.append(change)

    async def save_later(self, change: Change) -> None:
        await asyncio.sleep(0)
        self.save(change)

    @property
    def entries(self) -> list[Entry]:
        return [entry for change in self.saved for entry in change.after.entries[change.number :]]

    @property
    def texts(self) -> list[str]:
        return [text for change in self.saved for text in change.texts]


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
def open_match(shelf):
    """open_match(players, origin, game) → a new match that saves to the shelf."""

    def open_match(
        players: tuple[str, ...] = ("Ann", "Bo"),
        origin: DiceOrigin = SEED,
        game: str = "yatzy",
        secret: bytes | None = None,
    ) -> Match:
        return Match(Record(Header(game, load_ruleset(game), players, origin)), shelf.save, secret)

    return open_match


def play_out(match: Match) -> None:
    """Let bots play every seat until the game is over."""
    while not match.state.finished:
        if match.state.throw_due:
            match.throw()
        else:
            match.let_bot_decide()


def test_start(open_match):
    match = open_match()
    assert (match.version, match.player, match.rules) == (0, "Ann", YATZY)
    assert match.state.throw_due
    assert not match.reveal_due


def test_every_entry_is_saved_before_the_match_goes_on(open_match, shelf):
    match = open_match()
    dice = match.throw()
    match.decide(Keep(dice[:2]))
    match.throw()
    match.undo(1)
    assert shelf.entries == list(match.record.entries)
    assert [change.number for change in shelf.saved] == [0, 1, 2, 3]
    assert match.version == 4


def test_nothing_is_saved_when_the_move_is_illegal(open_match, shelf, refused):
    match = open_match()
    with refused("score_before_throw"):
        match.decide(score("ones"))
    with refused("undo_too_far"):
        match.undo(1)
    match.throw()
    with refused("throw_not_due"):
        match.throw()
    with refused("box_unknown"):
        match.decide(score("once"))
    assert len(shelf.saved) == match.version == 1


def test_nothing_changes_when_saving_fails(open_match, shelf, refused):
    match = open_match()
    match.throw()
    before = (match.record, match.state, match.version)
    shelf.full = True
    for entry in (score("chance"), Undo(1), Keep(())):
        with refused("file_unwritable"):
            match.add(entry)
        assert (match.record, match.state, match.version) == before
    shelf.full = False
    match.decide(score("chance"))
    assert match.version == 2


def test_dice_that_could_not_be_saved_are_repeated(open_match, shelf, refused):
    match = open_match()
    shelf.full = True
    with refused("file_unwritable"):
        match.throw()
    shelf.full = False
    assert match.throw() == open_match().throw()


def test_stale_version(open_match, shelf, refused):
    match = open_match()
    match.throw(version=0)
    with refused("version_stale", found=0, version=1):
        match.decide(score("chance"), version=0)
    with refused("version_stale", found=2, version=1):
        match.undo(1, version=2)
    with refused("version_stale"):
        match.throw(version=0)
    assert match.version == len(shelf.saved) == 1
    match.decide(score("chance"), version=1)
    assert match.version == 2


# Changes of several entries, asynchronous stores, other processes


def test_change_of_several_entries_is_persisted_as_one(open_match, shelf):
    match = open_match()
    dice = match.throw()
    change = match.prepare(version=1)
    change.decide(Keep(dice[:2]))
    change.throw()
    assert match.version == 1  # nothing has happened yet
    match.commit(change)
    assert (match.version, match.record) == (3, change.after)
    assert [len(one.texts) for one in shelf.saved] == [1, 2]
    assert shelf.texts == list(entry_texts(match.record))


def test_change_that_was_overtaken_is_refused(open_match, shelf, refused):
    match = open_match(origin=TYPED)
    slow = match.prepare()
    slow.throw((1, 1, 1, 1, 1))
    match.throw((6, 6, 6, 6, 6))
    with refused("version_stale", found=0, version=1):
        match.commit(slow)
    assert len(shelf.saved) == match.version == 1


def test_each_move_is_scored_once(open_match, monkeypatch):
    match = open_match(origin=TYPED)
    match.throw((1, 2, 3, 4, 5))
    scored = []
    place = play_module.place

    def count(*values):
        scored.append(values)
        return place(*values)

    monkeypatch.setattr(play_module, "place", count)
    match.decide(score("chance"))
    assert len(scored) == 1


def test_asynchronous_store(shelf, refused):
    match = Match(Record(Header("yatzy", YATZY, ("Ann",), SEED)), shelf.save_later)

    async def play() -> None:
        change = match.prepare(version=0)
        change.throw()
        pending = asyncio.ensure_future(match.commit_async(change))
        await asyncio.sleep(0)
        assert match.version == 0  # not before the store has it
        await pending
        assert match.version == len(shelf.saved) == 1
        shelf.full = True
        change = match.prepare(version=1)
        change.decide(score("chance"))
        with refused("file_unwritable"):
            await match.commit_async(change)
        assert match.version == 1

    asyncio.run(play())


def test_asynchronous_store_has_to_be_awaited(shelf):
    loop = asyncio.new_event_loop()
    match = Match(
        Record(Header("yatzy", YATZY, ("Ann",), SEED)),
        lambda change: loop.create_task(shelf.save_later(change)),
    )
    with pytest.raises(TypeError, match="commit_async"):
        match.throw()
    assert match.version == 0
    loop.run_until_complete(asyncio.gather(*asyncio.all_tasks(loop)))
    loop.close()


def test_match_catches_up_with_another_process(open_match, shelf, refused):
    here, there = open_match(), open_match()
    here.throw()
    here.decide(Keep(()))
    there.catch_up(shelf.texts)
    assert there.record.entries == here.record.entries
    here.throw()
    here.undo(1)
    there.catch_up(shelf.texts[2:])
    assert (there.record.entries, there.state) == (here.record.entries, here.state)
    with refused("record_illegal"):
        there.catch_up(["1 score sixes 30"])
    assert there.version == 4


def test_player_who_joins_is_saved_first(shelf, refused):
    match = Match(Record(Header("yatzy", YATZY, ("Ann",), DiceOrigin("points"))), shelf.save_later)

    def players() -> tuple[str, ...]:
        return match.record.header.players

    async def join() -> None:
        change, later = match.prepare(version=0), match.prepare(version=0)
        change.join("Bo")
        later.join("Cleo")
        with pytest.raises(TypeError, match="another header"):
            await match.commit_async(change)  # entries alone would lose the player
        shelf.full = True
        with refused("file_unwritable"):
            await match.commit_async(change, shelf.save_later)
        assert players() == ("Ann",)
        shelf.full = False
        await match.commit_async(change, shelf.save_later)
        assert players() == ("Ann", "Bo")
        with refused("version_stale"):
            await match.commit_async(later, shelf.save_later)
        assert shelf.saved == [change]

    asyncio.run(join())


def test_store_of_entries_alone_refuses_a_player(shelf):
    match = Match(Record(Header("yatzy", YATZY, ("Ann",), DiceOrigin("points"))), shelf.save)
    with pytest.raises(TypeError, match="another header"):
        match.join("Bo")
    assert match.record.header.players == ("Ann",)


# Where dice come from


def test_typed_dice(open_match, refused):
    match = open_match(origin=TYPED)
    with refused("dice_typed_missing"):
        match.throw()
    assert match.throw((6, 1, 3, 2, 6)) == (1, 2, 3, 6, 6)
    match.decide(Keep((6, 6)))
    with refused("dice_count_wrong", found=2, expected=3):
        match.throw((1, 1))
    with refused("face_out_of_range"):
        match.throw((1, 1, 7))
    assert match.throw((6, 6, 6)) == (6, 6, 6)
    assert match.state.dice == (6, 6, 6, 6, 6)


@pytest.mark.parametrize("origin", [SEED, DiceOrigin("system")])
def test_drawn_dice_are_not_typed(open_match, refused, origin):
    with refused("dice_not_typed"):
        open_match(origin=origin).throw((1, 2, 3, 4, 5))


def test_unsorted_keep_is_saved_in_order(open_match):
    match = open_match(origin=TYPED)
    match.throw((5, 4, 3, 2, 1))
    match.decide(Keep((5, 1)))
    again, _ = record_from_text(record_to_text(match.record).encode())
    assert again.state == match.state


@pytest.mark.parametrize("game", ["yatzy", "dice-in-dice"])
def test_system_dice_fit_the_game(open_match, game):
    match = open_match(origin=DiceOrigin("system"), game=game)
    seen = set()
    for _ in range(20):
        dice = match.throw()
        assert len(dice) == match.rules.dice.count
        seen.add(dice)
        match.undo(1)
    assert len(seen) > 1


def test_seed_repeats_the_game(open_match):
    players = ("bot:random", "bot:greedy")
    one, other = open_match(players), open_match(players)
    play_out(one)
    play_out(other)
    assert one.record.entries == other.record.entries
    different = open_match(players, DiceOrigin("seed", seed=8))
    play_out(different)
    assert different.record.entries != one.record.entries


def test_bots_can_have_a_seed_of_their_own(shelf):
    def course(bot_seed: int) -> tuple:
        record = Record(Header("yatzy", YATZY, ("bot:random",), SEED))
        match = Match(record, shelf.save, bot_seed=bot_seed)
        play_out(match)
        return match.record.entries

    assert course(1) == course(1)
    assert course(1) != course(2)


def test_an_undone_throw_is_repeated_identically(open_match):
    match = open_match()
    dice = match.throw()
    match.undo(1)
    assert match.throw() == dice
    match.decide(Keep(()))
    second = match.throw()
    match.undo(2)
    match.decide(Keep(dice[:1]))
    assert match.throw() != second  # another number of dice, but still throw number 2
    assert verify(match.record).proved


def test_verifiable_game_from_promise_to_proof(open_match, refused):
    secret = new_secret()
    assert len(secret) >= 16
    assert secret != new_secret()
    match = open_match(("bot:greedy",), verifiable_origin(secret, ("",)), secret=secret)
    assert match.record.header.origin.commitment
    assert secret.hex() not in record_to_text(match.record)
    with refused("reveal_too_early"):
        match.reveal()
    play_out(match)
    assert match.reveal_due
    assert not verify(match.record).proved
    match.reveal()
    assert not match.reveal_due
    assert verify(match.record).proved
    assert match.record.secret == secret.hex()
    with refused("record_closed"):
        match.undo(1)


def test_lost_secret(open_match, refused):
    match = open_match(("Ann",), verifiable_origin(new_secret(), ("luck",)))
    with refused("secret_lost"):
        match.throw()
    with refused("secret_lost"):
        match.reveal()


def test_another_secret_than_the_promised_is_not_played_with(open_match, refused):
    """Its dice could never be verified, so the match stops before the first throw."""
    with refused("secret_lost"):
        open_match(("Ann",), verifiable_origin(new_secret(), ("luck",)), secret=new_secret()).throw()


def test_no_reveal_without_a_secret(open_match, refused):
    match = open_match(("bot:greedy",))
    play_out(match)
    assert not match.reveal_due
    with refused("reveal_not_due"):
        match.reveal()
    match = open_match(("Ann",), TYPED)
    with refused("secret_lost"):
        match.reveal()


def test_match_goes_on_from_a_record(open_match, shelf):
    match = open_match(("bot:greedy", "bot:random"))
    whole = open_match(("bot:greedy", "bot:random"))
    play_out(whole)
    for _ in range(20):
        if match.state.throw_due:
            match.throw()
        else:
            match.let_bot_decide()
    again, _ = record_from_text(record_to_text(match.record).encode())
    resumed = Match(again, shelf.save)
    play_out(resumed)
    assert resumed.record.entries == whole.record.entries


# Bots' turns and undo


def test_bot_decides_only_for_a_bot_and_after_the_throw(open_match, refused):
    match = open_match(("bot:random", "Ann"))
    with refused("throw_first"):
        match.let_bot_decide()
    match.throw()
    with refused("version_stale"):
        match.let_bot_decide(version=0)
    move = match.let_bot_decide(version=1)
    assert match.record.entries[-1] == move
    while match.player != "Ann":
        match.throw()
        match.let_bot_decide()
    match.throw()
    with refused("bot_not_due"):
        match.let_bot_decide()


def test_bot_has_nothing_to_decide_after_the_game(open_match, refused):
    match = open_match(("bot:greedy",))
    play_out(match)
    with refused("bot_not_due"):
        match.let_bot_decide()
    with refused("game_over"):
        match.throw()


def test_steps_to_the_last_decision(open_match):
    match = open_match()
    assert match.steps_to_last_decision() == 0
    match.throw()
    assert match.steps_to_last_decision() == 0  # no decision has been made yet
    match.decide(Keep(()))
    assert match.steps_to_last_decision() == 1
    match.throw()
    assert match.steps_to_last_decision() == 2
    match.decide(score("chance"))
    assert match.steps_to_last_decision() == 1
    match.undo(match.steps_to_last_decision())
    assert match.steps_to_last_decision() == 2


def test_steps_go_back_past_the_turns_of_bots(open_match):
    match = open_match(("Ann", "bot:greedy"))
    match.throw()
    match.decide(score("chance"))
    steps = 1
    while match.player != "Ann":
        if match.state.throw_due:
            match.throw()
        else:
            match.let_bot_decide()
        steps += 1
    assert steps > 2
    assert match.steps_to_last_decision() == steps
    match.undo(steps)
    assert (match.player, match.state.throw_due) == ("Ann", False)
    assert match.steps_to_last_decision() == 0


def test_steps_with_bots_alone(open_match):
    match = open_match(("bot:greedy",))
    play_out(match)
    assert match.steps_to_last_decision() == 0


def test_typed_throw_can_be_typed_again(open_match):
    match = open_match(("Ann", "bot:greedy"), TYPED)
    match.throw((1, 2, 3, 4, 5))
    assert match.steps_to_last_decision() == 1
    match.decide(score("chance"))
    assert match.steps_to_last_decision() == 1
    match.throw((1, 2, 3, 4, 5))
    match.let_bot_decide()
    assert match.steps_to_last_decision() == 2  # back to the bot's dice, which a person typed
    match.undo(2)
    assert match.state.throw_due


def test_entries_are_undone_with_undo(open_match):
    match = open_match(origin=TYPED)
    match.throw((1, 2, 3, 4, 5))
    match.undo(1)
    match.throw((1, 2, 3, 4, 6))
    assert match.record.entries == (Throw((1, 2, 3, 4, 5)), Undo(1), Throw((1, 2, 3, 4, 6)))
    assert match.record.moves == (Throw((1, 2, 3, 4, 6)),)
