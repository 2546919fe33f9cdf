"""Concurrent requests from several threads, as in a server: results do not mix, and the process survives."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from dicecup.coach.advice import Values, find_values
from dicecup.engine import Sheet, empty_sheet
from dicecup.rules import load_ruleset

TOGETHER = """
from concurrent.futures import ThreadPoolExecutor
import numba
from dicecup.coach.advice import known_values
from dicecup.coach.winning import win_chances
from dicecup.engine import start
from dicecup.rules import load_ruleset

rules = load_ruleset("yatzy-sv")
def chances(number):
    return win_chances(known_values(rules), start(rules, 2), seed=1).chances
with ThreadPoolExecutor(4) as pool:
    found = set(pool.map(chances, range(8)))
print(numba.threading_layer(), len(found))
"""


def test_the_workqueue_threading_layer_is_enough(folder):
    """Without a thread-safe threading layer, Numba's own aborts the process when two threads enter it."""
    cache = str(folder.parent / "cache")
    environment = os.environ | {"NUMBA_THREADING_LAYER": "workqueue", "DICECUP_CACHE": cache}
    ran = subprocess.run(
        [sys.executable, "-c", TOGETHER], env=environment, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout) == (0, "workqueue 1\n"), ran.stderr


def test_turns_of_double_dice_do_not_mix():
    rules = load_ruleset("dice-in-dice")
    sheets = []
    for first in range(0, 16, 2):
        cells = list(empty_sheet(rules).cells)
        cells[first], cells[first + 1] = 0, 0
        sheets.append(Sheet(tuple(cells)))

    def keep_a_pair(values: Values, sheet: Sheet) -> float:
        return values.turn(sheet).keep(((6, 5), (6, 5)), 2)

    one_by_one = [keep_a_pair(find_values(rules), sheet) for sheet in sheets]
    values = find_values(rules)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(partial(keep_a_pair, values), sheets)) == one_by_one
