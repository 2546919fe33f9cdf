"""What the commands that solve or ask the coach share: what is known about a game, and advice as data."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from dicecup.cli.common import _, speech, talk
from dicecup.cli.progress import SolveProgress
from dicecup.coach.advice import Choice, Hint, Values, find_values
from dicecup.coach.reasons import Reason
from dicecup.engine.state import Keep
from dicecup.errors import DicecupError
from dicecup.i18n.formats import number_text
from dicecup.i18n.sentences import aims_text, learned_text, score_text
from dicecup.rules.model import Ruleset


@contextmanager
def telling_of_compiling() -> Iterator[None]:
    """Say so on a terminal where what happens in here has to be compiled first, which takes a while."""
    from dicecup.solver.compiled import before_compiling

    said = _("Compiling the coach for this machine, only once: about a minute …")
    with before_compiling(lambda: talk(said) if sys.stderr.isatty() else None):
        yield


def show_warning(error: DicecupError) -> None:
    """Say why a table is not used."""
    talk(f"dicecup: {speech.language.sentence(error)} [{error.code}]")


def values_of(rules: Ruleset) -> Values:
    """What is known about the game, solved first where that takes seconds; says how far it is."""
    speech.rules = rules
    progress = SolveProgress()
    try:
        return find_values(rules, on_progress=progress, on_warning=show_warning)
    finally:
        progress.end()


def learned_notes(values: Values) -> list[str]:
    """What a player must know about values that are not exact, and how to have exact ones."""
    if values.why_learned is None:
        return []
    said = learned_text(speech.language)
    if values.why_learned.code != "solve_takes_long":
        return [said]
    known = values.why_learned.values
    run = speech.language.ngettext(
        "For exact values, run once (about {minutes} minute): {command}",
        "For exact values, run once (about {minutes} minutes): {command}",
        int(str(known["minutes"])),
    )
    return [said, run.format(**known)]


def expected_lines(values: Values, advice: Hint, decimals: int) -> list[str]:
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
