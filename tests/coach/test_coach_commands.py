"""The commands of the coach, as a user types them."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.coach.conftest import play_record

from dicecup.bots.simple import GreedyBot
from dicecup.cli.common import speech
from dicecup.cli.main import main
from dicecup.engine.moves import Score
from dicecup.engine.record import Undo
from dicecup.engine.record_text import RecordWriter, last_check, record_to_text
from dicecup.i18n.names import name as name_of

POSITION = {
    "ruleset": "yatzy-sv",
    "sheet": {"ones": 3, "pair": 12},
    "dice": [1, 2, 6, 6, 6],
    "throws_left": 2,
}


@pytest.fixture
def call(folder, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DICECUP_CACHE", str(folder.parent / "cache"))

    def call(*arguments: str) -> tuple[int, str, str]:
        status = main(list(arguments))
        out, err = capsys.readouterr()
        return status, out, err

    return call


@pytest.fixture
def record(known) -> str:
    """A finished game of three, written to a file."""
    game = play_record(known("yatzy-sv").rules, ("bot:greedy", "bot:steady", "bot:greedy"), 3)
    Path("game.record").write_text(record_to_text(game))
    return "game.record"


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
        ("en", ("keep 6 6 6", "Sixes 76\u00a0%", "Expected final score: 244.32", "--all")),
        ("fr", ("garder 6 6 6", "76\u00a0%", "Score final attendu\u00a0: 244,32")),
        ("de", ("6 6 6 behalten", "Erwartetes Endergebnis: 244,32")),
        ("sv", ("behåll 6 6 6", "Förväntad slutpoäng: 244,32")),
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


def test_a_missing_file_is_named(call):
    status, _, err = call("hint", "nowhere.json")
    assert status == 2
    assert "nowhere.json" in err


@pytest.mark.parametrize("command", ["hint", "value"])
@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"sheet": {"threes": 7}}, "position_points_impossible"),
        ({"dice": [1, 2, 3, 4, 5, 6, 6]}, "position_key_wrong"),
        ({"dice": [1, 2, 3, 4]}, "dice_count_wrong"),
        ({"ruleset": "dice-in-dice", "sheet": {"ones": 3}}, "position_turn_unfinished"),
        ({"ruleset": "nonsense"}, "ruleset_unknown"),
    ],
)
def test_impossible_positions_are_refused_with_the_reason(call, command, change, code):
    position = POSITION | change
    Path("position.json").write_text(json.dumps(position))
    game = "yatzy-sv" if position["ruleset"] == "nonsense" else position["ruleset"]
    arguments = (
        ("hint", "position.json") if command == "hint" else ("value", game, "--position", "position.json")
    )
    status, out, err = call(*arguments)
    assert (status, out) == (2, "")
    assert f"[{code}]" in err


@pytest.mark.parametrize(
    ("language", "name"), [("en", "Three of a Kind"), ("fr", "Brelan"), ("de", "Drilling"), ("sv", "Tretal")]
)
def test_boxes_of_a_wrong_position_are_called_by_their_names(call, language, name):
    Path("position.json").write_text(json.dumps(POSITION | {"sheet": {"three_of_a_kind": 77}}))
    for arguments in (
        ("hint", "position.json"),
        ("hint", "yatzy-sv / three_of_a_kind=77"),
        ("value", "yatzy-sv", "--position", "position.json"),
        ("score", "yatzy-sv", *"11166", "--sheet", '{"three_of_a_kind": 77}'),
    ):
        speech.rules = None  # a process of its own knows nothing of an earlier command
        _, _, err = call(*arguments, "--lang", language)
        assert "[position_points_impossible]" in err
        assert name in err, arguments


def test_boxes_of_a_wrong_record_are_called_by_their_names(call, known):
    rules = known("yatzy-sv").rules
    game = play_record(rules, ("bot:greedy",), 5)
    scores = [(place, move) for place, move in enumerate(game.moves) if isinstance(move, Score)]
    (box,) = scores[0][1].placements
    text = record_to_text(play_record(rules, ("bot:greedy",), 5, moves=scores[1][0]))
    writer = RecordWriter(last_check(text.encode()))
    Path("wrong.record").write_text(text + writer.line(f"1 score {box.box} 1"))
    speech.rules = None
    status, _, err = call("review", "wrong.record", "--lang", "sv")
    assert status == 1
    assert "[record_illegal]" in err
    assert name_of(rules, box.box, "sv") in err
    assert box.box not in err


BOM = b"\xef\xbb\xbf"
SHAPES: dict[str, Callable[[bytes], bytes]] = {
    "CRLF": lambda data: data.replace(b"\n", b"\r\n"),
    "BOM": lambda data: BOM + data,
    "both": lambda data: BOM + data.replace(b"\n", b"\r\n"),
}
NO_SHAPES: dict[str, Callable[[bytes], bytes]] = {
    "UTF-16": lambda data: data.decode().encode("utf-16"),
    "UTF-16 without a mark": lambda data: data.decode().encode("utf-16-le"),
    "nothing": lambda data: data[:0],
    "BOM alone": lambda data: BOM + data[:0],
}


@pytest.fixture
def stdin(monkeypatch):
    """stdin(data): what the command reads from its standard input."""
    return lambda data: monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


@pytest.mark.parametrize("shape", SHAPES)
def test_files_of_other_systems_are_read(call, record, stdin, shape):
    position = json.dumps(POSITION, indent=1).encode()
    line = b"yatzy-sv / ones=3 pair=12 / 1 2 6 6 6 / 2\n"
    game = Path(record).read_bytes()
    for command, data in (("hint", position), ("hint", line), ("review", game), ("verify", game)):
        Path("plain").write_bytes(data)
        Path("shaped").write_bytes(SHAPES[shape](data))
        expected = call(command, "plain", "--json")
        assert expected[0] == 0
        assert call(command, "shaped", "--json") == expected
        stdin(SHAPES[shape](data))
        assert call(command, "-", "--json") == expected


@pytest.mark.parametrize(
    ("shape", "hint", "review"),
    [
        ("UTF-16", "file_not_text", "record_not_utf8"),
        ("UTF-16 without a mark", "file_not_text", "record_not_text"),
        ("nothing", "file_empty", "record_cut"),
        ("BOM alone", "file_empty", "record_cut"),
    ],
)
@pytest.mark.parametrize("language", ["en", "fr", "de", "sv"])
def test_files_that_hold_no_text_are_refused(call, record, stdin, shape, hint, review, language):
    for command, data, code, status in (
        ("hint", json.dumps(POSITION).encode(), hint, 2),
        ("review", Path(record).read_bytes(), review, 1),
    ):
        Path("file").write_bytes(NO_SHAPES[shape](data))
        stdin(NO_SHAPES[shape](data))
        for name in ("file", "-"):
            done, out, err = call(command, name, "--lang", language)
            assert (done, out) == (status, "")
            assert re.fullmatch(rf"dicecup: .*\. \[{code}\]\n", err)


@pytest.mark.parametrize("command", ["hint", "review"])
def test_a_folder_is_refused(call, command):
    Path("folder").mkdir()
    status, out, err = call(command, "folder", "--lang", "en")
    assert (status, out) == (2, "")
    assert "it is a folder" in err
    assert "[file_unreadable]" in err


def test_a_page_of_a_record_on_stdin(call, record, stdin):
    Path("page.html").touch()
    stdin(Path(record).read_bytes())
    status, _, _ = call("review", "-", "--html", "page.html")
    assert status == 0
    assert Path("page.html").read_text(encoding="utf-8").startswith("<!doctype html>")


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
                continue  # would begin to solve
            status, out, err = call(command, argument)
            assert (status, out) == (2, ""), command
            assert f"[{code}]" in err


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
    assert set(addresses) == {"http://www.w3.org/2000/svg"}  # the name of SVG, nothing that is loaded
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
    assert wins["played"] is True
    status, out, _ = call("review", "ten.record", "--lang", "en")
    assert "Chances to win: player 0 " in out
    assert "games played to their end" in out


def test_ten_players_are_told_apart_on_the_page(call, known):
    """By colours and dashes before the names, and by numbers on the lines."""
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
    """One line goes half a turn further than the turns that are over, to where the player stands."""
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


@pytest.mark.parametrize(
    ("game", "before", "after"),
    [
        ("yatzy-sv", "throw 2 ", "throw 2 2 2 "),
        ("yatzy-sv", "score ", "score threes=7 # "),
        ("yatzy-sv", "keep ", "keep 7 "),
    ],
)
def test_a_record_that_breaks_the_rules_is_refused_with_the_line(call, known, game, before, after):
    text = record_to_text(play_record(known(game).rules, ("bot:greedy",), 5))
    assert before in text
    Path("wrong.record").write_text(text.replace(before, after, 1))
    status, out, err = call("review", "wrong.record", "--lang", "en")
    assert (status, out) == (1, "")
    assert re.search(r"line \d+", err, re.IGNORECASE)


def test_a_page_never_takes_the_place_of_the_record(call, record):
    before = Path(record).read_text(encoding="utf-8")
    status, out, err = call("review", record, "--html", record)
    assert (status, out) == (2, "")
    assert "[page_over_record]" in err
    assert Path(record).read_text(encoding="utf-8") == before


def test_a_record_of_unknown_rules_is_refused(call, record):
    text = Path(record).read_text().replace("yatzy-sv", "house.toml")
    Path("other.record").write_text(text)
    status, _, err = call("review", "other.record")
    assert status in (1, 2)
    assert "record" in err


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
        ("en", "50 % of the games: at most", "Games with the bonus", "Columns with the bonus"),
        ("fr", "50 % des parties : au plus", "Parties avec le bonus", "Colonnes avec le bonus"),
        ("de", "50 % der Spiele: höchstens", "Spiele mit Bonus", "Spalten mit Bonus"),
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
    assert "100\u00a0%" in out
    status, _, err = call("simulate", "yatzy-sv", "--bot", "clever")
    assert status == 2
    assert "[bot_unknown]" in err
