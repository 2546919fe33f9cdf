"""The words for players: old words do not come back, and each concept has one word in each language."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from dicecup.i18n import LANGUAGES
from dicecup.rules import builtin_ids, load_ruleset
from setup_texts import SENTENCES

ROOT = Path(__file__).resolve().parents[2]
GLOSSARY: dict[str, dict[str, Any]] = tomllib.loads((ROOT / "docs/glossary.toml").read_text(encoding="utf-8"))
TRANSLATED = [code for code in LANGUAGES if code != "en"]
# All players are addressed in the same form.
OTHER_ADDRESS = {
    "fr": r"\b(tu|toi|tes|ton)\b|(^|[.:;] )(Choisis|Lance|Vérifie|Réessaie|Regarde|Redemande|Ferme|Retire)\b",
    "de": r"\b(Sie sich|Ihnen|[Bb]itte)\b|\b(Wähle|Prüfe|Nenne|Schließe)\b",
    "sv": r"\b(Ni|Er|Ert|vänligen)\b",
}


def plain(text: str | tuple[str, ...]) -> str:
    """Return a text, or both forms of one, with empty placeholders."""
    text = text if isinstance(text, str) else " / ".join(text)
    return re.sub(r"\{\w+(![rs])?\}", "{}", text)


@pytest.fixture(scope="module")
def pairs(tool: ModuleType) -> dict[str, list[tuple[str, str]]]:
    """Return English texts with their translations, by language."""
    return {
        code: [
            (plain(message.id), plain(message.string))
            for message in tool.read(ROOT / f"src/dicecup/i18n/locale/{code}/LC_MESSAGES/dicecup.po")
            if message.id
        ]
        for code in TRANSLATED
    }


def strings(table: Any) -> Iterator[str]:
    if isinstance(table, str):
        yield table
    else:
        for value in table.values():
            yield from strings(value)


@pytest.fixture(scope="module")
def texts(pairs: dict[str, list[tuple[str, str]]]) -> dict[str, list[str]]:
    """Return everything that players read, by language."""
    found = {code: [translation for _english, translation in pairs[code]] for code in TRANSLATED}
    found["en"] = [english for english, _translation in pairs["fr"]]
    for code in LANGUAGES:
        found[code] += SENTENCES[code].values()  # of the set-up
        for game in builtin_ids():
            found[code] += strings(load_ruleset(game).names[code])
        for page in sorted(ROOT.glob(f"docs/*/{code}/*.md")):  # the rules and the guide
            found[code] += re.split(
                r"\n\n|\n(?=[|#-])", page.read_text(encoding="utf-8").replace("\n  ", " ")
            )
    return found


def exceptions(concept: str) -> re.Pattern[str]:
    return re.compile("|".join(entry["text"] for entry in GLOSSARY[concept].get("except", [])) or "(?!)")


@pytest.mark.parametrize("concept", GLOSSARY)
def test_a_concept_has_a_word_in_every_language(concept: str) -> None:
    entry = GLOSSARY[concept]
    assert set(entry) <= {"word", "find", "never", "except"}
    for table in (entry[key] for key in ("word", "find") if key in entry):
        assert set(table) == set(LANGUAGES)
        assert all(table.values())
    assert "find" in entry or "never" in entry
    assert set(entry.get("never", {})) <= set(LANGUAGES)
    assert all(set(exception) == {"text", "because"} for exception in entry.get("except", []))


@pytest.mark.parametrize("concept", GLOSSARY)
@pytest.mark.parametrize("code", LANGUAGES)
def test_old_words_do_not_come_back(texts: dict[str, list[str]], concept: str, code: str) -> None:
    other = exceptions(concept)
    for pattern in GLOSSARY[concept].get("never", {}).get(code, []):
        found = [text for text in texts[code] if re.search(pattern, text) and not other.search(text)]
        assert found == [], pattern


@pytest.mark.parametrize("concept", [concept for concept, entry in GLOSSARY.items() if "find" in entry])
@pytest.mark.parametrize("code", TRANSLATED)
def test_translations_use_the_word(pairs: dict[str, list[tuple[str, str]]], concept: str, code: str) -> None:
    find, other = GLOSSARY[concept]["find"], exceptions(concept)
    assert [
        (english, translation)
        for english, translation in pairs[code]
        if re.search(find["en"], english)
        and not other.search(english)
        and not re.search(find[code], translation)
    ] == []


def test_every_exception_is_needed(texts: dict[str, list[str]]) -> None:
    everything = [text for code in LANGUAGES for text in texts[code]]
    for concept, entry in GLOSSARY.items():
        for exception in entry.get("except", []):
            assert any(re.search(exception["text"], text) for text in everything), (concept, exception)


@pytest.mark.parametrize("code", TRANSLATED)
def test_players_are_addressed_consistently(texts: dict[str, list[str]], code: str) -> None:
    assert [text for text in texts[code] if re.search(OTHER_ADDRESS[code], text)] == []
