"""The rules pages for players: every example is scored, and the four languages tell the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.i18n.test_rules_in_words import JOKER_FOURS, JOKER_SIXES, YUMS_FILLED, points_in
from tests.rulebook.support import Written, inner_points, outer_points

from dicecup.engine.state import MOST_PLAYERS
from dicecup.i18n import LANGUAGES
from dicecup.i18n.language import LANGUAGE_NAMES, game_name, name, option_name, option_text
from dicecup.rules import Ruleset, builtin_ids, load_ruleset, main_ids
from dicecup.web.assets import rules_page

EXAMPLE = re.compile(r"`(?P<dice>[\d ]+)` → (?P<points>−?\d+)")
INTERNATIONAL = {"scoring": "international"}
NEGATIVE = {"extra": "negative"}


@dataclass(frozen=True)
class Situation:
    """Where an example of the running text belongs: its boxes, the sheet before, the options."""

    boxes: tuple[str, ...]
    written: Written = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)


def at(*boxes: str, **written: int) -> Situation:
    return Situation(boxes, written)


LOW_AND_HIGH = [
    *[at("high_score", low_score=24)] * 2,
    *[at("low_score", high_score=23)] * 2,
    at("high_score", low_score=0),
    at("low_score", high_score=0),
]
YUMS = [at("second_yum", "third_yum"), at("second_yum", yum=0)]
JOKER_IN_FIVES = Situation(("fives",), JOKER_SIXES)
# The examples outside the tables of boxes and options, in the order of the page.
TOLD = {
    "yatzy": [at("fives")],
    "yatzy-sv": [],
    "dice-in-dice": [
        at("low_straight"),
        at("full_house"),
        *[Situation(("extra",), {}, NEGATIVE)] * 2,
    ],
    "yum-plus": [*LOW_AND_HIGH, *YUMS, JOKER_IN_FIVES, Situation(("full_house",), YUMS_FILLED)],
    "triple-yum-plus": [*LOW_AND_HIGH, *YUMS, JOKER_IN_FIVES],
    "yahtzee": [
        *[Situation((box,), JOKER_FOURS) for box in ("full_house", "small_straight", "large_straight")],
        at("full_house", "small_straight", "large_straight", yahtzee=50),
        Situation(("large_straight",), JOKER_FOURS),
    ],
}  # the pages of the other games have examples in their tables only
# The boxes that the examples of an option are about.
OPTION_BOXES = {
    ("extra", "chance"): ["extra"],
    ("extra", "negative"): ["extra"],
    ("extra", "free_strike"): ["extra"],
    ("scoring", "scandinavian"): ["two_pairs", "full_house"],
    ("yatzy", "plus_sum"): ["yatzy"],
    ("two_pairs", "distinct"): ["two_pairs"],
    ("two_pairs", "four_alike"): ["two_pairs"],
    ("kinds", "all_dice"): ["three_of_a_kind"],
    ("kinds", "matching"): ["three_of_a_kind"],
    ("joker_upper", "sum"): ["fives"],
    ("joker_upper", "none"): ["fives"],
    ("joker", "none"): ["full_house"],
}
FILLED_BEFORE: dict[str, Written] = {"joker_upper": JOKER_SIXES, "joker": JOKER_FOURS}


@pytest.fixture(params=[(game, code) for game in builtin_ids() for code in LANGUAGES], ids="-".join)
def page(request: pytest.FixtureRequest) -> tuple[Ruleset, str, str]:
    game, code = request.param
    return load_ruleset(game), code, rules_page(game, code).markdown


def label(rules: Ruleset, option: str, value: str, code: str) -> str:
    """Return the short name of an option's value: what its text has before the colon."""
    return re.split("\u00a0?: ", option_text(rules, option, value, code))[0]


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []


def option_of(rules: Ruleset, row: list[str], current: str, code: str) -> tuple[str, str]:
    """Return the option and value that a row of the table of options is about."""
    names = {option_name(rules, option, code): option for option in rules.choices}
    option = names.get(row[0], current)
    labels = {label(rules, option, value, code): value for value in rules.choices.get(option, ())}
    return option, labels.get(row[1]) or labels.get(re.sub(r" \([^)]*\)$", "", row[1]), "")


