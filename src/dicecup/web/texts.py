"""Texts shared by pages and API: names of players, bots and evenings, options and lines, a card to share."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from dicecup.bots import BOT_PREFIX
from dicecup.charts import CardRow, score_card
from dicecup.dice import Dice, format_dice
from dicecup.i18n.language import Language, game_name, name, option_name, option_text
from dicecup.i18n.score_sheet import describe_box, describe_line
from dicecup.i18n.sentences import date_text, number_text
from dicecup.messages import N_
from dicecup.rules.loader import load_ruleset, load_without_files
from dicecup.rules.model import Ruleset
from dicecup.storage.database import DELETED
from dicecup.storage.stored import Evening
from dicecup.web.service.evening_tally import EveningReport, RollOfGame

# By the ids of bots. An unknown one is shown by its id.
BOT_NAMES = {
    "random": N_("Random bot"),
    "greedy": N_("Greedy bot"),
    "careless": N_("Careless bot"),
    "steady": N_("Steady bot"),
    "optimal": N_("Perfect bot"),
    "winner": N_("Winner bot"),
}
BOT_TEXTS = {
    "random": N_("does anything that’s allowed"),
    "greedy": N_("takes the most points now"),
    "careless": N_("plays like a beginner"),
    "steady": N_("plays like a good player"),
    "optimal": N_("never makes a mistake"),
    "winner": N_("plays to win"),
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
    """Not cached by ruleset: equal rulesets may have different names."""
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


FRACTIONS = {
    Fraction(0): "",
    Fraction(1, 2): "½",
    Fraction(1, 3): "⅓",
    Fraction(2, 3): "⅔",
    Fraction(1, 4): "¼",
    Fraction(3, 4): "¾",
    Fraction(1, 6): "⅙",
    Fraction(5, 6): "⅚",
}


def won_text(won: Fraction, language: Language) -> str:
    """How many games somebody won; tied wins are shared: `2½`."""
    whole, part = divmod(won, 1)
    if part not in FRACTIONS:
        return number_text(float(won), language)
    return f"{whole or ''}{FRACTIONS[part]}" or "0"


def evening_name(evening: Evening, language: Language) -> str:
    """The name that people gave an evening, or else its date."""
    return evening.name or language.gettext("Evening of {date}").format(
        date=date_text(evening.created[:10], language)
    )


def best_roll_text(best: RollOfGame, language: Language) -> str:
    """A roll by its box and points: `Yatzy, 50`."""
    boxes = line_names(load_without_files(best.game), language)
    return f"{boxes[best.roll.box][0]}, {best.roll.points}"


def evening_card(report: EveningReport, language: Language) -> str:
    """The tally of an evening as a picture (SVG)."""
    _ = language.gettext
    title, day = evening_name(report.evening, language), date_text(report.evening.created[:10], language)
    count = language.ngettext("{games} game", "{games} games", report.finished).format(games=report.finished)
    played = dict.fromkeys(
        game_name(load_without_files(line.ruleset), language.code) for line in report.lines
    )
    rows = [
        CardRow(
            one.place,
            player_name(one.name, language),
            (won_text(one.won, language), str(one.points).replace("-", "−")),
        )
        for one in report.tally
    ]
    roll = None
    if best := report.best_roll:
        person, found = best
        words = _("Best roll: {roll} ({player})").format(
            roll=best_roll_text(found, language), player=player_name(person.name, language)
        )
        roll = words, [int(face) for face in found.roll.dice.split()]
    below = " · ".join([*([day] if report.evening.name else []), count, *played])
    return score_card(title, below, (_("Won"), _("Points")), rows, roll)
