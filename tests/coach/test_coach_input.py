"""Input of the coach's commands: files from other systems, impossible positions, invalid records."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.coach.conftest import POSITION, play_record

from dicecup.bots import simulation
from dicecup.cli import review as review_command
from dicecup.cli import rules as rules_command
from dicecup.cli.common import speech
from dicecup.engine.record_text import RecordWriter, last_check, record_to_text
from dicecup.engine.state import Score
from dicecup.i18n.language import name as name_of


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
        speech.rules = None  # a new process has no state from an earlier command
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
    """stdin(data): data for the command's standard input."""
    return lambda data: monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


@pytest.mark.parametrize("shape", SHAPES)
def test_files_of_other_systems_are_read(call, record, stdin, shape):
    position = json.dumps(POSITION, indent=1).encode()
    line = b"yatzy-sv / ones=3 pair=12 / 1 2 6 6 6 / 2\n"
    game = Path(record).read_bytes()
    for command, data in (("hint", position), ("hint", line), ("review", game), ("verify", game)):
        Path("plain").write_bytes(data)
        Path("shaped").write_bytes(SHAPES[shape](data))
        expected = call(command, "plain", "--json")[:2]
        assert expected[0] == 0
        assert call(command, "shaped", "--json")[:2] == expected
        stdin(SHAPES[shape](data))
        assert call(command, "-", "--json")[:2] == expected


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
    assert "it’s a folder" in err
    assert "[file_unreadable]" in err


@pytest.mark.posix
def test_a_device_is_not_a_folder(call):
    status, out, err = call("review", "/dev/null", "--lang", "en")
    assert (status, out) == (2, "")
    assert "it’s a device or a pipe" in err
    assert "[file_unreadable]" in err


def test_empty_data_is_not_a_position(call):
    status, out, err = call("hint", "")
    assert (status, out) == (2, "")
    assert "[position_text_wrong]" in err


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        (".", "it’s a folder"),
        ("", "it’s a folder"),
        ("/", "it’s a folder"),
        ("..", "it’s a folder"),
        ("nowhere/file", "its folder doesn’t exist"),
        ("game.record/file", "part of its path isn’t a folder"),
    ],
)
def test_a_file_that_cannot_be_written_is_noticed_before_the_work(call, record, monkeypatch, path, problem):
    for module, work in ((review_command, "review"), (rules_command, "pdf_of")):
        monkeypatch.setattr(module, work, None)
    monkeypatch.setattr(simulation, "simulate", None)
    for arguments in (
        ("review", record, "--html"),
        ("simulate", "yatzy-sv", "--bot", "greedy", "--games", "2", "--plot"),
        ("sheet", "yatzy-sv", "--pdf"),
    ):
        status, out, err = call(*arguments, path, "--lang", "en")
        assert (status, out) == (2, "")
        assert re.fullmatch(rf"dicecup: .* can’t be written: {problem}\..* \[file_unwritable\]\n", err)
    assert list(Path().iterdir()) == [Path("game.record")]


@pytest.mark.posix
def test_a_page_can_be_written_to_a_device(call, record):
    assert call("review", record, "--html", "/dev/null")[0] == 0


def test_a_page_of_a_record_on_stdin(call, record, stdin):
    Path("page.html").touch()
    stdin(Path(record).read_bytes())
    status, _, _ = call("review", "-", "--html", "page.html")
    assert status == 0
    assert Path("page.html").read_text(encoding="utf-8").startswith("<!doctype html>")


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


def test_a_record_of_unknown_rules_is_refused(call, record):
    text = Path(record).read_text().replace("yatzy-sv", "house.toml")
    Path("other.record").write_text(text)
    status, _, err = call("review", "other.record")
    assert status in (1, 2)
    assert "record" in err
