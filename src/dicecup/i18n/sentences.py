"""Decisions, the reasons for them and the coach's verdicts put into words, from ids and numbers."""

from __future__ import annotations

from collections.abc import Sequence

from dicecup.dice import format_dice
from dicecup.engine.state import Keep, Placement, Score
from dicecup.i18n.formats import number_text, percent_text
from dicecup.i18n.language import Language
from dicecup.i18n.names import name
from dicecup.messages import N_
from dicecup.rules.model import Ruleset

SHOWN_AIMS = 4
LEAST_CHANCE = 0.01  # less likely aims are omitted


def move_text(rules: Ruleset, move: Keep | Score, language: Language) -> str:
    """Return a move such as `keep 6 6`, `cross out Sixes`, `×2 Full House`, `Inner: Pair, Outer: Chance`."""
    _ = language.gettext
    if isinstance(move, Keep):
        if not move.dice:
            return _("roll all again")
        return _("keep {dice}").format(dice=format_dice(move.dice))
    texts = [placement_text(rules, placement, language) for placement in move.placements]
    if rules.has_layers:
        layers = [name(rules, layer, language.code) for layer in rules.scored]
        said = _("{name}: {dice}")
        texts = [said.format(name=layer, dice=text) for layer, text in zip(layers, texts, strict=True)]
    return ", ".join(texts)


def placement_text(rules: Ruleset, placement: Placement, language: Language) -> str:
    text = cell_text(rules, placement.box, placement.column, language)
    return language.gettext("cross out {box}").format(box=text) if placement.strike else text


def cell_text(rules: Ruleset, box: str, column: str, language: Language) -> str:
    text = name(rules, box, language.code)
    return f"{name(rules, column, language.code)} {text}" if column else text


def aims_text(
    rules: Ruleset, aims: Sequence[tuple[str, str, float]], nothing: float, language: Language
) -> str:
    """Return the aims of a keep: `Sixes 41%, Full House 14%`. Aims are (box, column, chance)."""
    likely = [aim for aim in aims if aim[2] >= LEAST_CHANCE][:SHOWN_AIMS]
    said = language.gettext("{box} {percent}")
    texts = [
        said.format(box=cell_text(rules, box, column, language), percent=percent_text(chance, language))
        for box, column, chance in likely
    ]
    if nothing >= LEAST_CHANCE:
        texts.append(language.gettext("a zero {percent}").format(percent=percent_text(nothing, language)))
    return ", ".join(texts)


def score_text(points: int, rest: float, language: Language) -> str:
    """Return what a score writes, and the expected rest."""
    text = language.ngettext("{points} point", "{points} points", abs(points)).format(points=points)
    return language.gettext("{now} now, then {rest} on average").format(
        now=text, rest=number_text(rest, language, 1)
    )


# i18n: classes of players, the best first
RATINGS = {
    "perfect": N_("perfect"),
    "master": N_("master"),
    "expert": N_("expert"),
    "strong": N_("strong"),
    "good": N_("good"),
    "casual": N_("casual"),
    "beginner": N_("beginner"),
}
MARKS = {"inaccuracy": N_("inaccuracy"), "blunder": N_("blunder")}
SIGNS = {"": "", "inaccuracy": "?", "blunder": "??"}


def rating_text(rating: str | None, language: Language) -> str:
    return language.gettext(RATINGS[rating]) if rating else "–"


def chances_text(
    chances: list[tuple[str, str]], standard_error: float, games: int, language: Language
) -> str:
    """Return the players with their chances in per cent, the standard error, and the number of games."""
    error = percent_text(standard_error, language, 1)
    said = ", ".join(f"{player} {percent}" for player, percent in chances)
    words = language.gettext("Win chances: {chances} (± {error}, from {games} simulated games)")
    return words.format(chances=said, error=error, games=games)


def rolls_verified_text(throws: int, language: Language) -> str:
    said = language.ngettext("The only roll is verified.", "All {throws} rolls are verified.", throws)
    return said.format(throws=throws)


def unfinished_text(language: Language) -> str:
    return language.gettext("The game isn’t finished: the expected final score is shown instead.")


def learned_text(language: Language) -> str:
    return language.gettext("Learned by playing against itself: near-perfect, but not exact.")
