"""Words for what the coach found: marks, classes, and what must be known to read its figures."""

from __future__ import annotations

from dicecup.i18n.language import Language
from dicecup.i18n.moves import number_text
from dicecup.messages import N_

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
    """Players with their chances in per cent, how far off these may be, and from how many games they come."""
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
