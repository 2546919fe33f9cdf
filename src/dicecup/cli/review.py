"""`dicecup review`: luck and skill of every player of a record, and every decision."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dicecup.cli.coaching import choice_data, learned_notes, values_of, write_file
from dicecup.cli.common import Command, _, json_option, language_option, option, print_json, talk
from dicecup.cli.drawing import fitting
from dicecup.cli.review_text import notes, text
from dicecup.coach.review import Decision, Luck, PlayerReview, Review, review
from dicecup.engine.move_data import move_to_data
from dicecup.engine.position import dice_to_data
from dicecup.engine.record import Record
from dicecup.messages import N_
from dicecup.rules.model import Ruleset
from dicecup.storage.record_file import read_record

if TYPE_CHECKING:
    from dicecup.coach.winning import WinChances


@click.command(
    "review",
    cls=Command,
    help=N_(
        "Show whether a game was decided by luck or by skill: what the throws gave, what each choice lost."
    ),
    example="dicecup review sunday.record\ndicecup review sunday.record --html sunday.html --lang fr",
)
@click.argument("record", type=click.Path(path_type=Path))
@option("--html", type=click.Path(path_type=Path), help=N_("Also write a page with a chart to this file."))
@json_option
@language_option
def command(record: Path, html: Path | None, as_json: bool) -> None:
    found = read_record(record)
    values = values_of(found.rules)
    result = review(found, values)
    wins = None
    if len(result.players) > 1:
        from dicecup.coach.winning import win_chances

        wins = win_chances(values, found.state)
    said = learned_notes(values) + notes(found, result, wins)
    if as_json:
        print_json(answer(found, result, wins))
    else:
        click.echo(fitting(text(found, result, said)))
    if html is not None:
        from dicecup.cli.review_page import page

        write_file(html, page(found, result, said))
        talk(_("The page is in {file}.").format(file=html))


def answer(record: Record, result: Review, wins: WinChances | None) -> dict[str, Any]:
    rules = record.rules
    data: dict[str, Any] = {
        "ruleset": rules.id,
        "exact": result.exact,
        "finished": record.state.finished,
        "perfect_turn": result.perfect_turn,
        "players": [player_data(rules, player) for player in result.players],
    }
    if wins:
        data["win_probability"] = {
            "players": list(wins.chances),
            "standard_error": wins.standard_error,
            "games": wins.games,
            "played": wins.played,
        }
    return data


def player_data(rules: Ruleset, player: PlayerReview) -> dict[str, Any]:
    return {
        "name": player.name,
        "final": player.final,
        "finished": player.finished,
        "expected_at_start": player.expected_at_start,
        "luck": player.luck,
        "skill": player.skill,
        "error_rate": player.error_rate,
        "rating": player.rating,
        "inaccuracies": player.count("inaccuracy"),
        "blunders": player.count("blunder"),
        "luckiest_throw": luck_data(player.luckiest),
        "unluckiest_throw": luck_data(player.unluckiest),
        "costliest_choice": decision_data(rules, player.costliest, options=False),
        "course": player.course,
        "decisions": [decision_data(rules, decision) for decision in player.decisions],
    }


def luck_data(luck: Luck | None) -> dict[str, Any] | None:
    if luck is None:
        return None
    return {"turn": luck.turn, "dice": dice_to_data(luck.dice), "luck": luck.gain}


def decision_data(
    rules: Ruleset, decision: Decision | None, *, options: bool = True
) -> dict[str, Any] | None:
    if decision is None:
        return None
    data: dict[str, Any] = {
        "turn": decision.turn,
        "dice": dice_to_data(decision.dice),
        "throws_left": decision.throws_left,
        "move": move_to_data(rules, decision.taken.move),
        "expected": decision.best.expected,
        "loss": decision.loss,
        "mark": decision.mark or None,
        "unforced": decision.unforced,
    }
    if options:
        data["options"] = [choice_data(rules, choice) for choice in decision.choices]
    return data
