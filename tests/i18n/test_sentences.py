"""Errors and phrases in each language: all values are substituted, and boxes are called by their names."""

from __future__ import annotations

import re
from string import Formatter

import pytest

from dicecup.errors import ALL_SENTENCES, PHRASES, DicecupError, MoveError, Phrase
from dicecup.i18n import LANGUAGES, language
from dicecup.messages import Plural
from dicecup.rules import load_ruleset

OPEN_PLACE = re.compile(r"\{\w*(![rsa])?\}|\{\{|\}\}")


def fields(template: str | Plural) -> list[str]:
    if isinstance(template, Plural):
        return fields(template.many)
    return [field for _text, field, _spec, _conversion in Formatter().parse(template) if field]


def samples(template: str | Plural) -> dict[str, object]:
    return {field: f"‹{field}›" for field in fields(template)}


# One test for each language, not one for each sentence: pytest takes longer for a test than a sentence does.


def test_every_error_has_a_sentence(code: str) -> None:
    for error, template in ALL_SENTENCES.items():
        values = samples(template)
        sentence = language(code).sentence(DicecupError(error, **values))
        assert all(str(value) in sentence for value in values.values()), error
        assert not OPEN_PLACE.search(sentence), error
        if code == "en":
            assert sentence == str(DicecupError(error, **values))


def test_every_phrase_is_put_into_its_sentence(code: str) -> None:
    for phrase, template in PHRASES.items():
        values = samples(template)
        inner = Phrase(phrase, **values)
        error = DicecupError("rules_key_wrong", file="f.toml", key="box.pair", expected=inner)
        sentence = language(code).sentence(error)
        assert language(code).sentence(inner) in sentence, phrase
        assert all(str(value) in sentence for value in values.values()), phrase
        assert not OPEN_PLACE.search(sentence), phrase
        if code == "en":
            assert sentence == str(error)


def test_an_error_in_an_error_is_translated_too() -> None:
    inner = MoveError("box_filled", box="full_house")
    outer = DicecupError("record_illegal", line=7, problem=inner)
    text = language("sv").sentence(outer, load_ruleset("yatzy"))
    assert text == "Rad 7 i spelfilen bryter mot reglerna: Rutan ”Kåk” är redan ifylld. Välj en ledig ruta."


@pytest.mark.parametrize(
    ("code", "name"), [("en", "Full House"), ("fr", "Full"), ("de", "Full House"), ("sv", "Kåk")]
)
def test_a_box_is_called_by_its_name(code: str, name: str) -> None:
    error = MoveError("box_filled", box="full_house")
    assert name in language(code).sentence(error, load_ruleset("yatzy"))
    assert "full_house" in language(code).sentence(error)


@pytest.mark.parametrize(
    ("code", "one", "many"),
    [("en", "1 minute.", "2 minutes."), ("fr", "1 minute.", "2 minutes."), ("de", "1 Minute.", "2 Minuten.")],
)
def test_sentences_have_a_plural(code: str, one: str, many: str) -> None:
    for minutes, said in ((1, one), (2, many)):
        error = DicecupError("solve_takes_long", ruleset="yatzy", minutes=minutes, command="…")
        assert said in language(code).sentence(error)
        assert code != "en" or said in str(error)


def test_an_unknown_box_is_shown_as_typed(code: str) -> None:
    error = MoveError("box_unknown", box="sevens", known="ones, twos")
    assert "sevens" in language(code).sentence(error, load_ruleset("yatzy"))


@pytest.mark.parametrize(
    ("code", "last"), [("en", "b and c"), ("fr", "b et c"), ("de", "b und c"), ("sv", "b och c")]
)
def test_lists_end_with_and(code: str, last: str) -> None:
    assert language(code).join(["a", "b", "c"]) == f"a, {last}"
    assert language(code).join(["a"]) == "a"
    assert language(code).join([]) == ""


def test_the_languages_are_the_four() -> None:
    assert LANGUAGES == ("en", "fr", "de", "sv")
