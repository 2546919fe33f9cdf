"""The event loop's time, shared between clients: whoever uses much of it is slowed down, and nobody else.

Each client network has a lane. Its requests run side by side while they have used little of the loop's time,
then one after the other, and wait once their share is used up. What counts is the time that a request takes
in the event loop, measured step by step; time in threads, worker processes and the database does not.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from time import monotonic, perf_counter
from typing import Any

SHARE = 0.4  # seconds of the loop's time that a client may use in a second
BURST = 0.5  # seconds that it may use at once
MOST_AT_ONCE = 6  # requests of a client that has used little
PATIENCE = (
    0.25  # seconds after which a request that still waits, for the coach or a thread, holds up no other
)
MOST_WAITING = 100  # requests of a client; further ones are refused
MOST_LANES = 1000  # from which on idle ones are forgotten


class Timed:
    """A coroutine whose steps in the event loop are timed."""

    def __init__(self, coroutine: Coroutine[Any, Any, None]) -> None:
        self.coroutine = coroutine
        self.seconds = 0.0

    def __await__(self) -> Generator[Any, Any, None]:
        error: BaseException | None = None
        while True:
            begun = perf_counter()
            try:
                pending = self.coroutine.throw(error) if error else self.coroutine.send(None)
            except StopIteration:
                return
            finally:
                self.seconds += perf_counter() - begun
            try:
                yield pending
                error = None
            except BaseException as raised:  # a cancellation, too, is the coroutine's to handle
                error = raised


class Lane:
    """The requests of one client."""

    def __init__(self, now: float) -> None:
        self.level = BURST  # seconds it may still use; negative: it has used too much
        self.then = now
        self.running = 0
        self.waiting: deque[asyncio.Future[None]] = deque()
        self.timer: asyncio.TimerHandle | None = None

    def refill(self, now: float) -> None:
        self.level = min(BURST, self.level + (now - self.then) * SHARE)
        self.then = now

    @property
    def free(self) -> bool:
        """Whether one more request may start now."""
        if self.level <= 0:
            return False
        return self.running < (MOST_AT_ONCE if self.level > BURST / 2 else 1)

    @property
    def idle(self) -> bool:
        return not self.running and not self.waiting and self.level >= BURST


class LanePlace:
    """The place of a request in its lane, until it ends or has waited long for something else."""

    def __init__(self, lane: Lane, let_in: Callable[[Lane], None]) -> None:
        self.lane = lane
        self.let_in = let_in
        self.held = True

    def leave(self) -> None:
        if self.held:
            self.held = False
            self.lane.running -= 1
        self.let_in(self.lane)


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
            lane.running += 1
        timed = Timed(work)
        place = LanePlace(lane, self.let_in)
        timer = asyncio.get_running_loop().call_later(PATIENCE, place.leave)
        try:
            await timed
        finally:
            timer.cancel()
            lane.level -= timed.seconds
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
                lane.running += 1
                future.set_result(None)
        if lane.waiting and lane.level <= 0 and lane.timer is None:
            seconds = -lane.level / SHARE + 0.001
            lane.timer = asyncio.get_running_loop().call_later(seconds, self.look_again, lane)

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
