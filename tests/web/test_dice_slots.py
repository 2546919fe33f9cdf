"""Every die keeps its slot through a turn; marks and picks are shown, and never stored."""

from __future__ import annotations

import re
from random import Random

import pytest
from tests.web.conftest import ANN, Player, Visitor
from tests.web.test_changes import Watching

from dicecup import Game
from dicecup.dice import Die, sort_dice
from dicecup.engine.state import Keep
from dicecup.web.service.presence import Draft, slots_of

pytestmark = pytest.mark.one_database
ID = "abcdefghjkmn"


def dice_in(game: Game, draft: Draft) -> list[Die]:
    return [slot.die for slot in slots_of(ID, game.record, draft.kept)]


@pytest.mark.parametrize("name", ["yatzy", "dice-in-dice"])
def test_kept_dice_stay_where_they_lie(name: str) -> None:
    chance = Random(3)
    for seed in range(20):
        game, draft = Game(name, seed=seed), Draft()
        game.roll()
        for _roll in range(2):
            before = dice_in(game, draft)
            assert sort_dice(tuple(before)) == game.state.dice
            kept = frozenset(chance.sample(range(len(before)), 3))
            draft.keep(len(game.record.moves), kept)
            game.play(Keep(tuple(before[slot] for slot in kept)))
            states = [slot.state for slot in slots_of(ID, game.record, draft.kept)]
            assert [state == "kept" for state in states] == [slot in kept for slot in range(len(before))]
            game.roll()
            after = dice_in(game, draft)
            assert [after[slot] for slot in kept] == [before[slot] for slot in kept]


def test_without_memory_equal_dice_are_kept_from_the_left_and_kept_ones_first() -> None:
    """As in another process, or after a restart."""
    for seed in range(40):
        game, draft = Game("yatzy", seed=seed), Draft()
        game.roll()
        for _roll in range(2):
            before = slots_of(ID, game.record, draft.kept)
            die = before[-1].die
            game.keep(die)
            states = [slot.state for slot in slots_of(ID, game.record, draft.kept)]
            same = [slot for slot in range(5) if before[slot].die == die]
            first = min(same, key=lambda slot: (before[slot].state != "kept", slot))
            assert states == ["kept" if slot == first else "leaving" for slot in range(5)]
            game.roll()


def test_the_last_dice_stay_until_the_next_roll() -> None:
    game = Game("yatzy", ["Ann", "Bo"], seed=1)
    assert slots_of(ID, game.record, {}) == []
    game.roll()
    before = dice_in(game, Draft())
    game.score("chance")
    resting = slots_of(ID, game.record, {})
    assert [slot.die for slot in resting] == before
    assert {slot.state for slot in resting} == {"resting"}


def test_dice_fall_in_no_order_but_the_same_for_everybody() -> None:
    game, sorted_rolls = Game("yatzy", seed=5), 0
    for box in ("ones", "twos", "threes", "fours", "fives", "sixes"):
        game.roll()
        dice = dice_in(game, Draft())
        assert dice == dice_in(game, Draft())
        sorted_rolls += tuple(dice) == game.state.dice
        game.score(box)
    assert sorted_rolls < 6


def test_marks_are_sent_to_others_and_stored_nowhere(visitor: Visitor) -> None:
    visitor.send("/new/yatzy", kind=["person", "person"], name=["Ann", "Bo"])
    path = visitor.path
    seen = Watching(visitor.client, path.rpartition("/")[2])
    visitor.send(f"{path}/throw", version="0")
    seen.event()
    assert not seen.event()
    visitor.send(f"{path}/marks", expected=204, version="1", keep=["0", "3"])
    assert seen.event() == b"event: marks\ndata: 1 0 3\n\n"
    assert not seen.event()
    late = Watching(visitor.client, path.rpartition("/")[2])
    assert b"event: match" in late.event()
    assert late.event() == b"event: marks\ndata: 1 0 3\n\n"
    page = visitor.go(path)
    assert 'data-version="1"' in page
    assert page.count(" checked>") == 2  # they survive a reload
    visitor.send(f"{path}/throw", version="1", keep=["0", "3"])
    assert b"event: marks" not in seen.event()
    assert not seen.event()


def test_marks_are_refused_from_anybody_else(visitor: Visitor, ann: Player, bo: Player) -> None:
    state = ann.open("yatzy", ANN, {"kind": "person", "name": "Bo"})
    ann.play(state, {"throw": True})
    visitor.go(f"/t/{state['id']}")
    assert "seat" in visitor.send(f"/t/{state['id']}/marks", expected=403, version="1", keep="0")
    visitor.send("/new/yatzy", kind="person", name="Ann")
    path = visitor.path
    visitor.send(f"{path}/throw", version="0")
    visitor.send(f"{path}/marks", expected=409, version="0", keep="0")
    visitor.send(f"{path}/marks", expected=422, version="1", keep=["0", "9"])
    assert " checked>" not in visitor.go(path)


def test_two_boxes_are_picked_in_any_order_and_written_inner_first(visitor: Visitor, ann: Player) -> None:
    visitor.send("/new/dice-in-dice", kind="person", name="Ann")
    path = visitor.path
    visitor.send(f"{path}/throw", version="0")
    page = visitor.send(f"{path}/score", version="1", box="outer:chance")
    assert 'value="outer:chance"' in page
    assert 'name="send"' not in page
    assert 'name="picked" value="outer:chance"' in visitor.go(path)  # the first choice survives a reload
    page = visitor.send(f"{path}/score", version="1", picked="outer:chance", box="inner:ones")
    picked = "outer:chance,inner:ones"
    assert f'name="picked" value="{picked}"' in page
    assert 'name="send"' in page
    visitor.send(f"{path}/score", version="1", picked=picked, send="1")
    record = ann.get(f"/matches/{path.rpartition('/')[2]}/record").text
    assert re.search(r"^1 score inner ones \d+, outer chance \d+ ", record, re.M)


def test_one_box_for_both_layers_is_refused(visitor: Visitor) -> None:
    visitor.send("/new/dice-in-dice", kind="person", name="Ann")
    path = visitor.path
    visitor.send(f"{path}/throw", version="0")
    for picked in ("outer:ones,inner:ones", "inner:ones", "nothing:at,all:here"):
        visitor.send(f"{path}/score", expected=422, version="1", picked=picked, send="1")
        visitor.go(path)


def test_a_bot_is_skipped_and_slowed_down_by_those_who_play(visitor: Visitor, ann: Player) -> None:
    state = ann.open("yatzy", ANN, {"kind": "bot", "name": "greedy"})
    visitor.go(f"/t/{state['id']}")
    assert "seat" in visitor.send(f"/t/{state['id']}/skip", expected=403)
    visitor.send("/new/yatzy", kind=["person", "bot"], name=["Ann", "greedy"])
    path = visitor.path
    visitor.send(f"{path}/pace", expected=422, pace="fast")
    visitor.go(path)
    page = visitor.send(f"{path}/pace", pace="slow")
    assert '<option value="slow" selected>' in page
    visitor.send(f"{path}/skip")  # nothing to skip: it is a person's turn
