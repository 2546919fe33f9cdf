"""Fair queues for work that takes long: callers take turns by what their work costs, not by their requests.

A caller is the network of a client. Whoever has used the least time is next, and a new caller begins where
the others are: nobody waits for more than the piece of work under way, however much another caller has
queued. Bots have a share of their own: half of the time while people wait too.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Generic, Literal, Protocol, TypeVar

from dicecup.errors import UsageError

Share = Literal["people", "bots"]
Item = TypeVar("Item")

caller_of_request: ContextVar[str] = ContextVar("caller", default="")  # tasks inherit it from their request


class LoopPlace(Protocol):
    """The place of a request among those of its client that the event loop serves (see `web.guard`)."""

    async def come_back(self) -> None:
        """Wait for a place again, if the request lost its place while it waited for something else."""

    async def pause(self) -> None:
        """Wait while the client has used up its share of the event loop."""


place_of_request: ContextVar[LoopPlace | None] = ContextVar("place", default=None)


@dataclass(frozen=True, slots=True)
class Caller:
    share: Share
    name: str


def caller_now() -> Caller:
    """The caller whose request is being served; work of the server itself has an empty name."""
    return Caller("people", caller_of_request.get())


async def wait_with_others(task: asyncio.Task[Any], seconds: float) -> bool:
    """Wait for a task that many requests may wait for; whether it is done in time. It continues otherwise.

    Those of one client then go on one after the other, as if they had just come.
    """
    await asyncio.wait({task}, timeout=seconds)
    if place := place_of_request.get():
        await place.come_back()
    return task.done()


class Spending:
    """Virtual time: how much each of several parties has used, and who is next."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}
        self.clock = 0.0  # where the party that was served last stood

    def next(self, waiting: Iterable[str]) -> str:
        """Choose the party that has used the least; the first of several."""
        chosen = min(waiting, key=self.standing)
        self.clock = max(self.clock, self.standing(chosen))
        return chosen

    def standing(self, party: str) -> float:
        """Who was away gains nothing by it."""
        return max(self.spent.get(party, 0.0), self.clock)

    def charge(self, party: str, cost: float) -> None:
        self.spent[party] = self.standing(party) + cost
        # Only those ahead of the clock have to be remembered.
        self.spent = {party: spent for party, spent in self.spent.items() if spent > self.clock}


@dataclass
class Waiting(Generic[Item]):
    """What one share has in the queue, by the names of the callers."""

    by_caller: dict[str, list[tuple[int, int, Item]]] = field(default_factory=dict)
    spending: Spending = field(default_factory=Spending)


class FairQueue(Generic[Item]):
    """Items by caller. Within one caller the most urgent comes first, then the oldest."""

    def __init__(self, is_alive: Callable[[Item], bool]) -> None:
        self.is_alive = is_alive  # false for items whose request was cancelled
        self.numbers = itertools.count()
        self.shares: dict[str, Waiting[Item]] = {}
        self.spending = Spending()

    def __len__(self) -> int:
        return sum(len(items) for share in self.shares.values() for items in share.by_caller.values())

    def add(
        self, item: Item, caller: Caller, urgency: int = 0, *, most: int, most_of_caller: int, busy: str
    ) -> None:
        """Add an item, or raise `still_working` or `busy` if the caller's queue or the whole one is full."""
        share = self.shares.setdefault(caller.share, Waiting())
        items = [entry for entry in share.by_caller.get(caller.name, ()) if self.is_alive(entry[2])]
        if len(items) >= most_of_caller:
            raise UsageError("still_working")
        if len(self) >= most:
            raise UsageError(busy)
        items.append((-urgency, next(self.numbers), item))
        heapq.heapify(items)
        share.by_caller[caller.name] = items

    def take(self) -> tuple[Caller, Item] | None:
        """Remove the item that is next."""
        while waiting := [name for name, share in self.shares.items() if share.by_caller]:
            chosen: Share = self.spending.next(waiting)  # type: ignore[assignment]
            share = self.shares[chosen]
            name = share.spending.next(share.by_caller)
            items = share.by_caller[name]
            *_, item = heapq.heappop(items)
            if not items:
                del share.by_caller[name]
            if self.is_alive(item):
                return Caller(chosen, name), item
        return None

    def charge(self, caller: Caller, cost: float) -> None:
        """Count what an item of this caller has cost."""
        self.spending.charge(caller.share, cost)
        self.shares.setdefault(caller.share, Waiting()).spending.charge(caller.name, cost)

    def clear(self) -> list[Item]:
        """Remove all items."""
        queues = [items for share in self.shares.values() for items in share.by_caller.values()]
        found = [item for items in queues for *_, item in items]
        self.shares.clear()
        return found


class FairTurns:
    """One at a time, in fair order."""

    def __init__(self, most: int, most_of_caller: int, busy: str) -> None:
        self.most = most
        self.most_of_caller = most_of_caller
        self.busy = busy
        self.held = False
        self.queue: FairQueue[asyncio.Future[None]] = FairQueue(lambda future: not future.done())

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for the caller's turn; the time until the block ends is what it costs."""
        caller = caller_now()
        if self.held:
            await self.wait(caller)
        self.held = True
        begun = monotonic()
        try:
            yield
        finally:
            self.queue.charge(caller, monotonic() - begun)
            self.release()

    async def wait(self, caller: Caller) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        limits = {"most": self.most, "most_of_caller": self.most_of_caller}
        self.queue.add(future, caller, busy=self.busy, **limits)
        try:
            await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled():  # it was this one's turn
                self.release()
            raise

    def release(self) -> None:
        """Let the next one in."""
        following = self.queue.take()
        if following is None:
            self.held = False
        else:
            following[1].set_result(None)
