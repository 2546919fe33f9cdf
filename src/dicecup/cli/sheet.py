"""`dicecup sheet`: a score pad as a PDF to print."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

import click

from dicecup.cli.common import (
    Command,
    _,
    check_writable,
    echo_stderr,
    language_option,
    option,
    read_ruleset,
    rules_options,
    speech,
    write_file,
)
from dicecup.engine.state import MOST_PLAYERS
from dicecup.i18n.describe import describe_box, describe_game, describe_line
from dicecup.i18n.names import game_name, name, option_name, option_text
from dicecup.installation import need
from dicecup.messages import N_
from dicecup.rules.model import Ruleset

PAPERS = {"a4": "a4", "letter": "us-letter"}
# As many columns as leave room for a pencil; with more the pad turns sideways, then takes a second page.
COLUMNS_UPRIGHT = 6
COLUMNS_SIDEWAYS = 12


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
def command(game: str, options: tuple[str, ...], players: int, paper: str, path: Path) -> None:
    rules = read_ruleset(game, options)
    check_writable(path)
    write_file(path, pdf_of(pad_data(rules, players, paper)))
    echo_stderr(_("Score pad written to {file}.").format(file=path))


def pad_data(rules: Ruleset, players: int, paper: str) -> dict[str, Any]:
    """Return the data for the template."""
    code = speech.language.code
    lines = [line_data(rules, line) for line in rules.lines]
    columns = [name(rules, column.id, code) for column in rules.columns]
    landscape = players * len(columns) > COLUMNS_UPRIGHT and len(lines) <= 24
    per_page = max(1, (COLUMNS_SIDEWAYS if landscape else COLUMNS_UPRIGHT) // len(columns))
    seats = [""] * players
    return {
        "title": game_name(rules, code),
        "subtitle": "Dicecup",
        "language": code,
        "paper": PAPERS[paper],
        "landscape": landscape,
        "name-label": _("Name"),
        "columns": columns,
        "lines": lines,
        "row-height": row_height(len(lines), landscape=landscape),
        "label-share": 3.2 if per_page * len(columns) <= COLUMNS_UPRIGHT else 4.5,
        "groups": [seats[first : first + per_page] for first in range(0, players, per_page)],
        "notes": [*describe_game(rules, speech.language), *options_chosen(rules)],
    }


def options_chosen(rules: Ruleset) -> list[str]:
    """Return the meaning of each chosen option, defaults included: players at a table cannot look them up."""
    code = speech.language.code
    chosen = [(option, option_text(rules, option, value, code)) for option, value in rules.options.items()]
    return [f"{option_name(rules, option, code)} – {text}" for option, text in chosen if text]


def line_data(rules: Ruleset, line: str) -> dict[str, Any]:
    index = rules.box_index.get(line)
    if index is None:
        text = describe_line(rules, line, speech.language)
    else:
        text = describe_box(rules, rules.boxes[index], speech.language)
    return {
        "name": name(rules, line, speech.language.code),
        "text": text,
        "computed": index is None,
        "overall": rules.has_columns and line == "final_score",
    }


def row_height(lines: int, *, landscape: bool) -> float:
    """Return the height of a row in millimetres, so that lines and small print fill one page."""
    room = 130 if landscape else 212
    return min(9.5, room / lines)


def pdf_of(data: dict[str, Any]) -> bytes:
    need("pdf")
    import typst

    template = resources.files("dicecup.cli").joinpath("sheet.typ").read_bytes()
    pdf: bytes = typst.compile(template, sys_inputs={"data": json.dumps(data)}, ignore_system_fonts=True)
    return pdf
