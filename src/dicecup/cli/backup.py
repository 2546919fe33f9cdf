"""`dicecup backup`: all games of a server in one file, also while it runs."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from dicecup.cli.common import (
    Command,
    chosen_database,
    database_option,
    echo,
    json_option,
    language_option,
    print_json,
    speech,
)
from dicecup.messages import N_


@click.command(
    "backup",
    cls=Command,
    help=N_("Save all games of a server in one file, also while it runs."),
    example="dicecup backup games.backup\ndicecup backup games.backup --database postgresql://localhost/dicecup",
)
@click.argument("file", type=click.Path(path_type=Path))
@database_option
@json_option
@language_option
def command(file: Path, database: str | None, as_json: bool) -> int:
    from dicecup.storage.backup import make_backup

    found = make_backup(chosen_database(database), file)
    if as_json:
        print_json({"file": str(file), **asdict(found)})
    else:
        said = speech.language.ngettext(
            "{games} game is saved in {file}.", "{games} games are saved in {file}.", found.matches
        )
        echo(said.format(games=found.matches, file=file))
    return 0