def examples(rules: Ruleset, code: str, text: str) -> Iterator[tuple[re.Match[str], Situation]]:
    """Yield every example of a page with its situation."""
    told = iter(TOLD.get(rules.id, []))
    boxes = {name(rules, box.id, code): box.id for box in rules.boxes}
    tables, inside, option = 0, False, ""
    for line in joined(text).splitlines():
        row = cells(line)
        tables += bool(row) and not inside
        inside = bool(row)
        named = [boxes[part] for part in row[0].split(", ") if part in boxes] if row else []
        option, value = option_of(rules, row, option, code) if len(row) == 3 else (option, "")
        found = list(EXAMPLE.finditer(line))
        if named and len(row) == 2:
            yield from ((each, Situation(tuple(named), JOKER_SIXES)) for each in found)
        elif named:
            first = rules.boxes[rules.box_index[named[0]]]
            before = dict.fromkeys(first.after, 0) | dict.fromkeys(first.once, 50)
            options = INTERNATIONAL if tables == 3 else {}
            yield from ((each, Situation(tuple(named), before, options)) for each in found)
        elif value:
            about = OPTION_BOXES.get((option, value), []) if rules.id in main_ids() else []
            assert len(about) == len(found), line
            for each, box in zip(found, about, strict=True):
                yield each, Situation((box,), FILLED_BEFORE.get(option, {}), {option: value})
        else:
            yield from ((each, next(told)) for each in found)
    assert not list(told)


def joined(text: str) -> str:
    """Return the text with every paragraph on one line."""
    return re.sub(r"(?<!\n)\n(?![\n|#\d-])", " ", re.sub(r"\n +", " ", text))


def test_every_example_is_what_the_engine_gives(page: tuple[Ruleset, str, str]) -> None:
    rules, code, text = page
    count = 0
    for found, situation in examples(rules, code, text):
        chosen = load_ruleset(rules.id, situation.options)
        dice = tuple(map(int, found["dice"].split()))
        for box in situation.boxes:
            given = [points_in(chosen, dice, box, situation.written)]
            if chosen.has_layers:
                given = [score(chosen, found["dice"], box) for score in (inner_points, outer_points)]
            assert set(given) == {int(found["points"].replace("−", "-"))}, (box, found[0])
        count += 1
    assert count == len(EXAMPLE.findall(joined(text)))


def test_every_box_and_option_is_on_the_page(page: tuple[Ruleset, str, str]) -> None:
    rules, code, text = page
    rows = [cells(line) for line in text.splitlines() if line.startswith("|")]
    for box in rules.boxes:
        (row,) = [row for row in rows if row[0] == name(rules, box.id, code)][:1]
        assert EXAMPLE.search(row[2]), row
    for option, values in rules.choices.items():
        assert [row for row in rows if row[0] == option_name(rules, option, code)], option
        for value in values:
            assert [
                row
                for row in rows
                if re.fullmatch(rf"{re.escape(label(rules, option, value, code))}( \(.*\))?", row[1])
            ]


def test_the_four_languages_give_the_same_examples(game: Ruleset) -> None:
    said = {code: EXAMPLE.findall(joined(rules_page(game.id, code).markdown)) for code in LANGUAGES}
    assert said["en"]
    assert all(said[code] == said["en"] for code in LANGUAGES)


def test_pages_for_players_have_no_ids(page: tuple[Ruleset, str, str]) -> None:
    """No ids of boxes and options, no syntax of the command line, no decisions about the sheets."""
    _rules, _code, text = page
    assert [code for code in re.findall(r"`([^`]*)`", text) if not re.fullmatch(r"[\d -]+", code)] == []
    assert not re.search(r"\bDecision|\bDécision|\bEntscheidung|\bBeslut|dicecup ", text)


def test_pages_begin_with_their_text(page: tuple[Ruleset, str, str]) -> None:
    """Title and languages belong to what shows the page."""
    _rules, _code, text = page
    first = text.split("\n\n", maxsplit=1)[0]
    assert not any(word in first for word in LANGUAGE_NAMES.values())
    assert not first.startswith("#")


def test_pages_say_the_number_of_players(page: tuple[Ruleset, str, str]) -> None:
    _rules, _code, text = page
    assert re.search(rf"\b{MOST_PLAYERS}\b", text)


def test_pages_are_named_after_their_game(root: Path, game: Ruleset, code: str) -> None:
    title = (root / "docs/rules" / code / f"{game.id}.md").read_text(encoding="utf-8").splitlines()[0]
    assert title == f"# {game_name(game, code)}"
