"""What a player types and reads during a game, in each language."""

from __future__ import annotations

import re
import unicodedata

import pytest

from dicecup.cli.terminal import WORDS, find_box, help_text, understand
from dicecup.i18n.language import Language
from dicecup.rules import Ruleset

HELP_LINE = re.compile(r"  (?P<typed>\S.*?) {2,}(?P<meaning>\S.*)")
MOST_COLUMNS = 100


def help_lines(game: Ruleset, *, typed: bool) -> list[re.Match[str]]:
    lines = help_text(game, typed=typed).splitlines()
    matches = [HELP_LINE.fullmatch(line) for line in lines]
    assert all(matches), lines
    return [match for match in matches if match]


def test_commands_are_single_words_of_small_letters(speaking: Language) -> None:
    for word, _short in WORDS.values():
        said = speaking.gettext(word)
        assert said.isalpha()
        assert said == said.lower()


def test_commands_differ(speaking: Language) -> None:
    said = [speaking.gettext(word) for word, _short in WORDS.values()]
    assert len(set(said)) == len(said)


def test_commands_are_understood_in_the_language_and_in_english(speaking: Language) -> None:
    for command, (word, short) in WORDS.items():
        local = speaking.gettext(word)
        without_marks = unicodedata.normalize("NFKD", local).encode("ascii", "ignore").decode()
        for typed in filter(None, (word, local, local.upper(), without_marks, short)):
            assert understand(typed).command == command, typed


@pytest.mark.parametrize("typed", [False, True])
def test_the_help_lines_up(speaking: Language, game: Ruleset, typed: bool) -> None:
    lines = help_lines(game, typed=typed)
    assert len({match.start("meaning") for match in lines}) == 1
    assert max(match.end() for match in lines) <= MOST_COLUMNS


def test_what_the_help_shows_can_be_typed(speaking: Language, game: Ruleset) -> None:
    for match in help_lines(game, typed=True):
        typed = understand(match["typed"])
        if typed.command in ("score", "strike", "announce"):
            assert all(find_box(game, box) for box in typed.rest.split(", "))
