"""Descriptions of the rules: a text for every box and line of each game, for all options and languages."""

from __future__ import annotations

import pytest

from dicecup.i18n import language
from dicecup.i18n.describe import describe_game
from dicecup.i18n.language import Language
from dicecup.i18n.score_sheet import describe_box, describe_line
from dicecup.rules import Ruleset, load_ruleset

SAME = {"{base} plus {sum}", "{base} minus {sum}", "minus {sum}", "; ", "{need}: {points}", "{name}: {dice}"}


class Listening(Language):
    """A language that logs the messages requested and returned."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.said: set[tuple[str, str]] = set()
        self.gettext = self.listen  # type: ignore[assignment]
        self.ngettext = self.listen_plural  # type: ignore[assignment]

    def listen(self, text: str) -> str:
        said = self.catalogue.gettext(text)
        self.said.add((text, said))
        return said

    def listen_plural(self, one: str, many: str, number: int) -> str:
        said = self.catalogue.ngettext(one, many, number)
        self.said.add((one if number == 1 else many, said))
        return said


def texts(rules: Ruleset, speaker: Language) -> list[str]:
    boxes = {box.id: box for box in rules.boxes}
    lines = [
        describe_box(rules, boxes[line], speaker) if line in boxes else describe_line(rules, line, speaker)
        for line in rules.lines
    ]
    return lines + describe_game(rules, speaker)


def test_every_box_and_line_has_a_text(every_variant: list[Ruleset], code: str) -> None:
    for rules in every_variant:
        for text in texts(rules, language(code)):
            assert text.strip() == text
            assert text
            assert "{" not in text
            assert "}" not in text


@pytest.mark.parametrize("code", ["fr", "de", "sv"])
def test_no_english_is_left(every_variant: list[Ruleset], code: str) -> None:
    speaker = Listening(code)
    for rules in every_variant:
        texts(rules, speaker)
    assert speaker.said
    assert {original for original, said in speaker.said if said == original} <= SAME


def test_the_text_of_a_box_is_one_short_line(every_variant: list[Ruleset], code: str) -> None:
    """It has to fit in the small print of the score pad."""
    for rules in every_variant:
        for box in rules.boxes:
            text = describe_box(rules, box, language(code))
            assert "\n" not in text
            assert len(text) <= 110, text


def test_a_changed_rule_changes_the_text(code: str) -> None:
    speaker = language(code)
    plain = load_ruleset("yatzy")
    other = load_ruleset("yatzy", {"scoring": "international", "yatzy": "plus_sum", "strike": "last_resort"})
    changed = {
        box.id
        for box, same_box in zip(plain.boxes, other.boxes, strict=True)
        if describe_box(plain, box, speaker) != describe_box(other, same_box, speaker)
    }
    assert changed == {
        "two_pairs",
        "three_of_a_kind",
        "four_of_a_kind",
        "low_straight",
        "high_straight",
        "full_house",
        "yatzy",
    }
    assert describe_game(plain, speaker)[-1] != describe_game(other, speaker)[-1]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("en", "minus the sum of the lowest 5 dice; can’t be crossed out"),
        ("de", "minus die Summe der 5 niedrigsten Würfel; darf nicht gestrichen werden"),
        ("sv", "minus summan av de 5 lägsta tärningarna; får inte strykas"),
    ],
)
def test_the_negative_extra(code: str, expected: str) -> None:
    rules = load_ruleset("dice-in-dice", {"extra": "negative"})
    assert describe_box(rules, rules.boxes[-1], language(code)) == expected
