"""`dicecup hint` and `dicecup value`: every choice of a position, best first, with its loss and its aims;
and the expected final score with perfect play.
"""

from __future__ import annotations

from pathlib import Path
from textwrap import wrap
from typing import Any

import click

from dicecup.cli.common import (
    Command,
    _,
    echo,
    given_record,
    json_option,
    language_option,
    option,
    print_json,
    read_json,
    read_text_file,
    rules_options,
    speech,
    table_text,
)
from dicecup.cli.solving import (
    compilation_announced,
    expected_lines,
    hint_values,
    position_option,
    read_moment,
    values_of,
)
from dicecup.cli.terminal import fitting
from dicecup.coach.advice import Choice, Hint, Values, WinHint, advise
from dicecup.coach.reasons import Reasons, remarks
from dicecup.coach.review_data import choice_data, reason_data, win_hint_data
from dicecup.dice import format_dice
from dicecup.engine.play import with_strikes
from dicecup.engine.serialize import Position, position_from_data, position_from_line
from dicecup.engine.state import State
from dicecup.i18n.language import game_name
from dicecup.i18n.sentences import (
    do_text,
    hint_text,
    instead_text,
    move_text,
    number_text,
    percent_text,
    reason_text,
    remarks_text,
    said_text,
)
from dicecup.installation import is_available
from dicecup.messages import N_
from dicecup.rules.model import Ruleset

SHOWN = 8
WIDTH = 79


@click.command(
    "hint",
    cls=Command,
    help=N_(
        "Show what every choice of a position is worth, best first, and why. The position is a JSON file, "
        "- for stdin, one line of text in quotes, or a game file: the game as it stands, with the chance to "
        "win near its end."
    ),
    example="dicecup hint position.json\ndicecup hint game.record\n"
    "dicecup hint 'yatzy / ones=3 pair=12 / 1 3 6 6 6 / 1' --json",
)
@click.argument("position")
@option("--all", "show_all", is_flag=True, help=N_("Show every choice, not only the best ones."))
@json_option
@language_option
def hint(position: str, show_all: bool, as_json: bool) -> None:
    found = read_position(position)
    values = hint_values(found.rules)
    with compilation_announced(values):
        advice = advise(values, found.state)
        to_win = chances_to_win(found) if len(found.state.sheets) > 1 else None
        if as_json:
            print_json(answer(found, values, advice, to_win))
        else:
            echo(fitting(text(found, values, advice, None if show_all else SHOWN, to_win)))


def read_position(argument: str) -> Position:
    """Read a position from a file or stdin, as JSON or one line; other arguments are the line itself.

    A record is read to where it ends.
    """
    path = Path(argument)
    if path.suffix == ".record":
        record = given_record(path)
        return Position(record.header.reference, record.rules, record.state)
    is_line = not argument or (argument != "-" and path.suffix != ".json" and not path.exists())
    content = argument if is_line else read_text_file(path)
    if is_line or content.lstrip()[:1].isalnum():
        return position_from_line(content.strip())
    return position_from_data(read_json(content, argument))


def answer(position: Position, values: Values, advice: Hint, to_win: WinHint | None) -> dict[str, Any]:
    rules = position.rules
    reasons = Reasons(values, position.state) if advice.choices else None
    options = []
    for number, choice in enumerate(advice.choices):
        data = choice_data(rules, choice)
        if to_win:
            data["win_chance"] = to_win.chance_of(choice.move)
        if reasons and number < SHOWN:
            data["reason"] = reason_data(choice, reasons.reason(choice))
        options.append(data)
    found = {"expected": advice.expected, "exact": advice.exact, "options": options}
    return found | ({"to_win": win_hint_data(rules, to_win)} if to_win else {})


