"""The coach's commands, as a user types them."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import numba
import pytest
from tests.coach.conftest import POSITION, play_record

from dicecup.bots.heuristic import GreedyBot
from dicecup.cli import hint as hint_command
from dicecup.cli import review as review_command
from dicecup.cli import solving
from dicecup.engine.record import Undo
from dicecup.engine.record_text import record_to_text


def test_hint_as_json(call):
    Path("position.json").write_text(json.dumps(POSITION))
    status, out, _ = call("hint", "position.json", "--json")
    answer = json.loads(out)
    assert status == 0
    assert answer["exact"] is True
    best = answer["options"][0]
    assert best["move"] == {"keep": [6, 6, 6]}
    assert best["expected"] == answer["expected"]
    assert best["loss"] == 0
    assert sum(aim["chance"] for aim in best["reason"]["aims"]) + best["reason"]["zero"] == pytest.approx(1)
    assert {"box": "sixes"} in [option["move"] for option in answer["options"]]


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ("keep 6 6 6", "Sixes 76%", "Expected final score: 244.32", "--all", "Keep 6 6 6: goes")),
        ("fr", ("garder 6 6 6", "76\u00a0%", "Score final attendu\u00a0: 244,32", "Garder 6 6 6\u00a0: ")),
        ("de", ("6 6 6 behalten", "Erwartetes Endergebnis: 244,32", "6 6 6 behalten: ")),
        ("sv", ("spara 6 6 6", "Förväntad slutpoäng: 244,32", "Spara 6 6 6: ")),
    ],
)
def test_hint_as_text_in_four_languages(call, language, words):
    line = "yatzy-sv / ones=3 pair=12 / 1 2 6 6 6 / 2"
    status, out, _ = call("hint", line, "--lang", language)
    assert status == 0
    for word in words:
        assert word in out


def test_hint_before_the_throw_and_while_one_is_due(call):
    worth = []
    for line in ("yatzy-sv", "yatzy-sv / / 1 2 6 6 6 / 2 / 6 6 6"):
        status, out, _ = call("hint", line, "--json")
        assert status == 0
        assert json.loads(out)["options"] == []
        worth.append(json.loads(out)["expected"])
    assert worth[0] == pytest.approx(248.4399893779)
    assert worth[1] > worth[0]


@pytest.mark.parametrize(
    ("game", "expected", "advised"),
    [("yum-plus", 465.1, "dicecup solve yum-plus --precision 32"), ("triple-yum-plus", 3277, "")],
)
def test_a_learned_value_answers_at_once_and_says_so(call, game, expected, advised):
    status, out, _ = call("value", game, "--json")
    answer = json.loads(out)
    assert (status, answer["exact"]) == (0, False)
    assert answer["expected"] == pytest.approx(expected, rel=0.003)
    for arguments in (("value", game), ("hint", game)):
        status, out, _ = call(*arguments, "--lang", "en")
        assert status == 0
        assert "near-perfect" in out.lower()
        assert "not exact" in out
        assert advised in out
        assert bool(advised) == ("dicecup solve" in out)
    Path("position.json").write_text(
        json.dumps({"ruleset": game, "sheet": {}, "dice": [6] * 5, "throws_left": 2})
    )
    status, out, _ = call("value", game, "--position", "position.json", "--json")
    assert json.loads(out)["expected"] > answer["expected"]


def test_large_rules_of_the_house_are_refused_with_the_reason(call):
    rules = 'format = 1\nid = "ours"\nbase = "{base}"\nupper.bonus = [{{ at = 63, points = 35 }}]\n'
    for base, code in (("yum-plus", "solve_takes_long"), ("triple-yum-plus", "solve_too_large")):
        Path("ours.toml").write_text(rules.format(base=base))
        for command, argument in (("value", "ours.toml"), ("hint", "ours.toml /"), ("solve", "ours.toml")):
            if (command, base) == ("solve", "yum-plus"):
                continue  # would start a solve
            status, out, err = call(command, argument)
            assert (status, out) == (2, ""), command
            assert f"[{code}]" in err


SMALL_COLUMNS = """
format = 1
id = "small-columns"
throws = 2
strike = "free"
columns = { x1 = 1, x2 = 2 }
dice = { count = 2, faces = 3 }
box.pair = { needs = { alike = [2] }, points = 10 }
box.chance = { points = "all" }
"""


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "one column"), ("fr", "une colonne"), ("de", "einer Spalte"), ("sv", "en kolumn")],
)
def test_small_rules_with_columns_are_refused_for_their_columns(call, language, words):
    Path("columns.toml").write_text(SMALL_COLUMNS)
    for arguments in (
        ("value", "columns.toml"),
        ("hint", "columns.toml /"),
        ("solve", "columns.toml"),
        ("simulate", "columns.toml", "--games", "2"),
    ):
        status, out, err = call(*arguments, "--lang", language)
        assert (status, out) == (2, ""), arguments
        assert "[solve_columns]" in err
        assert words in err


def test_review_as_json(call, record):
    status, out, _ = call("review", record, "--json")
    assert status == 0
    answer = json.loads(out)
    assert answer["finished"]
    assert answer["exact"]
    for player in answer["players"]:
        difference = player["final"] - player["expected_at_start"]
        assert player["luck"] + player["skill"] == pytest.approx(difference, abs=1e-6)
        assert player["decisions"]
        assert all(decision["options"][0]["loss"] == 0 for decision in player["decisions"])
    assert sum(answer["win_probability"]["players"]) == pytest.approx(1)


def test_a_review_that_takes_long_shows_how_far_it_is(call, record, monkeypatch):
    monkeypatch.setattr(solving, "SILENT", 0)
    shares: list[float] = []
    monkeypatch.setattr(solving.TerminalBar, "show", lambda _bar, share, _text: shares.append(share))
    assert call("review", record, "--json")[0] == 0
    assert len(shares) > 100
    assert shares == sorted(shares)
    assert shares[-1] == 1


@pytest.mark.parametrize("language", ["en", "fr", "de", "sv"])
def test_the_page_is_self_contained(call, record, language):
    status, out, _ = call("review", record, "--html", "page.html", "--lang", language)
    assert status == 0
    assert "bot:steady" in out
    page = Path("page.html").read_text(encoding="utf-8")
    assert f'<html lang="{language}">' in page
    assert "<svg" in page
    assert page.count("<polyline") == 3
    assert "prefers-color-scheme:dark" in page
    assert 'name="viewport"' in page
    addresses = re.findall(r"https?://[^\"' >]+", page)
    assert set(addresses) == {"http://www.w3.org/2000/svg"}  # the SVG namespace; no resource is loaded
    assert "<script" not in page


def test_review_of_ten_players_with_typed_dice_stopped_after_an_undo(call, known):
    names = tuple(f"player {number}" for number in range(10))
    game = play_record(known("yatzy-sv").rules, names, 5, GreedyBot().decide, moves=75).append(Undo(3))
    Path("ten.record").write_text(record_to_text(game))
    status, out, _ = call("review", "ten.record", "--json", "--html", "ten.html")
    assert status == 0
    answer = json.loads(out)
    assert not answer["finished"]
    assert len(answer["players"]) == 10
    for player in answer["players"]:
        difference = player["final"] - player["expected_at_start"]
        assert player["luck"] + player["skill"] == pytest.approx(difference, abs=1e-6)
    wins = answer["win_probability"]
    assert sum(wins["players"]) == pytest.approx(1)
    assert wins["standard_error"] <= 0.01
    status, out, _ = call("review", "ten.record", "--lang", "en")
    assert "Win chances: player 0 " in out
    assert "simulated games)" in out


def test_ten_players_are_told_apart_on_the_page(call, known):
    """Players are distinguished by colours and dashes before the names, and by numbers on the lines."""
    names = tuple(f"player {number}" for number in range(1, 11))
    game = play_record(known("yatzy-sv").rules, names, 5, GreedyBot().decide, moves=75)
    Path("ten.record").write_text(record_to_text(game))
    call("review", "ten.record", "--html", "ten.html")
    page = Path("ten.html").read_text(encoding="utf-8")
    keys = dict(
        re.findall(r'<svg class="key"[^>]*><line class="([^"]*)"[^>]*/></svg>(\d+\. player \d+)<', page)
    )
    lines = dict(re.findall(r'<polyline class="([^"]*)"[^>]*><title>([^<]*)<', page))
    assert keys == lines
    assert list(lines.values()) == [f"{number}. player {number}" for number in range(1, 11)]
    numbers = re.findall(r'<text class="line-number"[^>]*>(\d+)<', page)
    assert numbers == [str(number) for number in range(1, 11)]


def test_the_chart_shows_the_last_expectation_of_a_game_that_stopped_within_a_turn(call, known):
    """One line extends half a turn beyond the completed turns, to the player's current expectation."""
    game = play_record(known("yatzy-sv").rules, ("bot:greedy", "bot:steady"), 3, moves=31)
    assert game.state.dice
    Path("stopped.record").write_text(record_to_text(game))
    _, out, _ = call("review", "stopped.record", "--html", "page.html", "--json")
    found = json.loads(out)["players"][game.state.player]
    page = Path("page.html").read_text(encoding="utf-8")
    lines = re.findall(r'<polyline [^>]*points="([^"]*)"', page)
    points = [tuple(map(float, point.split(","))) for point in lines[game.state.player].split()]
    assert len(points) == len(found["course"]) + 1
    (before, y_before), (last, y_last) = points[-2:]
    assert last - before == pytest.approx((points[1][0] - points[0][0]) / 2, abs=0.2)
    scale = (points[1][1] - points[0][1]) / (found["course"][1] - found["course"][0])
    assert y_last - y_before == pytest.approx(scale * (found["final"] - found["course"][-1]), abs=0.5)


