"""The end of a large game, exactly: every sheet that a few turns can still lead to.

The quick value plays whole games nearly as well as they can be played; but with two or three boxes left its
scores spread otherwise than those of a perfect player. By then few sheets can follow: they are worked out.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from dicecup.coach.quick_kernel import value_sheets
from dicecup.coach.quick_tables import tables_of
from dicecup.rules.model import Ruleset
from dicecup.solver.learned.moves import NOWHERE, Array, book

MOST_TURNS = 5
MOST_SHEETS = 1000  # with the same number of boxes open: a twentieth of a second in Triple Yum Plus


class Endgame(NamedTuple):
    """Sheets, counted through; the first is where the game stands."""

    ahead: Array  # [sheet, slot]: what it adds, all that follows included; -inf where there is none
    follow: Array  # [sheet, slot]: the sheet afterwards, or NOWHERE


def no_endgame(rules: Ruleset) -> Endgame:
    slots = len(book(rules).moves.slot_place)
    return Endgame(np.empty((0, slots), dtype=np.float32), np.empty((0, slots), dtype=np.int32))


@lru_cache(maxsize=16)
def endgame(rules: Ruleset, rows: tuple[int, ...]) -> Endgame | None:
    """All that can follow a sheet, or None where that is too much."""
    moves, first = book(rules).moves, np.array([rows], dtype=np.int32)
    turns = int(moves.opens[first].sum())
    if turns > MOST_TURNS:
        return None
    levels, follows = [first], []
    for _ in range(turns):
        sheets, follow = next_level(rules, levels[-1])
        if len(sheets) > MOST_SHEETS:
            return None
        levels.append(sheets)
        follows.append(follow)
    worth = np.zeros(len(levels[-1]), dtype=np.float32)
    found = []
    for sheets, follow in zip(reversed(levels[:-1]), reversed(follows), strict=True):
        paid = moves.paid[sheets[:, moves.slot_place], moves.slot_step]
        ahead = np.where(follow == NOWHERE, -np.inf, worth[follow] + paid).astype(np.float32)
        worth = np.empty(len(sheets), dtype=np.float32)
        value_sheets(moves, tables_of(rules), sheets, ahead, rules.throws, worth)
        found.append(ahead)
    starts = np.cumsum([len(sheets) for sheets in levels])
    shifted = [
        np.where(follow == NOWHERE, NOWHERE, follow + start)
        for follow, start in zip(follows, starts, strict=False)
    ]
    return Endgame(np.concatenate(found[::-1]), np.concatenate(shifted).astype(np.int32))


def next_level(rules: Ruleset, sheets: Array) -> tuple[Array, Array]:
    """The sheets with one box less open, and which of them each slot leads to."""
    moves = book(rules).moves
    after = moves.after[sheets[:, moves.slot_place], moves.slot_step]
    sheet, slot = np.nonzero(after != NOWHERE)
    grown = sheets[sheet]
    grown[np.arange(len(sheet)), moves.slot_place[slot]] = after[sheet, slot]
    found, number = np.unique(grown, axis=0, return_inverse=True)
    follow = np.full(after.shape, NOWHERE, dtype=np.int32)
    follow[sheet, slot] = number.reshape(-1)
    return found, follow
