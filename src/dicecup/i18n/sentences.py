"""Numbers, dates, decisions and the coach's verdicts in the words and forms of each language."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Sequence

from dicecup.dice import format_dice
from dicecup.engine.play import with_strikes
from dicecup.engine.record_dice import Proof
from dicecup.engine.state import Keep, Placement, Score, State
from dicecup.i18n.language import Language, name
from dicecup.messages import N_
from dicecup.rules.model import Ruleset

MONTHS = {
    "en": "January February March April May June July August September October November December",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "sv": "januari februari mars april maj juni juli augusti september oktober november december",
}
ENGLISH_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def number_text(value: float, language: Language, decimals: int = 2) -> str:
    """Return a number with the decimal separator of the language."""
    text = f"{value:z.{decimals}f}"
    return text if language.code == "en" else text.replace(".", ",")


def signed_text(value: float, language: Language, decimals: int = 2) -> str:
    text = number_text(value, language, decimals)
    return f"+{text}" if value > 0 else text


def percent_text(share: float, language: Language, decimals: int = 0) -> str:
    """Return a share in per cent: `76%` in English, with a no-break space in the other languages."""
    space = "" if language.code == "en" else "\u00a0"
    return f"{number_text(100 * share, language, decimals)}{space}%"


def ordinal_text(number: int, language: Language) -> str:
    """Return a place such as `1st`, `1er`, `1.` or `1:a`."""
    teens = number % 100 in (11, 12, 13)
    match language.code:
        case "fr":
            return f"{number}er" if number == 1 else f"{number}e"
        case "de":
            return f"{number}."
        case "sv":
            return f"{number}:a" if number % 10 in (1, 2) and not teens else f"{number}:e"
        case _:
            return f"{number}{'th' if teens else ENGLISH_ENDINGS.get(number % 10, 'th')}"


def date_text(date: str, language: Language) -> str:
    """Return an ISO date as people write it, such as `16 November 2026`; anything else as it is."""
    try:
        day = datetime.date.fromisoformat(date)
    except ValueError:
        return date
    first_in_french = language.code == "fr" and day.day == 1
    number = ordinal_text(day.day, language) if first_in_french or language.code == "de" else str(day.day)
    return f"{number} {MONTHS[language.code].split()[day.month - 1]} {day.year}"


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


def said_text(rules: Ruleset, state: State, move: Keep | Score, language: Language) -> str:
    """Return the move in words; a box that gets 0 is described as crossed out."""
    return move_text(rules, with_strikes(rules, state.sheet, state.dice, move), language)


def placement_text(rules: Ruleset, placement: Placement, language: Language) -> str:
    text = cell_text(rules, placement.box, placement.column, language)
    return language.gettext("cross out {box}").format(box=text) if placement.strike else text


def cell_text(rules: Ruleset, box: str, column: str, language: Language) -> str:
    text = name(rules, box, language.code)
    return f"{name(rules, column, language.code)} {text}" if column else text


Aim = tuple[str, str, float, float]  # box, column, chance, points
Reason = tuple[Sequence[Aim], float, int, float, float]  # as in `coach.reasons`


def reason_text(rules: Ruleset, move: Keep | Score, reason: Reason, language: Language) -> str:
    """Return what a keep aims for, or what a score writes and leaves to come."""
    aims, nothing, points, rest, _error = reason
    if isinstance(move, Keep):
        return aims_text(rules, aims, nothing, language)
    return score_text(points, rest, language)


def aims_text(rules: Ruleset, aims: Sequence[Aim], nothing: float, language: Language) -> str:
    """Return the aims of a keep: `Sixes 41%, Full House 14%`."""
    likely = [aim for aim in aims if aim[2] >= LEAST_CHANCE][:SHOWN_AIMS]
    said = language.gettext("{box} {percent}")
    texts = [
        said.format(box=cell_text(rules, box, column, language), percent=percent_text(chance, language))
        for box, column, chance, _points in likely
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


def do_text(rules: Ruleset, move: Keep | Score, language: Language) -> str:
    """Return a move as advice: `Keep 6 6`, `Fill Sixes`, `Cross out Yatzy`."""
    _ = language.gettext
    if isinstance(move, Keep) and move.dice:
        return _("Keep {dice}").format(dice=format_dice(move.dice))
    if isinstance(move, Score) and not rules.has_layers:
        (placed,) = move.placements
        said = _("Cross out {box}") if placed.strike else _("Fill {box}")
        return said.format(box=cell_text(rules, placed.box, placed.column, language))
    text = move_text(rules, move, language)
    return text[0].upper() + text[1:]


Remark = tuple[str, Sequence[tuple[str, str, float]], float]  # kind; box, column and chance of aims; a number

REMARKS = {
    "bonus": N_("keeps your bonus on course"),
    "towards_bonus": N_("brings you closer to the bonus"),
    "zero": N_("risks a zero ({percent})"),
    "least": N_("costs you least"),
}


def remark_text(rules: Ruleset, remark: Remark, language: Language) -> str:
    """Return what follows a move: `goes for Sixes (76%) or Full House (14%)`."""
    _ = language.gettext
    kind, aims, value = remark
    if kind == "points":
        said = language.ngettext("gives {points} point now", "gives {points} points now", abs(round(value)))
        return said.format(points=round(value))
    if kind != "aims":
        return _(REMARKS[kind]).format(percent=percent_text(value, language))
    texts = [
        _("{box} ({percent})").format(
            box=cell_text(rules, box, column, language), percent=percent_text(chance, language)
        )
        for box, column, chance in aims
    ]
    if len(texts) == 1:
        return _("goes for {box}").format(box=texts[0])
    return _("goes for {box} or {other}").format(box=texts[0], other=texts[1])


def remarks_text(rules: Ruleset, remarks: Sequence[Remark], language: Language) -> str:
    return ", ".join(remark_text(rules, remark, language) for remark in remarks)


JUST_AS_GOOD = 0.05  # points


def instead_text(
    rules: Ruleset, best: Keep | Score, other: Keep | Score, loss: float, language: Language
) -> str:
    """Return what another choice costs: `a lone 6 costs 0.4 points`."""
    _ = language.gettext
    points = number_text(loss, language, 1)
    if loss < JUST_AS_GOOD:
        return _("{move} is just as good").format(move=move_text(rules, other, language))
    if isinstance(other, Keep) and isinstance(best, Keep):
        if len(other.dice) == 1 and other.dice[0] not in best.dice:
            return _("a lone {die} costs {points} points").format(die=format_dice(other.dice), points=points)
        more = Counter(other.dice) - Counter(best.dice)
        if more and not Counter(best.dice) - Counter(other.dice):
            dice = format_dice(tuple(more.elements()))
            return _("keeping {dice} as well costs {points} points").format(dice=dice, points=points)
    return _("{move} costs {points} points").format(move=move_text(rules, other, language), points=points)


def hint_text(do: str, why: str, instead: str, language: Language) -> str:
    """Return the whole advice as one sentence; `why` and `instead` may be empty."""
    reasons = reasons_text(why, instead, language)
    if not reasons:
        return f"{do}."
    return language.gettext("{move}: {reasons}.").format(move=do, reasons=reasons)


def reasons_text(why: str, instead: str, language: Language) -> str:
    between = "\u202f; " if language.code == "fr" else "; "
    return between.join(part for part in (why, instead) if part)


# i18n: habits that cost points; the points follow
HABITS = {
    "crossed_out": N_("You cross out {box} too early"),
    "few_dice": N_("You fill {box} with too few points"),
    "used_up": N_("You use up {box} too early"),
    "other_column": N_("You pick the right box, but the wrong place for it"),
    "stopped": N_("You stop where rolling again is better"),
    "rolled_on": N_("You go on rolling where you should stop"),
    "missed_straight": N_("You overlook good chances of a straight"),
    "chased_straight": N_("You chase straights that aren’t worth it"),
    "kept_more": N_("You keep dice that don’t help"),
    "kept_less": N_("You roll dice again that are worth keeping"),
    "kept_other": N_("You keep the wrong dice"),
}


def habit_text(rules: Ruleset, kind: str, box: str, language: Language) -> str:
    said = language.gettext(HABITS[kind])
    return said.format(box=name(rules, box, language.code)) if box else said


def lesson_text(
    rules: Ruleset, kind: str, box: str, loss: float, language: Language, *, per_game: bool = False
) -> str:
    """Return a habit and its cost: `You cross out Sixes too early: −12.0 points a game`."""
    _ = language.gettext
    said = _("{habit}: −{points} points a game") if per_game else _("{habit}: −{points} points")
    points = number_text(loss, language, 1)
    return said.format(habit=habit_text(rules, kind, box, language), points=points)


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


def proof_statements(proof: Proof, language: Language) -> list[str]:
    """What follows from dice that were verified: against whom it is proved, and what is not."""
    _ = language.gettext
    if not proof.proved:
        return []
    same = [_("All players had the same dice in every turn and roll.")] if proof.same_dice else []
    if proof.borrowed:
        known = _("The dice are those of another game: anyone who knew that game could know every roll.")
        return [*same, known]
    if proof.kind == "seed":
        return [
            *same,
            _("The dice follow from the seed in the game file: anyone who knew it could know every roll."),
        ]
    if proof.statement == 1:
        server = _(
            "The computer that ran the game could have chosen the dice: in game files of this older kind it "
            "also drew the words of bots and of everyone who gave none, and it could have tried many."
        )
    elif not proof.contributors:
        server = _(
            "The computer that ran the game could have chosen the dice: no player added a word, so it could "
            "have looked for a secret with dice it liked."
        )
    else:
        said = _(
            "The computer that ran the game couldn’t choose the dice: its secret was fixed by the "
            "fingerprint, and everything else is words of players: {players}. This holds for you if you saw "
            "this fingerprint before you gave your word, and if nobody who gave a word after you was in "
            "league with it."
        )
        server = said.format(players=", ".join(proof.contributors))
    players = _("No player could choose a roll, because none of them knew the secret.")
    unknown = _(
        "Nothing shows that nobody knew the coming rolls: the computer that ran the game did, and could have "
        "told bots or players."
    )
    return [*same, server, players, unknown]


def unfinished_text(language: Language) -> str:
    return language.gettext("The game isn’t finished: the expected final score is shown instead.")


def rolls_unknown_text(names: list[str], language: Language) -> list[str]:
    """Return who entered only the dice that turns ended with, and what that means; nothing if nobody did."""
    if not names:
        return []
    text = language.gettext(
        "{players}: only the final dice are known, not the rolls, so only the choice of boxes is judged."
    )
    return [text.format(players=language.join(names))]


def learned_text(language: Language) -> str:
    return language.gettext("Learned by playing against itself: near-perfect, but not exact.")
