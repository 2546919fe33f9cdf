"""`dicecup sheet`: a score pad as a PDF to print."""

from __future__ import annotations

from pathlib import Path

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
from dicecup.i18n.printed_pad import PAPERS, pad_data, pdf_of
from dicecup.installation import need
from dicecup.messages import N_


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
    need("pdf")
    write_file(path, pdf_of(pad_data(rules, players, paper, speech.language)))
    echo_stderr(_("Score pad written to {file}.").format(file=path))
