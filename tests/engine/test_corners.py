"""Edge cases of the engine that the other tests do not reach."""

from __future__ import annotations

from pathlib import Path

import pytest

from dicecup.engine import empty_sheet, start
from dicecup.engine.legality import layer_offers
from dicecup.engine.record import DiceOrigin, Header, Record
from dicecup.engine.record_text import record_from_text, record_to_text
from dicecup.rules import load_ruleset
from dicecup.rules.loader import rules_beside


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
