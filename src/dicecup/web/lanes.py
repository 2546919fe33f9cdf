"""Shares of the event loop: whoever uses much of its time is slowed down, and nobody else."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from time import monotonic
from typing import Any

from dicecup.web.service.fair_queue import place_of_request

# Each client network has a lane: its requests run side by side while they have used little of the event
# loop's time, then one after the other, and wait once their share is used up. Time in threads, worker
# processes and the database does not count.
LOOP_SHARE = 0.25  # seconds of the loop's time that a client may use in a second
LOOP_BURST = 0.2  # seconds that it may use at once
MOST_AT_ONCE = 3  # requests of a client that has used little
PATIENCE = 0.25  # seconds; a request that waits longer, for the coach or a thread, holds up no other
MOST_WAITING = 100  # requests of a client; further ones are refused
MOST_LANES = 1000  # from which on idle ones are forgotten

thread_time = getattr(time, "thread_time", time.monotonic)  # there are no threads in a browser


class Timed:
    """A coroutine whose steps in the event loop are timed, by the time of the processor."""

    def __init__(self, coroutine: Coroutine[Any, Any, None], charge: Callable[[float], None]) -> None:
        self.coroutine = coroutine
        self.charge = charge  # called with the seconds of each step

    def __await__(self) -> Generator[Any, Any, None]:
        error: BaseException | None = None
        while True:
            begun = thread_time()
            try:
                pending = self.coroutine.throw(error) if error else self.coroutine.send(None)
            except StopIteration:
                return
            finally:
                self.charge(thread_time() - begun)
            try:
                yield pending
                error = None
            except BaseException as raised:  # a cancellation, too, is the coroutine's to handle
                error = raised


class Lane:
    """The requests of one client."""

    def __init__(self, now: float) -> None:
        self.level = LOOP_BURST  # seconds it may still use; negative: it has used too much
        self.then = now
        self.running = 0
        self.started = False  # whether a request has started in this iteration of the event loop
        self.waiting: deque[asyncio.Future[None]] = deque()
        self.timer: asyncio.TimerHandle | None = None

    def refill(self, now: float) -> None:
        self.level = min(LOOP_BURST, self.level + (now - self.then) * LOOP_SHARE)
        self.then = now

    def charge(self, seconds: float) -> None:
        self.level -= seconds

    @property
    def seconds_until_free(self) -> float:
        """How long it takes until there is time again, if there is none now."""
        return max(-self.level / LOOP_SHARE, 0) + 0.001

    @property
    def free(self) -> bool:
        """Whether one more request may start now."""
        if self.level <= 0 or self.started:
            return False
        return self.running < (MOST_AT_ONCE if self.level > LOOP_BURST / 2 else 1)

    def start(self) -> None:
        """Count one more request; the next one starts after others had the event loop."""
        self.running += 1
        self.started = True

    @property
    def idle(self) -> bool:
        return not self.running and not self.waiting and self.level >= LOOP_BURST


class LanePlace:
    """The place of a request in its lane, until it ends or has waited long for something else."""

    def __init__(self, lane: Lane, lanes: Lanes) -> None:
        self.lane = lane
        self.lanes = lanes
        self.ended = False
        self.take()

    def take(self) -> None:
        """Have the place, which counts already, until patience runs out."""
        self.held = True
        self.timer = asyncio.get_running_loop().call_later(PATIENCE, self.leave)

    def leave(self) -> None:
        self.timer.cancel()
        if self.held:
            self.held = False
            self.lane.running -= 1
        self.lanes.let_in(self.lane)

    async def come_back(self) -> None:
        """Wait for a place again, after a long wait for something else.

        Otherwise all who waited for the same answer would be served at once, whatever that takes.
        """
        if not self.held and not self.ended:  # tasks outlive the request that began them
            await self.lanes.wait(self.lane)
            self.take()

    async def pause(self) -> None:
        """Let others have the loop between two pieces of a long answer, longer if the share is used up."""
        await asyncio.sleep(0)
        self.lane.refill(monotonic())
        while self.lane.level <= 0:
            await asyncio.sleep(self.lane.seconds_until_free)
            self.lane.refill(monotonic())


class Lanes:
    def __init__(self) -> None:
        self.lanes: dict[str, Lane] = {}

    async def run(self, client: str, work: Coroutine[Any, Any, None]) -> bool:
        """Run a request in its client's lane; return False without running it if too many wait there."""
        now = monotonic()
        lane = self.lanes.get(client)
        if lane is None:
            self.forget_idle(now)
            lane = self.lanes[client] = Lane(now)
        lane.refill(now)
        if lane.waiting or not lane.free:
            if len(lane.waiting) >= MOST_WAITING:
                work.close()
                return False
            try:
                await self.wait(lane)
            except BaseException:
                work.close()
                raise
        else:
            self.start(lane)
        place = LanePlace(lane, self)
        place_of_request.set(place)
        try:
            await Timed(work, lane.charge)
        finally:
            place.ended = True
            place.leave()
        return True

    async def wait(self, lane: Lane) -> None:
        """Wait until a request may start; it counts as running from then on."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        lane.waiting.append(future)
        self.let_in(lane)
        try:
            await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled():  # it could have started
                lane.running -= 1
                self.let_in(lane)
            raise

    def let_in(self, lane: Lane) -> None:
        """Start the requests that may start now; look again when the lane has time again."""
        lane.refill(monotonic())
        while lane.waiting and (lane.free or lane.waiting[0].done()):
            future = lane.waiting.popleft()
            if not future.done():  # otherwise it was cancelled
                self.start(lane)
                future.set_result(None)
        if lane.waiting and lane.level <= 0 and lane.timer is None:
            loop = asyncio.get_running_loop()
            lane.timer = loop.call_later(lane.seconds_until_free, self.look_again, lane)

    def start(self, lane: Lane) -> None:
        lane.start()
        asyncio.get_running_loop().call_soon(self.others_had_a_turn, lane)

    def others_had_a_turn(self, lane: Lane) -> None:
        lane.started = False
        self.let_in(lane)

    def look_again(self, lane: Lane) -> None:
        lane.timer = None
        self.let_in(lane)

    def forget_idle(self, now: float) -> None:
        """Forget clients that would begin with a full share anyway, once there are many."""
        if len(self.lanes) < MOST_LANES:
            return
        for client, lane in list(self.lanes.items()):
            lane.refill(now)
            if lane.idle:
                del self.lanes[client]
