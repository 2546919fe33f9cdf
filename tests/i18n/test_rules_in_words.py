"""The rules in words against the engine: texts of boxes, options, lines and jokers give the same points."""

from __future__ import annotations

import re
from itertools import combinations_with_replacement

import pytest
from tests.i18n.reading import points_by_text
from tests.rulebook.support import Written, inner_points, lines, points

from dicecup.cli import play
from dicecup.cli import rules as rules_command
from dicecup.engine.state import MOST_PLAYERS
from dicecup.errors import UsageError
from dicecup.i18n import LANGUAGES, language
from dicecup.i18n.describe import describe_game
from dicecup.i18n.language import option_text
from dicecup.i18n.score_sheet import describe_box, describe_line
from dicecup.rules import Ruleset, builtin_ids, load_ruleset
from dicecup.rules.scoring import score_box

# An example in the text of an option: the dice that matter, an optional box, and the points.
EXAMPLE = re.compile(r"\((?P<dice>\d(?:-\d)+)(?: [^():]*?)?\u00a0?: (?P<points>−?\d+)\)")
YUMS_FILLED = {"yum": 0, "second_yum": 0, "third_yum": 0}
JOKER_SIXES = YUMS_FILLED | {"sixes": 18}
JOKER_FOURS = {"yahtzee": 0, "fours": 12}
KNIFFEL_FOURS = {"kniffel": 0, "fours": 12}
# The box that each example is about, and what is on the sheet before.
EXAMPLES: dict[tuple[str, str], list[tuple[str, Written]]] = {
    ("scoring", "printed"): [("two_pairs", {}), ("full_house", {})],
    ("scoring", "scandinavian"): [("two_pairs", {}), ("full_house", {})],
    ("scoring", "international"): [("three_of_a_kind", {})],
    ("yatzy", "flat"): [("yatzy", {})],
    ("yatzy", "plus_sum"): [("yatzy", {})],
    ("two_pairs", "distinct"): [("two_pairs", {})],
    ("two_pairs", "four_alike"): [("two_pairs", {})],
    ("extra", "chance"): [("extra", {})],
    ("extra", "negative"): [("extra", {})],
    ("extra", "free_strike"): [("extra", {})],
    ("kinds", "all_dice"): [("three_of_a_kind", {})],
    ("kinds", "matching"): [("three_of_a_kind", {})],
    ("joker_upper", "sum"): [("fives", JOKER_SIXES)],
    ("joker_upper", "none"): [("fives", JOKER_SIXES)],
    ("joker", "free"): [("large_straight", JOKER_FOURS)],
    ("joker", "forced"): [("large_straight", JOKER_FOURS)],
    ("joker", "none"): [("large_straight", JOKER_FOURS)],
    ("further", "none"): [("large_straight", KNIFFEL_FOURS)],
    ("further", "bonus"): [("large_straight", KNIFFEL_FOURS)],
    ("further", "joker"): [("large_straight", KNIFFEL_FOURS)],
    ("straight", "around"): [("straight", {})],
    ("straight", "plain"): [("straight", {})],
}
# Options about what is allowed, or about rolls and totals, not about points; tests/rulebook plays them.
WITHOUT_EXAMPLE = ("strike", "saved", "bonus", "served")
VALUES = [
    (game, option, value)
    for game in builtin_ids()
    for option, values in load_ruleset(game).choices.items()
    for value in values
]


def points_in(rules: Ruleset, dice: tuple[int, ...], box: str, written: Written) -> int:
    """Return what the engine gives; with columns, every column holds the same and the first is filled."""
    text = " ".join(map(str, dice))
    if rules.has_layers:
        return inner_points(rules, text, box)
    if not rules.has_columns:
        return points(rules, text, box, written)
    everywhere = {f"{column.id}.{name}": value for column in rules.columns for name, value in written.items()}
    free = next(column.id for column in rules.columns if column.order == "free" and not column.announced)
    return points(rules, text, f"{free}.{box}", everywhere)


def with_others(dice: tuple[int, ...], count: int) -> tuple[int, ...]:
    """Add dice that do not matter: the lowest numbers that are not there yet."""
    others = [face for face in range(1, 7) if face not in dice]
    return dice + tuple(others[: count - len(dice)])


