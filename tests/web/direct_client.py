"""A test client whose requests pass between its thread and the application's only once.

Starlette's hands every request over eight times, to be able to stream the answer and to cancel it: that takes
more processor time than the answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Self
from urllib.parse import unquote

import httpx2 as httpx
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Message
from tests.waiting import READY

from dicecup.engine.state import State
from dicecup.web.service.live_match import LiveMatch

STREAMS = "/events"  # answers without an end
LOOK_AGAIN = 5.0  # seconds


class DirectTransport(httpx.BaseTransport):
    """Answers when the application has finished with the request."""

    def __init__(self, client: DirectClient, streaming: httpx.BaseTransport) -> None:
        self.client = client
        self.streaming = streaming

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if self.client.portal is None or request.url.path.endswith(STREAMS):
            return self.streaming.handle_request(request)
        exchange = Exchange(self.scope_of(request), request.read())
        try:
            self.client.run(exchange)
        except Exception:
            if self.client.raises:
                raise
        if exchange.status is None:
            return httpx.Response(500, request=request)
        body = b"" if request.method == "HEAD" else bytes(exchange.answer)
        return httpx.Response(
            exchange.status, headers=exchange.headers, stream=httpx.ByteStream(body), request=request
        )

    def scope_of(self, request: httpx.Request) -> dict[str, Any]:
        url = request.url
        return {
            "type": "http",
            "http_version": "1.1",
            "method": request.method,
            "path": unquote(url.path),
            "raw_path": url.raw_path.partition(b"?")[0],
            "root_path": "",
            "scheme": url.scheme,
            "query_string": url.query,
            "headers": [
                (name.lower().encode(), value.encode()) for name, value in request.headers.multi_items()
            ],
            "client": self.client.address,
            "server": [url.host, url.port or {"http": 80, "https": 443}[url.scheme]],
            "extensions": {},
            "state": self.client.app_state.copy(),
        }

    def close(self) -> None:
        self.streaming.close()


class Exchange:
    """One request and the response to it, in the application's thread."""

    def __init__(self, scope: dict[str, Any], body: bytes) -> None:
        self.scope = scope
        self.body: bytes | None = body
        self.status: int | None = None
        self.headers: list[tuple[str, str]] = []
        self.answer = bytearray()
        self.complete = asyncio.Event()

    async def run(self, app: ASGIApp) -> None:
        await app(self.scope, self.receive, self.send)

    async def receive(self) -> Message:
        if self.body is not None:
            body, self.body = self.body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await self.complete.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            assert self.status is None, "a response begins once"
            self.status = message["status"]
            self.headers = [(name.decode(), value.decode()) for name, value in message["headers"]]
            return
        assert message["type"] == "http.response.body", message
        assert self.status is not None, "a body follows its head"
        assert not self.complete.is_set(), "nothing follows the end of a response"
        self.answer += message.get("body", b"")
        if not message.get("more_body", False):
            self.complete.set()


class DirectClient(TestClient):
    """Starlette's test client with fewer threads in the way of each request."""

    def __init__(self, app: ASGIApp, **settings: Any) -> None:
        super().__init__(app, **settings)
        self.raises: bool = settings.get("raise_server_exceptions", True)
        self.address: tuple[str, int] = settings.get("client", ("testclient", 50000))
        self._transport = DirectTransport(self, self._transport)

    def __enter__(self) -> Self:
        super().__enter__()
        assert self.portal
        self.loop: asyncio.AbstractEventLoop = self.portal.call(asyncio.get_running_loop)
        return self

    def run(self, exchange: Exchange) -> None:
        """Let the application answer, in its thread."""
        asyncio.run_coroutine_threadsafe(exchange.run(self.app), self.loop).result()

    def wait_for_match(self, match: str, wanted: Callable[[State], bool]) -> None:
        """Wait until a match is in such a state, without asking for it again and again."""
        asyncio.run_coroutine_threadsafe(self.state_of(match, wanted), self.loop).result()

    async def state_of(self, match: str, wanted: Callable[[State], bool]) -> None:
        live = await self.app.state.matches.get(match)  # type: ignore[attr-defined]
        changed = asyncio.Event()

        def hear(_live: LiveMatch) -> None:
            changed.set()

        before = live.listeners
        live.listeners = (*before, hear)
        try:
            async with asyncio.timeout(READY):  # kernels may have to be compiled first
                while not wanted(live.playing().state):
                    changed.clear()
                    with suppress(TimeoutError):  # after a failure a match rests until somebody looks at it
                        await asyncio.wait_for(changed.wait(), LOOK_AGAIN)
                    self.app.state.matches.runner.start_if_due(live)  # type: ignore[attr-defined]
        finally:
            live.listeners = before
