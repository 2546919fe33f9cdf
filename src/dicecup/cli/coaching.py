"""What the commands of the coach share: finding what is known about a game, advice as data."""

from __future__ import annotations

from dicecup.cli.common import _, speech
from dicecup.cli.solving import Watcher, need_solver, tell
from dicecup.coach.advice import Advice, Choice
from dicecup.coach.knowledge import find_values
from dicecup.coach.reasons import Reason
from dicecup.coach.values import Values
from dicecup.engine.moves import Keep
from dicecup.i18n.moves import aims_text, number_text, score_text
from dicecup.i18n.reviews import learned_text
from dicecup.rules.model import Ruleset


def values_of(rules: Ruleset) -> Values:
    """What is known about the game, solved first where that takes seconds; says how far it is."""
    speech.rules = rules
    need_solver()
    watcher = Watcher()
    try:
        return find_values(rules, watch=watcher, tell=tell)
    finally:
        watcher.end()


def learned_notes(values: Values) -> list[str]:
    """What a player must know about values that are not exact, and how to have exact ones."""
    if values.why_learned is None:
        return []
    said = learned_text(speech.language)
    if values.why_learned.code != "solve_takes_long":
        return [said]
    known = values.why_learned.values
    return [said, _("For exact values run once, about {minutes} minutes: {command}").format(**known)]


def expected_lines(values: Values, advice: Advice, decimals: int) -> list[str]:
    """What a position is worth, in words."""
    points = number_text(advice.expected, speech.language, decimals)
    if advice.exact:
        return [_("Expected final score: {points}").format(points=points)]
    said = _("Expected final score, estimated: {points}").format(points=points)
    return [said, *learned_notes(values)]


def reason_text(rules: Ruleset, choice: Choice, reason: Reason) -> str:
    if not isinstance(choice.move, Keep):
        return score_text(reason.points, reason.rest, speech.language)
    aims = [(aim.box, aim.column, aim.chance) for aim in reason.aims]
    return aims_text(rules, aims, reason.nothing, speech.language)
