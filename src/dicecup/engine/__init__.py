"""The engine for all games: states, moves, totals, positions, records. Pure functions of frozen values."""

from dicecup.engine.pad import possible_values
from dicecup.engine.play import apply, check, is_legal, legal_moves
from dicecup.engine.state import (
    Keep,
    Move,
    Placement,
    Score,
    Sheet,
    State,
    Throw,
    Write,
    column_lines,
    dice_to_throw,
    empty_sheet,
    final_score,
    score,
    standings,
    start,
)

__all__ = [
    "Keep",
    "Move",
    "Placement",
    "Score",
    "Sheet",
    "State",
    "Throw",
    "Write",
    "apply",
    "check",
    "column_lines",
    "dice_to_throw",
    "empty_sheet",
    "final_score",
    "is_legal",
    "legal_moves",
    "possible_values",
    "score",
    "standings",
    "start",
]
