"""A learned value of the sheet, for games too large to be solved, or to wait for their table."""

from dicecup.solver.learned.value import LearnedTurn, LearnedValue, find_learned

__all__ = ["LearnedTurn", "LearnedValue", "find_learned"]
