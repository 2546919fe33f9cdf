"""Check win chances in games sampled with the quick value. Run: python bench/winning.py [PAIRS]

Two players are given sheets from games of the learned value, with the same number of turns left, once tied
and once with a lead. Their chances are computed from games sampled with the quick value, as the coach does,
and from unweighted games sampled with the learned value itself, which takes a hundred times as long.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from dicecup.coach.winning import Comparison, Sample, balanced, even
from dicecup.playout.single import play_rows
from dicecup.rules import load_ruleset
from dicecup.solver.learned.network import Network, shipped
from dicecup.solver.learned.training.self_play import Dealer, play
from dicecup.solver.learned.value import BatchTurn

LEADS = (0.0, 0.5)  # in standard deviations of one player's final score
GAMES = {"yum-plus": 4000, "triple-yum-plus": 1000}


def chance(samples: list[Sample], lead: int) -> tuple[float, float]:
    """Return the first player's chance to win, and its standard error."""
    compared = Comparison([samples[0]._replace(scores=samples[0].scores + lead), samples[1]])
    return float(compared.chances()[0]), float(compared.standard_errors()[0])


def measure(game: str, pairs: int) -> None:
    rules = load_ruleset(game)
    found = shipped(rules)
    assert found
    turn, network, dealer = (
        BatchTurn(np, rules),
        Network(np, rules, found[0]),
        Dealer(BatchTurn(np, rules), 3),
    )
    games, turns = GAMES[game], rules.turns
    seen = play(turn, network, dealer, np.zeros(2 * pairs)).sheets
    off, errors, times = [], [], [0.0, 0.0]
    for pair in range(pairs):
        left = round(turns * (pair + 1) / (pairs + 1))
        sheets = [seen[turns - left, 2 * pair + one].astype(np.int32) for one in range(2)]
        before = time.process_time()
        played = [play(turn, network, dealer, np.zeros(games), sheet.tolist()) for sheet in sheets]
        real = [even(one.scores.astype(np.int64)) for one in played]
        between = time.process_time()
        quick = [balanced(play_rows(rules, sheet, 400, 1, one)) for one, sheet in enumerate(sheets)]
        times = [times[0] + between - before, times[1] + time.process_time() - between]
        for share in LEADS:
            lead = round(share * real[0].scores.std() + real[1].scores.mean() - real[0].scores.mean())
            (one, error), (other, quick_error) = chance(real, lead), chance(quick, lead)
            off.append(other - one)
            errors.append((error**2 + quick_error**2) ** 0.5)
            print(f"{game}, {left:>2} turns left: {100 * one:5.1f} % real, {100 * other:5.1f} % quick")
    print(
        f"{game}: off by {100 * np.sqrt(np.mean(np.square(off))):.2f} % (root mean square), "
        f"{100 * np.abs(off).max():.2f} % at most, {100 * np.mean(off):+.2f} % on average; "
        f"sampling noise alone {100 * np.sqrt(np.mean(np.square(errors))):.2f} %; "
        f"cpu {times[0] / pairs:.1f} s a pair for real games, {times[1] / pairs:.2f} s for quick ones"
    )


if __name__ == "__main__":
    for name in GAMES:
        measure(name, int(sys.argv[1]) if len(sys.argv) > 1 else 10)
