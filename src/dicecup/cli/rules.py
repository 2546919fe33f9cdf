"""`dicecup rules`, `sheet` and `score`: the games and their rules, pads to print, the points of dice."""

from __future__ import annotations

import textwrap
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from dicecup.cli.common import (
    Command,
    _,
    check_writable,
    echo,
    echo_stderr,
    json_option,
    language_option,
    option,
    print_json,
    read_json,
    read_ruleset,
    rules_options,
    speech,
    table_text,
    write_file,
)
from dicecup.dice import Dice, format_dice, layer_faces, parse_dice
from dicecup.engine.legality import layer_offers, points_by_box, repeat_pays
from dicecup.engine.sheet_data import sheet_from_data
from dicecup.engine.state import MOST_PLAYERS, Sheet
from dicecup.errors import DiceError
from dicecup.i18n.describe import describe_game
from dicecup.i18n.language import game_name, name, option_name, option_text, summary
from dicecup.i18n.score_sheet import PAPERS, describe_box, describe_line, pad_data, pdf_of
from dicecup.installation import need
from dicecup.messages import N_
from dicecup.rules.loader import builtin_ids, house_reference, load_ruleset, read_bytes
from dicecup.rules.meaning import box_meaning, further_meaning
from dicecup.rules.model import Ruleset

TEXT_WIDTH = 98
TEXT_COLUMN = 56


@click.command(
    "rules",
    cls=Command,
    help=N_(
        "List the games, or show the scoring and rules of one. GAME is an id or the path of a rules file."
    ),
    example="dicecup rules\ndicecup rules yum-plus --lang fr\ndicecup rules yatzy -o scoring=international",
)
@click.argument("game", required=False)
@rules_options
@option("--schema", is_flag=True, help=N_("Show the JSON Schema of rules files, which editors can use."))
@option("--pack", is_flag=True, help=N_("Show the rules file as one word that can be used as GAME anywhere."))
@json_option
@language_option
def command(game: str | None, options: tuple[str, ...], schema: bool, pack: bool, as_json: bool) -> None:
    if schema:
        from dicecup.rules.schema import rules_schema

        print_json(rules_schema())
        return
    if game is None and pack:
        raise click.MissingParameter(param_hint="GAME", param_type="argument")
    if game is None:
        games = [load_ruleset(ruleset_id) for ruleset_id in builtin_ids()]
        if as_json:
            print_json({"games": [overview(rules) for rules in games]})
        else:
            echo(games_text(games))
        return
    if pack:
        reference = game if game in builtin_ids() else packed_file(game)
        print_json({"reference": reference}) if as_json else echo(reference)
        return
    rules = read_ruleset(game, options)
    if as_json:
        print_json(details(rules))
    else:
        echo(overview_text(rules))


def packed_file(path: str) -> str:
    """Return the reference that carries the rules of a file, whose base must be a built-in game."""
    return house_reference(read_bytes(path).decode(errors="replace"))


def overview(rules: Ruleset) -> dict[str, Any]:
    code = speech.language.code
    return {
        "id": rules.id,
        "name": game_name(rules, code),
        "summary": summary(rules, code),
        "options": {option: list(values) for option, values in rules.choices.items()},
    }


def details(rules: Ruleset) -> dict[str, Any]:
    """Return the complete rules of a game as data, with their names."""
    code = speech.language.code
    return overview(rules) | {
        "chosen": dict(rules.options),
        "identity": rules.identity,
        "dice": asdict(rules.dice),
        "throws": rules.throws,
        "turns": rules.turns,
        "scored": list(rules.scored),
        "columns": {column.id: column.multiplier for column in rules.columns if rules.has_columns},
        "bonus": [asdict(tier) for tier in rules.bonus],
        "joker": asdict(rules.joker) if rules.joker else None,
        "repeat": asdict(rules.repeat) if rules.repeat else None,
        **further_meaning(rules),
        "strike": rules.strike,
        "boxes": [
            box_meaning(box)
            | {"name": name(rules, box.id, code), "text": describe_box(rules, box, speech.language)}
            for box in rules.boxes
        ],
        "lines": list(rules.lines),
        "text": describe_game(rules, speech.language),
    }


def games_text(games: list[Ruleset]) -> str:
    code = speech.language.code
    rows = [(rules.id, game_name(rules, code), summary(rules, code)) for rules in games]
    table = table_text((_("Id"), _("Game"), _("What it is")), rows)
    return table + "\n\n" + _("Run “dicecup rules ID” for the scoring and rules of a game.")


def overview_text(rules: Ruleset) -> str:
    code = speech.language.code
    title = f"{game_name(rules, code)} ({rules.id})"
    rows: list[tuple[str, str, str]] = []
    by_id = {box.id: box for box in rules.boxes}
    for line in rules.lines:
        box = by_id.get(line)
        text = (
            describe_box(rules, box, speech.language) if box else describe_line(rules, line, speech.language)
        )
        label = name(rules, line, code)
        first, *more = textwrap.wrap(text, TEXT_COLUMN)
        rows.append((label, line, first) if box else (f"= {label}", "", first))
        rows += [("", "", f"  {rest}") for rest in more]
    parts = [f"{title}\n{'═' * len(title)}"]
    parts += [summary(rules, code)] if summary(rules, code) else []
    parts.append(table_text((_("Line"), _("Id"), _("Points")), rows))
    parts.append("\n".join(bullet(sentence) for sentence in describe_game(rules, speech.language)))
    if rules.choices:
        parts.append(options_text(rules))
    return "\n\n".join(parts)


def options_text(rules: Ruleset) -> str:
    """Return every option with the meaning of its values; the chosen value is marked."""
    code = speech.language.code
    lines = [_("Options (● is chosen):")]
    for choice, values in rules.choices.items():
        lines.append(f"  {option_name(rules, choice, code)} (-o {choice}=…)")
        for value in values:
            mark = "●" if rules.options[choice] == value else "○"
            text = option_text(rules, choice, value, code)
            lines.append(
                textwrap.fill(
                    f"{mark} {value}  {text}".rstrip(),
                    TEXT_WIDTH,
                    initial_indent="    ",
                    subsequent_indent="      ",
                )
            )
    return "\n".join(lines)


def bullet(sentence: str) -> str:
    return textwrap.fill(sentence, TEXT_WIDTH, initial_indent="• ", subsequent_indent="  ")


@click.command(
    "sheet",
    cls=Command,
    help=N_("Make a score pad as a PDF, to print and fill in with a pencil."),
    example="dicecup sheet dice-in-dice --lang sv --players 4 --pdf pad.pdf",
)
@click.argument("game")
@rules_options
@option(
    "--players",
    type=click.IntRange(1, MOST_PLAYERS),
    default=4,
    show_default=True,
    help=N_("Number of players on the score pad."),
)
@option(
    "--paper",
    type=click.Choice(list(PAPERS)),
    default="a4",
    show_default=True,
    help=N_("The paper size."),
)
@option("--pdf", "path", type=click.Path(path_type=Path), required=True, help=N_("The file to write."))
@language_option
def sheet(game: str, options: tuple[str, ...], players: int, paper: str, path: Path) -> None:
    rules = read_ruleset(game, options)
    check_writable(path)
    need("pdf")
    write_file(path, pdf_of(pad_data(rules, players, paper, speech.language)))
    echo_stderr(_("Score pad written to {file}.").format(file=path))


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
def score(
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
