"""The entries of matches: append-only, with unique numbers per match; those of many in one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from dicecup.errors import StorageError
from dicecup.storage.database import Database, RowLocked, StorePart, Transaction
from dicecup.storage.results import insert_result, placeholders
from dicecup.storage.stored import Addition

AT_ONCE = 200  # entries in a statement; with four values each it has fewer than any SQLite allows
MOST_LOCKED = 3  # matches held by other processes that are waited for at once: each takes a connection
GATHERING = 0.005  # seconds between transactions while moves are waiting

Waiting = tuple[Addition, "asyncio.Future[None]"]


class EntryTaken(Exception):  # noqa: N818 - an answer: somebody else was quicker
    """Raised when another process has written an entry with this number."""


class MatchLocked(Exception):  # noqa: N818 - an answer: it can be tried again
    """Raised when another transaction holds a match; nothing was stored."""

    def __init__(self, match: str) -> None:
        super().__init__(match)
        self.match = match


class StoredEntries(StorePart):
    def entries(self, match: str, after: int = 0) -> list[str]:
        return read_entries(self.database, match, after)

    def records(self, matches: Sequence[str]) -> list[tuple[str, str, list[str]]]:
        """Return of each match that has begun its id, the header of its record, and its entries."""
        if not matches:
            return []
        these = placeholders(matches)
        texts: dict[str, list[str]] = {}
        for match, text in self.database.rows(
            f"SELECT match, text FROM entries WHERE match IN {these} ORDER BY match, number", matches
        ):
            texts.setdefault(match, []).append(text)
        headers = self.database.rows(
            f"SELECT id, header FROM matches WHERE id IN {these} AND header IS NOT NULL", matches
        )
        return [(match, header, texts.get(match, [])) for match, header in headers]

    def append(self, addition: Addition) -> None:
        """Append entries, or raise EntryTaken."""
        if not self.append_batch([addition])[0]:
            raise EntryTaken

    def append_batch(self, additions: Sequence[Addition], *, hurry: bool = False) -> list[bool]:
        """Append entries to several matches in one transaction; return False where the number was taken.

        With `hurry`, raise MatchLocked instead of waiting for a match that another transaction holds.
        """
        added = [False] * len(additions)
        with self.database.changes(first=True) as changes:
            if hurry:
                changes.limit_lock_wait()
            # Always in the same order, to avoid deadlocks between processes.
            for index, addition in sorted(enumerate(additions), key=lambda item: item[1].match):
                try:
                    added[index] = add_entries(changes, addition)
                except RowLocked:
                    raise MatchLocked(addition.match) from None
                if added[index]:
                    self.notify_of_entries(changes, addition)
        return added


def add_entries(changes: Transaction, addition: Addition) -> bool:
    """Add entries; return False if their numbers are taken or the match has been removed."""
    for number, text in enumerate(addition.texts, start=addition.number):
        if not changes.run(
            "INSERT INTO entries (match, number, text, made) SELECT id, ?, ?, ? FROM matches WHERE id = ? "
            "ON CONFLICT DO NOTHING",
            (number, text, addition.made, addition.match),
        ):
            return False
    if addition.reopens:
        changes.run("UPDATE matches SET finished = NULL WHERE id = ?", (addition.match,))
        changes.run("DELETE FROM results WHERE match = ?", (addition.match,))
    if addition.results:
        changes.run("UPDATE matches SET finished = ? WHERE id = ?", (addition.made, addition.match))
        changes.run("DELETE FROM results WHERE match = ?", (addition.match,))  # those before a correction
        for result in addition.results:
            insert_result(changes, addition.match, result)
    return True


def insert_entries(changes: Transaction, match: str, texts: Sequence[str], made: str) -> None:
    """Insert many entries a statement: each statement releases the GIL while moves wait for the lock."""
    for first in range(0, len(texts), AT_ONCE):
        piece = texts[first : first + AT_ONCE]
        rows = ", ".join(["(?, ?, ?, ?)"] * len(piece))
        values: list[str | int] = []
        for number, text in enumerate(piece, start=first):
            values += (match, number, text, made)
        changes.run(f"INSERT INTO entries (match, number, text, made) VALUES {rows}", values)


def read_entries(changes: Transaction | Database, match: str, after: int) -> list[str]:
    rows = changes.rows(
        "SELECT text FROM entries WHERE match = ? AND number >= ? ORDER BY number", (match, after)
    )
    return [text for (text,) in rows]


class Writer:
    """Group commit: whatever is to be written while the database is busy shares the next transaction.

    When moves come that fast, a short pause lets more of them share it: each transaction costs a change of
    threads and a write to the disk. A single move never waits. Moves have threads of their own, so that they
    wait for no other work. A match that another process holds leaves the shared transaction, and waits alone.
    """

    def __init__(self, store: StoredEntries, persisted: Callable[[int], None]) -> None:
        self.store = store
        self.persisted = persisted  # called with the number of entries
        self.waiting: list[Waiting] = []
        self.busy: asyncio.Task[None] | None = None
        self.thread = ThreadPoolExecutor(1, "writer")
        self.threads_of_locked = ThreadPoolExecutor(MOST_LOCKED, "locked")
        self.locked: set[asyncio.Task[None]] = set()

    async def write(self, addition: Addition) -> None:
        """Wait until the entries are persisted; EntryTaken if another process was faster."""
        done = asyncio.get_running_loop().create_future()
        self.waiting.append((addition, done))
        if self.busy is None:
            self.busy = asyncio.create_task(self.work())
        await done

    async def work(self) -> None:
        while self.waiting:
            batch, self.waiting = self.waiting, []
            await self.write_batch(batch)
            if self.waiting:
                await asyncio.sleep(GATHERING)
        self.busy = None

    async def write_batch(self, batch: list[Waiting], *, alone: bool = False) -> None:
        """Write entries in one transaction; `alone` for a match that has to be waited for."""
        thread = self.threads_of_locked if alone else self.thread
        append = partial(self.store.append_batch, [addition for addition, _ in batch], hurry=not alone)
        try:
            kept = await asyncio.get_running_loop().run_in_executor(thread, append)
        except MatchLocked as locked:
            await self.write_without(locked.match, batch)
        except Exception as error:
            if len(batch) > 1 and not isinstance(error, StorageError):
                # The transaction failed because of one of them: write each match separately.
                for waiting in batch:
                    await self.write_batch([waiting])
                return
            for _, done in batch:
                if not done.done():
                    done.set_exception(error)
        else:
            self.answer(batch, kept)

    async def write_without(self, match: str, batch: list[Waiting]) -> None:
        """Write all but the entries of one match, which wait beside the writer until it is free."""
        held = [waiting for waiting in batch if waiting[0].match == match]
        task = asyncio.create_task(self.write_batch(held, alone=True))
        self.locked.add(task)
        task.add_done_callback(self.locked.discard)
        if others := [waiting for waiting in batch if waiting[0].match != match]:
            await self.write_batch(others)

    def answer(self, batch: list[Waiting], kept: list[bool]) -> None:
        """Resolve the futures of the writes: persisted, or not."""
        self.persisted(
            sum(len(addition.texts) for (addition, _), kept_it in zip(batch, kept, strict=True) if kept_it)
        )
        for (_, done), kept_it in zip(batch, kept, strict=True):
            if done.done():
                continue  # the request was cancelled
            if kept_it:
                done.set_result(None)
            else:
                done.set_exception(EntryTaken())

    def stop(self) -> None:
        self.thread.shutdown(wait=False)
        self.threads_of_locked.shutdown(wait=False, cancel_futures=True)
