"""The matches of this process, in memory or loaded from the store, and notifications from other processes."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TypeVar

from dicecup.engine.record import Record
from dicecup.engine.record_text import join_record
from dicecup.errors import DicecupError, UsageError
from dicecup.installation import is_installed
from dicecup.storage.entries import Writer
from dicecup.storage.store import Store
from dicecup.storage.stored import TRANSIENT, Notice
from dicecup.web.service.advising import NICE, Advising, make_worker
from dicecup.web.service.headers import should_have_begun
from dicecup.web.service.identity import is_match_id
from dicecup.web.service.live_match import LiveMatch
from dicecup.web.service.presence import PRESENCE_INTERVAL
from dicecup.web.service.record_work import LONG
from dicecup.web.service.runner import Runner
from dicecup.web.service.subscribers import Subscribers
from dicecup.web.service.worker import FairTurns, warm_all
from dicecup.web.settings import Settings

Answer = TypeVar("Answer")

MOST_IN_MEMORY = 2000  # matches
MOST_BYTES = 250_000_000  # of them, about
MOST_IN_BACKGROUND = 200  # pieces of work that wait; further ones are refused
MOST_OF_CALLER = 10  # of them
MARKS = "marks "  # begins the transient message with the marks of a player


class Observer:
    """Receives events for metrics; this base class ignores them."""

    def persisted(self, entries: int) -> None:
        """So many entries have been stored."""

    def storage_failed(self, code: str) -> None:
        """The database could not do what was asked."""


class Ages:
    """The ages of matches in the store. Requests that arrive during a query share the next one."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.waiting: dict[str, asyncio.Future[tuple[int, int] | None]] = {}
        self.busy: asyncio.Task[None] | None = None

    async def of(self, match: str) -> tuple[int, int] | None:
        """Its age at a moment after this call; None if it does not exist."""
        if match not in self.waiting:
            self.waiting[match] = asyncio.get_running_loop().create_future()
        if self.busy is None:
            self.busy = asyncio.create_task(self.work())
        return await asyncio.shield(self.waiting[match])  # others may wait for the same

    async def work(self) -> None:
        while self.waiting:
            asked, self.waiting = self.waiting, {}
            try:
                found = await asyncio.to_thread(self.store.ages, list(asked))
            except Exception as error:
                for future in asked.values():
                    future.set_exception(error)
                    future.exception()  # whoever asked may have been cancelled
            else:
                for match, future in asked.items():
                    future.set_result(found.get(match))
        self.busy = None


