"""`dicecup score`: what dice give in every open box."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from dicecup.cli.common import (
    Command,
    _,
    echo,
    json_option,
    language_option,
    option,
    print_json,
    read_json,
    read_ruleset,
    rules_options,
    speech,
    table_text,
)
from dicecup.dice import Dice, format_dice, layer_faces, parse_dice
from dicecup.engine.legality import layer_offers, points_by_box, repeat_pays
from dicecup.engine.sheet_data import sheet_from_data
from dicecup.engine.state import Sheet
from dicecup.errors import DiceError
from dicecup.i18n.names import name
from dicecup.messages import N_
from dicecup.rules.model import Ruleset


@click.command(
    "score",
    cls=Command,
    help=N_("Show what the dice score in every open box. Write dice as 3 3 3 6 6, double dice as 6-5 6-4 …"),
    example="dicecup score yatzy 3 3 3 6 6\n"
    "dicecup score dice-in-dice 6-5 6-4 3-3 3-2 4-1 3-2 -o extra=negative\n"
    """dicecup score yum-plus 6 6 6 3 3 --sheet '{"low_score": 24}' --json""",
)
@click.argument("game")
@click.argument("dice", nargs=-1, required=True)
@rules_options
@option(
    "--sheet",
    metavar="JSON",
    help=N_('The filled boxes, like {"ones": 3}, or @FILE for a file that holds them.'),
)
@json_option
@language_option
def command(
    game: str, dice: tuple[str, ...], options: tuple[str, ...], sheet: str | None, as_json: bool
) -> None:
    rules = read_ruleset(game, options)
    thrown = parse_dice(split_dice(dice), rules.dice.faces, len(rules.dice.layers))
    if len(thrown) != rules.dice.count:
        raise DiceError("dice_count_wrong", found=len(thrown), expected=rules.dice.count)
    filled = sheet_from_data(rules, read_sheet(sheet))
    if as_json:
        print_json(answer(rules, filled, thrown))
    else:
        echo(text(rules, filled, thrown))


def split_dice(words: tuple[str, ...]) -> list[str]:
    """Return the dice, given as separate words or as one quoted text."""
    return " ".join(words).replace(",", " ").split()


def read_sheet(sheet: str | None) -> Any:
    if sheet is None:
        return {}
    if sheet.startswith("@"):
        from dicecup.cli.common import read_text_file

        return read_json(read_text_file(Path(sheet[1:])), sheet[1:])
    return read_json(sheet, "--sheet")


def answer(rules: Ruleset, sheet: Sheet, dice: Dice) -> dict[str, Any]:
    points = points_by_box(rules, sheet, dice)
    if rules.has_layers:
        return points
    data: dict[str, Any] = {"boxes": points}
    if rules.repeat and repeat_pays(rules, sheet, layer_faces(dice, 0)):
        data[rules.repeat.id] = rules.repeat.points
    return data


def text(rules: Ruleset, sheet: Sheet, dice: Dice) -> str:
    code = speech.language.code
    blocks = []
    for layer, faces, given in layer_offers(rules, sheet, dice):
        rows = []
        for cell, scored in enumerate(given):
            if scored is None:
                continue
            column, box = divmod(cell, len(rules.boxes))
            label = name(rules, rules.boxes[box].id, code)
            if rules.has_columns:
                label = f"{name(rules, rules.columns[column].id, code)}  {label}"
            rows.append((label, str(scored.points), format_dice(scored.counted)))
        title = ""
        if rules.has_layers:
            said = _("{name}: {dice}")
            title = said.format(name=name(rules, layer, code), dice=format_dice(faces)) + "\n"
        blocks.append(title + table_text((_("Box"), _("Points"), _("Dice that count")), rows, right=(1,)))
        if rules.repeat and repeat_pays(rules, sheet, faces):
            blocks.append(f"{name(rules, rules.repeat.id, code)}: +{rules.repeat.points}")
    return "\n\n".join(blocks)
