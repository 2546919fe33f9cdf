"""Lists of one's own games are read in pages, and a page costs the same however many games there are."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.databases import with_tables  # noqa: F401 - for these tests

from dicecup.storage.results import parse_place, without_verdict
from dicecup.storage.store import Store
from dicecup.storage.stored import Addition, Opening, Result, Seat

SEATS = [Seat("person", "Ann", "a"), Seat("person", "Bo", "b")]


def play(store: Store, first: int, last: int) -> None:
    """Finish games of Ann and Bo, who share a device, one a second; some of them at the same second."""
    for number in range(first, last):
        made = f"2026-01-01T10:{number // 180:02}:{number // 3 % 60:02}+00:00"
        opening = Opening(f"game{number:04}", made, "ann", "yatzy", {}, "typed")
        store.open_match(opening, SEATS, [(0, "ann"), (1, "ann")], "header")
        results = [Result(seat, SEATS[seat].name, "yatzy", "1d", 9, 1, 2, "{}", made) for seat in (0, 1)]
        store.append(Addition(opening.id, 0, ("1 score chance 15",), made, tuple(results)))


def test_pages_hold_every_game_once(store: Store) -> None:
    play(store, 0, 25)
    found, before, pages = [], "", 0
    while (before or not pages) and pages < 10:
        page = store.matches_of("ann", before, 10)
        found += [line.id for line in page.lines]
        before, pages = page.older, pages + 1
    assert found == [f"game{number:04}" for number in reversed(range(25))]
    assert pages == 3


def test_pages_hold_every_result_once(store: Store) -> None:
    """A page may end between two seats of one game."""
    play(store, 0, 8)
    results: list[tuple[str, int]] = []
    before, pages = "", 0
    while (before or not pages) and pages < 10:
        page = store.results_of("ann", before, 5)
        results = [(one.match, one.seat) for one in page.results] + results
        before, pages = page.older, pages + 1
    assert results == [(f"game{number:04}", seat) for number in range(8) for seat in (0, 1)]
    assert pages == 4


@pytest.mark.parametrize("text", ["", "x", "~", "a~b~c", "a~b~-1", "a~b~99999", "~~1"])
def test_a_wrong_place_is_the_beginning(text: str) -> None:
    assert parse_place(text) == ()


def rows_read(store: Store, work: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> float:
    """Return how much a database reads: rows in PostgreSQL, steps of its machine in SQLite."""
    total = 0.0
    original = store.database.rows

    def counted(question: str, values: Any = ()) -> Any:
        nonlocal total
        if store.database.dialect == "postgresql":
            with store.database.changes() as changes:
                changes.run("SET LOCAL enable_seqscan = off")  # the usual choice for small tables
                ((plan,),) = changes.rows(f"EXPLAIN (ANALYZE, FORMAT JSON) {question}", values)
            total += rows_of((json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"])
        return original(question, values)

    def step() -> int:
        nonlocal total
        total += 1
        return 0

    with monkeypatch.context() as watched:
        watched.setattr(store.database, "rows", counted)
        if store.database.dialect == "sqlite":
            store.database.connection.set_progress_handler(step, 1)  # type: ignore[attr-defined]
        work()
        if store.database.dialect == "sqlite":
            store.database.connection.set_progress_handler(None, 0)  # type: ignore[attr-defined]
    return total


def rows_of(plan: dict[str, Any]) -> float:
    """Return the rows that a plan and those below it found or removed by a filter."""
    here = plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)
    below = sum(rows_of(part) for part in plan.get("Plans", ()))
    return float(here * plan["Actual Loops"] + below)


def test_a_page_reads_no_more_with_more_games(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    lists: list[Callable[[], Any]] = [
        lambda: store.matches_of("ann", "", 10),
        lambda: store.matches_of("ann", "2026-01-01T10:00:10+00:00~game0030~0", 10),
        lambda: store.results_of("ann", "", 10),
        lambda: store.results_of("ann", "2026-01-01T10:00:10+00:00~game0030~0", 10),
        lambda: without_verdict(store, "ann", 10),
    ]
    play(store, 0, 50)
    analyze(store)
    few = [rows_read(store, work, monkeypatch) for work in lists]
    play(store, 50, 300)
    analyze(store)
    many = [rows_read(store, work, monkeypatch) for work in lists]
    assert all(count > 10 for count in few)
    for before, after in zip(few, many, strict=True):
        assert after <= 1.5 * before + 20


def analyze(store: Store) -> None:
    """Tell the planner how many rows there are, as PostgreSQL finds out by itself after a while."""
    if store.database.dialect == "postgresql":
        with store.database.changes() as changes:
            changes.run("ANALYZE")
