"""Every message is translated into every language, with the same placeholders and correct typography."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest
from babel.messages.catalog import Catalog, Message

from dicecup.i18n.language import LANGUAGES

TRANSLATED = [code for code in LANGUAGES if code != "en"]
# Texts that are identical in both languages.
SAME = {
    "fr": {
        "{base} plus {sum}",
        "Pages",
        "Place",
        "Points",
        "points",
        "Bonus",
        "Grand total",
        "expert",
        "Coach",
        "Chance",
        "chance",
        "Vibration",
    },
    "de": {
        "Bonus",
        "Name",
        "{base} plus {sum}",
        "{base} minus {sum}",
        "minus {sum}",
        "Coach",
        "System",
        "Chance",
        "chance",
        "chance, yatzy",
        "normal",
        "Vibration",
    },
    "sv": {
        "Bonus",
        "Id",
        "{base} plus {sum}",
        "{base} minus {sum}",
        "minus {sum}",
        "expert",
        "Coach",
        "System",
        "Vibration",
    },
}
# Symbols and placeholders only: identical in most languages.
WORDLESS = re.compile(r"(\{\w+\}|%\(\w+\)s|[\s:;,.–/()-])*")
PLACE = re.compile(r"\{\{|\}\}|\{[^{}]*\}|%\(\w+\)s")
# Forbidden characters, such as ordinary spaces or the quotation marks of another language.
FOREIGN = {
    "fr": re.compile(r" [:;?!»]|[^\s\u00a0][?!»]|«[^\u00a0]|[“”„]|\w'\w|\.\.\."),
    "de": re.compile(r"[”«»]|\w'\w|\.\.\.| [:;?!]"),
    "sv": re.compile(r"[“„«»]|\w'\w|\.\.\.| [:;?!]"),
}


def path_of(root: Path, language: str) -> Path:
    return root / "src/dicecup/i18n/locale" / language / "LC_MESSAGES/dicecup.po"


@pytest.fixture(scope="module")
def fresh(tool: ModuleType, root: Path) -> Catalog:
    catalogue: Catalog = tool.template(root)
    return catalogue


@pytest.fixture(scope="module", params=TRANSLATED)
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def catalogue(tool: ModuleType, root: Path, language: str) -> Catalog:
    found: Catalog = tool.read(path_of(root, language))
    return found


def messages(catalogue: Catalog) -> list[Message]:
    return [message for message in catalogue if message.id]


def forms(message: Message) -> list[str]:
    """Return the translation, or the translations of all plural forms."""
    return [message.string or ""] if isinstance(message.string, str | None) else list(message.string)


def pairs(catalogue: Catalog) -> list[tuple[str, str]]:
    """Return each original with its translation; the plural is the original of all forms but the first."""
    found = []
    for message in messages(catalogue):
        one, many = (message.id, "") if isinstance(message.id, str) else message.id
        first, *others = forms(message)
        found += [(one, first), *((many, other) for other in others)]
    return found


def test_there_is_a_catalogue_for_each_language_but_english(root: Path) -> None:
    folder = root / "src/dicecup/i18n/locale"
    assert sorted(path.name for path in folder.iterdir() if path.is_dir()) == sorted(TRANSLATED)


def test_the_header_names_language_charset_and_plurals(root: Path, language: str) -> None:
    header = path_of(root, language).read_text(encoding="utf-8").split("\n\n")[0]
    plural = "(n > 1)" if language == "fr" else "(n != 1)"
    assert f'"Language: {language}\\n"' in header
    assert '"Content-Type: text/plain; charset=utf-8\\n"' in header
    assert f'"Plural-Forms: nplurals=2; plural={plural};\\n"' in header


def test_every_message_of_the_source_is_there_and_no_other(catalogue: Catalog, fresh: Catalog) -> None:
    wanted = {(message.context, message.id) for message in messages(fresh)}
    found = {(message.context, message.id) for message in messages(catalogue)}
    assert wanted - found == set(), "run tools/catalogues.py extract, and translate"
    assert found - wanted == set(), "run tools/catalogues.py extract"
    assert not catalogue.obsolete


def test_every_message_is_translated(catalogue: Catalog) -> None:
    for message in messages(catalogue):
        assert not message.fuzzy, message.id
        assert len(forms(message)) == (1 if isinstance(message.id, str) else catalogue.num_plurals), (
            message.id
        )
        assert all(forms(message)), message.id


def test_the_catalogues_are_as_the_tool_writes_them(
    tool: ModuleType, root: Path, fresh: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool, "template", {root: fresh}.__getitem__)  # reading the source takes a second
    assert list(tool.extract(root, check=True)) == []


def test_the_places_for_values_are_kept(catalogue: Catalog) -> None:
    for original, text in pairs(catalogue):
        assert set(PLACE.findall(text)) == set(PLACE.findall(original)), original
        for brace in ("{{", "}}"):
            assert text.count(brace) == original.count(brace), original


def test_lines_tabs_and_outer_spaces_are_kept(catalogue: Catalog) -> None:
    for original, text in pairs(catalogue):
        assert re.findall(r"[\n\t]", text) == re.findall(r"[\n\t]", original), original
        for edge in (r"^ *", r" *$"):
            assert re.findall(edge, text)[0] == re.findall(edge, original)[0], original


def test_a_sentence_stays_a_sentence(catalogue: Catalog) -> None:
    for original, text in pairs(catalogue):
        assert original.endswith(".") == text.endswith("."), original


def test_the_typography_is_the_language_s_own(catalogue: Catalog, language: str) -> None:
    for _original, text in pairs(catalogue):
        plain = PLACE.sub("x", text)
        assert not FOREIGN[language].search(plain), text
        assert (
            "  " not in text or text.count("  ") == len(re.findall(r"\S( {2,})\S", text)) or "  " in _original
        )
        if language == "de":
            assert plain.count("„") == plain.count("“"), text
        if language == "fr":
            assert plain.count("«") == plain.count("»"), text


def test_nothing_is_left_in_english(catalogue: Catalog, language: str) -> None:
    left = {original for original, text in pairs(catalogue) if original == text}
    assert {original for original in left - SAME[language] if not WORDLESS.fullmatch(original)} == set()


def test_the_list_of_equal_words_is_not_stale(catalogue: Catalog, language: str) -> None:
    assert SAME[language] <= {original for original, text in pairs(catalogue) if original == text}
