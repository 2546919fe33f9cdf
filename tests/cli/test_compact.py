"""The terminal's `play`: a turn fits 80 columns and 24 lines in every game, colours are optional."""

from __future__ import annotations

import re
from contextlib import nullcontext
from random import Random

import pytest

from dicecup.bots.registry import find_bot
from dicecup.cli import common
from dicecup.cli.common import speech, width
from dicecup.cli.conversation import Conversation, InputEnded
from dicecup.engine.record import DiceOrigin, Header, Record
from dicecup.engine.state import Score, TurnMove
from dicecup.i18n.language import language as language_called
from dicecup.match import Match
from dicecup.rules import load_ruleset
from dicecup.rules.loader import builtin_ids

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def shown(capsys: pytest.CaptureFixture[str], match: Match) -> list[str]:
    """The lines of a turn, with the prompt."""
    capsys.readouterr()
    Conversation(match, lambda _prompt: None).show_turn()
    return [*capsys.readouterr().out.splitlines(), "> "]


def half_played(game: str, players: int, turns: int) -> Match:
    rules = load_ruleset(game)
    names = tuple(f"Player with a long name {number}" for number in range(players))
    match = Match(Record(Header(game, rules, names, DiceOrigin("seed", seed=5))))
    bot = find_bot("random")
    chance = Random(1)
    for _ in range(turns * players):
        decision: TurnMove | None = None
        while not isinstance(decision, Score):
            if match.state.throw_due:
                match.throw()
            decision = bot.decide(match.rules, match.state, chance)
            match.decide(decision)
    if match.state.throw_due:
        match.throw()
    return match


@pytest.mark.parametrize("language", ["en", "fr", "de", "sv"])
@pytest.mark.parametrize("game", builtin_ids())
def test_a_turn_fits_the_screen(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, game: str, language: str
) -> None:
    monkeypatch.setattr(speech, "language", language_called(language))
    monkeypatch.setattr(speech, "color", True)
    match = half_played(game, players=6, turns=2)
    lines = shown(capsys, match)
    assert len(lines) <= 24
    assert max(width(ANSI.sub("", line)) for line in lines) <= 80
    assert any(ANSI.search(line) for line in lines)


def test_no_colours_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert not any(ANSI.search(line) for line in shown(capsys, half_played("yatzy", 1, 1)))


@pytest.mark.parametrize(
    ("environment", "chosen", "expected"),
    [
        ({"FORCE_COLOR": "1"}, None, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, None, False),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, None, False),
        ({"FORCE_COLOR": "1"}, False, False),
        ({}, None, False),
    ],
)
def test_who_decides_about_colours(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], chosen: bool | None, expected: bool
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(speech, "color", chosen)
    assert common.has_color() is expected


def test_hint_at_the_prompt(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The best choices of the player whose turn it is; nothing is decided by asking."""
    hinted, winning = [], []

    def text(position, values, advice, shown, to_win, *, brief):
        winning.append(to_win)
        hinted.append((position.state.dice, len(position.state.sheets), values, advice, shown))
        assert brief  # so that it fits 80 columns
        return "Choice  Expected"

    monkeypatch.setattr("dicecup.cli.hint.text", text)  # first: it imports what is replaced below
    monkeypatch.setattr("dicecup.cli.solving.compilation_announced", lambda _values: nullcontext())
    monkeypatch.setattr("dicecup.cli.solving.hint_values", lambda _rules: "values")
    monkeypatch.setattr("dicecup.coach.advice.advise", lambda _values, _state: "advice")
    match = half_played("yatzy", 2, 1)
    answers = iter(["hint", "h", "quit"])
    with pytest.raises(InputEnded):
        Conversation(match, lambda _prompt: next(answers)).play()
    assert hinted == 2 * [(match.state.dice, 1, "values", "advice", 4)]
    assert "Choice  Expected" in capsys.readouterr().out
    monkeypatch.setattr("dicecup.cli.hint.chances_to_win", lambda position: len(position.state.sheets))
    answers = iter(["hint", "quit"])
    with pytest.raises(InputEnded):
        Conversation(half_played("yatzy", 2, 12), lambda _prompt: next(answers)).play()
    assert winning == [None, None, 2]  # of all players, near the end


def test_play_without_colours(run, tmp_path) -> None:
    typed = "1 2 3 4 5\nones\n"
    arguments = ("play", "yatzy", "--dice", "typed", "--record", "a.record")
    colored = run(*arguments, typed=typed, FORCE_COLOR="1").stdout
    assert ANSI.search(colored)
    (tmp_path / "a.record").unlink()
    plain = run(*arguments, "--no-color", typed=typed, FORCE_COLOR="1").stdout
    assert not ANSI.search(plain)
