"""Decisions, the reasons for them and the coach's verdicts put into words, from ids and numbers."""

from __future__ import annotations

from collections.abc import Sequence

from dicecup.dice import format_dice
from dicecup.engine.state import Keep, Placement, Score
from dicecup.i18n.language import Language
from dicecup.i18n.names import name
from dicecup.messages import N_
from dicecup.rules.model import Ruleset

SHOWN_AIMS = 4
LEAST_CHANCE = 0.01  # less likely aims are omitted


def number_text(value: float, language: Language, decimals: int = 2) -> str:
    """Return a number with the decimal separator of the language."""
    text = f"{value:z.{decimals}f}"
    return text if language.code == "en" else text.replace(".", ",")


def percent_text(share: float) -> str:
    return f"{share * 100:.0f}\u00a0%"


def move_text(rules: Ruleset, move: Keep | Score, language: Language) -> str:
    """Return a move such as `keep 6 6`, `Sixes: strike`, `×2 Full House`, `Inner: Pair, Outer: Chance`."""
    _ = language.gettext
    if isinstance(move, Keep):
        if not move.dice:
            return _("throw all again")
        return _("keep {dice}").format(dice=format_dice(move.dice))
    texts = [placement_text(rules, placement, language) for placement in move.placements]
    if rules.has_layers:
        layers = [name(rules, layer, language.code) for layer in rules.scored]
        said = _("{name}: {dice}")
        texts = [said.format(name=layer, dice=text) for layer, text in zip(layers, texts, strict=True)]
    return ", ".join(texts)


def placement_text(rules: Ruleset, placement: Placement, language: Language) -> str:
    text = cell_text(rules, placement.box, placement.column, language)
    return language.gettext("strike {box}").format(box=text) if placement.strike else text


def cell_text(rules: Ruleset, box: str, column: str, language: Language) -> str:
    text = name(rules, box, language.code)
    return f"{name(rules, column, language.code)} {text}" if column else text


def aims_text(
    rules: Ruleset, aims: Sequence[tuple[str, str, float]], nothing: float, language: Language
) -> str:
    """Return the aims of a keep: `Sixes 41 %, Full House 14 %`. Aims are (box, column, chance)."""
    likely = [aim for aim in aims if aim[2] >= LEAST_CHANCE][:SHOWN_AIMS]
    said = language.gettext("{box} {percent}")
    texts = [
        said.format(box=cell_text(rules, box, column, language), percent=percent_text(chance))
        for box, column, chance in likely
    ]
    if nothing >= LEAST_CHANCE:
        texts.append(language.gettext("a zero {percent}").format(percent=percent_text(nothing)))
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


def signed_text(value: float, language: Language, decimals: int = 2) -> str:
    text = number_text(value, language, decimals)
    return f"+{text}" if value > 0 else text


def rating_text(rating: str | None, language: Language) -> str:
    return language.gettext(RATINGS[rating]) if rating else "–"


def chances_text(
    chances: list[tuple[str, str]], standard_error: float, games: int, language: Language
) -> str:
    """Return the players with their chances in per cent, the standard error, and the number of games."""
    error = number_text(100 * standard_error, language, 1)
    said = ", ".join(f"{player} {percent}" for player, percent in chances)
    words = language.gettext(
        "Chances to win: {chances} (± {error} %, from {games} games played to their end)"
    )
    return words.format(chances=said, error=error, games=games)


def unfinished_text(language: Language) -> str:
    return language.gettext("The game is not finished: the expected final score stands for the final one.")


def learned_text(language: Language) -> str:
    return language.gettext("Near-perfect play, learned by playing against itself: not exact.")