def test_a_page_never_overwrites_the_record(call, record):
    before = Path(record).read_text(encoding="utf-8")
    status, out, err = call("review", record, "--html", record)
    assert (status, out) == (2, "")
    assert "[page_over_record]" in err
    assert Path(record).read_text(encoding="utf-8") == before


@pytest.mark.parametrize(
    ("arguments", "module", "work"),
    [
        (("value", "yatzy-sv"), hint_command, "advise"),
        (("hint", "yatzy-sv / / 1 2 6 6 6 / 2"), hint_command, "advise"),
        (("review", "game.record"), review_command, "review"),
    ],
)
def test_compiling_is_reported_once_and_only_if_needed(call, record, monkeypatch, arguments, module, work):
    terminal = True
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    monkeypatch.setattr(solving, "ready_values", lambda _rules: None)
    call(*arguments)  # compiles missing kernels
    status, out, err = call(*arguments, "--json", "--lang", "en")
    assert (status, err) == (0, "")
    answered = getattr(module, work)

    def compiles(*given):
        for _kernel in range(2):
            numba.njit(lambda number: number + 1)(1)
        return answered(*given)

    monkeypatch.setattr(module, work, compiles)
    again = call(*arguments, "--json", "--lang", "en")
    assert again == (0, out, "Compiling the coach for this machine, only once: about a minute …\n")
    terminal = False
    assert call(*arguments, "--json") == (0, out, "")


