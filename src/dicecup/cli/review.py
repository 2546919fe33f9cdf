"""`dicecup review`: luck and skill of every player of a record, and every decision."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from dicecup.cli.coaching import learned_notes, values_of
from dicecup.cli.common import Command, _, json_option, language_option, option, print_json, talk
from dicecup.cli.drawing import fitting
from dicecup.cli.given_record import given_record
from dicecup.cli.output_file import check_writable, write_file
from dicecup.cli.review_text import notes, text
from dicecup.cli.solving import telling_of_compiling
from dicecup.coach.data import review_data
from dicecup.coach.review import review
from dicecup.errors import UsageError
from dicecup.messages import N_


@click.command(
    "review",
    cls=Command,
    help=N_(
        "Show whether a game was decided by luck or by skill: what the throws gave, what each choice lost. "
        "The record is a file, or - for stdin."
    ),
    example="dicecup review sunday.record\ndicecup review sunday.record --html sunday.html --lang fr",
)
@click.argument("record", type=click.Path(path_type=Path))
@option("--html", type=click.Path(path_type=Path), help=N_("Also write a page with a chart to this file."))
@json_option
@language_option
def command(record: Path, html: Path | None, as_json: bool) -> None:
    found = given_record(record)
    if html is not None:
        if html.exists() and record.exists() and html.samefile(record):
            raise UsageError("page_over_record", file=html)
        check_writable(html)
    values = values_of(found.rules)
    wins = None
    with telling_of_compiling():
        result = review(found, values)
        if len(result.players) > 1:
            from dicecup.coach.winning import win_chances

            if found.rules.has_layers and not found.state.finished and sys.stderr.isatty():
                talk(_("Playing the game on many times, to see who wins: some seconds …"))
            wins = win_chances(values, found.state)
    said = learned_notes(values) + notes(found, result, wins)
    if as_json:
        print_json(review_data(found, result, wins))
    else:
        click.echo(fitting(text(found, result, said)))
    if html is not None:
        from dicecup.cli.review_page import page

        write_file(html, page(found, result, said).encode())
        talk(_("The page is in {file}.").format(file=html))
