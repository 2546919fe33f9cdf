"""`dicecup restore`: restore a backup into a database that no server uses."""

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
    option,
    print_json,
    speech,
)
from dicecup.messages import N_


@click.command(
    "restore",
    cls=Command,
    help=N_("Put a backup back into a database. Stop the server first."),
    example="dicecup restore games.backup\n"
    "dicecup restore games.backup --replace --database postgresql://localhost/dicecup",
)
@click.argument("file", type=click.Path(path_type=Path))
@database_option
@option("--replace", is_flag=True, help=N_("Replace the games that are in the database."))
@json_option
@language_option
def command(file: Path, database: str | None, replace: bool, as_json: bool) -> int:
    from dicecup.storage.backup import restore_backup

    found = restore_backup(chosen_database(database), file, replace=replace)
    if as_json:
        print_json({"file": str(file), **asdict(found)})
    else:
        said = speech.language.ngettext(
            "{games} game is restored.", "{games} games are restored.", found.matches
        )
        echo(said.format(games=found.matches))
    return 0