def text(
    position: Position,
    values: Values,
    advice: Hint,
    shown: int | None,
    to_win: WinHint | None = None,
    *,
    brief: bool = False,
) -> str:
    """The advice as a sentence, and the choices as a table; `brief` leaves out what they aim for."""
    rules, state, language = position.rules, position.state, speech.language
    title = game_name(rules, language.code)
    if state.dice:
        dice, left = format_dice(state.dice), state.throws_left
        title += " – " + language.ngettext(
            "dice {dice}, {count} roll left", "dice {dice}, {count} rolls left", left
        ).format(dice=dice, count=left)
    lines = [title, *expected_lines(values, advice, 2 if advice.exact else 1)]
    lines += to_win_lines(rules, advice, to_win) if to_win else []
    if advice.choices:
        reasons = Reasons(values, state)
        lines += ["", *wrap(sentence(rules, state, advice, reasons), WIDTH)]
        rows = [
            (
                said_text(rules, state, choice.move, language),
                number_text(choice.expected, language),
                *win_column(to_win, choice),
                number_text(-choice.loss, language) if choice.loss > 5e-3 else "",
                *([] if brief else [reason_text(rules, choice.move, reasons.reason(choice), language)]),
            )
            for choice in advice.choices[:shown]
        ]
        wins, aims = [_("Win chance")] if to_win else [], [] if brief else [_("What it aims for")]
        head = (_("Choice"), _("Expected"), *wins, _("Loss"), *aims)
        lines += ["", table_text(head, rows, right=range(1, 3 + len(wins)))]
        hidden = len(advice.choices) - len(rows)
        if hidden and not brief:
            more = language.ngettext("{count} more choice: --all", "{count} more choices: --all", hidden)
            lines.append("… " + more.format(count=hidden))
    return "\n".join(lines)


def sentence(rules: Ruleset, state: State, advice: Hint, reasons: Reasons) -> str:
    """The best choice, why, and what the next best one costs."""
    language, best = speech.language, advice.choices[0]
    why = remarks(rules, state, best.move, reasons.reason(best))
    instead = ""
    if len(advice.choices) > 1:
        other = with_strikes(rules, state.sheet, state.dice, advice.choices[1].move)
        instead = instead_text(rules, best.move, other, advice.choices[1].loss, language)
    do = do_text(rules, with_strikes(rules, state.sheet, state.dice, best.move), language)
    return hint_text(do, remarks_text(rules, why, language), instead, language)


def chances_to_win(position: Position) -> WinHint | None:
    """Every choice by the chance to win; None early in a game, and where there is no solver."""
    if not is_available("solver"):
        return None
    values = values_of(position.rules)  # those that came with the package know no chances
    from dicecup.coach.goals import win_hint  # needs NumPy

    return win_hint(values, position.state)


def win_column(to_win: WinHint | None, choice: Choice) -> list[str]:
    if to_win is None:
        return []
    chance = to_win.chance_of(choice.move)
    return ["" if chance is None else percent_text(chance, speech.language, 1)]


def to_win_lines(rules: Ruleset, advice: Hint, to_win: WinHint) -> list[str]:
    """The chance to win, and the best choice for it where it is not the best for points."""
    language = speech.language
    lines = [_("Win chance: {chance}").format(chance=percent_text(to_win.chance, language, 1))]
    if to_win.parts_from(advice):
        best = move_text(rules, to_win.choices[0].move, language)
        lines.append(_("Best for winning: {move}").format(move=best))
    if not to_win.exact:
        error = percent_text(to_win.standard_error, language, 1)
        lines.append(_("Estimated from simulated games, ± {error}.").format(error=error))
    return lines


@click.command(
    "value",
    cls=Command,
    help=N_("Show the expected final score with perfect play: of a whole game, or from a position."),
    example="dicecup value yahtzee -o joker=forced\ndicecup value yatzy --position position.json --json",
)
@click.argument("game")
@rules_options
@position_option
@json_option
@language_option
def value(game: str, options: tuple[str, ...], position: Path | None, as_json: bool) -> None:
    rules, state = read_moment(game, options, position)
    values = values_of(rules) if is_available("solver") else hint_values(rules)
    with compilation_announced(values):
        advice = advise(values, state)
    if as_json:
        print_json({"expected": advice.expected, "exact": advice.exact})
        return
    echo("\n".join(expected_lines(values, advice, 4 if advice.exact else 1)))
