"""What the coach says as JSON data: reviews, chances to win, hints and their reasons, as ids and numbers."""

from __future__ import annotations

from typing import Any

from dicecup.coach.advice import Choice, WinHint
from dicecup.coach.lessons import lesson_data
from dicecup.coach.reasons import Reason
from dicecup.coach.review import Decision, PlayerReview, Review, RollLuck, WinChances
from dicecup.engine.record import Record
from dicecup.engine.record_dice import rounds_of
from dicecup.engine.serialize import dice_to_data, move_to_data
from dicecup.engine.state import Keep
from dicecup.rules.model import Ruleset

Data = dict[str, Any]


def review_data(record: Record, result: Review, wins: WinChances | None, *, options: bool = True) -> Data:
    """Return the review as data; without `options`, decisions come without their alternatives."""
    rules = record.rules
    data: Data = {
        "ruleset": rules.id,
        "exact": result.exact,
        "finished": record.state.finished,
        "perfect_turn": result.perfect_turn,
        "players": [player_data(rules, player, options) for player in result.players],
    }
    if record.header.origin.same_dice:
        data["parted"] = [one.parted for one in rounds_of(record)]
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
    costliest, known = player.costliest, player.rolls_known
    return {
        "name": player.name,
        "final": player.final,
        "finished": player.finished,
        "expected_at_start": player.expected_at_start,
        "rolls_known": known,
        "luck": player.luck if known else None,
        "skill": player.skill if known else None,
        "error_rate": player.error_rate if known else None,
        "rating": player.rating,
        "inaccuracies": player.count("inaccuracy"),
        "blunders": player.count("blunder"),
        "luckiest_throw": luck_data(player.luckiest),
        "unluckiest_throw": luck_data(player.unluckiest),
        "lessons": [lesson_data(lesson) for lesson in player.lessons],
        "costliest_choice": decision_data(rules, costliest, False) if costliest else None,
        "course": player.course,
        "decisions": [decision_data(rules, decision, options) for decision in player.decisions],
    }


def luck_data(luck: RollLuck | None) -> Data | None:
    if luck is None:
        return None
    return {
        "turn": luck.turn,
        "moves": luck.moves,
        "kept": dice_to_data(luck.kept),
        "dice": dice_to_data(luck.dice),
        "luck": luck.gain,
    }


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


def win_hint_data(rules: Ruleset, hint: WinHint) -> Data:
    """Return the chance to win and the best choice for it; choices carry their own chances."""
    best = {"best": move_to_data(rules, hint.choices[0].move)} if hint.choices else {}
    return {"chance": hint.chance, "exact": hint.exact, "standard_error": hint.standard_error} | best


def reason_data(choice: Choice, reason: Reason) -> Data:
    """Return the reason as ids and numbers."""
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
