"""Train the weights of a learned value by self-play on one GPU, or slowly on the CPU.

    CUPY_TF32=1 PYTHONPATH=src python tools/train_value.py triple-yum-plus --generations 300 --out weights

Writes a training log next to the weights, one line per batch of games.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from dicecup.rules import Ruleset, load_ruleset
from dicecup.solver.files.tables import weights_name
from dicecup.solver.learned.network import Weights, save_arrays
from dicecup.solver.learned.training.fitting import Learner, Plan, start_weights
from dicecup.solver.learned.training.self_play import GpuNetworkSteps, GpuTurnSteps


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("ruleset")
    parser.add_argument("-o", "--option", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--generations", type=int, default=100, help="batches of games")
    parser.add_argument("--seconds", type=float, default=1e9, help="time limit, which may cut batches")
    parser.add_argument("--games", type=int, default=Plan.games, help="games per batch")
    parser.add_argument("--fit", type=int, default=Plan.fit, help="sheets per optimiser step")
    parser.add_argument("--passes", type=int, default=Plan.passes, help="how many times each sheet is used")
    parser.add_argument("--rate", type=float, default=Plan.rate)
    parser.add_argument("--carried", type=float, default=Plan.carried, help="λ at the start")
    parser.add_argument("--last-carried", type=float, default=Plan.last_carried, help="λ at the end")
    parser.add_argument("--width", type=int, default=256, help="units per hidden layer")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=Path, help="initial weights, possibly trained for other options")
    parser.add_argument("--backend", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--out", type=Path, default=Path("weights"), help="output folder")
    return parser.parse_args()


def make_learner(arguments: argparse.Namespace, rules: Ruleset) -> Learner:
    names = ("games", "fit", "passes", "rate", "carried", "last_carried")
    plan = Plan(**{name: getattr(arguments, name) for name in names})
    weights = start_weights(rules, arguments.width, arguments.seed)
    if arguments.start:
        # The same sheet under other options has the same inputs.
        data = np.load(arguments.start)
        weights = Weights(*(data[name] for name in Weights._fields))
    if arguments.backend == "cpu":
        return Learner(np, rules, weights, plan, arguments.seed)
    import cupy

    return Learner(cupy, rules, weights, plan, arguments.seed, (GpuTurnSteps(cupy), GpuNetworkSteps(cupy)))


def to_numpy(weights: Weights) -> Weights:
    return Weights(*(array.get() if hasattr(array, "get") else array for array in weights))


def main() -> None:
    arguments = read_arguments()
    options = dict(option.split("=", 1) for option in arguments.option)
    rules = load_ruleset(arguments.ruleset, options)
    began = time.perf_counter()
    learner = make_learner(arguments, rules)
    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / weights_name(rules)

    def write(facts: dict[str, Any]) -> None:
        with path.open("wb") as stream:
            weights = to_numpy(learner.adam.average)
            save_arrays(stream, rules, weights._asdict(), facts | {"plan": vars(learner.plan)})

    with path.with_suffix(".log").open("w", encoding="utf-8") as log:
        generation, progress = 0, 0.0
        while progress < 1:
            report = learner.learn(progress)
            generation += 1
            spent = time.perf_counter() - began
            progress = max(generation / arguments.generations, spent / arguments.seconds)
            line = {"generation": generation, "seconds": round(spent, 1)} | {
                name: round(number, 2) for name, number in vars(report).items()
            }
            print(json.dumps(line), file=log, flush=True)
            if generation % 20 == 0 or progress >= 1:
                print(line, flush=True)
            if generation % 100 == 0:
                write({"generations": generation})
    facts: dict[str, Any] = {"generations": generation, "seconds": round(time.perf_counter() - began, 1)}
    write(facts)
    print(rules.id, dict(rules.options), json.dumps(facts), flush=True)


if __name__ == "__main__":
    main()
