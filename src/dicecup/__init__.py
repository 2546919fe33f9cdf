"""Dicecup: play, score and master every game of the Yatzy family.

>>> import dicecup
>>> game = dicecup.Game("yatzy", players=["Ann", "Bo"], seed=161)
>>> game.roll()
(3, 3, 5, 6, 6)

What each name is imported from is loaded when it is first used; docs/api.md describes them all.
"""

from importlib import import_module as _import_module

TYPE_CHECKING = False  # `typing` would be most of the time that this import takes
if TYPE_CHECKING:
    from dicecup import engine as engine
    from dicecup import envs as envs
    from dicecup.bots.dataset import DataSummary, write_data
    from dicecup.bots.registry import Bot
    from dicecup.bots.simulation import simulate
    from dicecup.bots.summary import BotResult, MeanDifference, Simulation
    from dicecup.coach.advice import Choice, Hint, WinHint
    from dicecup.coach.lessons import Lesson
    from dicecup.coach.review import Decision, PlayerReview, Review, RollLuck
    from dicecup.dice import AnyDie, Dice, Die
    from dicecup.engine.checked import apply, legal_moves, possible_values
    from dicecup.engine.record import Entry, Header, Record
    from dicecup.engine.serialize import Position
    from dicecup.engine.sheet_data import SheetData
    from dicecup.engine.state import (
        Announce,
        Keep,
        Move,
        Placement,
        Score,
        Sheet,
        State,
        Throw,
        TurnMove,
        Write,
    )
    from dicecup.errors import (
        BotError,
        DicecupError,
        DiceError,
        MoveError,
        PositionError,
        RecordError,
        RulesError,
        StorageError,
        UsageError,
    )
    from dicecup.game import Game, review
    from dicecup.game_rules import Rules
    from dicecup.game_view import Standing
    from dicecup.rules.loader import AnyGame, house_reference
    from dicecup.rules.model import Box, Column, Ruleset
    from dicecup.solver.solution import BoxValue, FinalScores, OnProgress, Progress, Solution, Turn

__version__ = "0.2.0"

__all__ = [
    "Announce",
    "AnyDie",
    "AnyGame",
    "Bot",
    "BotError",
    "BotResult",
    "Box",
    "BoxValue",
    "Choice",
    "Column",
    "DataSummary",
    "Decision",
    "Dice",
    "DiceError",
    "DicecupError",
    "Die",
    "Entry",
    "FinalScores",
    "Game",
    "Header",
    "Hint",
    "Keep",
    "Lesson",
    "MeanDifference",
    "Move",
    "MoveError",
    "OnProgress",
    "Placement",
    "PlayerReview",
    "Position",
    "PositionError",
    "Progress",
    "Record",
    "RecordError",
    "Review",
    "RollLuck",
    "Rules",
    "RulesError",
    "Ruleset",
    "Score",
    "Sheet",
    "SheetData",
    "Simulation",
    "Solution",
    "Standing",
    "State",
    "StorageError",
    "Throw",
    "Turn",
    "TurnMove",
    "UsageError",
    "WinHint",
    "Write",
    "__version__",
    "apply",
    "house_reference",
    "legal_moves",
    "possible_values",
    "review",
    "simulate",
    "write_data",
]

_MODULES = {
    "bots.dataset": "DataSummary write_data",
    "bots.registry": "Bot",
    "bots.simulation": "simulate",
    "bots.summary": "BotResult MeanDifference Simulation",
    "coach.advice": "Choice Hint WinHint",
    "coach.lessons": "Lesson",
    "coach.review": "Decision PlayerReview Review RollLuck",
    "dice": "AnyDie Dice Die",
    "engine.checked": "apply legal_moves possible_values",
    "engine.record": "Entry Header Record",
    "engine.serialize": "Position",
    "engine.sheet_data": "SheetData",
    "engine.state": "Announce Keep Move Placement Score Sheet State Throw TurnMove Write",
    "errors": "BotError DicecupError DiceError MoveError PositionError "
    "RecordError RulesError StorageError UsageError",
    "game": "Game review",
    "game_rules": "Rules",
    "game_view": "Standing",
    "rules.loader": "AnyGame house_reference",
    "rules.model": "Box Column Ruleset",
    "solver.solution": "BoxValue FinalScores OnProgress Progress Solution Turn",
}
_HOME = {name: f"dicecup.{module}" for module, names in _MODULES.items() for name in names.split()}


_PACKAGES = ("engine", "envs")  # documented by their own names


def __getattr__(name: str) -> object:
    if name in _PACKAGES:
        return _import_module(f"dicecup.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'dicecup' has no attribute {name!r}")
    found = getattr(_import_module(_HOME[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_PACKAGES})
