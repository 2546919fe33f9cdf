"""What may be removed from the database, and that nothing else can be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from tests.databases import with_tables  # noqa: F401 - for these tests

from dicecup.storage.entries import EntryTaken
from dicecup.storage.removal import (
    ABANDONED,
    BATCH,
    FINISHED,
    UPLOADED,
    Removal,
    remove_match,
    remove_old,
    remove_person,
)
from dicecup.storage.store import Store
from dicecup.storage.stored import Addition, Opening, Result, Seat

OPENING = Opening("game1", "2026-01-01T10:00:00+00:00", "ann", "yatzy", {}, "typed")
MADE = "2026-01-01T10:05:00+00:00"
LATER = "2026-06-01T00:00:00+00:00"
HEADER = "player Ann      #1\nplayer Bo      #2\n"
TABLES = ("entries", "consents", "results", "seat_keys", "seats", "matches")


def open_game(store: Store, match: str = "game1", *, alone: bool = False, owner: str = "ann") -> None:
    seats = [Seat("person", "Ann", "a"), Seat("bot", "bot:greedy") if alone else Seat("person", "Bo", "b")]
    holders = [(0, "ann")] if alone else [(0, "ann"), (1, "bo")]
    opening = replace(OPENING, id=match, owner=owner)
    store.open_match(opening, seats, holders if owner else [], HEADER, ["1 throw 1 2 3 4 5"])


def end(store: Store, match: str = "game1") -> None:
    results = [
        Result(seat, name, "yatzy", "1d", 9, 1, 2, "{}", MADE) for seat, name in enumerate(("Ann", "Bo"))
    ]
    store.append(Addition(match, 1, ("1 score chance 15",), MADE, tuple(results)))


def rename(header: str, names: Mapping[int, str]) -> str:
    lines = header.splitlines(keepends=True)
    for seat, name in names.items():
        lines[seat] = f"player {name}      #{seat}\n"
    return "".join(lines)


def count(store: Store, match: str) -> int:
    """Return the number of rows that belong to a match, in all tables."""
    columns = [(table, "id" if table == "matches" else "match") for table in TABLES]
    return sum(
        store.database.rows(f"SELECT COUNT(*) FROM {table} WHERE {column} = ?", (match,))[0][0]
        for table, column in columns
    )


def refused(store: Store, statement: str, said: str) -> None:
    with pytest.raises(Exception, match=said), store.database.changes() as changes:
        changes.run(statement)


def test_a_match_goes_with_everything_that_belongs_to_it(store: Store) -> None:
    for match in ("game1", "game2", "game3"):
        open_game(store, match)
    end(store)
    store.consent("game1", 2, [0], 1)
    store.set_next("game2", "game1")
    before = count(store, "game3")
    with store.database.changes() as changes:
        remove_match(changes, "game1")
    assert count(store, "game1") == 0
    assert store.match("game1") is None
    assert store.ages(["game1"]) == {}
    assert getattr(store.match("game2"), "next", "") is None
    assert count(store, "game3") == before


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE entries SET text = 'x'", "only added"),
        ("UPDATE entries SET text = 'x' WHERE match = 'left'", "only added"),
        ("DELETE FROM entries", "only added"),
        ("DELETE FROM entries WHERE match = 'left'", "only added"),
        ("DELETE FROM matches", "a match with players stays"),
        ("DELETE FROM matches WHERE id = 'game1'", "a match with players stays"),
        ("UPDATE matches SET header = NULL WHERE id = 'game1'", "only loses names"),
        ("UPDATE matches SET header = 'other' WHERE id = 'left'", "only loses names"),
    ],
)
def test_nothing_else_can_be_removed_or_changed(store: Store, statement: str, said: str) -> None:
    """Not even in a match that nobody holds a seat in, such as an upload."""
    open_game(store)
    open_game(store, "left", owner="")
    refused(store, statement, said)
    assert store.entries("game1") == store.entries("left") == ["1 throw 1 2 3 4 5"]
    assert getattr(store.match("game1"), "header", None) == HEADER


def test_postgres_cannot_truncate_entries(store: Store) -> None:
    open_game(store)
    if store.database.dialect == "postgresql":
        refused(store, "TRUNCATE entries", "only added")
    assert store.entries("game1")


def test_a_header_loses_a_name_once(store: Store) -> None:
    open_game(store)
    remove_person(store, "ann", rename)
    refused(store, "UPDATE matches SET header = 'other'", "only loses names")


def test_a_person_is_removed_and_the_games_of_others_stay(store: Store) -> None:
    open_game(store, "alone", alone=True)
    open_game(store, "going")
    open_game(store, "over")
    end(store, "over")
    store.open_match(
        replace(OPENING, id="waiting"), [Seat("person", "Ann", "a"), Seat("open", "")], [(0, "ann")]
    )
    store.open_match(
        replace(OPENING, id="waits"),
        [Seat("person", "Ann", "a"), Seat("person", "Bo", "b")],
        [(0, "ann"), (1, "bo")],
    )
    found = remove_person(store, "ann", rename)
    assert found == Removal(("alone", "waiting"), ("going", "over", "waits"))
    assert remove_person(store, "ann", rename) == Removal()
    assert count(store, "alone") == count(store, "waiting") == 0
    for match, kind in (("going", "open"), ("over", "person")):
        stored = store.match(match)
        assert stored
        assert [(seat.kind, seat.name, seat.seed) for seat in stored.seats] == [
            (kind, "deleted:1", "a"),
            ("person", "Bo", "b"),
        ]
        assert stored.keys == {"bo": {1}}
        assert stored.header == "player deleted:1      #0\nplayer Bo      #2\n"
        assert stored.opening.owner == "deleted"
        assert store.entries(match)[0] == "1 throw 1 2 3 4 5"
    waits = store.match("waits")
    assert waits
    assert waits.seats[0] == Seat("open", "", "a")
    assert store.database.rows("SELECT name FROM results ORDER BY seat") == [("deleted:1",), ("Bo",)]
    assert store.results_of("ann").results == []
    assert [one.match for one in store.results_of("bo").results] == ["over"]
    for table in TABLES:
        assert "ann" not in str(store.database.rows(f"SELECT * FROM {table}")).lower()


def test_every_device_of_a_seat_is_the_same_person(store: Store) -> None:
    open_game(store, alone=True)
    store.add_link("game1", 0, "link", expires="2026-02")
    store.follow_link("game1", "link", "phone", "2026-01")
    assert remove_person(store, "phone", rename) == Removal(("game1",), ())
    assert count(store, "game1") == 0


def test_who_left_a_game_that_they_opened_is_forgotten_as_its_host(store: Store) -> None:
    open_game(store)
    store.leave_seat("game1", 0, "ann")
    assert remove_person(store, "ann", rename) == Removal((), ("game1",))
    assert getattr(store.match("game1"), "opening", OPENING).owner == "deleted"


def test_only_old_matches_of_a_kind_go(store: Store) -> None:
    open_game(store, "old", alone=True)
    open_game(store, "over", alone=True)
    end(store, "over")
    open_game(store, "upload", owner="")
    assert remove_old(store, ABANDONED, MADE) == ["old"]
    assert remove_old(store, ABANDONED, LATER) == []
    assert remove_old(store, UPLOADED, OPENING.created) == []
    assert remove_old(store, UPLOADED, LATER) == ["upload"]
    assert remove_old(store, FINISHED, MADE) == []
    assert remove_old(store, FINISHED, LATER) == ["over"]
    assert all(store.database.rows(f"SELECT * FROM {table}") == [] for table in TABLES)


def test_a_move_keeps_an_old_match(store: Store) -> None:
    open_game(store)
    store.append(Addition("game1", 1, ("1 keep 1",), LATER))
    assert remove_old(store, ABANDONED, LATER) == []


def test_a_batch_is_bounded(store: Store) -> None:
    for number in range(BATCH + 1):
        open_game(store, f"game{number}", alone=True)
    assert len(remove_person(store, "ann", rename).removed) == BATCH
    assert len(remove_old(store, ABANDONED, LATER)) == 1


def test_a_move_in_a_removed_match_is_rejected_alone(store: Store) -> None:
    open_game(store)
    moves = [Addition("gone", 0, ("1 keep 1",), MADE), Addition("game1", 1, ("1 keep 1",), MADE)]
    assert store.append_batch(moves) == [False, True]
    with pytest.raises(EntryTaken):
        store.append(moves[0])