def test_simulate_as_json_and_as_a_picture(call):
    arguments = ("simulate", "yatzy-sv", "--bot", "greedy", "--games", "10", "--seed", "4", "--json")
    status, out, _ = call(*arguments, "--plot", "scores.svg")
    assert status == 0
    answer = json.loads(out)
    assert answer["games"] == 10
    assert set(answer) >= {"mean", "standard_error", "sd", "percentiles", "seconds", "bonus_share", "boxes"}
    again = json.loads(call(*arguments)[1])
    assert answer | {"seconds": 0} == again | {"seconds": 0}
    assert Path("scores.svg").read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.parametrize("language", ["en", "fr", "de", "sv"])
def test_one_game_has_no_standard_error(call, language):
    arguments = ("simulate", "yatzy-sv", "--bot", "greedy", "--seed", "4", "--games")
    answer = json.loads(call(*arguments, "1", "--json")[1])
    assert answer["standard_error"] is None
    assert answer["sd"] is None
    assert answer["mean"] == answer["lowest"] == answer["highest"]
    _, out, _ = call(*arguments, "1", "--lang", language)
    assert "± –" in out
    assert "0.00" not in out.partition("\n\n")[2].partition("\n\n")[0]
    two = json.loads(call(*arguments, "2", "--json")[1])
    assert two["standard_error"] == pytest.approx((two["highest"] - two["lowest"]) / 2)


@pytest.mark.parametrize(
    ("language", "half", "games", "columns"),
    [
        ("en", "50% of games: at most", "Games with the bonus", "Columns with the bonus"),
        ("fr", "50 % des parties : au plus", "Parties avec le bonus", "Colonnes avec le bonus"),
        ("de", "50 % der Partien: höchstens", "Partien mit Bonus", "Spalten mit Bonus"),
        ("sv", "50 % av spelen: högst", "Spel med bonus", "Kolumner med bonus"),
    ],
)
def test_rows_of_a_simulation_say_of_what_they_are(call, language, half, games, columns):
    for game, bonus in (("yatzy-sv", games), ("triple-yum-plus", columns)):
        _, out, _ = call("simulate", game, "--bot", "random", "--games", "2", "--lang", language)
        out = out.replace("\u00a0", " ")
        assert half in out
        assert bonus in out


def test_simulate_head_to_head(call):
    status, out, _ = call(
        "simulate", "yatzy-sv", "--bot", "optimal", "--bot", "random", "--games", "10", "--seed", "4"
    )
    assert status == 0
    assert "100%" in out
    status, _, err = call("simulate", "yatzy-sv", "--bot", "clever")
    assert status == 2
    assert "[bot_unknown]" in err
