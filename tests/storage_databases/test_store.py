"""The store: data round-trips, entry numbers are unique, and entries never change."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from tests.databases import with_tables  # noqa: F401 - for these tests

from dicecup.errors import StorageError
from dicecup.storage.database import RowTaken
from dicecup.storage.entries import EntryTaken
from dicecup.storage.results import add_verdicts, without_verdict
from dicecup.storage.store import PromiseTaken, Store, open_store
from dicecup.storage.stored import Addition, Opening, Result, Seat, Verdict

OPENING = Opening(
    id="table1",
    created="2026-01-01T10:00:00+00:00",
    owner="hash-of-ann",
    ruleset="yatzy",
    options={"strike": "last_resort"},
    dice="verifiable",
    commitment="c" * 64,
    secret="5" * 64,
)
SEATS = [Seat("person", "Ann", "a"), Seat("bot", "bot:greedy", "b"), Seat("open", "")]
NOW = "2026-01-01T10:05:00+00:00"
LATER = "2026-01-02T10:05:00+00:00"


def opened(store: Store, opening: Opening = OPENING) -> Store:
    store.open_match(opening, SEATS, [(0, "hash-of-ann")])
    return store


def names_of(seats: Sequence[Seat]) -> str:
    """Stands for the text of a header."""
    return "header of " + ", ".join(seat.name for seat in seats)


def add(number: int, text: str, results: list[Result] | None = None, *, reopens: bool = False) -> Addition:
    return Addition("table1", number, (text,), NOW, tuple(results or ()), reopens)


def result(seat: int, points: int, match: str = "") -> Result:
    return Result(seat, "Ann", "yatzy", "1d", points, 1, 2, '{"ones": 3}', NOW, match)


def test_a_match_comes_back_as_it_was_opened(store: Store) -> None:
    found = opened(store).match("table1")
    assert found is not None
    assert found.opening == OPENING
    assert found.seats == tuple(SEATS)
    assert found.keys == {"hash-of-ann": {0}}
    assert (found.header, found.finished, found.next, found.consents) == (None, None, None, {})
    assert store.match("table2") is None


def test_secrets_do_not_show_when_a_match_is_printed(store: Store) -> None:
    found = opened(store).match("table1")
    assert OPENING.secret
    assert OPENING.secret not in repr(found)
    assert "hash-of-ann" not in repr(replace(found, opening=None))  # type: ignore[type-var]


def test_a_commitment_is_used_by_one_match_only(store: Store) -> None:
    opened(store)
    with pytest.raises(PromiseTaken):
        store.open_match(replace(OPENING, id="table2"), SEATS, [])
    assert store.match("table2") is None
    store.open_match(replace(OPENING, id="table3", commitment=None, dice="typed"), SEATS, [])
    store.open_match(replace(OPENING, id="table4", commitment=None, dice="typed"), SEATS, [])


def test_the_server_key_stays(store: Store, address: str) -> None:
    key = store.server_key()
    assert len(key) == 32
    again = open_store(address)
    assert again.server_key() == key
    again.close()


def test_entries_are_numbered_and_each_number_is_taken_once(store: Store) -> None:
    opened(store)
    store.append(add(0, "1 throw 1 2 3 4 5"))
    store.append(add(1, "1 score chance 15"))
    with pytest.raises(EntryTaken):
        store.append(add(1, "1 score ones 1"))
    assert store.entries("table1") == ["1 throw 1 2 3 4 5", "1 score chance 15"]
    assert store.entries("table1", 1) == ["1 score chance 15"]


def test_of_concurrent_writes_of_one_number_one_succeeds(store: Store, address: str) -> None:
    opened(store)
    stores = [open_store(address) for _ in range(4)]
    won: list[int] = []

    def write(number: int) -> None:
        for entry in range(20):
            try:
                stores[number].append(add(entry, f"{number}"))
            except EntryTaken:
                continue
            won.append(entry)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(won) == list(range(20))
    assert len(store.entries("table1")) == 20
    for other in stores:
        other.close()


@pytest.mark.parametrize("statement", ["UPDATE entries SET text = 'x'", "DELETE FROM entries"])
def test_entries_cannot_be_changed(store: Store, statement: str) -> None:
    opened(store).append(add(0, "1 throw 1 2 3 4 5"))
    with pytest.raises((RowTaken, Exception), match="only added"), store.database.changes() as changes:
        changes.run(statement)
    assert store.entries("table1") == ["1 throw 1 2 3 4 5"]


def test_a_game_begins_once_with_the_seats_that_are_taken(store: Store) -> None:
    seats = [Seat("open", ""), Seat("person", "Ann", "a"), Seat("open", ""), Seat("open", "")]
    store.open_match(OPENING, seats, [(1, "hash-of-ann")])
    assert store.take_seat("table1", 3, Seat("person", "Bo", "s"), "hash-of-bo", names_of)
    assert not store.begin_if_full("table1", names_of)
    assert store.begin("table1", names_of)
    assert not store.begin("table1", names_of)
    found = store.match("table1")
    assert found is not None
    assert found.header == "header of Ann, Bo"
    assert [seat.name for seat in found.seats] == ["Ann", "Bo"]
    assert found.keys == {"hash-of-ann": {0}, "hash-of-bo": {1}}


def test_the_last_seat_and_the_beginning_are_one_transaction(store: Store) -> None:
    opened(store)

    def failing(seats: Sequence[Seat]) -> str:
        raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        store.take_seat("table1", 2, Seat("person", "Bo"), "hash-of-bo", failing)
    found = store.match("table1")
    assert found is not None
    assert (found.seats[2].kind, found.header, set(found.keys)) == ("open", None, {"hash-of-ann"})
    assert store.take_seat("table1", 2, Seat("person", "Bo"), "hash-of-bo", names_of)
    assert getattr(store.match("table1"), "header", None) == "header of Ann, bot:greedy, Bo"


def test_of_many_that_take_the_last_seats_at_once_the_last_begins(store: Store, address: str) -> None:
    """None of them knows before the transaction that it takes the last seat."""
    store.open_match(OPENING, [Seat("person", "Ann"), *[Seat("open", "")] * 4], [(0, "hash-of-ann")])
    stores = [open_store(address) for _ in range(4)]

    def take(number: int) -> bool:
        seat = Seat("person", f"Player {number}")
        return stores[number - 1].take_seat("table1", number, seat, f"hash-of-{number}", names_of)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(take, range(1, 5)))
    assert getattr(store.match("table1"), "header", None) == (
        "header of Ann, Player 1, Player 2, Player 3, Player 4"
    )
    for other in stores:
        other.close()


def test_an_open_seat_is_taken_once(store: Store) -> None:
    opened(store)
    assert store.take_seat("table1", 2, Seat("person", "Bo"), "hash-of-bo", names_of)
    for number in (2, 0, 9):
        assert not store.take_seat("table1", number, Seat("person", "Cy"), "hash-of-cy", names_of)
    found = store.match("table1")
    assert found is not None
    assert found.keys == {"hash-of-ann": {0}, "hash-of-bo": {2}}


def test_a_seat_that_is_left_is_open_when_no_device_holds_it(store: Store) -> None:
    opened(store)
    store.add_link("table1", 0, "hash-of-link", expires=LATER)
    assert store.follow_link("table1", "hash-of-link", "hash-of-phone", NOW) == 0
    assert store.follow_link("table1", "hash-of-link", "hash-of-phone", NOW) == 0
    assert store.follow_link("table1", "rubbish", "hash-of-phone", NOW) is None
    assert store.follow_link("table1", "hash-of-ann", "hash-of-phone", NOW) is None
    store.leave_seat("table1", 0, "hash-of-ann")
    found = store.match("table1")
    assert found is not None
    assert found.seats[0].kind == "person"
    assert found.keys == {"hash-of-phone": {0}}
    store.leave_seat("table1", 0, "hash-of-phone")
    found = store.match("table1")
    assert found is not None
    assert found.seats[0].kind == "open"
    assert not found.keys
    assert store.follow_link("table1", "hash-of-link", "hash-of-phone", NOW) is None


def test_links_expire(store: Store) -> None:
    opened(store).add_link("table1", 0, "hash-of-link", expires=NOW)
    assert store.follow_link("table1", "hash-of-link", "hash-of-phone", LATER) is None
    assert store.follow_link("table1", "hash-of-link", "hash-of-phone", NOW) is None


def test_links_are_revoked_with_or_without_the_devices_that_used_them(store: Store) -> None:
    opened(store).add_link("table1", 0, "hash-of-link", expires=LATER)
    store.add_link("table1", 1, "hash-of-other", expires=LATER)
    store.follow_link("table1", "hash-of-link", "hash-of-phone", NOW)
    store.revoke_links("table1", 0)
    assert store.follow_link("table1", "hash-of-link", "hash-of-tablet", NOW) is None
    found = store.match("table1")
    assert found is not None
    assert set(found.keys) == {"hash-of-ann", "hash-of-phone"}
    store.revoke_links("table1", 0, "hash-of-ann")
    found = store.match("table1")
    assert found is not None
    assert set(found.keys) == {"hash-of-ann"}
    assert store.follow_link("table1", "hash-of-other", "hash-of-tablet", NOW) == 1  # another seat's


def test_the_servers_key_is_replaced(store: Store) -> None:
    first = store.server_key()
    assert store.server_key() == first
    store.rotate_server_key()
    assert store.server_key() != first
    assert len(store.server_key()) == 32


def test_agreement_holds_for_one_version(store: Store) -> None:
    opened(store).append(add(0, "1 throw 1 2 3 4 5"))
    store.consent("table1", 1, [0], 3)
    store.consent("table1", 1, [0, 2], 1)
    found = store.match("table1")
    assert found is not None
    assert found.consents == {0: 1, 2: 1}
    store.refuse("table1", 1)
    assert getattr(store.match("table1"), "consents", None) == {}
    store.consent("table1", 1, [0], 1)
    store.append(add(1, "1 score chance 15"))
    assert getattr(store.match("table1"), "consents", None) == {}


def test_results_belong_to_the_seats_of_a_device_and_go_with_an_undo(store: Store) -> None:
    opened(store)
    store.append(add(0, "1 score chance 15", [result(0, 200), result(1, 300)]))
    assert store.results_of("hash-of-ann").results == [result(0, 200, "table1")]
    assert store.results_of("hash-of-bo").results == []
    (line,) = store.matches_of("hash-of-ann").lines
    assert (line.id, line.finished, line.names) == ("table1", NOW, ("Ann", "bot:greedy", ""))
    assert [(end.seat, end.points, end.mine) for end in line.ended] == [(0, 200, True), (1, 300, False)]
    assert not line.tried
    store.append(add(1, "undo 1", reopens=True))
    assert store.results_of("hash-of-ann").results == []
    (line,) = store.matches_of("hash-of-ann").lines
    assert line.finished is None
    assert line.ended == ()
    assert store.matches_of("hash-of-bo").lines == []


def test_a_match_is_found_by_its_promise(store: Store) -> None:
    opened(store, replace(OPENING, commitment="c" * 64))
    assert store.match_promised("c" * 64) == "table1"
    assert store.match_promised("d" * 64) is None


def test_the_first_match_that_follows_stays(store: Store) -> None:
    opened(store)
    assert store.set_next("table1", "table2")
    assert not store.set_next("table1", "table3")
    assert getattr(store.match("table1"), "next", None) == "table2"


def test_a_database_from_the_future_is_refused(store: Store, address: str) -> None:
    with store.database.changes() as changes:
        changes.run("INSERT INTO migrations (number) VALUES (1000)")
    with pytest.raises(StorageError) as refused:
        open_store(address)
    assert refused.value.code == "database_newer"


def finished(store: Store, opening: Opening = OPENING) -> Store:
    return finish(opened(store, opening))


def finish(store: Store) -> Store:
    store.append(add(0, "1 throw 1 2 3 4 5"))
    store.append(add(1, "1 score chance 15", [result(0, 15), result(1, 9)]))
    return store


def test_promises_are_kept_until_they_are_used(store: Store) -> None:
    store.add_promise("one", "aa", "2026-01-02", "2026-01-01")
    store.add_promise("two", "bb", "2026-01-03", "2026-01-01")
    assert (store.promised_secret("one"), store.promised_secret("none")) == ("aa", None)
    store.open_match(OPENING, SEATS, [], promise="one")
    assert store.promised_secret("one") is None
    other = replace(OPENING, id="table2", commitment="d" * 64)
    with pytest.raises(PromiseTaken):
        store.open_match(other, SEATS, [], promise="one")
    assert store.match("table2") is None
    store.add_promise("three", "cc", "2026-01-05", "2026-01-04")
    assert store.promised_secret("two") is None  # made too long ago


def test_verdicts_are_stored_with_the_results(store: Store) -> None:
    finished(store)
    assert store.results_of("hash-of-ann").verdicts == {}
    assert without_verdict(store, "hash-of-ann", 5) == ["table1"]
    found = [Verdict(0, 12.25, -3.5, 0.125), Verdict(1, -1.0, 0.0, 0.0)]
    add_verdicts(store, "table1", 2, found)
    assert store.results_of("hash-of-ann").verdicts == {
        ("table1", 0): found[0]
    }  # the other seat is not Ann's
    assert without_verdict(store, "hash-of-ann", 5) == []
    assert [one.points for one in store.results_of("hash-of-ann").results] == [15]
    assert store.results_of("hash-of-bo").verdicts == {}


def test_a_review_of_an_undone_move_is_discarded(store: Store) -> None:
    finished(store)
    add_verdicts(store, "table1", 2, [Verdict(0, 12.25, -3.5, 0.125)])
    store.append(add(2, "undo 1", reopens=True))
    assert store.results_of("hash-of-ann").verdicts == {}
    store.append(add(3, "1 score ones 1", [result(0, 1), result(1, 9)]))
    add_verdicts(store, "table1", 2, [Verdict(0, 12.25, -3.5, 0.125)])  # a review of the game as it was
    assert store.results_of("hash-of-ann").verdicts == {}
    add_verdicts(store, "table1", 4, [Verdict(0, 0.5, -20.0, 1.5)])
    assert store.results_of("hash-of-ann").verdicts["table1", 0].skill == -20.0


def test_a_position_tried_again_counts_in_no_statistics(store: Store) -> None:
    finished(store, replace(OPENING, tried=True))
    assert store.results_of("hash-of-ann").results == []
    assert without_verdict(store, "hash-of-ann", 5) == []
    stored = store.match("table1")
    assert stored
    assert stored.opening.tried
    (line,) = store.matches_of("hash-of-ann").lines
    assert (line.finished, line.tried) == (NOW, True)
