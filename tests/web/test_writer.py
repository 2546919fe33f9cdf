"""Moves that share a transaction: none is answered that was not stored, and none fails because of another."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import psycopg
import pytest
from tests.storage_databases.test_removal import open_game
from tests.waiting import awaited

from dicecup.errors import StorageError
from dicecup.storage.entries import EntryTaken, MatchLocked, Writer
from dicecup.storage.store import Store, open_store
from dicecup.storage.stored import Addition
from dicecup.web.service.matches import Ages, Observer

pytestmark = pytest.mark.one_database
REFUSED = StorageError("database_unusable", database="games.db", problem="disk full")


class SmallStore:
    """Stores a transaction completely or not at all. The first one waits until all moves have come."""

    def __init__(self, failing: Exception | None = None) -> None:
        self.failing = failing
        self.all_have_come = threading.Event()
        self.is_free = threading.Event()  # the match that another process holds
        self.transactions: list[list[str]] = []
        self.stored: list[str] = []

    def append_batch(self, additions: Sequence[Addition], *, hurry: bool) -> list[bool]:
        self.all_have_come.wait()
        names = [addition.match for addition in additions]
        self.transactions.append(names)
        if "held" in names:
            if hurry:
                raise MatchLocked("held")
            self.is_free.wait()
        if self.failing and "bad" in names:
            raise self.failing
        self.stored += [name for name in names if name != "taken"]
        return [name != "taken" for name in names]


async def write_all(store: SmallStore, names: Sequence[str], cancelled: str = "") -> dict[str, Any]:
    """What each of them was answered, None if it was told that it is stored."""
    writer = Writer(store, Observer().persisted)  # type: ignore[arg-type]
    tasks = {name: asyncio.create_task(writer.write(Addition(name, 0, ("1 keep 1",), ""))) for name in names}
    await asyncio.sleep(0)  # all of them have begun
    if cancelled:
        tasks[cancelled].cancel()
    store.all_have_come.set()
    answers = await asyncio.gather(*tasks.values(), return_exceptions=True)
    assert not writer.waiting
    return dict(zip(names, answers, strict=True))


def test_moves_that_come_together_share_a_transaction() -> None:
    store = SmallStore()
    answers = awaited(write_all(store, ["first", "second", "taken", "third"]))
    assert store.transactions == [["first", "second", "taken", "third"]]
    assert isinstance(answers.pop("taken"), EntryTaken)
    assert answers == {"first": None, "second": None, "third": None}


def test_a_move_that_cannot_be_stored_fails_alone() -> None:
    """In PostgreSQL a match that is being removed does this: its row is still there, and then it is not."""
    store = SmallStore(ValueError("cannot be stored"))
    answers = awaited(write_all(store, ["first", "bad", "taken", "last"]))
    assert store.stored == ["first", "last"]
    assert [type(answers[name]) for name in ("bad", "taken")] == [ValueError, EntryTaken]
    assert answers["first"] is None
    assert answers["last"] is None


def test_nothing_is_answered_as_stored_while_the_database_fails() -> None:
    store = SmallStore(REFUSED)
    answers = awaited(write_all(store, ["first", "bad", "last"]))
    assert store.stored == []
    assert answers == {"first": REFUSED, "bad": REFUSED, "last": REFUSED}
    assert len(store.transactions) == 1  # a database that hangs would hang again for each of them


def test_a_request_that_is_cancelled_takes_no_other_with_it() -> None:
    store = SmallStore()
    answers = awaited(write_all(store, ["first", "gone", "last"], cancelled="gone"))
    assert isinstance(answers.pop("gone"), asyncio.CancelledError)
    assert answers == {"first": None, "last": None}


def test_a_match_that_is_held_delays_no_other() -> None:
    async def play() -> None:
        store = SmallStore()
        store.all_have_come.set()
        writer = Writer(store, Observer().persisted)  # type: ignore[arg-type]
        names = ("first", "held", "last")
        first, held, last = (
            asyncio.create_task(writer.write(Addition(name, 0, ("1 keep 1",), ""))) for name in names
        )
        await asyncio.gather(first, last)
        await writer.write(Addition("later", 0, ("1 keep 1",), ""))
        assert store.stored == ["first", "last", "later"]
        assert not held.done()
        store.is_free.set()
        await held
        assert store.stored[-1] == "held"

    awaited(play())


def test_a_row_that_is_held_delays_no_other(postgres_database: str) -> None:
    store = open_store(postgres_database)
    for match in ("game1", "game2"):
        open_game(store, match)

    async def play() -> None:
        writer = Writer(store, Observer().persisted)
        held, other = (
            asyncio.create_task(writer.write(Addition(match, 1, ("1 keep 1",), "")))
            for match in ("game1", "game2")
        )
        with store.database.changes() as elsewhere:
            elsewhere.rows("SELECT id FROM matches WHERE id = ? FOR UPDATE", ("game1",))
            await other
            assert not held.done()
        await held

    awaited(play())
    assert entries_in(store) == {"game1": 2, "game2": 2}
    store.close()


def test_a_lock_timeout_of_the_operator_ends_a_move(postgres_database: str) -> None:
    """The move would be tried again and again, for as long as the row is held."""
    mark = "&" if "?" in postgres_database else "?"
    store = open_store(f"{postgres_database}{mark}options=-c%20lock_timeout%3D60")
    open_game(store, "game1")

    async def play() -> None:
        writer = Writer(store, Observer().persisted)
        with psycopg.connect(postgres_database) as elsewhere:
            elsewhere.execute("SELECT id FROM matches WHERE id = 'game1' FOR UPDATE")
            with pytest.raises(StorageError):
                await writer.write(Addition("game1", 1, ("1 keep 1",), ""))

    awaited(play())
    assert entries_in(store) == {"game1": 1}
    store.close()


def entries_in(store: Store) -> dict[str, int]:
    return dict(store.database.rows("SELECT match, COUNT(*) FROM entries GROUP BY match"))


class AgingStore:
    """Every question finds the matches one change older. The first one waits until others have come."""

    def __init__(self, failing: int = 0) -> None:
        self.failing = failing  # the number of the question that fails
        self.others_have_come = threading.Event()
        self.asked: list[list[str]] = []

    def ages(self, matches: list[str]) -> dict[str, tuple[int, int]]:
        self.asked.append(matches)
        number = len(self.asked)
        self.others_have_come.wait()
        if number == self.failing:
            raise REFUSED
        return {match: (number, 0) for match in matches if match != "unknown"}


async def ask_for_ages(store: AgingStore) -> list[Any]:
    """The answers to one who asks first, and to four who ask while that is answered, of whom one has left."""
    ages = Ages(store)  # type: ignore[arg-type]
    tasks = [asyncio.create_task(ages.of("one"))]
    while not store.asked:
        await asyncio.sleep(0)
    tasks += [asyncio.create_task(ages.of(match)) for match in ("one", "two", "one", "unknown")]
    await asyncio.sleep(0)  # all of them have begun
    tasks[1].cancel()
    store.others_have_come.set()
    answers = await asyncio.gather(*tasks, return_exceptions=True)
    assert isinstance(answers.pop(1), asyncio.CancelledError)
    assert await ages.of("one") == (3, 0)  # nothing is remembered
    return answers


def test_an_age_is_that_of_a_moment_after_the_question() -> None:
    """Those who ask while another question is answered share the next one: that one may know too little."""
    store = AgingStore()
    assert awaited(ask_for_ages(store)) == [(1, 0), (2, 0), (2, 0), None]
    assert store.asked == [["one"], ["one", "two", "unknown"], ["one"]]


@pytest.mark.parametrize("failing", [1, 2])
def test_a_failed_question_for_ages_fails_no_other(failing: int) -> None:
    answers = awaited(ask_for_ages(AgingStore(failing)))
    expected = [(1, 0), (2, 0), (2, 0), None]
    assert answers == [
        REFUSED if number == failing else answer
        for number, answer in zip([1, 2, 2, 2], expected, strict=True)
    ]
