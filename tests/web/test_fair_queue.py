"""Callers take turns by what their work costs: nobody waits behind the queue of another."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient
from tests.web.conftest import Player
from tests.web.direct_client import DirectClient

from dicecup.engine.state import start
from dicecup.errors import UsageError
from dicecup.rules import load_ruleset
from dicecup.web.app import create_app
from dicecup.web.service import worker
from dicecup.web.service.advising import Advising
from dicecup.web.service.worker import (
    LENGTH,
    MOST_OF_CALLER,
    Caller,
    FairQueue,
    FairTurns,
    Worker,
    caller_of_request,
    unpack,
)
from dicecup.web.settings import Settings

LIMITS: dict[str, Any] = {"most": 1000, "most_of_caller": 500, "busy": "coach_busy"}
ANN, BO = Caller("people", "ann"), Caller("people", "bo")
BOTS = Caller("bots", "owner")


def run(work: Coroutine[Any, Any, None]) -> None:
    """Run in a separate thread: browser tests in the same process leave a running loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()


def queue_of(*items: tuple[Caller, str]) -> FairQueue[str]:
    queue: FairQueue[str] = FairQueue(lambda item: item != "cancelled")
    for caller, item in items:
        queue.add(item, caller, **LIMITS)
    return queue


def taken(queue: FairQueue[str], cost: float = 1.0) -> list[str]:
    """Take everything; every item costs the same."""
    found = []
    while following := queue.take():
        found.append(following[1])
        queue.charge(following[0], cost)
    return found


def test_callers_alternate_however_much_one_has_queued() -> None:
    many = [(ANN, f"ann {number}") for number in range(5)]
    queue = queue_of(*many, (BO, "bo 0"), (BO, "bo 1"))
    assert taken(queue) == ["ann 0", "bo 0", "ann 1", "bo 1", "ann 2", "ann 3", "ann 4"]
    assert len(queue) == 0


def test_bots_have_half_of_the_time() -> None:
    people = [(Caller("people", f"{number}"), f"person {number}") for number in range(4)]
    queue = queue_of(*people, (BOTS, "bot 0"), (BOTS, "bot 1"))
    order = ["person 0", "bot 0", "person 1", "bot 1", "person 2", "person 3"]
    assert taken(queue) == order


def test_cost_counts_and_not_the_number_of_items() -> None:
    queue = queue_of(*[(ANN, "dear")] * 3, *[(BO, "cheap")] * 40)
    found = []
    while following := queue.take():
        found.append(following[1])
        queue.charge(following[0], 10.0 if following[1] == "dear" else 1.0)
    assert found[:12] == ["dear", *["cheap"] * 10, "dear"]


def test_being_away_saves_nothing_up_and_costs_stay_known() -> None:
    queue = queue_of(*[(ANN, "ann")] * 50)
    taken(queue)
    for caller, item in [(ANN, "ann"), (BO, "bo"), (BO, "bo"), (BO, "bo"), (ANN, "ann")]:
        queue.add(item, caller, **LIMITS)
    assert taken(queue) == ["bo", "ann", "bo", "ann", "bo"]


def test_urgent_items_come_first_within_a_caller_only() -> None:
    queue = queue_of((ANN, "late"), (BO, "bo"))
    queue.add("urgent", ANN, urgency=3, **LIMITS)
    assert taken(queue) == ["urgent", "bo", "late"]


def test_cancelled_items_are_skipped_and_cost_nothing() -> None:
    queue = queue_of((ANN, "cancelled"), (ANN, "cancelled"), (ANN, "one"))
    assert taken(queue) == ["one"]


def test_a_full_queue_is_refused_with_a_sentence() -> None:
    queue = queue_of((ANN, "one"), (ANN, "two"))
    with pytest.raises(UsageError, match="still working on what you asked for") as full:
        queue.add("three", ANN, most=100, most_of_caller=2, busy="coach_busy")
    assert full.value.code == "still_working"
    queue.add("one", BO, most=3, most_of_caller=2, busy="coach_busy")
    with pytest.raises(UsageError) as full:
        queue.add("two", BO, most=3, most_of_caller=2, busy="coach_busy")
    assert full.value.code == "coach_busy"


@given(st.lists(st.tuples(st.integers(0, 4), st.floats(0.1, 10)), min_size=1, max_size=60))
def test_nobody_gets_ahead_by_more_than_one_item(work: list[tuple[int, float]]) -> None:
    """While two callers wait, what they have used differs by at most one item of the dearest kind."""
    queue: FairQueue[float] = FairQueue(bool)
    for number, cost in work:
        queue.add(cost, Caller("people", str(number)), **LIMITS)
    used: dict[str, float] = {}
    while following := queue.take():
        caller, cost = following
        waiting = {name for share in queue.shares.values() for name in share.by_caller}
        for name in waiting:
            assert used.get(caller.name, 0.0) <= used.get(name, 0.0) + 1e-6
        used[caller.name] = used.get(caller.name, 0.0) + cost
        queue.charge(caller, cost)
    assert len(queue.shares["people"].spending.spent) <= 5


