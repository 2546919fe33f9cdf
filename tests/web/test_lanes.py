"""The event loop's time is shared: a client that uses much of it is slowed down, the others are not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send
from tests.waiting import PATIENCE
from tests.web.conftest import Player
from tests.web.direct_client import DirectClient

from dicecup.web import guard as module
from dicecup.web.app import create_app
from dicecup.web.guard import LOOP_BURST, MOST_AT_ONCE, MOST_LANES, MOST_WAITING, Guard, Lane, Lanes, Timed
from dicecup.web.service.worker import wait_with_others
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
    monkeypatch.setattr(module, "PATIENCE", PATIENCE)  # its timer goes by the real time
    return found


def run(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run in a separate thread: browser tests in the same process leave a running loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work()).result()


def ignore(_seconds: float) -> None:
    pass


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
        charged: list[float] = []
        await Timed(request(), charged.append)
        assert charged == [1.0, 2.0]

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
            await Timed(fails(), ignore)

        async def await_timed() -> None:
            await Timed(waits(), ignore)

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
        for _second in range(100):
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


def test_requests_that_waited_for_one_answer_go_on_one_after_the_other(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A review that 40 requests waited for was sent to all of them at once: half a second for everybody."""
    monkeypatch.setattr(module, "PATIENCE", 0.0)

    async def work() -> None:
        lanes, ready, asking, served, running, most = Lanes(), asyncio.Event(), 0, 0, 0, 0
        review = asyncio.create_task(ready.wait())

        async def ask() -> None:
            nonlocal asking, served, running, most
            asking += 1
            assert await wait_with_others(review, 1000.0)
            running += 1
            most = max(most, running)
            await asyncio.sleep(0)
            clock.now += LOOP_BURST / 10
            running -= 1
            served += 1

        tasks = [asyncio.create_task(lanes.run("a", ask())) for _ in range(40)]
        while asking < 40:
            await asyncio.sleep(0)
        monkeypatch.setattr(module, "PATIENCE", 1000.0)
        ready.set()
        await settle()
        assert most <= MOST_AT_ONCE
        assert 10 <= served < 20  # then the share is used up
        assert lanes.lanes["a"].level <= 0
        for _second in range(100):
            clock.now += 1.0
            lanes.look_again(lanes.lanes["a"])
            await settle()
        assert served == 40
        assert most <= MOST_AT_ONCE
        assert all(await asyncio.gather(*tasks))
        assert lanes.lanes["a"].running == 0

    run(work)


def test_others_have_the_loop_between_two_requests_of_a_client(clock: Clock) -> None:
    """Requests that never wait ran one after the other in one iteration until the burst was used up."""

    async def work() -> None:
        lanes = Lanes()
        order: list[str] = []

        async def request(client: str) -> None:
            order.append(client)

        tasks = [asyncio.create_task(lanes.run("greedy", request("greedy"))) for _ in range(3)]
        tasks.append(asyncio.create_task(lanes.run("patient", request("patient"))))
        assert all(await asyncio.gather(*tasks))
        assert order == ["greedy", "patient", "greedy", "greedy"]

    run(work)


def test_a_task_that_outlives_its_request_takes_no_place(clock: Clock) -> None:
    async def work() -> None:
        lanes, ready = Lanes(), asyncio.Event()
        others: list[asyncio.Task[bool]] = []

        async def outlives() -> bool:
            return await wait_with_others(asyncio.create_task(ready.wait()), 1000.0)

        async def request() -> None:
            others.append(asyncio.create_task(outlives()))

        await lanes.run("a", request())
        ready.set()
        assert await others[0]
        assert lanes.lanes["a"].running == 0

    run(work)


def test_a_long_answer_pauses_while_the_share_is_used_up(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        if seconds:
            slept.append(seconds)
            clock.now += seconds
        await yield_to_others(0)

    yield_to_others = asyncio.sleep
    monkeypatch.setattr(asyncio, "sleep", sleep)

    async def app(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(10):
            clock.now += LOOP_BURST / 4
            await yield_to_others(0)
            await send({"type": "http.response.body", "body": b"piece", "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def send(message: Message) -> None:
        sent.append(message.get("body", b""))

    async def work() -> None:
        scope = {"type": "http", "method": "GET", "path": "/api/long", "headers": [(b"host", b"127.0.0.1")]}
        guard = Guard(app, Settings(""), lambda *_: pytest.fail("it is refused"))
        await guard(scope, lambda: asyncio.sleep(0), send)  # type: ignore[arg-type, return-value]

    sent: list[bytes] = []
    run(work)
    assert b"".join(sent) == 10 * b"piece"
    assert sum(slept) >= LOOP_BURST / 2 / module.LOOP_SHARE


def test_too_many_are_refused_and_never_run(clock: Clock) -> None:
    async def work() -> None:
        lanes, started = Lanes(), []
        go_on = asyncio.Event()

        async def request() -> None:
            started.append(1)
            await go_on.wait()

        tasks = [asyncio.create_task(lanes.run("a", request())) for _ in range(MOST_AT_ONCE)]
        await settle()
        tasks += [asyncio.create_task(lanes.run("a", request())) for _ in range(MOST_WAITING + 3)]
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
    assert not turns.held
    turns.held, turns.most_of_caller = True, 0
    refused = ann.get(f"/matches/{state['id']}/record")
    assert (refused.status_code, refused.json()["error"]["code"]) == (429, "still_working")
    assert refused.json()["state"] is None
    turns.held = False
