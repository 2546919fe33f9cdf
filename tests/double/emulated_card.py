"""A stand-in for CuPy that runs CUDA kernels on the CPU: as C++, one OpenMP thread per CUDA thread.

It allows the very kernels that run on a GPU to be compared with the reference on machines without one. It
supports only what `turns.cu` and `simulate_double.cu` use, and is slow: for reduced games.
"""

from __future__ import annotations

import ctypes
import hashlib
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

HEADER = r"""
#include <algorithm>
#include <cmath>
#include <omp.h>
struct Index { int x, y; };
struct float4 { float x, y, z, w; };
struct int4 { int x, y, z, w; };
static Index blockIdx, blockDim, gridDim;
#define threadIdx (Index{omp_get_thread_num(), 0})
#define __global__
#define __device__ static
#define __shared__ static
#define __syncthreads() _Pragma("omp barrier")
using std::min;
using std::max;
template <class T> T __ldg(const T *at) { return *at; }
template <class T> void atomicAdd(T *at, T value) { __atomic_fetch_add(at, value, __ATOMIC_RELAXED); }
"""
SIGNATURE = re.compile(r'extern "C" __global__ void (\w+)\(\s*([^)]*?)\s*\)', re.DOTALL)


class EmulatedCard:
    """NumPy, with kernels compiled by g++ into a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def RawModule(self, *, code: str, options: tuple[str, ...]) -> Module:  # noqa: N802 - CuPy's name
        return Module(self.folder, code, options)


class Module:
    def __init__(self, folder: Path, code: str, options: tuple[str, ...]) -> None:
        names = {option[2:].split("=")[0]: option.split("=")[1] for option in options if option[:2] == "-D"}
        for size in re.findall(r"^BEST_KEEPS\((\d+)\)$", code, re.MULTILINE):
            macro = next(text for text in code.split("#define ") if text.startswith("BEST_KEEPS(SIZE)"))
            body = macro.split("\n\n")[0].split("\n", 1)[1].replace("\\\n", "\n")
            code = code.replace(
                f"\nBEST_KEEPS({size})", "\n" + body.replace("_##SIZE", f"_{size}").replace("SIZE", size)
            )
        kernels = {name: split_types(types) for name, types in SIGNATURE.findall(code) if "##" not in name}
        source = HEADER + code + "".join(launcher(name, types) for name, types in kernels.items())
        stem = hashlib.sha256((source + str(names)).encode()).hexdigest()[:16]
        path, library = folder / f"{stem}.cpp", folder / f"{stem}.so"
        path.write_text(source, encoding="utf-8")
        defines = [f"-D{name}={value}" for name, value in names.items()]
        command = ["g++", "-O1", "-w", "-std=c++17", "-fopenmp", "-shared", "-fPIC", *defines, str(path)]
        subprocess.run([*command, "-o", str(library)], check=True)
        self.library = ctypes.CDLL(str(library))

    def get_function(self, name: str) -> Any:
        function = getattr(self.library, f"launch_{name}")

        def launch(blocks: tuple[int, ...], threads: tuple[int, ...], arguments: tuple[Any, ...]) -> None:
            held = [as_pointer(one) for one in arguments]
            places = (ctypes.c_void_p * len(held))(*[one.ctypes.data for one in held])
            grid = (*blocks, 1)[:2]
            function(grid[0], grid[1], threads[0], places)

        return launch


def as_pointer(argument: Any) -> np.ndarray:
    """Return the bytes that a kernel receives for an argument."""
    if isinstance(argument, np.ndarray):
        assert argument.flags.c_contiguous
        return np.array([argument.ctypes.data], dtype=np.uint64)
    assert isinstance(argument, np.generic)
    return np.array([argument])


def split_types(text: str) -> list[str]:
    """`const int *a, int b` → `const int *`, `int`."""
    types = []
    for piece in re.sub(r"//[^\n]*", "", text).split(","):
        words = " ".join(piece.split())
        cut = re.match(r"(.*?)(\w+)$", words)
        assert cut is not None, words
        types.append(cut.group(1).strip())
    return types


def launcher(name: str, types: list[str]) -> str:
    arguments = ", ".join(f"*({kind} *)arguments[{place}]" for place, kind in enumerate(types))
    return f"""
extern "C" void launch_{name}(int across, int down, int threads, void **arguments) {{
    blockDim = Index{{threads, 1}};
    gridDim = Index{{across, down}};
    for (int y = 0; y < down; y++) for (int x = 0; x < across; x++) {{
        blockIdx = Index{{x, y}};
        #pragma omp parallel num_threads(threads)
        {name}({arguments});
    }}
}}
"""
