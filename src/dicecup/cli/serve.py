"""`dicecup serve`, `backup`, `restore` and `site`: the web app on this machine or for a network, its games in
one file and back, and the whole app as a folder of static files.
"""

from __future__ import annotations

import errno
import os
import socket
import sys
import threading
import urllib.request
import webbrowser
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from urllib.parse import urlsplit

import click

from dicecup.cli.common import (
    Command,
    _,
    chosen_database,
    database_option,
    echo,
    echo_stderr,
    json_option,
    language_option,
    option,
    print_json,
    speech,
)
from dicecup.errors import UsageError
from dicecup.installation import is_available
from dicecup.messages import N_

SERVER = "dicecup.web.connections"
HOST, LAN_HOST, PORT = "127.0.0.1", "0.0.0.0", 8000
MOST_SECONDS_TO_START = 30


@click.command(
    "serve",
    cls=Command,
    help=N_("Start the web app: play in the browser, alone or with others."),
    example="dicecup serve\ndicecup serve --lan\n"
    "dicecup serve --database postgresql://localhost/dicecup --workers 4 --no-browser",
)
@option("--host", default=HOST, show_default=True, help=N_("The address to listen on."))
@option(
    "--port",
    type=click.IntRange(0, 65535),
    default=PORT,
    show_default=True,
    help=N_("The port to listen on."),
)
@option("--lan", is_flag=True, help=N_("Let devices on this network join, and show a code to scan."))
@database_option
@option(
    "--workers",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help=N_("Number of server processes; more than one needs PostgreSQL."),
)
@option(
    "--address", metavar="URL", help=N_("The address others use to reach this server, for links and codes.")
)
@option(
    "--rotate-key",
    is_flag=True,
    help=N_(
        "Replace the server’s key first, for instance after a backup was stolen; open pages must be reloaded."
    ),
)
@option("--browser/--no-browser", default=True, help=N_("Open the browser."))
@language_option
def command(
    host: str,
    port: int,
    lan: bool,
    database: str | None,
    workers: int,
    address: str | None,
    rotate_key: bool,
    browser: bool,
) -> int:
    return serve(host, port, lan, database, workers, address, browser, rotate_key)


def serve(
    host: str = HOST,
    port: int = PORT,
    lan: bool = False,
    database: str | None = None,
    workers: int = 1,
    address: str | None = None,
    browser: bool = True,
    rotate_key: bool = False,
) -> int:
    """Run the server until it is stopped. It is loaded by name: interfaces do not import each other."""
    from dicecup.storage.store import POSTGRES, open_store

    if database is not None:
        os.environ["DICECUP_DATABASE"] = database
    if workers > 1 and not os.environ.get("DICECUP_DATABASE", "").startswith(POSTGRES):
        raise UsageError("workers_need_postgres")
    if address is not None and not is_web_address(address):
        raise UsageError("address_wrong", address=address)
    if lan and host == HOST:
        host = LAN_HOST
    listener = bind(host, port)
    port = listener.getsockname()[1]
    if lan and address is None:
        address = f"http://{network_address()}:{port}"
    if address is not None:
        os.environ["DICECUP_ADDRESS"] = address
    # Kept open, so that no other server can lock the file before the application opens it.
    store = open_store(chosen_database(database), exclusive=True)
    if rotate_key:
        store.rotate_server_key()
    local = local_address(host, port)
    announce(local, address if lan else None)
    if not is_available("solver"):
        echo_stderr(
            _(
                "Win chances, and the coach of Dice in Dice and of most house rules, aren’t installed. "
                "To add them, run: pip install 'dicecup[solver]'"
            )
        )
    if browser:
        threading.Thread(target=open_when_ready, args=(local,), daemon=True).start()
    try:
        import_module(SERVER).run(listener, workers)
    finally:
        store.close()
    return 0


def bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    if sys.platform == "win32":  # SO_REUSEADDR would let two servers have the same port there
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
    else:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except (OSError, UnicodeError) as error:
        listener.close()
        if not isinstance(error, OSError) or is_address_wrong(error):
            raise UsageError("host_wrong", host=host) from None
        raise UsageError("port_in_use", host=host, port=port, problem=error.strerror) from None
    listener.listen(2048)  # from now on connections are queued until the application is ready
    listener.set_inheritable(True)
    return listener


def is_web_address(text: str) -> bool:
    """Return whether links and codes can begin with this text."""
    try:
        parts = urlsplit(text)
        host = parts.hostname if parts.port != 0 else None
    except ValueError:
        return False
    plain = not set(text) & {*" ?#@\\"} and text.isprintable()
    return plain and parts.scheme in {"http", "https"} and bool(host)


def is_address_wrong(error: OSError) -> bool:
    """Return whether the error is about the address, not the port: unknown, or another machine's."""
    return isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL


def local_address(host: str, port: int) -> str:
    """Return the server's URL for a browser on this machine."""
    if host == LAN_HOST:
        host = HOST
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def network_address() -> str:
    """Return this machine's address on its network, from the routing table; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def announce(local: str, address: str | None) -> None:
    echo_stderr(_("Dicecup runs at {address} – stop it with Ctrl-C.").format(address=local))
    if address is None:
        return
    import segno

    echo_stderr(_("Everyone on this network: {address}").format(address=address))
    code = segno.make(address, error="m", micro=False)
    rows = [[bool(module) for module in row] for row in code.matrix_iter(border=2)]
    for upper, lower in zip(rows[::2], [*rows[1::2], [False] * len(rows[0])], strict=False):
        echo_stderr(
            "".join(" ▀▄█"[(not top) + 2 * (not below)] for top, below in zip(upper, lower, strict=True))
        )


def open_when_ready(address: str) -> None:
    """Open the browser once the server answers."""
    import time

    for _attempt in range(MOST_SECONDS_TO_START * 10):
        try:
            with urllib.request.urlopen(f"{address}/static/icon.svg", timeout=1):
                break
        except OSError:
            time.sleep(0.1)
    webbrowser.open(address)


@click.command(
    "site",
    cls=Command,
    help=N_("Write the web app as a folder of static files, to play in the browser without a server."),
    example="dicecup site public\npython -m http.server --directory public",
)
@click.argument("folder", type=click.Path(path_type=Path))
@json_option
@language_option
def site(folder: Path, as_json: bool) -> None:
    from dicecup.site.builder import build_site, check_target
    from dicecup.site.runtime import check_pydantic, missing_parts

    check_target(folder)
    check_pydantic()
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