def test_a_hint_waits_for_one_piece_of_work_and_bots_still_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """One caller fills its queue; another's hint and a bot's move come after the piece under way."""
    clock = iter(range(10_000))
    monkeypatch.setattr(worker, "monotonic", lambda: next(clock))

    async def work() -> None:
        coach, asked, go_on = Worker(), [], asyncio.Event()

        async def exchange(question: bytes) -> tuple[bool, object]:
            asked.append(unpack(question[LENGTH.size :])[1][0])
            await go_on.wait()
            return True, None

        coach.exchange = exchange  # type: ignore[method-assign]

        def ask(who: str, what: str, caller: Caller | None = None) -> asyncio.Task[Any]:
            caller_of_request.set(who)  # inherited by the task, as from a request
            return asyncio.create_task(coach.ask("advice", what, caller=caller))

        greedy = [ask("greedy", f"greedy {number}") for number in range(MOST_OF_CALLER + 1)]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        others = [ask("greedy", "one too many"), ask("patient", "hint"), ask("", "bot", BOTS)]
        await asyncio.sleep(0)
        go_on.set()
        answers = await asyncio.gather(*greedy, *others, return_exceptions=True)
        refused = [answer.code for answer in answers if isinstance(answer, UsageError)]
        assert refused == ["still_working"] * len(refused)
        assert refused
        assert asked[0] == "greedy 0"
        assert set(asked[1:3]) == {"hint", "bot"}
        await coach.stop()

    run(work())


def test_turns_are_fair_and_survive_cancelling() -> None:
    async def work() -> None:
        turns, order, go_on = FairTurns(100, 50, "server_busy"), [], asyncio.Event()

        async def take(who: str, what: str) -> None:
            caller_of_request.set(who)
            async with turns.turn():
                order.append(what)
                await go_on.wait()

        tasks = [asyncio.create_task(take("a", f"a{number}")) for number in range(4)]
        tasks.append(asyncio.create_task(take("b", "b0")))
        await asyncio.sleep(0)
        tasks[1].cancel()
        go_on.set()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert order[:2] == ["a0", "b0"]
        assert sorted(order) == ["a0", "a2", "a3", "b0"]
        assert not turns.held
        await take("c", "c0")  # it is free again

    run(work())


def test_whoever_is_cancelled_when_it_is_their_turn_passes_it_on() -> None:
    async def work() -> None:
        turns, order = FairTurns(100, 50, "server_busy"), []

        async def take(what: str) -> None:
            async with turns.turn():
                order.append(what)

        turns.held = True
        first, second = asyncio.create_task(take("first")), asyncio.create_task(take("second"))
        await asyncio.sleep(0)
        turns.release()  # it is the first one's turn, which has not noticed yet
        first.cancel()
        await asyncio.gather(first, second, return_exceptions=True)
        assert order == ["second"]
        assert not turns.held

    run(work())


@pytest.mark.one_database
def test_callers_are_the_networks_of_clients(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[str] = []
    honest = worker.caller_now

    def noted() -> Caller:
        found.append(honest().name)
        return honest()

    monkeypatch.setattr(worker, "caller_now", noted)
    app = create_app(settings)
    with DirectClient(app, client=("192.0.2.7", 50000)) as client:
        ann = Player(client)
        state = ann.open()
        ann.get(f"/matches/{state['id']}/record")
        other = TestClient(app, client=("2001:db8::1", 50000))
        other.get(f"/api/matches/{state['id']}/record")
        other.get(f"/api/matches/{state['id']}/proof")
    assert [name for name in found if name] == ["192.0.2.7", "2001:db8::/64", "2001:db8::/64"]


def test_decisions_of_bots_come_from_their_own_share(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else hints of one address would hold up the bots, and bots the hints."""
    found: list[Any] = []

    class Noted:
        async def ask(self, *_question: Any, caller: Caller | None = None, urgency: int = 0) -> None:
            found.append((caller, urgency))

    async def work() -> None:
        advising = Advising(0)
        monkeypatch.setattr(advising, "quick", Noted())
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        ready.set_result(None)
        monkeypatch.setattr(advising, "prepare", lambda _rules: ready)
        rules = load_ruleset("yatzy")
        await advising.decide("optimal", rules, start(rules), "owner")

    run(work())
    assert found == [(Caller("bots", "owner"), 0)]
