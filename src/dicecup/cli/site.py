"""`dicecup site`: the web app as a folder of static files, which runs in the browser without a server."""

from __future__ import annotations

from pathlib import Path

import click

from dicecup.cli.common import Command, _, echo, echo_stderr, json_option, language_option, print_json
from dicecup.messages import N_


@click.command(
    "site",
    cls=Command,
    help=N_("Write the web app as a folder of static files, to play in the browser without a server."),
    example="dicecup site public\npython -m http.server --directory public",
)
@click.argument("folder", type=click.Path(path_type=Path))
@json_option
@language_option
def command(folder: Path, as_json: bool) -> None:
    from dicecup.site.build import build_site, check_target
    from dicecup.site.parts import missing_parts

    check_target(folder)
    if missing_parts():
        echo_stderr(_("Fetching what runs Python in the browser, once …"))
    made = build_site(folder)
    if as_json:
        print_json({"folder": str(folder), "files": made.files, "bytes": made.size})
        return
    megabytes = f"{made.size / 1_000_000:.0f}"
    echo(
        _("The site is in {folder}: {size} MB. Put it on any web host.").format(folder=folder, size=megabytes)
    )
