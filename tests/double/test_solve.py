"""A complete solve: saved in progress, resumed, packed, found again, rejected when it does not match."""

from __future__ import annotations

import hashlib
import json
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.double.small_games import small_game

from dicecup.errors import StorageError
from dicecup.solver.double import turn
from dicecup.solver.double.game_tables import SheetIndex
from dicecup.solver.double.solve import (
    MAGIC,
    STEP,
    find_packed_table,
    make_header,
    pack,
    packed_table_path,
    solve_double,
    unpack,
)
from dicecup.solver.files.resume import UnfinishedSolve
from dicecup.solver.solution import Progress

NOWHERE = Path("/nowhere")


class StoppedError(Exception):
    pass


@pytest.fixture
def rules(tmp_path):
    return small_game("six boxes", tmp_path)


def test_an_interrupted_solve_goes_on_where_it_was(rules, tmp_path, monkeypatch):
    monkeypatch.setattr(turn.CpuTurns, "part", 3)
    monkeypatch.setattr(turn, "LANES", 2)
    whole = solve_double(rules, folder=tmp_path / "whole")
    seen: list[Progress] = []

    def stop_in_the_middle(progress: Progress) -> None:
        seen.append(progress)
        if progress.done > progress.total // 2:
            raise StoppedError

    with pytest.raises(StoppedError):
        solve_double(rules, folder=tmp_path, on_progress=stop_in_the_middle)
    reached = seen[-1].done
    seen.clear()
    again = solve_double(rules, folder=tmp_path, on_progress=seen.append)
    if seen[0].stage == "compiling":  # this game does not use the kernel that is compiled last
        del seen[0]
    assert 1 < seen[0].resumed <= reached < seen[0].done + 3
    assert seen[-1].done == seen[-1].total
    assert not list(tmp_path.glob("*.level*"))
    for filled, values in whole.levels.items():
        np.testing.assert_array_equal(values, again.levels[filled])


def test_a_damaged_level_is_solved_again(rules, tmp_path):
    path, header = packed_table_path(tmp_path, rules), make_header(rules, SheetIndex(rules), "cpu")
    with UnfinishedSolve(path, header) as unfinished:
        unfinished.save(4, np.array([1.0, 2.0]), "note")
        values, note = unfinished.load(4, np.float64)
        assert (values.tolist(), note, unfinished.levels()) == ([1.0, 2.0], "note", [4])
        data = unfinished.path(4).read_bytes()
        for damaged in (b"", data[:20], data[:40], data[:-3], data[:-8], data[:-1] + b"x"):
            unfinished.path(4).write_bytes(damaged)
            assert not len(unfinished.load(4, np.float64).values)
        with pytest.raises(StorageError, match="Another process"), UnfinishedSolve(path, header):
            pass
    unfinished.path(4).write_bytes(data)
    with UnfinishedSolve(path, replace(header, identity="other rules")) as other:
        assert not len(other.load(4, np.float64).values)


def test_values_come_back_to_half_a_step(rules):
    index = SheetIndex(rules)
    random = np.random.default_rng(5)
    levels = {
        filled: random.normal(0, 300, index.level_sizes[filled]) for filled in range(0, index.boxes + 1, 2)
    }
    found = unpack(pack(make_header(rules, index, "cpu"), index, levels), rules, index, NOWHERE)
    for filled, values in levels.items():
        np.testing.assert_allclose(found.levels[filled], values, rtol=0, atol=STEP / 2 + 1e-4)


def test_wrong_tables_are_refused(rules, tmp_path):
    assert find_packed_table(rules, tmp_path) is None
    table = solve_double(rules, folder=tmp_path)
    found = find_packed_table(rules, tmp_path)
    assert found is not None
    assert found.header == table.header
    index, data = SheetIndex(rules), packed_table_path(tmp_path, rules).read_bytes()
    for wrong in (b"", b"rubbish", data[:100], data[:-1], data[:-1] + b"x"):
        with pytest.raises(StorageError, match="cut off or was changed"):
            unpack(wrong, rules, index, NOWHERE)
    other = small_game("negative", tmp_path)
    with pytest.raises(StorageError, match="other rules"):
        unpack(data, other, SheetIndex(other), NOWHERE)


@pytest.mark.parametrize(
    "change",
    [
        {"width": 0},
        {"width": "1"},
        {"width": None},
        {"step": "1"},
        {"sections": None, "more": 1},
        {"format": None},
    ],
)
def test_headers_that_do_not_fit_are_refused(rules, change):
    index = SheetIndex(rules)
    levels = {filled: np.zeros(index.level_sizes[filled]) for filled in range(0, index.boxes + 1, 2)}
    line, _, body = pack(make_header(rules, index, "cpu"), index, levels)[len(MAGIC) :].partition(b"\n")
    fields = json.loads(line) | change
    left = {name: value for name, value in fields.items() if value is not None}
    with pytest.raises(StorageError, match=r"cut off or was changed|format"):
        unpack(MAGIC + json.dumps(left).encode() + b"\n" + body, rules, index, NOWHERE)


def test_bodies_that_are_too_long_are_not_unpacked(rules):
    index = SheetIndex(rules)
    levels = {filled: np.zeros(index.level_sizes[filled]) for filled in range(0, index.boxes + 1, 2)}
    line, _, _ = pack(make_header(rules, index, "cpu"), index, levels)[len(MAGIC) :].partition(b"\n")
    for body in (zlib.compress(bytes(100_000_000)), b"rubbish", zlib.compress(b"")):
        fields = json.loads(line) | {"sha256": hashlib.sha256(body).hexdigest()}
        with pytest.raises(StorageError, match="cut off or was changed"):
            unpack(MAGIC + json.dumps(fields).encode() + b"\n" + body, rules, index, NOWHERE)
