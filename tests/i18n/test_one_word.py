"""Consistent terminology in each language: terminal, pages, errors."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

# A pattern in the English text, and what each translation of it must contain.
WORDS = {
    r"\bturns?\b": {"fr": r"\btours?\b", "de": r"\bZ[uü]ge?n?s?\b", "sv": r"\bomgång"},
    r"\bskill\b": {"fr": r"\bhabileté\b", "de": r"\bKönnen\b", "sv": r"\bskicklighet\b"},
    r"\bluck\b": {"fr": r"\bchance\b", "de": r"\bGlück\b", "sv": r"\btur\b"},
    r"\bfinal scores?\b": {"fr": r"\bscores? fina", "de": r"\bEndergebnis", "sv": r"\bslutpoäng"},
    r"\bchances to win\b": {"fr": r"chances de gagner", "de": r"Gewinnchancen", "sv": r"vinstchanser"},
    r"\bcoach\b": {"fr": r"\bentraîneur\b|\bil\b", "de": r"\bTrainer\b", "sv": r"\btränare"},
    r"(?<!-)\brecords?\b": {"fr": r"\benregistr", "de": r"\bAuf(gez|z)eichn", "sv": r"\bspara[dts]|det står"},
    r"\bpromises?\b": {"fr": r"engage", "de": r"Zusage|sagt .* zu", "sv": r"\blöfte|\blovar"},
    r"\bexactly?\b": {"fr": r"\bexact", "de": r"\bexakt", "sv": r"\bexakt"},
    r"\bkeeps?\b": {"fr": r"\bgard", "de": r"\bbeh[aä]lt", "sv": r"\bbehåll"},
}
# Exceptions where the English word means something else: a person's turn, a name, what a file or the app
# keeps.
OTHER = re.compile(r"your turn|keeps? (the|its|it|a)\b|throw, keep, score|\"keep\"")
# All players are addressed in the same form.
OTHER_ADDRESS = {
    "fr": r"\b(tu|toi|tes|ton)\b|(^|[.:;] )(Choisis|Lance|Vérifie|Réessaie|Regarde|Redemande|Ferme|Retire)\b",
    "de": r"\b(Sie sich|Ihnen|Bitte)\b|\b(Wähle|Prüfe|Nenne|Schließe)\b",
    "sv": r"\b(Ni|Er|Ert|vänligen)\b",
}


@pytest.fixture(params=["fr", "de", "sv"])
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def texts(tool: ModuleType, root: Path, language: str) -> list[tuple[str, str]]:
    """Return English texts and translations, without placeholders."""
    path = root / "src/dicecup/i18n/locale" / language / "LC_MESSAGES/dicecup.po"
    return [(plain(message.id), plain(message.string)) for message in tool.read(path) if message.id]


def plain(text: str | tuple[str, ...]) -> str:
    return re.sub(r"\{\w+\}", "", text if isinstance(text, str) else " / ".join(text))


@pytest.mark.parametrize("english", WORDS)
def test_terminology_is_consistent(texts: list[tuple[str, str]], language: str, english: str) -> None:
    wanted = WORDS[english][language]
    said = [
        (source, translation)
        for source, translation in texts
        if re.search(english, source, re.IGNORECASE) and not OTHER.search(source)
    ]
    assert said
    assert [pair for pair in said if not re.search(wanted, pair[1], re.IGNORECASE)] == []


def test_players_are_addressed_consistently(texts: list[tuple[str, str]], language: str) -> None:
    assert [text for _, text in texts if re.search(OTHER_ADDRESS[language], text)] == []
