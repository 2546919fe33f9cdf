"""Properties of a ruleset."""

from __future__ import annotations

import pytest

from dicecup.rules import builtin_ids, load_ruleset, main_ids


def test_the_main_games_come_first():
    assert main_ids() == builtin_ids()[: len(main_ids())]
    assert {"dice-in-dice", "yahtzee"} < {*main_ids()} < {*builtin_ids()}


def test_lines_of_the_printed_sheet():
    """Totals are in the positions where the sheets print them."""
    yatzy = load_ruleset("yatzy").lines
    assert yatzy[:8] == ("ones", "twos", "threes", "fours", "fives", "sixes", "upper_sum", "bonus")
    assert yatzy[-2:] == ("yatzy", "grand_total")
    assert load_ruleset("dice-in-dice").lines[-3:] == ("grand_total", "extra", "final_score")
    yum = load_ruleset("yum-plus").lines
    assert (yum[6:9], yum[-2:]) == (("upper_sum", "bonus", "upper_total"), ("lower_total", "grand_total"))
    triple = load_ruleset("triple-yum-plus").lines
    assert triple[-4:] == ("lower_total", "grand_total", "weighted_total", "final_score")
    assert load_ruleset("yahtzee").lines[-3:] == ("yahtzee_bonus", "lower_total", "grand_total")
    assert "yahtzee_bonus" not in load_ruleset("yahtzee", {"joker": "none"}).lines


def test_lines_of_a_sheet_without_upper_section(change_small):
    assert load_ruleset(change_small("upper = false")).lines == ("pair", "chance", "grand_total")
    lines = load_ruleset(change_small("upper = false\nsection_totals = true")).lines
    assert lines == ("pair", "chance", "lower_total", "grand_total")


@pytest.mark.parametrize(
    ("game", "boxes", "cells", "turns"),
    [
        ("yatzy", 15, 15, 15),
        ("yatzy-sv", 15, 15, 15),
        ("dice-in-dice", 16, 16, 8),
        ("yum-plus", 22, 22, 22),
        ("triple-yum-plus", 22, 66, 66),
        ("yahtzee", 13, 13, 13),
    ],
)
def test_size_of_the_sheets(game, boxes, cells, turns):
    rules = load_ruleset(game)
    assert (len(rules.boxes), rules.cells, rules.turns) == (boxes, cells, turns)
    assert (rules.has_layers, rules.has_columns) == (game == "dice-in-dice", game == "triple-yum-plus")
    assert len(rules.upper) == 6


def test_upper_box_of_a_face_is_found_in_any_order(change_small):
    rules = load_ruleset(change_small("upper.boxes.ones = 3\nupper.boxes.threes = 1"))
    assert {face: rules.boxes[index].id for face, index in rules.upper_box_of_face.items()} == {
        1: "threes",
        2: "twos",
        3: "ones",
    }


@pytest.mark.parametrize("game", builtin_ids())
def test_every_line_option_and_value_is_named_in_four_languages(game):
    rules = load_ruleset(game)
    words = {"game", "summary", *rules.lines, *(column.id for column in rules.columns if column.id)}
    words |= set(rules.dice.layers) if rules.has_layers else set()
    for language in ("en", "fr", "de", "sv"):
        names = rules.names[language]
        assert words <= set(names)
        for option, values in rules.choices.items():
            assert {"name", *values} <= set(names["options"][option])


def test_a_ruleset_is_frozen():
    with pytest.raises(AttributeError):
        load_ruleset("yatzy").throws = 4  # type: ignore[misc]


def test_what_a_ruleset_holds_cannot_be_changed():
    rules = load_ruleset("yatzy")
    with pytest.raises(TypeError, match="Rules can’t be changed"):
        rules.box_index["pair"] = 7  # type: ignore[index]
    with pytest.raises(TypeError, match="Rules can’t be changed"):
        rules.names["fr"]["options"].clear()
