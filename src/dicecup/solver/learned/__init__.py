"""Learned values of sheets, for games too large to be solved, or whose table is missing."""

from dicecup.solver.learned.value import LearnedTurn, LearnedValue, find_learned

__all__ = ["LearnedTurn", "LearnedValue", "find_learned"]
