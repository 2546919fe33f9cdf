"""Server-sent events: what a table looks like now, and again after every change."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Hashable

from fastapi import Request
from fastapi.responses import StreamingResponse

from dicecup.web.service.live_match import LiveMatch
from dicecup.web.service.matches import Matches
from dicecup.web.service.subscribers import Subscriber

HEARTBEAT = 20.0  # seconds; keeps the line open through whatever stands between


def stream(
    request: Request,
    tables: Matches,
    table: LiveMatch,
    player: str,
    name: str,
    kind: Callable[[LiveMatch], tuple[Hashable, ...]],
    draw: Callable[[LiveMatch], str],
) -> StreamingResponse:
    """Events called `name`. All who look at the same kind of picture share one drawing of it.

    `player` holds a seat at the table, or is empty for somebody who only looks.
    """
    watcher = Subscriber(request.client.host if request.client else "unknown", player)

    async def events() -> AsyncIterator[bytes]:
        with tables.hub.watch(table.id, watcher) as changed:
            shown = -1
            while not tables.hub.closed and not await request.is_disconnected():
                now = tables.live.get(table.id, table)  # a watched table is not forgotten
                if now.revision != shown:
                    shown = now.revision
                    yield drawn(now, name, kind(now), draw)
                changed.clear()
                if now.revision == shown and not await woken(changed):
                    yield b": still here\n\n"

    # Afterwards no status can be sent any more.
    tables.hub.check_room(table.id, watcher)
    return StreamingResponse(
        events(),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def woken(changed: asyncio.Event) -> bool:
    try:
        await asyncio.wait_for(changed.wait(), HEARTBEAT)
    except TimeoutError:
        return False
    return True


def drawn(table: LiveMatch, name: str, kind: tuple[Hashable, ...], draw: Callable[[LiveMatch], str]) -> bytes:
    """The event for one kind of watcher, put together once a revision."""
    if kind not in table.drawn:
        table.drawn[kind] = event(name, f"{table.version}.{table.revision}", draw(table)).encode()
    return table.drawn[kind]


def event(name: str, stamp: str, text: str) -> str:
    lines = "".join(f"data: {line}\n" for line in text.splitlines())
    return f"event: {name}\nid: {stamp}\n{lines}\n"
