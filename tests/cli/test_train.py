"""`dicecup train`: puzzles and mistakes in the terminal and for scripts; nothing answered is lost."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from dicecup.coach.puzzles import KNOWN, daily_puzzles, load_puzzles
from dicecup.engine.record_text import record_from_text, record_to_text
from dicecup.i18n.language import language
from dicecup.i18n.sentences import date_text
from dicecup.storage.training import TrainingFile

GAME = "yatzy-sv"
TODAY = date(2026, 11, 16)


@pytest.fixture
def file(tmp_path: Path) -> TrainingFile:
    return TrainingFile(tmp_path / "data" / "training.jsonl")


def again(file: TrainingFile) -> TrainingFile:
    return TrainingFile(file.path)


# The file


def test_answers_are_read_back(file: TrainingFile) -> None:
    first, second = load_puzzles(GAME)[:2]
    file.answer(first, first.grade(first.best), TODAY)
    file.answer(second, second.grade(second.choices[-1]), TODAY)
    file.answer(second, second.grade(second.best), TODAY)  # only the first answer counts
    assert again(file).training == file.training
    assert file.training.answered == {first.id: True, second.id: False}


@pytest.mark.parametrize("cut", [b'{"answer": "yatz', b"\xff\xfe", b"[1]\n", b'{"answer": "x-1"}\n', b"{}\n"])
def test_a_line_that_was_cut_short_loses_nothing_else(file: TrainingFile, cut: bytes) -> None:
    first, second = load_puzzles(GAME)[:2]
    file.answer(first, first.grade(first.best), TODAY)
    file.path.write_bytes(file.path.read_bytes() + cut)
    resumed = again(file)
    assert resumed.training == file.training
    resumed.answer(second, second.grade(second.best), TODAY)
    assert again(file).training.answered == {first.id: True, second.id: True}


def test_mistakes_are_asked_at_growing_intervals_until_they_are_known(file: TrainingFile) -> None:
    puzzle = load_puzzles(GAME)[0]
    file.add_mistake(puzzle, TODAY)
    file.add_mistake(puzzle, TODAY)
    assert not file.training.due(TODAY)  # the game is still fresh
    day, asked = TODAY + timedelta(days=1), 0
    while due := again(file).training.due(day):
        ((mistake,), asked) = due, asked + 1
        file.answer(mistake.puzzle, mistake.puzzle.grade(mistake.puzzle.best), day)
        assert not file.training.due(day)
        day = file.training.mistakes[mistake.puzzle.id].due
    assert asked == KNOWN
    assert day > TODAY + timedelta(days=35)


def test_a_right_answer_counts_only_when_a_mistake_is_due(file: TrainingFile) -> None:
    puzzle = load_puzzles(GAME)[0]
    file.add_mistake(puzzle, TODAY)
    (mistake,) = file.training.mistakes.values()
    tomorrow = TODAY + timedelta(days=1)
    for day in (TODAY, *(KNOWN * [tomorrow])):
        file.answer(mistake.puzzle, puzzle.grade(puzzle.best), day)
    assert (mistake.solved, mistake.known) == (1, False)
    file.answer(mistake.puzzle, puzzle.grade(puzzle.choices[-1]), tomorrow)
    assert (mistake.solved, mistake.due) == (0, tomorrow + timedelta(days=1))
    assert again(file).training == file.training
    assert file.training.answered == {}  # mistakes are not rated


# The command


def test_by_keyboard(run, tmp_path: Path) -> None:
    result = run("train", GAME, "--count", "2", "--seed", "1", typed="zzz\n1\nq\n")
    assert result.returncode == 0, result.stderr
    assert "1 of 2: Swedish Yatzy" in result.stdout
    assert f"Continue with: dicecup train {GAME}" in result.stderr.replace("./", "")
    (saved,) = (tmp_path / ".local/share/dicecup/training.jsonl").read_text().splitlines()
    assert json.loads(saved)["answer"].startswith(GAME)


def test_what_can_be_typed_is_explained(run) -> None:
    result = run("train", GAME, "--seed", "1", typed="?\nhint\nx\n\nq\n")
    assert result.stdout.count("Type the number of an answer") == 2
    assert "Say which one to cross out" in result.stdout
    assert "Nothing was typed" in result.stdout
    stopped = run("train", GAME, "--today", typed="q\n").stderr
    assert f"train {GAME} --today" in stopped


def test_a_box_that_gets_nothing_is_crossed_out(run) -> None:
    """1 3 4 4 6 and no roll left: the best is to fill a straight with 0."""
    result = run("train", "--answer", f"{GAME}-98", '{"box": "high_straight"}')
    assert "Best: cross out Low Straight" in result.stdout


def test_by_scripts(run) -> None:
    asked = json.loads(run("train", GAME, "--count", "3", "--seed", "7", "--json").stdout)
    assert asked == json.loads(run("train", GAME, "--count", "3", "--seed", "7", "--json").stdout)
    assert len(asked["puzzles"]) == 3
    first = asked["puzzles"][0]
    assert not {"losses", "best", "missed"} & first.keys()
    best = next(puzzle for puzzle in load_puzzles(GAME) if puzzle.id == first["id"]).moves[0]
    result = run("train", "--answer", first["id"], json.dumps(best), "--json")
    assert result.returncode == 0
    answer = json.loads(result.stdout)
    assert (answer["right"], answer["best"], answer["rating"] > asked["rating"]) == (True, best, True)
    wrong = next(move for move in first["offered"] if move != best)
    assert run("train", "--answer", first["id"], json.dumps(wrong), "--json").returncode == 1


@pytest.mark.parametrize("zone", ["UTC0", "EAST-14", "WEST12"])
def test_todays_five_are_the_same_for_everyone(run_process, zone: str) -> None:
    before = datetime.now(UTC).date()
    asked = json.loads(run_process("train", GAME, "--today", "--json", TZ=zone).stdout)["puzzles"]
    days = (before, datetime.now(UTC).date())  # midnight may pass meanwhile
    assert [puzzle["id"] for puzzle in asked] in [
        [one.id for one in daily_puzzles(GAME, day)] for day in days
    ]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["chess"], "puzzles_missing"),
        ([GAME, "--today", "--mistakes"], "train_one_kind"),
        ([GAME, "--today", "--seed", "1"], "train_seed_useless"),
        ([GAME, "--mistakes", "--seed", "1"], "train_seed_useless"),
        (["--answer", "yatzy-sv-0", "{}"], "puzzle_unknown"),
        (["--answer", f"{GAME}-1", "{"], "json_wrong"),
        (["--answer", f"{GAME}-1", "{}"], "move_unreadable"),
        (["--from", "none.record"], "file_unreadable"),
    ],
)
def test_wrong_arguments(run, arguments: list[str], code: str) -> None:
    result = run("train", *arguments)
    assert result.returncode == 2
    assert f"[{code}]" in result.stderr


def test_whose_mistakes_and_only_of_finished_games(run) -> None:
    run("play", GAME, "--players", "Ann,Bo", "--seed", "1", "--record", "a.record", typed="1 1\nq\n")
    assert "[train_whose]" in run("train", "--from", "a.record").stderr
    assert "[train_whose]" in run("train", "--from", "a.record", "--player", "Eve").stderr
    assert "[game_not_over]" in run("train", "--from", "a.record", "--player", "Ann").stderr


def test_mistakes_of_a_game_file(run, tmp_path: Path) -> None:
    run("play", GAME, "--players", "bot:random,bot:greedy", "--seed", "3", "--record", "a.record")
    arguments = ("train", "--from", "a.record", "--player", "bot:random", "--json")
    assert json.loads(run(*arguments).stdout)["puzzles"] == []  # of today
    tomorrow = date_text((datetime.now(UTC) + timedelta(days=1)).date().isoformat(), language("en"))
    assert tomorrow in run("train", "--mistakes").stdout
    record, _ = record_from_text((tmp_path / "a.record").read_bytes())
    earlier = replace(record.header, date="2026-11-01")
    (tmp_path / "a.record").write_text(record_to_text(replace(record, header=earlier)))
    (tmp_path / ".local/share/dicecup/training.jsonl").unlink()
    asked = json.loads(run(*arguments).stdout)["puzzles"]
    assert len(asked) == 5
    assert json.loads(run(*arguments).stdout)["puzzles"] == asked  # reviewed once
    result = run("train", "--mistakes", typed="1\n1\n1\n1\n1\n")
    assert result.returncode == 0
    assert "5 of 5" in result.stdout
    assert "The next one comes on" in run("train", "--mistakes").stdout
