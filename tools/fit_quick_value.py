"""Fit the quick value of a game that has a learned value: play games, fit, and measure the result.

    PYTHONPATH=src OPENBLAS_NUM_THREADS=2 python tools/fit_quick_value.py triple-yum-plus --games 1500 \
        --out src/dicecup/solver/learned/data
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from dicecup.rules import load_ruleset
from dicecup.solver.files.tables import weights_name
from dicecup.solver.learned.network import Network, save_arrays, shipped
from dicecup.solver.learned.training.fitting import QuickPlayer, fit_quick
from dicecup.solver.learned.training.self_play import Dealer, SelfPlayed, play
from dicecup.solver.learned.value import BatchTurn, from_weights

BATCH = 125


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("ruleset")
    parser.add_argument("-o", "--option", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--games", type=int, default=1500, help="games played by each of the two values")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("weights"), help="output folder")
    arguments = parser.parse_args()
    rules = load_ruleset(arguments.ruleset, dict(option.split("=", 1) for option in arguments.option))
    found = shipped(rules)
    if found is None:
        raise SystemExit(f"no learned value for {rules.id}")
    turn, network = BatchTurn(np, rules), Network(np, rules, found[0])
    dealer = Dealer(turn, arguments.seed)

    def games(player: Network | QuickPlayer) -> list[SelfPlayed]:
        return [play(turn, player, dealer, np.zeros(BATCH)) for _ in range(0, arguments.games, BATCH)]

    played = games(network)
    sheets = np.concatenate([part.sheets.reshape(-1, part.sheets.shape[-1]) for part in played])
    weights, off = fit_quick(turn, network, sheets.astype(np.int64))
    again = games(QuickPlayer(turn, from_weights(rules, weights)))
    facts = {"games": len(played) * BATCH, "seed": arguments.seed, "off": round(off, 2)}
    for name, parts in (("network", played), ("quick", again)):
        scores = np.concatenate([part.scores for part in parts])
        error = scores.std() / len(scores) ** 0.5
        facts[name] = [round(float(number), 1) for number in (scores.mean(), error, scores.std())]
    arguments.out.mkdir(parents=True, exist_ok=True)
    with (arguments.out / weights_name(rules, quick=True)).open("wb") as stream:
        save_arrays(stream, rules, {"weights": weights}, facts)
    print(json.dumps({"ruleset": rules.id, "options": dict(rules.options)} | facts), flush=True)


if __name__ == "__main__":
    main()
