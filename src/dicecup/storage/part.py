"""What every part of the store stands on: a database, and a word to the other processes with each change."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import TypeVar

from dicecup.storage.database import Changes, Database

Answer = TypeVar("Answer")


class Part:
    def __init__(self, database: Database) -> None:
        self.database = database
        self.process = secrets.token_hex(4)

    def change(self, match: str, what: Callable[[Changes], Answer]) -> Answer:
        """Change a match and tell the other processes, all in one transaction."""
        with self.database.changes() as changes:
            # First of all, so that two processes that change one match never wait for each other.
            changes.run("UPDATE matches SET changes = changes + 1 WHERE id = ?", (match,))
            answer = what(changes)
            changes.tell(f"{self.process} {match}")
        return answer

    def listen(self, heard: Callable[[str], None]) -> Callable[[], None]:
        """Call `heard` with each match that another process changed, `""` when any may have changed."""

        def word(text: str) -> None:
            process, _, match = text.partition(" ")
            if process != self.process:
                heard(match)

        return self.database.listen(word)

    def close(self) -> None:
        self.database.close()
