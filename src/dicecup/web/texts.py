"""Texts shared by pages and API: names of players and bots, and the rules pages of the documentation."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

import mistune
from markupsafe import Markup

from dicecup.bots import BOT_PREFIX
from dicecup.dice import Dice, format_dice
from dicecup.errors import UsageError
from dicecup.i18n.describe import describe_box, describe_line
from dicecup.i18n.language import Language
from dicecup.i18n.names import name, option_name, option_text
from dicecup.messages import N_
from dicecup.rules.loader import load_ruleset
from dicecup.rules.model import Ruleset

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


# On a phone the style sheet stacks the cells of a row; the roles keep it a table for screen readers.
ROLES = {
    "table": "table",
    "thead": "rowgroup",
    "tbody": "rowgroup",
    "tr": "row",
    "th": "columnheader",
    "td": "cell",
}
# A wheel holds a copy of the pages; in a clone they are in docs.
PLACES = (Path(__file__).parent / "rules_pages", Path(__file__).parents[3] / "docs" / "rules")


@lru_cache(maxsize=100)
def rules_markdown(game: str, language: str) -> str:
    """The rules page without its title and its line of languages."""
    for folder in PLACES:
        path = folder / language / f"{game}.md"
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            return re.sub(r"\A# .*\n\n(?:.+\n)+\n", "", text)
    raise UsageError("not_found")


@lru_cache(maxsize=100)
def rules_html(game: str, language: str) -> Markup:
    """The rules page as HTML, its links leading to our pages."""
    made = mistune.create_markdown(plugins=["table", "strikethrough"])(rules_markdown(game, language))
    linked = re.sub(r'href="(?:\.\./\w\w/)?([\w-]+)\.md', r'href="/rules/\1', str(made))
    plain = re.sub(r' style="text-align:(\w+)"', r' class="\1"', linked)
    return Markup(re.sub(r"<(table|thead|tbody|tr|th|td)\b", with_role, plain))


def with_role(tag: re.Match[str]) -> str:
    return f'<{tag[1]} role="{ROLES[tag[1]]}"'
