"""Texts shared by pages and API: names of players and bots, options and lines in words."""

from __future__ import annotations

from functools import lru_cache

from dicecup.bots import BOT_PREFIX
from dicecup.dice import Dice, format_dice
from dicecup.i18n.describe import describe_box, describe_line
from dicecup.i18n.language import Language
from dicecup.i18n.names import name, option_name, option_text
from dicecup.messages import N_
from dicecup.rules.loader import load_ruleset
from dicecup.rules.model import Ruleset
from dicecup.storage.database import DELETED

# By the ids of bots. An unknown one is shown by its id.
BOT_NAMES = {
    "random": N_("Random bot"),
    "greedy": N_("Greedy bot"),
    "careless": N_("Careless bot"),
    "steady": N_("Steady bot"),
    "optimal": N_("Perfect bot"),
}
BOT_TEXTS = {
    "random": N_("does anything that’s allowed"),
    "greedy": N_("takes the most points now"),
    "careless": N_("plays like a beginner"),
    "steady": N_("plays like a good player"),
    "optimal": N_("never makes a mistake"),
}


def player_name(player: str, language: Language) -> str:
    if player.startswith(DELETED):
        return language.gettext("Deleted player {number}").format(number=player.removeprefix(DELETED))
    if not player.startswith(BOT_PREFIX):
        return player
    bot = player.removeprefix(BOT_PREFIX)
    return language.gettext(BOT_NAMES[bot]) if bot in BOT_NAMES else bot


def bot_text(bot: str, language: Language) -> str:
    return language.gettext(BOT_TEXTS[bot]) if bot in BOT_TEXTS else ""


def house_rules(rules: Ruleset, language: Language) -> list[str]:
    """The options of a match that differ from the default, as sentences."""
    chosen = rules.non_default_options.items()
    texts = [(option, option_text(rules, option, value, language.code) or value) for option, value in chosen]
    return [f"{option_name(rules, option, language.code)}: {text}" for option, text in texts]


def line_names(rules: Ruleset, language: Language) -> dict[str, tuple[str, str]]:
    """Every line of the sheet: its name, and what it gives."""
    return known_line_names(rules.reference, tuple(rules.options.items()), language)


@lru_cache(maxsize=256)
def known_line_names(
    reference: str, options: tuple[tuple[str, str], ...], language: Language
) -> dict[str, tuple[str, str]]:
    """Not remembered by ruleset: equal ones may have other names."""
    rules, found = load_ruleset(reference, dict(options)), {}
    for line in rules.lines:
        index = rules.box_index.get(line)
        if index is None:
            text = describe_line(rules, line, language)
        else:
            text = describe_box(rules, rules.boxes[index], language)
        found[line] = (name(rules, line, language.code), text)
    return found


def dice_text(dice: Dice | tuple[int, ...]) -> str:
    return format_dice(dice)
