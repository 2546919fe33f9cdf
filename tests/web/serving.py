"""`dicecup serve` in its own process, on a free port."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from types import TracebackType
from typing import Self

from tests.waiting import PATIENCE


class Server:
    """A server with almost no delays for bots and reveals, and without rate limits."""

    def __init__(self, database: str, *arguments: str, **environment: str) -> None:
        command = [sys.executable, "-m", "dicecup", "serve", "--port", "0", "--no-browser", "--lang", "en"]
        self.process = subprocess.Popen(
            [*command, *arguments],
            env=os.environ
            | {
                "DICECUP_DATABASE": database,
                "DICECUP_LIMITS": "off",
                "DICECUP_WARM": "off",
                "DICECUP_PACE": "0",
            }
            | {"DICECUP_PAUSE": "0.5", "DICECUP_REVEAL_AFTER": "0.5"}
            | {"DICECUP_DATABASE_SECONDS": str(PATIENCE), "DICECUP_HEADER_SECONDS": str(PATIENCE)}
            | environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr
        line = self.process.stderr.readline()
        found = re.search(r"http://\S+", line)
        assert found, line + self.process.stderr.read()
        self.address = found[0]

    def stop(self) -> str:
        """Stop the server and return its output."""
        self.process.terminate()
        assert self.process.stderr
        said = self.process.stderr.read()
        self.process.wait(PATIENCE)
        self.process.stderr.close()
        return said

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
