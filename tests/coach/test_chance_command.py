"""`dicecup chance`, as a user types it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.kernels
LATE = {
    "ruleset": "yatzy-sv",
    "sheet": {"ones": 3, "twos": 6, "threes": 9, "fours": 12, "fives": 15, "pair": 12, "two_pairs": 22}
    | {"three_of_a_kind": 15, "low_straight": 15, "yatzy": 0, "chance": 20},
}


@pytest.fixture
def late() -> None:
    Path("late.json").write_text(json.dumps(LATE))


def asked(call, *arguments: str) -> Any:
    status, out, _ = call("chance", "yatzy-sv", "--position", "late.json", "--json", *arguments)
    assert status == 0
    return json.loads(out)


def test_one_target(call, late):
    by_points = asked(call, "--at-least", "220")
    best = asked(call, "--at-least", "220", "--play", "target")
    assert set(best) == {"at_least", "play", "chance", "exact"}
    assert (best["at_least"], best["play"], best["exact"]) == (220, "target", True)
    assert by_points["chance"] < best["chance"] < 1
    assert asked(call, "--at-least", "100")["chance"] == 1
    assert asked(call, "--at-least", "1000")["chance"] == 0


def test_the_whole_curve(call, late):
    answer = asked(call)
    status, out, _ = call("value", "yatzy-sv", "--position", "late.json", "--json")
    assert (status, answer["exact"], answer["play"]) == (0, True, "points")
    assert answer["mean"] == pytest.approx(json.loads(out)["expected"], abs=1e-6)
    curve = answer["curve"]  # the chance of at least 0 points, of at least 1 …
    assert curve == sorted(curve, reverse=True)
    assert answer["mean"] == pytest.approx(sum(curve[1:]))
    assert answer["sd"] > 0
    best = asked(call, "--play", "target")
    assert all(target >= chance - 1e-6 for target, chance in zip(best["curve"], curve, strict=True))
    assert (best["mean"], best["sd"]) == (None, None)  # every target has decisions of its own
    status, out, _ = call("chance", "yatzy-sv", "--position", "late.json", "--play", "target")
    assert (status, "Best chance of the bonus: " in out) == (0, True)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ("Mean final score", "Chance of the bonus", "At least")),
        ("fr", ("Score final moyen", "Au moins")),
        ("de", ("Mittleres Endergebnis", "Mindestens")),
        ("sv", ("Genomsnittlig slutpoäng", "Minst")),
    ],
)
def test_in_words_and_as_a_picture(call, late, language, words):
    arguments = ("--position", "late.json", "--plot", "chances.svg", "--lang", language)
    status, out, _ = call("chance", "yatzy-sv", *arguments)
    assert status == 0
    for word in words:
        assert word in out
    assert Path("chances.svg").read_text().startswith("<svg")


def test_the_choices_that_give_the_best_chance(call):
    Path("late.json").write_text(json.dumps(LATE | {"dice": [1, 2, 6, 6, 6], "throws_left": 1}))
    answer = asked(call, "--at-least", "220", "--play", "target")
    chances = [option["chance"] for option in answer["options"]]
    assert chances == sorted(chances, reverse=True)
    assert chances[0] == pytest.approx(answer["chance"])
    assert {"box": "sixes"} in [option["move"] for option in answer["options"]]
    status, out, _ = call(
        "chance", "yatzy-sv", "--position", "late.json", "--at-least", "220", "--play", "target"
    )
    assert status == 0
    assert out.splitlines()[2].split() == ["Choice", "Chance"]


def test_the_last_turn_of_double_dice(call):
    """Everything is exact: one target with every choice, and the chances of all final scores."""
    rest = {"ones": 3, "twos": 6, "threes": 9, "fours": 12, "fives": 15, "sixes": 18, "pair": 12}
    rest |= {"two_pairs": 20, "three_of_a_kind": 18, "four_of_a_kind": 24, "low_straight": 15}
    dice = ["6-5", "6-4", "3-3", "3-2", "4-1", "3-2"]
    sheet = rest | {"high_straight": 20, "full_house": 20, "yatzy": 50}
    position = {"ruleset": "dice-in-dice", "sheet": sheet, "dice": dice, "throws_left": 1}
    Path("last.json").write_text(json.dumps(position))
    arguments = ("--position", "last.json", "--play", "target", "--json")
    status, out, _ = call("chance", "dice-in-dice", *arguments, "--at-least", "340")
    assert status == 0
    answer = json.loads(out)
    assert (answer["exact"], 0 < answer["chance"] < 1) == (True, True)
    assert answer["options"][0]["chance"] == pytest.approx(answer["chance"])
    status, out, _ = call("chance", "dice-in-dice", *arguments)
    assert status == 0
    best = json.loads(out)
    assert (best["exact"], best["curve"][340]) == (True, pytest.approx(answer["chance"]))
    status, out, _ = call("chance", "dice-in-dice", "--position", "last.json", "--json")
    assert status == 0
    by_points = json.loads(out)
    assert by_points["exact"]
    value = json.loads(call("value", "dice-in-dice", "--position", "last.json", "--json")[1])["expected"]
    assert by_points["mean"] == pytest.approx(value, rel=1e-6)
    pairs = zip(by_points["curve"], best["curve"], strict=True)
    assert all(chance <= highest + 1e-6 for chance, highest in pairs)


@pytest.mark.parametrize("target", ["x", "12345678", "2.5"])
def test_a_target_that_is_none(call, target):
    status, out, err = call("chance", "yatzy-sv", "--at-least", target)
    assert (status, out) == (2, "")
    assert "--at-least" in err


def test_a_position_of_another_game_and_games_without_targets(call, late):
    status, _, err = call("chance", "yatzy", "--position", "late.json")
    assert (status, "position_of_other_game" in err) == (2, True)
    status, _, err = call("chance", "triple-yum-plus", "--play", "target")
    assert (status, "chances_unknown" in err) == (2, True)
