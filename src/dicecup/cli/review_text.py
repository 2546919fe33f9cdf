"""A review as text for the terminal, and the words that the page shares with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicecup.cli.common import _, speech
from dicecup.cli.texts import table_text
from dicecup.coach.review import Decision, Luck, PlayerReview, Review
from dicecup.dice import format_dice
from dicecup.engine.record import Record
from dicecup.i18n.moves import move_text, number_text, percent_text
from dicecup.i18n.names import game_name
from dicecup.i18n.reviews import SIGNS, chances_text, rating_text, signed_text, unfinished_text
from dicecup.rules.model import Ruleset

if TYPE_CHECKING:
    from dicecup.coach.winning import WinChances


def signed(value: float) -> str:
    return signed_text(value, speech.language)


def summary_head() -> tuple[str, ...]:
    return (_("Player"), _("Final score"), _("Expected"), _("Luck"), _("Skill"), _("Error rate"), _("Class"))


def summary_row(player: PlayerReview) -> tuple[str, ...]:
    language = speech.language
    final = number_text(player.final, language, 0 if player.finished else 2)
    return (
        player.name,
        final,
        number_text(player.expected_at_start, language),
        signed(player.luck),
        signed(player.skill),
        number_text(player.error_rate, language, 3),
        rating_text(player.rating, language),
    )


def title(record: Record) -> str:
    name = game_name(record.rules, speech.language.code)
    date = record.header.date
    return f"{name}, {date}" if date else name


def notes(record: Record, result: Review, wins: WinChances | None) -> list[str]:
    """What must be known to read the figures."""
    found = []
    if not record.state.finished:
        found.append(unfinished_text(speech.language))
        if wins:
            chances = [
                (player.name, percent_text(chance))
                for player, chance in zip(result.players, wins.chances, strict=True)
            ]
            found.append(chances_text(chances, wins.standard_error, wins.games, speech.language))
    return found


def luck_text(said: str, luck: Luck) -> str:
    return said.format(turn=luck.turn, dice=format_dice(luck.dice), points=signed(luck.gain))


def highlights(rules: Ruleset, player: PlayerReview) -> list[str]:
    found = []
    if player.luckiest and player.unluckiest:
        found.append(luck_text(_("Luckiest throw: turn {turn}, {dice} ({points})"), player.luckiest))
        found.append(luck_text(_("Unluckiest throw: turn {turn}, {dice} ({points})"), player.unluckiest))
    if costliest := player.costliest:
        found.append(
            _("Costliest choice: turn {turn}, {dice}: {move} ({points}), better: {best}").format(
                turn=costliest.turn,
                dice=format_dice(costliest.dice),
                move=move_text(rules, costliest.taken.move, speech.language),
                best=move_text(rules, costliest.best.move, speech.language),
                points=signed(-costliest.loss),
            )
        )
    return found


def decision_head() -> tuple[str, ...]:
    return ("", _("Turn"), _("Dice"), _("Choice"), _("Best"), _("Loss"))


def decision_row(rules: Ruleset, decision: Decision) -> tuple[str, ...]:
    return (
        SIGNS[decision.mark],
        str(decision.turn),
        format_dice(decision.dice),
        move_text(rules, decision.taken.move, speech.language),
        move_text(rules, decision.best.move, speech.language),
        number_text(-decision.loss, speech.language),
    )


def text(record: Record, result: Review, said: list[str]) -> str:
    """`said`: notes that stand below the figures."""
    blocks = [title(record)]
    rows = [summary_row(player) for player in result.players]
    blocks.append(table_text(summary_head(), rows, right=(1, 2, 3, 4, 5)))
    blocks += ["\n".join(said)] if said else []
    for player in result.players:
        lines = [player.name, *(f"  {line}" for line in highlights(record.rules, player))]
        marked = [decision for decision in player.decisions if decision.mark]
        if marked:
            table = [decision_row(record.rules, decision) for decision in marked]
            lines += ["", table_text(decision_head(), table, right=(1, 5), indent="  ")]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)
