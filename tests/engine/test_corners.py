"""Edge cases of the engine that the other tests do not reach."""

from __future__ import annotations

from pathlib import Path

import pytest

from dicecup.engine import Keep, Sheet, Throw, Write, apply, empty_sheet, start
from dicecup.engine.legality import layer_offers, offers
from dicecup.engine.play import legal_announcements, with_strikes
from dicecup.engine.record import DiceOrigin, Header, Record
from dicecup.engine.record_text import record_from_text, record_to_text
from dicecup.engine.state import Placement, Score, across_points
from dicecup.rules import load_ruleset
from dicecup.rules.loader import rules_beside
from dicecup.rules.scoring import Scored


def test_each_layer_is_offered_by_itself_in_the_order_of_scoring():
    rules = load_ruleset("dice-in-dice")
    dice = ((6, 5), (6, 4), (3, 3), (3, 2), (4, 1), (3, 2))
    found = layer_offers(rules, empty_sheet(rules), dice)
    assert [(layer, faces) for layer, faces, _ in found] == [
        ("inner", (1, 2, 2, 3, 4, 5)),
        ("outer", (3, 3, 3, 4, 6, 6)),
    ]
    points = [scored.points for _, _, offers in found if (scored := offers[rules.box_index["full_house"]])]
    assert points == [0, 21]


def test_a_joker_only_improves_what_dice_give():
    rules = load_ruleset("yum-plus")
    held = {"yum": 50, "second_yum": 0, "third_yum": 0, "sixes": 18, "chance": 12}
    sheet = Sheet(tuple(held.get(box.id) for box in rules.boxes))
    given = dict(zip(rules.box_index, offers(rules, sheet, (6,) * 5), strict=True))
    points = {box: scored.points for box, scored in given.items() if scored}
    assert (points["fives"], points["three_of_a_kind"], points["low_straight"]) == (30, 30, 15)
    assert given["low_straight"] == Scored(15, (6,) * 5)
    assert given["sixes"] is given["chance"] is None


def test_a_turn_of_a_pad_has_a_box_for_each_layer():
    rules = load_ruleset("dice-in-dice")
    record = Record(Header(rules.id, rules, ("Ann", "Bo"), DiceOrigin("points")))
    record = record.append(Write(0, "sixes", 12))
    assert record.state.player == 0
    assert record.append(Write(0, "fives", 10)).state.player == 1


def test_only_the_first_roll_can_be_announced():
    rules = load_ruleset("jamb")
    state = apply(rules, start(rules), Throw((1, 2, 3, 6, 6)))
    assert legal_announcements(rules, state)
    state = apply(rules, apply(rules, state, Keep((6, 6))), Throw((1, 2, 3)))
    assert legal_announcements(rules, state) == ()


@pytest.mark.parametrize(("choice", "points"), [((25, 25, 25, 25), 2), ((25, 25, 25, 24), 0)])
def test_a_row_gives_points_from_its_sum_on(choice, points):
    rules = load_ruleset("balut")
    cells = [of_column if box.id == "choice" else 0 for of_column in choice for box in rules.boxes]
    assert across_points(rules, Sheet(tuple(cells))) == points


@pytest.mark.parametrize("players", [0, -1])
def test_a_game_needs_a_player(refused, players):
    with refused("players_missing"):
        start(load_ruleset("yatzy"), players)


def test_a_rules_file_is_found_from_the_folder_of_the_record(tmp_path: Path, monkeypatch):
    (tmp_path / "house.toml").write_text('format = 1\nid = "house"\nbase = "yatzy"\n')
    monkeypatch.chdir(tmp_path)
    header = Header("house.toml", load_ruleset("house.toml"), ("Ann",), DiceOrigin("typed"))
    text = record_to_text(Record(header)).encode()
    monkeypatch.chdir("/")
    record, _ = record_from_text(text, rules_beside(tmp_path))
    assert record.rules.identity == header.rules.identity


@pytest.mark.parametrize(
    ("game", "dice", "given", "said"),
    [
        ("yatzy", (1, 2, 3, 4, 6), ["yatzy"], [True]),
        ("yatzy", (6, 6, 6, 6, 6), ["yatzy"], [False]),
        # The Extra box never holds points here: its 0 is not a strike.
        ("dice-in-dice", ((1, 1), (1, 1), (2, 2), (3, 3), (4, 4), (6, 6)), ["yatzy", "extra"], [True, False]),
    ],
)
def test_a_zero_is_said_to_be_crossed_out_where_points_were_possible(game, dice, given, said):
    rules = load_ruleset(game, {"extra": "free_strike"} if game == "dice-in-dice" else {})
    move = Score(tuple(map(Placement, given)))
    found = with_strikes(rules, empty_sheet(rules), dice, move)
    assert isinstance(found, Score)
    assert [placed.strike for placed in found.placements] == said
    assert with_strikes(rules, empty_sheet(rules), dice, Keep(())) == Keep(())