class Matches:
    """The only way to a match. Changes are persisted first; only then are subscribers notified."""

    def __init__(self, store: Store, settings: Settings, observer: Observer | None = None) -> None:
        self.store = store
        self.settings = settings
        self.observer = observer or Observer()
        self.server_key = store.server_key()
        self.subscribers = Subscribers(settings.limits)
        self.writer = Writer(store, self.observer.persisted)
        self.ages = Ages(store)
        most_memory = settings.worker_megabytes * 1_000_000
        self.advising = Advising(most_memory)
        self.runner = Runner(self)
        self.live: OrderedDict[str, LiveMatch] = OrderedDict()
        self.background = ThreadPoolExecutor(1, "background")
        # Its answers name house rules of strangers, which take up to 50 ms to load.
        self.reader = make_worker(NICE, most_memory, busy="server_busy", failed="server_failed", large=0)
        self.background_turns = FairTurns(MOST_IN_BACKGROUND, MOST_OF_CALLER, "server_busy")
        self.reader_turns = FairTurns(MOST_IN_BACKGROUND, MOST_OF_CALLER, "server_busy")
        self.stop_listening: Callable[[], None] = lambda: None

    def start(self) -> None:
        """Listen to other processes, and prepare the coach. Called inside the event loop."""
        loop = asyncio.get_running_loop()

        def notified(notice: Notice) -> None:
            loop.call_soon_threadsafe(lambda: self.runner.spawn(self.refresh(notice)))

        self.stop_listening = self.store.listen(notified)
        self.runner.spawn(self.subscribers.keep_alive())
        if self.store.database.shared:
            self.runner.spawn(self.publish_presence_regularly())
        if self.settings.warm and is_installed("solver"):
            self.runner.spawn(warm_all())

    async def stop(self) -> None:
        self.subscribers.close()
        self.background.shutdown(wait=False, cancel_futures=True)
        await self.runner.stop()
        await self.advising.stop()
        await self.reader.stop()
        await asyncio.to_thread(self.stop_listening)
        self.writer.stop()
        self.store.close()

    async def get(self, match: str, played: Record | None = None) -> LiveMatch:
        """The match; its record if that was just stored, and has been played."""
        live = await self.current(match, played)
        if live.stored.opening.part_of:
            live.whole = await self.current(live.stored.opening.part_of)
            await self.gather(live.whole)
        elif live.apart:
            await self.gather(live)
        self.runner.start_if_due(live)
        self.advising.work_ahead(live)
        return live

    async def seen_by(self, match: str, holder: str | None) -> LiveMatch:
        """Return the match, or raise `match_unknown` if it is hidden from the holder of this key."""
        live = await self.get(match)
        if live.hidden and not live.seats_of(holder):
            raise UsageError("match_unknown")
        return live

    async def current(self, match: str, played: Record | None = None) -> LiveMatch:
        """The match as it is now, whichever process changed it last."""
        live = self.live.get(match) or await self.load(match, played)
        self.live.move_to_end(match)
        if self.store.database.shared:
            await self.catch_up(live)
        return live

    async def gather(self, whole: LiveMatch) -> None:
        """Find the matches in which the players of a match with the same dice play alone."""
        for seat, match in whole.stored.parts.items():
            part = await self.current(match)
            part.whole = whole
            whole.parts[seat] = part

    async def load(self, match: str, played: Record | None) -> LiveMatch:
        if not is_match_id(match):
            raise UsageError("match_unknown")
        found, texts = await asyncio.to_thread(self.store.match_and_entries, match)
        if found is None:
            raise UsageError("match_unknown")
        listeners = (
            self.subscribers.notify,
            self.runner.start_if_due,
            self.part_changed,
            self.advising.work_ahead,
        )
        loaded = LiveMatch(self.store, found, self.writer.write, listeners, self.work_on_record)
        stored = found
        if should_have_begun(found):
            stored, texts = await asyncio.to_thread(loaded.fetch)
        played = played or await loaded.replayed(stored, texts)
        await asyncio.to_thread(loaded.take_over, stored, texts, played)
        live = self.live.setdefault(match, loaded)  # another request may have loaded it meanwhile
        self.forget_oldest(match)
        return live

    def forget_oldest(self, loaded: str) -> None:
        """Keep the matches in memory within bounds, after one more was loaded."""
        size = sum(live.size for live in self.live.values())
        while len(self.live) > MOST_IN_MEMORY or size > MOST_BYTES:
            oldest = next(iter(self.live))
            if oldest == loaded or self.subscribers.has(oldest) or self.live[oldest].lock.locked():
                self.live.move_to_end(oldest)
                break
            size -= self.live.pop(oldest).size

    def part_changed(self, live: LiveMatch) -> None:
        """Notify the subscribers of the whole match of a change in the match of one seat."""
        if live.whole is not None and live.whole.apart:
            live.whole.notify()

    async def catch_up(self, live: LiveMatch) -> None:
        """Load what another process has stored before its notification arrives."""
        age = await self.ages.of(live.id)
        if age is None:
            self.forget(live.id)
            raise UsageError("match_unknown")
        if not is_behind(live, age):
            return
        async with live.lock:  # held while a change of our own is persisted and not yet taken over
            if is_behind(live, age):
                await live.reload()
                live.notify()

    async def refresh(self, notice: Notice) -> None:
        """Handle a notification of another process: a change, or a transient message."""
        if notice.number == TRANSIENT:
            if (found := self.live.get(notice.match)) is not None:
                for text in notice.texts:
                    self.receive(found, text)
            return
        for name in [notice.match] if notice.match else list(self.live):
            live = self.live.get(name)
            if live is not None:
                await self.follow(live, notice)

    def mark(self, live: LiveMatch, seats: frozenset[int], version: int, slots: frozenset[int]) -> None:
        """Show everyone which dice the player is about to keep; this is not a move, and is not stored."""
        live.mark(seats, version, slots)
        self.publish_transient(live, MARKS + live.marks)

    def react(self, live: LiveMatch, seats: frozenset[int], reaction: str, seat: int | None = None) -> None:
        """Show everyone a short reaction; this is not a move, and is not stored."""
        sent = live.company.react(seats, reaction, seat)
        live.notify()
        self.publish_transient(live, f"reaction {sent.seat} {sent.id}")

    def publish_transient(self, live: LiveMatch, text: str) -> None:
        """Send other processes a transient message about a match."""
        if self.store.database.shared:
            self.runner.spawn(self.send_transient(live.id, text))

    async def send_transient(self, match: str, text: str) -> None:
        with suppress(DicecupError):  # nothing depends on it
            await asyncio.to_thread(self.store.publish_transient, match, text)

    def receive(self, live: LiveMatch, text: str) -> None:
        if text.startswith(MARKS):
            live.follow_marks(text.removeprefix(MARKS))
        if live.company.receive(text, live.seats_of):
            live.notify()
        if text.startswith("asks ") and live.company.streams:
            self.publish_presence(live)

    def publish_presence(self, live: LiveMatch, *, asking: bool = False) -> None:
        """Publish to the other processes which players are connected here, and request theirs."""
        kind, seats = "asks" if asking else "here", live.company.seats_here(live.seats_of)
        self.publish_transient(live, f"{kind} {self.store.process} {seats}".strip())

    async def publish_presence_regularly(self) -> None:
        """Periodically publish who is connected here, and expire old reports of other processes."""
        while True:
            await asyncio.sleep(PRESENCE_INTERVAL)
            for live in list(self.live.values()):
                if live.company.streams:
                    self.publish_presence(live)
                if live.company.update_presence(live.seats_of):
                    live.notify()

    async def follow(self, live: LiveMatch, notice: Notice) -> None:
        async with live.lock:
            try:
                if not live.follow(notice):
                    await live.reload()
            except UsageError:  # it has been removed
                self.forget(live.id)
            else:
                live.notify()

    def forget(self, match: str) -> None:
        """End everything that goes on in a match that has been removed from the store."""
        live = self.live.pop(match, None)
        if live is not None:
            live.gone = True
            live.match = None
            live.notify()

    async def in_background(self, work: Callable[..., Answer], *arguments: object) -> Answer:
        """Run work that grows with the size of a match in a thread, through a fair queue of clients."""
        loop = asyncio.get_running_loop()
        async with self.background_turns.turn():
            return await loop.run_in_executor(self.background, partial(work, *arguments))

    async def work_on_record(self, entries: int, work: Callable[..., Answer], *arguments: object) -> Answer:
        """Run a function of `record_work` through a fair queue of clients.

        On a long record it runs in a worker process with a low priority. That process may hang: nothing else
        waits for it.
        """
        if entries <= LONG or self.advising.direct:
            return await self.in_background(work, *arguments)
        async with self.reader_turns.turn():
            found: Answer = await self.reader.ask(work.__name__, *arguments)
            return found

    async def record_text(self, live: LiveMatch) -> str:
        """The record so far, put together from the texts in the store."""
        live.playing()

        def read() -> str:
            return join_record(live.stored.header or "", self.store.entries(live.id))

        return await self.in_background(read)


def is_behind(live: LiveMatch, age: tuple[int, int]) -> bool:
    return any(here < there for here, there in zip(live.age, age, strict=True))
