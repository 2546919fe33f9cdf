"""What the store asks of a database: rows for questions, changes in transactions, word to other processes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, Protocol

Row = tuple[Any, ...]
Values = Sequence[str | int | float | None]
Dialect = Literal["sqlite", "postgresql"]


class RowTaken(Exception):  # noqa: N818 - the store turns it into an answer
    """A row with this key is there already."""


class Changes(Protocol):
    """An open transaction."""

    def run(self, statement: str, values: Values = ()) -> int:
        """Do it and say how many rows it touched; a key that exists raises RowTaken."""

    def run_many(self, statement: str, values: Sequence[Values]) -> None:
        """The same statement for many values, in one go; a key that exists raises RowTaken."""

    def rows(self, question: str, values: Values = ()) -> list[Row]: ...

    def tell(self, word: str) -> None:
        """Send a word to the other processes once the transaction stands."""


class Database(Protocol):
    """Statements are written with `?` for values, in the SQL that both databases understand."""

    dialect: Dialect
    shared: bool  # whether other processes may change it, too

    def rows(self, question: str, values: Values = ()) -> list[Row]: ...

    def changes(self) -> AbstractContextManager[Changes]:
        """A transaction: it stands when the block ends, and is as if it never was when the block raises."""

    def listen(self, heard: Callable[[str], None]) -> Callable[[], None]:
        """Call `heard`, from a thread of its own, with each word of other processes; gives a way to stop."""

    def close(self) -> None: ...
