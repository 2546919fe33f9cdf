"""Advice and reviews as data: ids and numbers, the same in `--json` and in the API of the server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dicecup.coach.advice import Choice
from dicecup.coach.reasons import Reason
from dicecup.coach.review import Decision, Luck, PlayerReview, Review
from dicecup.engine.move_data import move_to_data
from dicecup.engine.moves import Keep
from dicecup.engine.position import dice_to_data
from dicecup.engine.record import Record
from dicecup.rules.model import Ruleset

if TYPE_CHECKING:
    from dicecup.coach.winning import WinChances

Data = dict[str, Any]


def review_data(record: Record, result: Review, wins: WinChances | None, *, options: bool = True) -> Data:
    """Without options, each decision comes without all that could have been chosen instead."""
    rules = record.rules
    data: Data = {
        "ruleset": rules.id,
        "exact": result.exact,
        "finished": record.state.finished,
        "perfect_turn": result.perfect_turn,
        "players": [player_data(rules, player, options) for player in result.players],
    }
    if wins:
        data["win_probability"] = win_data(wins)
    return data


def win_data(wins: WinChances) -> Data:
    return {
        "players": list(wins.chances),
        "standard_error": wins.standard_error,
        "games": wins.games,
    }


def player_data(rules: Ruleset, player: PlayerReview, options: bool) -> Data:
    costliest = player.costliest
    return {
        "name": player.name,
        "final": player.final,
        "finished": player.finished,
        "expected_at_start": player.expected_at_start,
        "luck": player.luck,
        "skill": player.skill,
        "error_rate": player.error_rate,
        "rating": player.rating,
        "inaccuracies": player.count("inaccuracy"),
        "blunders": player.count("blunder"),
        "luckiest_throw": luck_data(player.luckiest),
        "unluckiest_throw": luck_data(player.unluckiest),
        "costliest_choice": decision_data(rules, costliest, False) if costliest else None,
        "course": player.course,
        "decisions": [decision_data(rules, decision, options) for decision in player.decisions],
    }


def luck_data(luck: Luck | None) -> Data | None:
    if luck is None:
        return None
    return {"turn": luck.turn, "moves": luck.moves, "dice": dice_to_data(luck.dice), "luck": luck.gain}


def decision_data(rules: Ruleset, decision: Decision, options: bool) -> Data:
    data: Data = {
        "turn": decision.turn,
        "moves": decision.moves,
        "dice": dice_to_data(decision.dice),
        "throws_left": decision.throws_left,
        "move": move_to_data(rules, decision.taken.move),
        "expected": decision.best.expected,
        "loss": decision.loss,
        "mark": decision.mark or None,
        "unforced": decision.unforced,
    }
    if options:
        data["options"] = [choice_data(rules, choice) for choice in decision.choices]
    return data


def choice_data(rules: Ruleset, choice: Choice) -> Data:
    return {
        "move": move_to_data(rules, choice.move),
        "expected": choice.expected,
        "loss": choice.loss,
    }


def reason_data(choice: Choice, reason: Reason) -> Data:
    """The reason as ids and numbers."""
    if not isinstance(choice.move, Keep):
        return {"points": reason.points, "rest": reason.rest}
    aims = [
        {"box": aim.box}
        | ({"column": aim.column} if aim.column else {})
        | {"chance": aim.chance, "points": aim.points}
        for aim in reason.aims
    ]
    data: Data = {"aims": aims, "zero": reason.nothing}
    return data | ({"standard_error": reason.standard_error} if reason.standard_error else {})