def test_a_box_gives_what_its_text_says(every_variant: list[Ruleset]) -> None:
    """For every throw, in every box, with every combination of options."""
    checked = set()
    for rules in every_variant:
        for box in rules.boxes:
            text = describe_box(rules, box, language("en"))
            if (text, box) in checked:
                continue
            checked.add((text, box))
            for dice in combinations_with_replacement(range(1, 7), rules.dice.count):
                scored = score_box(box, dice, rules.dice.counted).points
                assert points_by_text(text, dice, rules.dice.counted) == scored, (text, dice)


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize(("game", "option", "value"), VALUES)
def test_the_examples_of_options(game: str, option: str, value: str, code: str) -> None:
    rules = load_ruleset(game, {option: value})
    found = list(EXAMPLE.finditer(option_text(rules, option, value, code)))
    if option in WITHOUT_EXAMPLE:
        assert not found
        return
    boxes = EXAMPLES[option, value]
    assert len(found) == len(boxes)
    for example, (box, written) in zip(found, boxes, strict=True):
        dice = with_others(tuple(map(int, example["dice"].split("-"))), rules.dice.count)
        claimed = int(example["points"].replace("−", "-"))
        assert points_in(rules, dice, box, written) == claimed, example[0]


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize(
    ("game", "options", "filled"),
    [
        ("yum-plus", {"joker_upper": "sum"}, JOKER_SIXES),
        ("yum-plus", {"joker_upper": "none"}, JOKER_SIXES),
        ("triple-yum-plus", {"joker_upper": "sum"}, JOKER_SIXES),
        ("triple-yum-plus", {"joker_upper": "none"}, JOKER_SIXES),
        ("yahtzee", {"joker": "free"}, {"yahtzee": 0, "sixes": 18}),
    ],
)
def test_the_joker_in_an_upper_box(game: str, options: dict[str, str], filled: Written, code: str) -> None:
    rules = load_ruleset(game, options)
    (example,) = [found for text in describe_game(rules, language(code)) for found in EXAMPLE.finditer(text)]
    dice = tuple(map(int, example["dice"].split("-")))
    assert int(example["points"]) == points_in(rules, dice, "fives", filled)


@pytest.mark.parametrize("game", ["yum-plus", "yahtzee"])
def test_a_joker_gets_full_points_in_the_boxes_that_are_named(game: str) -> None:
    rules = load_ruleset(game)
    joker = rules.joker
    assert joker
    named = next(
        text for text in describe_game(rules, language("en")) if text.startswith("A joker gets full")
    )
    filled = dict.fromkeys(joker.filled, 0) | {"sixes": 18}
    for box in rules.boxes:
        if box.section != "lower" or box.id in filled or box.id not in joker.boxes:
            continue
        assert rules.names["en"][box.id] in named
        assert points_in(rules, (6,) * 5, box.id, filled) == (box.points.base or 24)


@pytest.mark.parametrize(
    ("game", "written", "said"),
    [
        (
            "yatzy",
            {"sixes": 30, "fives": 25, "fours": 16, "pair": 12},
            {"grand_total": "Total, Bonus and the lower boxes"},
        ),
        (
            "dice-in-dice",
            {"sixes": 30, "fives": 25, "fours": 16, "pair": 12, "extra": 20},
            {"grand_total": "Total, Bonus and the lower boxes", "final_score": "Grand Total and Extra"},
        ),
        (
            "yum-plus",
            {"sixes": 30, "fives": 25, "fours": 16, "pair": 12},
            {
                "upper_total": "Sub Total and Bonus",
                "lower_total": "the lower boxes",
                "grand_total": "Total Upper Section and Total Lower Section",
            },
        ),
        (
            "yahtzee",
            {"sixes": 30, "fives": 25, "fours": 16, "chance": 12},
            {
                "upper_total": "Upper Sum and Bonus",
                "lower_total": "the lower boxes and Yahtzee Bonus",
                "grand_total": "Upper Total and Lower Total",
            },
        ),
    ],
)
def test_totals_add_up_the_lines_they_name(game: str, written: Written, said: dict[str, str]) -> None:
    """No line is counted twice and none is left out."""
    rules = load_ruleset(game)
    computed = lines(rules, written)
    lower = sum(points for box, points in written.items() if box in ("pair", "chance"))
    by_name = {
        rules.names["en"][line]: value for line, value in computed.items() if line in rules.names["en"]
    }
    by_name |= {"the lower boxes": lower, "Extra": written.get("extra", 0)}
    by_name.setdefault("Final Score", computed["weighted_total"])
    for line, text in said.items():
        assert describe_line(rules, line, language("en")) == text
        parts = re.split(r", | and ", text)
        assert by_name[rules.names["en"][line]] == sum(by_name[part] for part in parts), text


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_crossed_out_box_sets_no_limit(code: str) -> None:
    """The texts of the low and the high score say that only points do."""
    rules = load_ruleset("yum-plus")
    for box, other, limit, dice, scored in (
        ("high_score", "low_score", 24, (3, 3, 6, 6, 6), 24),
        ("low_score", "high_score", 23, (2, 4, 5, 6, 6), 23),
    ):
        text = describe_box(rules, rules.boxes[rules.box_index[box]], language(code))
        assert rules.names[code][other] in text
        assert points_in(rules, dice, box, {other: limit}) == 0
        assert points_in(rules, dice, box, {other: 0}) == scored


def test_the_number_of_players_is_said(game: Ruleset, code: str) -> None:
    assert re.search(rf"\b{MOST_PLAYERS}\b", describe_game(game, language(code))[0])


def test_terminal_and_pad_take_the_number_of_players_that_is_said() -> None:
    typed, printed = (
        next(parameter for parameter in command.params if parameter.name == "players")
        for command in (play.command, rules_command.sheet)
    )
    assert f"Up to {MOST_PLAYERS} names" in getattr(typed, "help", "")
    assert getattr(printed.type, "max", None) == MOST_PLAYERS
    names, _bots = play.read_players(",".join(f"P{number}" for number in range(MOST_PLAYERS)))
    assert len(names) == MOST_PLAYERS
    with pytest.raises(UsageError, match=f"up to {MOST_PLAYERS}"):
        play.read_players(",".join(f"P{number}" for number in range(MOST_PLAYERS + 1)))
