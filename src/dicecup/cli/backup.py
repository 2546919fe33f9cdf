"""`dicecup backup` and `dicecup restore`: all games of a server in one file, also while it runs, and back
into a database that no server uses.
"""

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
    "backup",
    cls=Command,
    help=N_("Save all games of a server in one file, also while it runs."),
    example="dicecup backup games.backup\ndicecup backup games.backup --database postgresql://localhost/dicecup",
)
@click.argument("file", type=click.Path(path_type=Path))
@database_option
@json_option
@language_option
def backup(file: Path, database: str | None, as_json: bool) -> int:
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
def restore(file: Path, database: str | None, replace: bool, as_json: bool) -> int:
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
