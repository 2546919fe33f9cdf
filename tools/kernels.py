"""Compile the kernels that the tests use into the clone: python tools/kernels.py

Each process that finds no compiled kernels compiles them for itself, and the tests start many processes.
"""

from __future__ import annotations

import gc
import os
from pathlib import Path
from tempfile import TemporaryDirectory

CACHE = Path(__file__).resolve().parents[1] / ".pytest_cache"
GAMES = ("dice-in-dice", "yatzy", "yum-plus")  # together they use every kernel of the coach
SMALL = """
format = 1
id = "small"
throws = 2
dice = { count = 2, faces = 3 }
upper = { boxes = { ones = 1, threes = 3 } }
"""


def main() -> None:
    # Read when the solver is imported.
    os.environ |= {"NUMBA_CACHE_DIR": str(CACHE / "kernels"), "DICECUP_CACHE": str(CACHE / "coach")}
    gc.disable()  # the compiler makes millions of objects, and little garbage
    compile_coach()
    gc.collect()
    with TemporaryDirectory() as folder:
        compile_tables(Path(folder))


def compile_coach() -> None:
    """Compile the kernels of hints, reviews, chances and environments."""
    from dicecup.coach.advice import advise, known_values
    from dicecup.engine.state import Sheet, State, start, turn_start
    from dicecup.envs.batch import BatchEnv
    from dicecup.rules import load_ruleset
    from dicecup.web.service.worker_main import prepare

    for game in GAMES:
        prepare(load_ruleset(game))
        gc.collect()
    rules = load_ruleset("yatzy-sv")
    late = Sheet(tuple(0 if number else None for number in range(len(rules.boxes))))
    for play in ("points", "target"):
        known_values(rules).source.final_scores(turn_start(rules, (late,), 0), play)
    advise(known_values(rules), State(start(rules).sheets, 0, (1, 1, 1, 1, 1), None, 0))
    env = BatchEnv(rules, 1)
    env.step(env.reset(seed=1)[1]["action_mask"].argmax(axis=1))


def compile_tables(folder: Path) -> None:
    """Compile the kernels that the coach does not use: 32 bits, packed tables, games by tables of chances."""
    import numpy as np

    from dicecup.playout.to_win import HeadToHead
    from dicecup.rules import load_ruleset
    from dicecup.solver.single.chances import solve_chances
    from dicecup.solver.single.index import build_index
    from dicecup.solver.single.packing import pack
    from dicecup.solver.single.solution import SingleSolution
    from dicecup.solver.single.solve import solve_single
    from dicecup.solver.solution import Play

    rules = load_ruleset("yatzy-sv")
    table = solve_single(rules, precision=32, folder=folder)
    index = build_index(rules)
    pack(index, index.level(1), np.array(table.arrays(1)["values"]))
    path = folder / "small.toml"
    path.write_text(SMALL, encoding="utf-8")
    small = load_ruleset(str(path))
    solution = SingleSolution(small, solve_single(small, folder=folder))
    plays: tuple[Play, ...] = ("points", "target")
    tables = {play: solve_chances(solution, play, folder=folder) for play in plays}
    HeadToHead(solution, tables, [True, False]).play(2, 1)


if __name__ == "__main__":
    main()
