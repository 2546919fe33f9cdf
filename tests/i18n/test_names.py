"""Names of the games: complete in four languages, short, distinct; and the fallbacks for house rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from dicecup.cli.terminal import find_box, understand
from dicecup.i18n import LANGUAGES
from dicecup.i18n.language import Language, game_name, name, option_name, option_text, summary
from dicecup.rules import Ruleset, load_ruleset

SUMMARY_LENGTH = 75
NAME_LENGTH = 24
HOUSE = """\
format = 1
id = "house"
throws = 2

[dice]
count = 2
faces = 3

[box.pair]
needs = { alike = [2] }
points = "matching"

[box.best_of_all]
points = "all"

[options]
speed = ["slow", "fast"]
"""
SWEDISH = """
[names.sv]
game = "Hemma"
summary = "Vårt eget"
pair = "Par"
grand_total = "Summa"

[names.sv.options.speed]
name = "Fart"
slow = "Långsamt"
"""
ENGLISH = """
[names.en]
pair = "Doubles"
"""


def keys(rules: Ruleset) -> set[str]:
    """Return everything that needs a name in this variant of a game."""
    wanted = {"game", "summary", *rules.lines}
    wanted |= {column.id for column in rules.columns} if rules.has_columns else set()
    wanted |= set(rules.dice.layers) if rules.has_layers else set()
    return wanted


def test_every_name_is_there(every_variant: list[Ruleset], code: str) -> None:
    words = every_variant[0].names[code]
    for rules in every_variant:
        assert keys(rules) <= set(words)
        for option, values in rules.choices.items():
            assert {"name", *values} <= set(words["options"][option])


def test_no_name_is_left_over(every_variant: list[Ruleset], code: str) -> None:
    """A name for a line that no variant has would be a typo."""
    wanted = set().union(*map(keys, every_variant)) | {"options"}
    assert set(every_variant[0].names[code]) - wanted == set()


def test_there_are_names_in_the_four_languages_only(game: Ruleset) -> None:
    assert set(game.names) == set(LANGUAGES)


def test_names_are_short(every_variant: list[Ruleset], code: str) -> None:
    for rules in every_variant:
        assert len(summary(rules, code)) <= SUMMARY_LENGTH
        for line in rules.lines:
            assert len(name(rules, line, code)) <= NAME_LENGTH, line


def test_boxes_have_different_names(game: Ruleset, code: str) -> None:
    names = [name(game, box.id, code).casefold() for box in game.boxes]
    assert len(set(names)) == len(names)


def test_a_box_can_be_typed_by_its_name(game: Ruleset, speaking: Language) -> None:
    for box in game.boxes:
        for typed in (name(game, box.id, speaking.code), box.id):
            assert understand(typed).command == "score", typed
            assert find_box(game, typed) == box.id


def test_french_names_have_french_spaces(game: Ruleset) -> None:
    words = game.names["fr"]
    texts = [text for text in words.values() if isinstance(text, str)]
    texts += [text for option in words.get("options", {}).values() for text in option.values()]
    for text in texts:
        assert " :" not in text
        assert " ;" not in text
        assert "'" not in text


@pytest.fixture
def house(tmp_path: Path) -> Path:
    return tmp_path / "house.toml"


def test_house_rules_without_names_are_called_by_their_ids(house: Path, code: str) -> None:
    house.write_text(HOUSE, encoding="utf-8")
    rules = load_ruleset(str(house))
    assert game_name(rules, code) == "house"
    assert summary(rules, code) == ""
    assert name(rules, "best_of_all", code) == "Best of all"
    assert option_name(rules, "speed", code) == "speed"
    assert option_text(rules, "speed", "slow", code) == ""


def test_house_rules_in_one_language_serve_all(house: Path, code: str) -> None:
    house.write_text(HOUSE + SWEDISH, encoding="utf-8")
    rules = load_ruleset(str(house))
    assert game_name(rules, code) == "Hemma"
    assert summary(rules, code) == "Vårt eget"
    assert name(rules, "pair", code) == "Par"
    assert name(rules, "best_of_all", code) == "Best of all"
    assert name(rules, "grand_total", code) == "Summa"
    assert option_name(rules, "speed", code) == "Fart"
    assert option_text(rules, "speed", "slow", code) == "Långsamt"
    assert option_text(rules, "speed", "fast", code) == ""


@pytest.mark.parametrize(
    ("code", "expected"), [("sv", "Par"), ("en", "Doubles"), ("fr", "Doubles"), ("de", "Doubles")]
)
def test_english_comes_before_other_languages(house: Path, code: str, expected: str) -> None:
    house.write_text(HOUSE + SWEDISH + ENGLISH, encoding="utf-8")
    rules = load_ruleset(str(house))
    assert name(rules, "pair", code) == expected
    assert game_name(rules, code) == "Hemma"


def test_house_rules_on_a_base_keep_its_names(house: Path) -> None:
    house.write_text(
        'format = 1\nid = "house"\nbase = "yatzy"\n[names.sv]\nchance = "Slump"\n', encoding="utf-8"
    )
    rules = load_ruleset(str(house))
    assert name(rules, "chance", "sv") == "Slump"
    assert name(rules, "full_house", "sv") == "Kåk"
    assert name(rules, "chance", "de") == "Chance"
