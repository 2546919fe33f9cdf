"""Measure players of one game, many games in parallel, on one GPU or slowly on the CPU.

    PYTHONPATH=src python bench/learned.py triple-yum-plus --player learned --games 100000
    PYTHONPATH=src python bench/learned.py triple-yum-plus --player points --games 100000
    PYTHONPATH=src python bench/learned.py triple-yum-plus --player columns --games 100000

`learned` uses the shipped weights (or those of `--weights FILE`), `points` maximises the points of the turn
alone, and `columns` maximises these plus the sum of each column's value by itself under perfect play (GPU
only: it solves the one-column game first). Every turn is computed exactly with respect to the player's value
of the following sheets.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from dicecup.rules import Ruleset, load_ruleset
from dicecup.solver.learned.layout import Array
from dicecup.solver.learned.network import Moved, Network, Weights, load_weights, shipped
from dicecup.solver.learned.training.self_play import Dealer, GpuNetworkSteps, GpuTurnSteps, play
from dicecup.solver.learned.value import BatchTurn, Value


class Points:
    """A player that counts only the points of the turn."""

    def __init__(self, xp: Any) -> None:
        self.xp = xp

    def after(self, sheets: Array, moved: Moved) -> Array:  # noqa: ARG002
        return self.xp.zeros(len(moved.sheet), dtype=self.xp.float32)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("ruleset")
    parser.add_argument("-o", "--option", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--player", choices=("learned", "points", "columns"), default="learned")
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--batch", type=int, default=5_000, help="games side by side")
    parser.add_argument("--weights", type=Path)
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--backend", choices=("cuda", "cpu"), default="cuda")
    return parser.parse_args()


def make_player(arguments: argparse.Namespace, xp: Any, rules: Ruleset, steps: Any) -> Value:
    if arguments.player == "points":
        return Points(xp)
    if arguments.player == "columns":
        from learned_columns import Columns

        return Columns(xp, rules, arguments.option)
    found = shipped(rules)
    if arguments.weights:
        with arguments.weights.open("rb") as stream:
            found = load_weights(stream, rules, arguments.weights.name)
    if found is None:
        raise SystemExit(f"no weights for {rules.id}")
    return Network(xp, rules, Weights(*(xp.asarray(array) for array in found[0])), steps)


def main() -> None:
    arguments = read_arguments()
    rules = load_ruleset(arguments.ruleset, dict(option.split("=", 1) for option in arguments.option))
    xp: Any = np
    turn_steps = network_steps = None
    if arguments.backend == "cuda":
        import cupy

        xp, turn_steps, network_steps = cupy, GpuTurnSteps(cupy), GpuNetworkSteps(cupy)
    turn = BatchTurn(xp, rules, turn_steps)
    player = make_player(arguments, xp, rules, network_steps)
    dealer = Dealer(turn, arguments.seed)
    scores: list[Array] = []
    began = time.perf_counter()
    while len(scores) * arguments.batch < arguments.games:
        played = play(turn, player, dealer, xp.zeros(min(arguments.batch, arguments.games)))
        scores.append(played.scores)
    found = xp.concatenate(scores)[: arguments.games]
    answer = {
        "ruleset": rules.id,
        "options": dict(rules.options),
        "player": arguments.player,
        "games": len(found),
        "mean": round(float(found.mean()), 3),
        "standard_error": round(float(found.std() / len(found) ** 0.5), 3),
        "sd": round(float(found.std()), 1),
        "believed_at_start": round(float(played.backed_up[0, 0]), 3),
        "seconds": round(time.perf_counter() - began, 1),
    }
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
