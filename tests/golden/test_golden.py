"""Complete games that must replay forever: every game, and every value of every option."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from tests.golden.make import GAMES, expected, wanted
from tests.rulebook import independent_scorer as second

from dicecup.dice import Dice, layer_faces
from dicecup.engine import Placement, Score, Throw
from dicecup.engine.record import Record
from dicecup.engine.record_dice import verify
from dicecup.engine.record_text import record_from_text, record_to_text
from dicecup.rules import builtin_ids, load_ruleset, main_ids

FILES = sorted(GAMES.glob("*.record"))
every_file = pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
# The second scorer knows the main games; tests/rulebook/test_family.py has the rules of the others.
MAIN_NAMES = {name for name, game, _ in wanted() if game in main_ids()}
SCORED_TWICE = [path for path in FILES if path.stem in MAIN_NAMES]
every_main_file = pytest.mark.parametrize("path", SCORED_TWICE, ids=[path.stem for path in SCORED_TWICE])


@cache
def read(path: Path) -> Record:
    record, _ = record_from_text(path.read_bytes())
    return record


def test_every_game_and_option_value_has_a_golden_game():
    """A new game or option value needs a golden game: run tests/golden/make.py."""
    played = {
        (record.rules.id, option, value)
        for record in map(read, FILES)
        for option, value in record.rules.options.items()
    }
    for game in builtin_ids():
        assert (GAMES / f"{game}.record").exists(), f"{game} has no golden game"
        for option, values in load_ruleset(game).choices.items():
            for value in values:
                assert (game, option, value) in played, f"no golden game of {game} with {option}={value}"


def test_every_golden_game_is_wanted():
    names = {name for name, _, _ in wanted()}
    assert {path.stem for path in GAMES.iterdir()} == names
    assert {path.suffix for path in GAMES.iterdir()} == {".record", ".json"}


@every_file
def test_name_says_what_is_played(path: Path):
    game, options = next((game, options) for name, game, options in wanted() if name == path.stem)
    rules = read(path).rules
    assert rules.id == game
    assert rules.non_default_options == options


@every_file
def test_text_round_trips(path: Path):
    data = path.read_bytes()
    record, length = record_from_text(data)
    assert length == len(data)
    assert record_to_text(record).encode() == data


@every_file
def test_dice_are_proved(path: Path):
    record = read(path)
    proof = verify(record)
    assert proof.proved
    assert proof.throws == sum(isinstance(move, Throw) for move in record.moves)


@every_file
def test_game_ends_as_it_did(path: Path):
    record = read(path)
    assert record.state.finished
    assert expected(record) == json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))


def scored_faces(dice: Dice) -> list[second.Faces]:
    """Return the faces of the layers in scoring order: inner before outer."""
    if all(isinstance(die, int) for die in dice):
        return [layer_faces(dice, 0)]
    return [layer_faces(dice, 1), layer_faces(dice, 0)]


@dataclass
class Written:
    """One box filled in a game, and the sheet before it."""

    seat: int
    sheet: dict[second.Cell, int]
    faces: second.Faces
    placement: Placement


def replay(record: Record) -> Iterator[Written]:
    """Yield every filled box, with sheets kept by the second scorer."""
    game, options = record.rules.id, record.rules.options
    sheets: list[dict[second.Cell, int]] = [{} for _ in record.header.players]
    for move, before in zip(record.moves, record.states, strict=False):
        if isinstance(move, Score):
            sheet = sheets[before.player]
            for faces, placement in zip(scored_faces(before.dice), move.placements, strict=True):
                yield Written(before.player, dict(sheet), faces, placement)
                cell = (placement.column, placement.box)
                points = second.points_of(game, options, sheet, cell, faces)
                sheet[cell] = 0 if placement.strike else points


@every_main_file
def test_points_agree_with_the_second_scorer(path: Path):
    """Check every filled box, every strike and the final scores with the independent scorer."""
    record = read(path)
    game, options = record.rules.id, record.rules.options
    sheets: list[dict[second.Cell, int]] = [{} for _ in record.header.players]
    repeats = [0] * len(sheets)
    for done in replay(record):
        cell = (done.placement.column, done.placement.box)
        points = second.points_of(game, options, done.sheet, cell, done.faces)
        struck = done.placement.strike and points != 0
        assert (cell, struck) in second.legal_placements(game, options, done.sheet, done.faces)
        repeats[done.seat] += second.is_paid_repeat(game, options, done.sheet, done.faces)
        sheets[done.seat] = {**done.sheet, cell: 0 if done.placement.strike else points}
    assert [list(sheet.cells) for sheet in record.state.sheets] == [
        [sheet[cell] for cell in second.every_cell(game)] for sheet in sheets
    ]
    stored = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    assert {name: score for _, name, score in stored["standings"]} == {
        name: second.final_points(game, options, sheet, further)
        for name, sheet, further in zip(record.header.players, sheets, repeats, strict=True)
    }


@every_main_file
def test_option_makes_a_difference(path: Path):
    """In some throw of the game, points or available boxes differ from the defaults."""
    record = read(path)
    game, options = record.rules.id, record.rules.options
    default = {name: values[0] for name, values in record.rules.choices.items()}

    def seen(options: second.Options, done: Written):
        return [
            look(game, options, done.sheet, done.faces)
            for look in (second.offers, second.legal_placements, second.is_paid_repeat)
        ]

    assert options == default or any(seen(options, done) != seen(default, done) for done in replay(record))


def test_something_rare_happens():
    """Five alike occur again after scoring 50, and a Yum is used as a joker."""
    assert any(sheet.repeats for sheet in read(GAMES / "yahtzee.record").state.sheets)
    assert any(
        second.yum_is_joker("yum-plus", done.sheet, done.faces)
        for done in replay(read(GAMES / "yum-plus.record"))
    )
