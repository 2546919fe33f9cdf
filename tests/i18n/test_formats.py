"""Numbers, shares, places and dates in the reader's form."""

from __future__ import annotations

from typing import Literal

import pytest

from dicecup.cli import solve
from dicecup.cli.common import speech
from dicecup.i18n import language
from dicecup.i18n.sentences import date_text, number_text, ordinal_text, percent_text, signed_text
from dicecup.rules import load_ruleset
from dicecup.solver.solution import FinalScores


@pytest.mark.parametrize(
    ("code", "said"), [("en", "76%"), ("fr", "76\u00a0%"), ("de", "76\u00a0%"), ("sv", "76\u00a0%")]
)
def test_shares(code: str, said: str) -> None:
    assert percent_text(0.76, language(code)) == said


def test_decimals() -> None:
    assert percent_text(0.0123, language("en"), 1) == "1.2%"
    assert percent_text(0.0123, language("sv"), 1) == "1,2\u00a0%"
    assert number_text(-0.001, language("en")) == "0.00"
    assert signed_text(1.5, language("de"), 1) == "+1,5"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("en", "1st 2nd 3rd 4th 11th 12th 13th 21st 22nd 23rd 24th"),
        ("fr", "1er 2e 3e 4e 11e 12e 13e 21e 22e 23e 24e"),
        ("de", "1. 2. 3. 4. 11. 12. 13. 21. 22. 23. 24."),
        ("sv", "1:a 2:a 3:e 4:e 11:e 12:e 13:e 21:a 22:a 23:e 24:e"),
    ],
)
def test_places(code: str, said: str) -> None:
    places = (1, 2, 3, 4, 11, 12, 13, 21, 22, 23, 24)
    assert " ".join(ordinal_text(place, language(code)) for place in places) == said


@pytest.mark.parametrize(
    ("code", "first", "other"),
    [
        ("en", "1 May 2026", "16 November 2026"),
        ("fr", "1er mai 2026", "16 novembre 2026"),
        ("de", "1. Mai 2026", "16. November 2026"),
        ("sv", "1 maj 2026", "16 november 2026"),
    ],
)
def test_dates(code: str, first: str, other: str) -> None:
    assert date_text("2026-05-01", language(code)) == first
    assert date_text("2026-11-16", language(code)) == other
    assert date_text("one Sunday", language(code)) == "one Sunday"


@pytest.mark.parametrize(
    ("code", "said"), [("en", "1 point:"), ("fr", "1 point\u00a0:"), ("de", "1 Punkt:"), ("sv", "1 poäng:")]
)
@pytest.mark.parametrize("play", ["points", "target"])
def test_the_chance_of_one_point(
    monkeypatch: pytest.MonkeyPatch, code: str, said: str, play: Literal["points", "target"]
) -> None:
    monkeypatch.setattr(speech, "language", language(code))
    sampled = FinalScores(least=0, curve=(1.0, 0.5), bonus=None, exact=False)
    line, note = solve.text(load_ruleset("yatzy"), sampled, 1, play)
    assert said in line
    assert note == language(code).gettext("Estimated from simulated games.")
