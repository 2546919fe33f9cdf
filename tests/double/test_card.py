"""The CUDA kernels, emulated on the CPU, against the CPU kernels; and their simulated games."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from tests.double.emulated_card import EmulatedCard
from tests.double.small_games import small_game

from dicecup.errors import UsageError
from dicecup.solver.double.cuda import CudaTurns
from dicecup.solver.double.game_tables import SheetIndex
from dicecup.solver.double.solve import make_backend
from dicecup.solver.double.turn import CpuTurns
from simulate_double import KERNELS, simulate

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs a C++ compiler")
GAMES = [
    "three faces",
    "three dice",
    "last resort",
    "two throws",
    "six boxes, last resort",
    "strikable negative, last resort",
]


def silent(sheets: int) -> None:
    """Ignore progress."""


@pytest.fixture(scope="module", params=GAMES)
def solved(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("card")
    rules = small_game(request.param, folder)
    index = SheetIndex(rules)
    card = CudaTurns(
        rules,
        index,
        lanes=8,
        groups=2,
        threads=8,
        array_module=EmulatedCard(folder),
        more_kernels=KERNELS,
    )
    levels = {index.boxes: np.zeros(1)}
    for filled in range(index.boxes - 2, -1, -2):
        levels[filled] = card.solve_level(index.level(filled), levels[filled + 2], silent)
    return rules, index, card, levels


def test_gpu_and_cpu_agree_on_every_sheet(solved):
    rules, index, _, levels = solved
    processor = CpuTurns(rules, index)
    for filled in range(index.boxes - 2, -1, -2):
        values = processor.solve_level(index.level(filled), levels[filled + 2], silent)
        np.testing.assert_allclose(levels[filled], values, rtol=0, atol=1e-5)


def test_perfect_players_reach_the_expected_score(solved):
    _, _, card, levels = solved
    scores = simulate(card, levels, games=4000, seed=3)
    error = scores.std() / len(scores) ** 0.5
    assert abs(scores.mean() - levels[0][0]) < 4 * error


def test_one_throw_needs_no_keeps(tmp_path):
    rules = small_game("one throw", tmp_path)
    index = SheetIndex(rules)
    card = CudaTurns(rules, index, lanes=8, groups=1, threads=8, array_module=EmulatedCard(tmp_path))
    last = index.level(index.boxes - 2)
    expected = CpuTurns(rules, index).solve_level(last, np.zeros(1), silent)
    np.testing.assert_allclose(card.solve_level(last, np.zeros(1), silent), expected, rtol=0, atol=1e-5)


def test_a_missing_gpu_is_reported_with_an_alternative(tmp_path):
    rules = small_game("three faces", tmp_path)
    try:
        import cupy  # noqa: F401
    except ImportError:
        with pytest.raises(UsageError, match="--backend cpu"):
            make_backend("cuda", rules, SheetIndex(rules))
    with pytest.raises(UsageError, match="cpu, cuda"):
        make_backend("abacus", rules, SheetIndex(rules))
