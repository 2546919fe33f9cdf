"""The event loop's time is shared: a client that uses much of it is slowed down, the others are not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from tests.web.conftest import Player
from tests.web.direct_client import DirectClient

from dicecup.web import guard as module
from dicecup.web.app import create_app
from dicecup.web.guard import MOST_AT_ONCE, MOST_LANES, MOST_WAITING, Lane, Lanes, Timed
from dicecup.web.settings import Settings


class Clock:
    """Time that passes only when something is said to take it."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(module, "monotonic", found)
    monkeypatch.setattr(module, "thread_time", found)
    return found


def run(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run in a separate thread: browser tests in the same process leave a running loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work()).result()


async def settle() -> None:
    for _ in range(MOST_WAITING + 50):
        await asyncio.sleep(0)


def test_only_time_in_the_loop_is_counted(clock: Clock) -> None:
    async def request() -> None:
        clock.now += 1.0  # computes
        future = asyncio.get_running_loop().create_future()

        def answered() -> None:
            clock.now = 50.0
            future.set_result(None)

        asyncio.get_running_loop().call_soon(answered)
        await future  # waits, for a thread or the database
        clock.now += 2.0

    async def work() -> None:
        timed = Timed(request())
        await timed
        assert timed.seconds == 3.0

    run(work)


def test_errors_and_cancelling_reach_the_request() -> None:
    async def fails() -> None:
        await asyncio.sleep(0)
        raise ValueError("as usual")

    seen: list[str] = []

    async def waits() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    async def work() -> None:
        with pytest.raises(ValueError, match="as usual"):
            await Timed(fails())

        async def await_timed() -> None:
            await Timed(waits())

        task = asyncio.create_task(await_timed())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert task.cancelled()
        assert seen == ["cancelled"]

    run(work)


def test_requests_run_side_by_side_then_one_by_one_then_wait(clock: Clock) -> None:
    async def work() -> None:
        lanes, running, most = Lanes(), 0, [0]
        go_on = asyncio.Event()

        async def request() -> None:
            nonlocal running
            running += 1
            most.append(running)
            await go_on.wait()
            clock.now += 0.05
            running -= 1

        tasks = [asyncio.create_task(lanes.run("greedy", request())) for _ in range(20)]
        await settle()
        assert max(most) == MOST_AT_ONCE
        go_on.set()
        most.clear()
        await settle()
        lane = lanes.lanes["greedy"]
        assert max(most) <= 1 + MOST_AT_ONCE
        assert most[-1] == 1  # one by one once half of the burst is used
        assert lane.level <= 0
        assert lane.waiting  # then nothing starts
        other = asyncio.create_task(lanes.run("patient", request()))
        await settle()
        assert other.done()  # another client is not affected
        while not all(task.done() for task in tasks):
            clock.now += 1.0
            lanes.look_again(lane)
            await settle()
        assert all(task.result() for task in tasks)

    run(work)


def test_requests_that_wait_for_the_coach_hold_up_no_others(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.0)

    async def work() -> None:
        lanes, answer, moved = Lanes(), asyncio.Event(), asyncio.Event()

        async def hint() -> None:
            await answer.wait()

        async def move() -> None:
            moved.set()

        hints = [asyncio.create_task(lanes.run("a", hint())) for _ in range(3 * MOST_AT_ONCE)]
        moving = asyncio.create_task(lanes.run("a", move()))
        await moved.wait()
        answer.set()
        await asyncio.gather(*hints, moving)
        assert lanes.lanes["a"].running == 0

    run(work)


def test_too_many_are_refused_and_never_run(clock: Clock) -> None:
    async def work() -> None:
        lanes, started = Lanes(), []
        go_on = asyncio.Event()

        async def request() -> None:
            started.append(1)
            await go_on.wait()

        tasks = [
            asyncio.create_task(lanes.run("a", request())) for _ in range(MOST_AT_ONCE + MOST_WAITING + 3)
        ]
        await settle()
        assert [task.result() for task in tasks if task.done()] == [False] * 3
        for task in tasks[MOST_AT_ONCE : MOST_AT_ONCE + 5]:
            task.cancel()
        go_on.set()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert len(started) == MOST_AT_ONCE + MOST_WAITING - 5
        assert lanes.lanes["a"].running == 0

    run(work)


def test_idle_clients_are_forgotten(clock: Clock) -> None:
    async def nothing() -> None:
        pass

    async def work() -> None:
        lanes = Lanes()
        lanes.lanes = {str(number): Lane(0.0) for number in range(MOST_LANES)}
        lanes.lanes["busy"] = Lane(0.0)
        lanes.lanes["busy"].level = -1.0
        await lanes.run("new", nothing())
        assert set(lanes.lanes) == {"busy", "new"}

    run(work)


@pytest.mark.one_database
def test_a_lane_that_is_full_is_answered_without_rendering(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with DirectClient(create_app(Settings(database))) as client:
        state = Player(client).open()

        async def full(_self: Lanes, _client: str, work: Coroutine[Any, Any, None]) -> bool:
            work.close()
            return False

        monkeypatch.setattr(Lanes, "run", full)
        answer = client.get(f"/t/{state['id']}")
        assert (answer.status_code, answer.text) == (429, "too_many_requests")
        assert answer.headers["Retry-After"]
        assert "Content-Security-Policy" in answer.headers


@pytest.mark.one_database
def test_a_client_that_is_told_to_wait_gets_no_state(ann: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    """The state of a large match costs as much as what was refused."""
    state = ann.open()
    turns = ann.client.app.state.matches.background_turns  # type: ignore[attr-defined]
    turns.held, turns.most_of_caller = True, 0
    refused = ann.get(f"/matches/{state['id']}/record")
    assert (refused.status_code, refused.json()["error"]["code"]) == (429, "still_working")
    assert refused.json()["state"] is None
    turns.held = False
