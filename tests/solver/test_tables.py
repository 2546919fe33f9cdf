"""Tables: rejected when invalid, resumed after a killed run, always identical."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numba
import numpy as np
import pytest

from dicecup.engine.state import empty_sheet
from dicecup.errors import DicecupError, StorageError
from dicecup.playout.games import play_games
from dicecup.rules import load_ruleset
from dicecup.solver.files.resume import UnfinishedSolve
from dicecup.solver.files.tables import (
    HEADER_BYTES,
    encode_header,
    forget_oldest,
    open_table,
    table_path,
)
from dicecup.solver.find import find_single_solution, find_single_table
from dicecup.solver.single.index import PACK_FROM
from dicecup.solver.single.packing import STEP, pack, shapes, unpack
from dicecup.solver.single.solution import SingleSolution
from dicecup.solver.single.solve import solve_single
from dicecup.solver.solution import Progress

GAME = ("yahtzee", {"joker": "none"})
SOURCE = Path(__file__).resolve().parents[2] / "src"


@pytest.fixture
def copied(solved, tables, tmp_path):
    """Copy a valid table, to be corrupted."""
    solved(*GAME)
    rules = load_ruleset(*GAME)
    path = table_path(tmp_path, rules, 64)
    path.write_bytes(table_path(tables, rules, 64).read_bytes())
    return rules, path


def refused(rules, path) -> str:
    with pytest.raises(StorageError) as caught:
        open_table(path, rules, 64)
    assert str(path) in str(caught.value)
    return caught.value.code


def test_a_good_table(copied):
    rules, path = copied
    header = open_table(path, rules, 64).header
    assert (header.identity, header.precision, header.states) == (rules.identity, 64, 209_920)
    assert open_table(path, rules, 64).data.base is not None  # memory-mapped, not read


@pytest.mark.parametrize("place", [0, 20, 100, HEADER_BYTES + 5, -1])
def test_one_changed_byte(copied, place):
    rules, path = copied
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)
    assert refused(rules, path) == "table_damaged"


@pytest.mark.parametrize("length", [0, 10, HEADER_BYTES, -1])
def test_cut_off(copied, length):
    rules, path = copied
    path.write_bytes(path.read_bytes()[:length])
    assert refused(rules, path) == "table_damaged"


@pytest.mark.parametrize(
    "sections",
    [
        lambda _found: [],
        lambda found: [replace(section, parts=()) for section in found],
        lambda found: [*found[:-1], replace(found[-1], parts=())],
        lambda found: [*found[:-1], replace(found[-1], parts=(replace(found[-1].parts[0], count=0),))],
        lambda found: found[1:],
        lambda found: found[::-1],
        lambda found: [replace(found[0], parts=(replace(found[0].parts[0], offset=0),)), *found[1:]],
        lambda found: [replace(found[0], parts=(replace(found[0].parts[0], count=-1),)), *found[1:]],
        lambda found: [replace(found[0], parts=(replace(found[0].parts[0], count=10**12),)), *found[1:]],
        lambda found: [replace(found[0], end=HEADER_BYTES), *found[1:]],
    ],
)
def test_sections_that_do_not_fit(copied, sections):
    """The header holds together, but not with the file."""
    rules, path = copied
    header = open_table(path, rules, 64).header
    header.sections = sections(header.sections)
    path.write_bytes(encode_header(header) + path.read_bytes()[HEADER_BYTES:])
    assert refused(rules, path) == "table_damaged"


def test_levels_that_are_missing(copied):
    """The file ends with the last section that is named: only the rules say that there are more."""
    rules, path = copied
    header = open_table(path, rules, 64).header
    header.sections = header.sections[:-1]
    path.write_bytes(encode_header(header) + path.read_bytes()[HEADER_BYTES : header.sections[-1].end])
    assert refused(rules, path) == "table_damaged"


def test_values_that_are_missing(copied):
    """A level with fewer values than the rules have states is refused before compiled code reads it."""
    rules, path = copied
    table = open_table(path, rules, 64)
    section = table.header.sections[5]
    part = replace(section.parts[0], count=section.parts[0].count - 1)
    table.header.sections[5] = replace(section, parts=(part,))
    solution = SingleSolution(rules, table)
    solution.source(4)
    with pytest.raises(StorageError) as caught:
        solution.source(5)
    assert caught.value.code == "table_damaged"


def test_other_rules(copied):
    _, path = copied
    assert refused(load_ruleset("yahtzee"), path) == "table_of_other_rules"


def test_other_precision(copied, tmp_path):
    rules, path = copied
    path.write_bytes(solve_single(rules, precision=32, folder=tmp_path).path.read_bytes())
    assert refused(rules, path) == "table_damaged"


def test_a_corrupt_table_is_rebuilt(copied):
    rules, path = copied
    path.write_bytes(path.read_bytes()[:-1])
    told: list[DicecupError] = []
    assert find_single_table(rules, 64, path.parent, told.append) is None
    assert [error.code for error in told] == ["table_damaged"]
    solve_single(rules, folder=path.parent)
    assert find_single_table(rules, 64, path.parent) is not None


class StopError(Exception):
    pass


def test_an_interrupted_solve_goes_on(solved, tmp_path):
    """Stopped in the middle of a level, the next run resumes with that level and writes the same bytes."""
    rules = load_ruleset(*GAME)

    def stop_late(progress: Progress) -> None:
        if progress.done > progress.total // 2:
            raise StopError

    with pytest.raises(StopError):
        solve_single(rules, folder=tmp_path, on_progress=stop_late)
    seen: list[Progress] = []
    table = solve_single(rules, folder=tmp_path, on_progress=seen.append)
    assert seen[0].resumed > rules.cells
    assert seen[0].resumed + seen[0].total // 3 > seen[0].total // 2, "more than one level was lost"
    whole = solved(*GAME).table
    assert table.path.read_bytes() == whole.path.read_bytes()
    assert {path.suffix for path in tmp_path.iterdir()} == {".table", ".lock"}


def test_a_damaged_partial_solve_is_not_resumed(tmp_path):
    rules = load_ruleset(*GAME)

    def stop_late(progress: Progress) -> None:
        if progress.done > progress.total // 2:
            raise StopError

    with pytest.raises(StopError):
        solve_single(rules, folder=tmp_path, on_progress=stop_late)
    (part,) = tmp_path.glob("*.part")
    data = bytearray(part.read_bytes())
    data[HEADER_BYTES + 100] ^= 1
    part.write_bytes(data)
    seen: list[Progress] = []
    table = solve_single(rules, folder=tmp_path, on_progress=seen.append)
    assert seen[0].resumed < 1000
    assert table.header.expected == pytest.approx(245.8707745141, abs=1e-8)


def test_a_process_waits_for_a_table_another_one_is_solving(tmp_path):
    rules = load_ruleset(*GAME)
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda _: find_single_solution(rules, folder=tmp_path), range(3)))
    assert {solution.table.header.expected for solution in found} == {found[0].table.header.expected}
    with UnfinishedSolve(table_path(tmp_path, rules, 32), found[0].table.header):
        with pytest.raises(StorageError) as caught:
            solve_single(rules, precision=32, folder=tmp_path)
        assert caught.value.code == "solve_running"


@pytest.mark.posix
def test_killed(tmp_path):
    """After kill -9 at any moment, the remaining files are resumed or ignored."""
    program = (
        "import os, signal, sys; from pathlib import Path; from dicecup.rules import load_ruleset\n"
        "from dicecup.solver.single.solve import solve_single\n"
        "def watch(p):\n    if p.done * 2 > p.total: os.kill(os.getpid(), signal.SIGKILL)\n"
        f"solve_single(load_ruleset(*{GAME!r}), folder=Path(sys.argv[1]), on_progress=watch)"
    )
    environment = os.environ | {"PYTHONPATH": str(SOURCE)}
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], env=environment, check=False)
    assert done.returncode == -signal.SIGKILL
    seen: list[Progress] = []
    table = solve_single(load_ruleset(*GAME), folder=tmp_path, on_progress=seen.append)
    assert seen[0].resumed > 1000
    assert table.header.expected == pytest.approx(245.8707745141, abs=1e-8)


def test_threads_change_nothing(tmp_path):
    rules = load_ruleset(*GAME)
    found, most = [], numba.get_num_threads()
    for threads in (1, 2):
        numba.set_num_threads(min(threads, most))
        table = solve_single(rules, folder=tmp_path / str(threads))
        found.append(table.path.read_bytes())
    numba.set_num_threads(most)
    assert found[0] == found[1]


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    """`yahtzee` as if it were large: solved once, its table packed."""
    rules = load_ruleset("yahtzee")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dicecup.solver.single.solve.PACK_FROM", 0)
        return SingleSolution(
            rules, solve_single(rules, precision=32, folder=tmp_path_factory.mktemp("packed"))
        )


def test_packed(solved, packed):
    """A packed table is within half a step of every value."""
    assert PACK_FROM > 1_000_000, "small tables are plain"
    rules, plain = load_ruleset("yahtzee"), solved("yahtzee", {}, 32)
    assert packed.table.header.encoding == "packed"
    assert packed.table.path.stat().st_size < 0.6 * plain.table.path.stat().st_size
    one, other = plain._unchecked_turn(empty_sheet(rules)), packed._unchecked_turn(empty_sheet(rules))
    assert np.abs(one._kept - other._kept).max() < STEP
    level, values = plain.index.level(6), plain.table.arrays(6)["values"]
    source = packed.source(6)
    assert source.words.size
    assert not source.values_32.size
    again = pack(plain.index, level, np.array(values))
    assert all(np.array_equal(getattr(source, name), new) for name, new in again._asdict().items())
    form = shapes(plain.index)
    for lower in level.lowers[::7]:
        start, group = int(level.starts[lower]), source.numbers[lower]
        for position in range(int(form.size[source.kinds[group], source.aboves[group]])):
            assert abs(unpack(source, group, position) - values[start + position]) <= STEP / 2 + 1e-4


def test_games_are_played_by_a_packed_table(solved, packed):
    scores = play_games(packed, 20_000, 1).scores
    error = scores.std() / len(scores) ** 0.5
    assert abs(scores.mean() - solved("yahtzee").expected) < 3 * error


def test_tables_of_house_rules_share_a_bounded_folder(tmp_path):
    for number in range(4):
        path = tmp_path / f"{number}.table"
        path.write_bytes(bytes(100))
        os.utime(path, (number, number))
    forget_oldest(tmp_path, 250)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["2.table", "3.table"]
    forget_oldest(tmp_path, 10)
    assert [path.name for path in tmp_path.iterdir()] == ["3.table"]
