"""Measure the first hint of a fresh process, and what must be installed for it: python -m bench.first_hint

Processor time, so that a busy machine changes little. `plain`: neither NumPy nor Numba can be imported, Dice
in Dice by WebAssembly (package wasmtime); `NumPy`: no Numba; `Numba`: with compiled kernels on disk; with
--cold also with nothing compiled and nothing solved. `start` is starting Python, the coach and a game,
`next` another turn of the same game. Sizes are those of the installed files, without bytecode.
--pyodide FOLDER measures the same in Pyodide by Node, in real time; FOLDER is that of its npm package.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import tomllib
from importlib.metadata import distribution
from operator import itemgetter
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "dicecup"
GAMES = ["yatzy", "yatzy-sv", "yahtzee", "dice-in-dice", "yum-plus", "triple-yum-plus"]
BLOCKED = {"plain": ("numpy", "numba"), "NumPy": ("numba",), "Numba": ()}
SCRIPT = """
import json, sys, time
sys.modules |= dict.fromkeys(json.loads(sys.argv[2]))
import dicecup
from dicecup.coach.advice import advise, values_at_once
from dicecup.engine.state import Score
clock = time.perf_counter if sys.platform == "emscripten" else time.process_time
game = dicecup.Game(sys.argv[1], seed=1)
game.roll()
times = [clock()]
for _ in range(2):
    found = advise(values_at_once(game.rules), game.state)
    times.append(clock())
    game.play(next(choice.move for choice in found.choices if isinstance(choice.move, Score)))
    game.roll()
    times[-1:] = [times[-1], clock()]
print(json.dumps([times[0], times[1] - times[0], times[3] - times[2], found.exact]))
"""


NODE = """
import {{ loadPyodide }} from "{folder}/pyodide.mjs";
const python = await loadPyodide({{ indexURL: "{folder}/" }});
python.FS.mkdirTree("/src");
python.FS.mount(python.FS.filesystems.NODEFS, {{ root: "{root}/src" }}, "/src");
python.runPython(`import sys; sys.path.insert(0, "/src"); sys.argv = ["", "{game}", "[]"]`);
await python.runPythonAsync({script});
"""


def measure_pyodide(game: str, folder: Path) -> list[float]:
    """The same by Node: the real time since Python has started."""
    text = NODE.format(folder=folder.resolve(), root=ROOT, game=game, script=json.dumps(SCRIPT))
    command = ["node", "--input-type=module", "-e", text]
    done = subprocess.run(command, capture_output=True, check=True)
    found: list[float] = json.loads(done.stdout.splitlines()[-1])
    return [0.0, *found[1:]]


def measure(game: str, blocked: tuple[str, ...], **environment: str) -> list[float]:
    """Return the best of three runs: seconds to start, for the first hint, for another; if it is exact."""
    command = [sys.executable, "-c", SCRIPT, game, json.dumps(blocked)]
    runs = []
    for _ in range(1 if environment else 3):
        done = subprocess.run(command, capture_output=True, check=True, env=os.environ | environment)
        runs.append(json.loads(done.stdout))
    return min(runs, key=itemgetter(1))


def show(game: str, kind: str, found: list[float]) -> None:
    start, first, another, exact = found
    said = "exact" if exact else "estimated"
    print(f"{game:<16} {kind:<12} {start:>6.2f} {first:>7.3f} {another:>7.3f}  {said}", flush=True)


def installed(name: str, known: set[str]) -> int:
    """Return the bytes of a package and of what it requires, except for what is known."""
    if name.lower() in known:
        return 0
    known.add(name.lower())
    try:
        found = distribution(name)
    except ModuleNotFoundError:
        return 0
    files = [file for file in found.files or () if file.suffix != ".pyc"]
    size = sum(path.stat().st_size for file in files if (path := Path(str(file.locate()))).is_file())
    return size + requirements(found.requires or [], known)


def requirements(lines: list[str], known: set[str]) -> int:
    wanted = [Requirement(line) for line in lines]
    here = [one for one in wanted if one.marker is None or one.marker.evaluate({"extra": ""})]
    return sum(installed(one.name, known) for one in here)


def show_sizes() -> None:
    known: set[str] = set()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    files = [path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    data = [path for path in files if path.parent.name == "data"]
    sizes = {
        "dicecup itself": sum(path.stat().st_size for path in files),
        "of it values of games": sum(path.stat().st_size for path in data),
        "what playing and hints require": requirements(project["dependencies"], known),
        "NumPy and Numba (extra solver)": requirements(project["optional-dependencies"]["solver"], known),
    }
    for name, size in sizes.items():
        print(f"{name:<34} {size / 1e6:>6.1f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the first hint of a fresh process.")
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--pyodide", type=Path, metavar="FOLDER")
    parser.add_argument("games", nargs="*", default=GAMES)
    wish = parser.parse_args()
    show_sizes()
    print(f"seconds of processor time; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"{'game':<16} {'with':<12} {'start':>6} {'first':>7} {'next':>7}")
    for game in wish.games:
        for kind, blocked in BLOCKED.items():
            show(game, kind, measure(game, blocked))
        if wish.pyodide:
            show(game, "Pyodide", measure_pyodide(game, wish.pyodide))
        if wish.cold:
            with tempfile.TemporaryDirectory() as folder:
                show(game, "Numba, cold", measure(game, (), DICECUP_CACHE=folder))


if __name__ == "__main__":
    main()
