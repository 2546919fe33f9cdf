"""The CUDA kernel run as plain C++ with one lane and one worker: the same values as the CPU backend."""

from __future__ import annotations

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

from dicecup.rules import load_ruleset
from dicecup.solver.single import cuda
from dicecup.solver.single.index import build_index
from dicecup.solver.single.kernel_tables import build_program
from dicecup.solver.single.solve import last_level, make_backend

COMPILER = shutil.which("g++") or shutil.which("clang++")
SHIM = """
#include <cmath>
using std::fma;
#define __device__ static
#define __global__
#define __shared__ static
#define __constant__ static const
#define __restrict__
#define SHARED_ROOM(name) static real name[4000];
static void __syncthreads() {}
static int __any_sync(unsigned, int any) { return any; }
struct Place { int x, y; };
static Place threadIdx = {0, 0}, blockIdx = {0, 0};
"""
ENTRY = """
extern "C" void run(int blocks, void** arrays, const int* lower, const int* first, int open_boxes,
    const real* below, const long long* below_starts, real* level, const long long* starts)
{
    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++)
        solve_blocks(ARGUMENTS, lower, first, open_boxes, below, below_starts, level, starts);
}
"""


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler here")
@pytest.mark.parametrize(
    ("game", "options", "levels"),
    [
        ("yahtzee", {"joker": "forced"}, 13),
        ("yatzy-sv", {"strike": "last_resort"}, 15),
        ("yum-plus", {}, 4),
    ],
    ids=str,
)
def test_the_kernel_as_plain_code(monkeypatch, tmp_path, game, options, levels):
    monkeypatch.setattr(cuda, "LANES", 1)
    monkeypatch.setattr(cuda, "WORKERS", 1)
    index = build_index(load_ruleset(game, options))
    program = build_program(index)
    arrays = cuda.kernel_arrays(program)
    arguments = ", ".join(
        f"(const {cuda.C_TYPES[array.dtype.name]}*)arrays[{number}]"
        for number, array in enumerate(arrays.values())
    )
    text = SHIM + cuda.kernel_source(index, program, arrays, 64) + ENTRY.replace("ARGUMENTS", arguments)
    (tmp_path / "level.cpp").write_text(text, encoding="utf-8")
    command = [str(COMPILER), "-O1", "-w", "-shared", "-fPIC", "-o", "level.so", "level.cpp"]
    subprocess.run(command, cwd=tmp_path, check=True)
    run = ctypes.CDLL(str(tmp_path / "level.so")).run
    addresses = (ctypes.c_void_p * len(arrays))(*[array.ctypes.data for array in arrays.values()])
    machine, random = make_backend("cpu", index, program, 64), np.random.default_rng(1)
    below, values = index.level(0), last_level(index, 64)
    for number in range(1, levels + 1):
        level = index.level(number)
        expected = machine.solve_level(level, below, values, lambda _: None)
        lower = random.choice(level.lowers, 60).astype(np.int32)
        sizes = index.group_sizes[index.kinds[lower], number - index.opens[lower].astype(np.int64)]
        first = (random.random(60) * sizes).astype(np.int32)
        found = np.full(len(expected), np.nan)
        data = (lower, first, values, below.starts, found, level.starts)
        lower_at, first_at, values_at, below_at, found_at, starts_at = (
            ctypes.c_void_p(array.ctypes.data) for array in data
        )
        run(60, addresses, lower_at, first_at, number, values_at, below_at, found_at, starts_at)
        places = level.starts[lower] + first
        assert found[places] == pytest.approx(expected[places], abs=1e-9)
        below, values = level, expected
