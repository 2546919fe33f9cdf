"""The engine for all games: states, moves, totals, positions, records. Pure functions of frozen values."""

from dicecup.engine.pad import possible_values
from dicecup.engine.play import apply, check, is_legal, legal_moves
from dicecup.engine.state import (
    Announce,
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
    overall_lines,
    score,
    standings,
    start,
)

__all__ = [
    "Announce",
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
    "overall_lines",
    "possible_values",
    "score",
    "standings",
    "start",
]
