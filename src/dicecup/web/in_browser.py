"""The application inside a browser: a service worker of the site asks, Python answers (see docs/site.md).

There are no threads, processes or sockets here. What the app runs in threads runs directly, one piece at a
time, and ends when the browser has stored what it changed: an answer always follows the storing. The worker
passes requests on without cookies, which browsers hide from it: they are kept beside the database.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Callable, Iterable
from functools import partial
from http.cookies import CookieError, SimpleCookie
from tempfile import TemporaryDirectory
from typing import Any, Protocol
from urllib.parse import unquote, urlencode

import anyio.to_thread
from jinja2.bccache import Bucket, BytecodeCache
from starlette.types import Message

from dicecup.errors import StorageError, UsageError

COOKIES = "cookies"
DATABASE = "/data/games.db"
FIRST_PAGES = ("/", "/new/yatzy")
# Addresses in our pages begin with /. A site may be in a folder of its host, which then comes before them.
ADDRESS = re.compile(rb'((?:href|action|src|hx-get|hx-post)=\\?")/(?!/)')
HIDDEN = r'name="(csrf|version)" value="([^"]*)"'  # fields of the forms of a match
PAGES = (b"text/html", b"text/event-stream")


class Pages(Protocol):
    """The database file as the service worker keeps it (browser/pages.js)."""

    settings: Any

    @property
    def dirty(self) -> bool: ...

    @property
    def written(self) -> bool:
        """Whether the database file has changed, not only the data stored beside it."""

    def keep(self, settings: str) -> None: ...

    async def save(self) -> None: ...


class FurtherValues(Protocol):
    """The coach's values, which are fetched when they are needed (browser/service-worker.js)."""

    names: Iterable[str]  # addresses in the site

    def fetch(self, name: str) -> Any:
        """Fetch a file into the program's file system; to be awaited."""


class Direct:
    """Runs work that a server runs in threads, then waits until the browser has stored its changes."""

    def __init__(self, pages: Pages) -> None:
        self.pages = pages
        self.turn = asyncio.Lock()

    async def run(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Any:
        async with self.turn:
            try:
                return function(*arguments, **named)
            finally:
                await self.save()

    async def save(self) -> None:
        """Store what has changed. Cookies alone are no reason to refuse: they go with the next change."""
        if not self.pages.dirty:
            return
        written = self.pages.written
        try:
            await self.pages.save()
        except Exception as error:
            if written:
                raise StorageError("browser_full", problem=str(error)) from None

    async def run_sync(self, function: Callable[..., Any], *arguments: Any, **_limits: Any) -> Any:
        return await self.run(function, *arguments)

    def install(self) -> None:
        def run_in_executor(_executor: object, function: Callable[..., Any], *arguments: Any) -> Any:
            return asyncio.ensure_future(self.run(function, *arguments))

        loop: Any = asyncio.get_running_loop()
        loop.run_in_executor = run_in_executor
        asyncio.to_thread = self.run
        anyio.to_thread.run_sync = self.run_sync  # type: ignore[assignment]


class TemplateCache(BytecodeCache):
    """Keeps compiled templates beside compiled modules (browser/bytecode.py)."""

    def __init__(self, bytecode: Any) -> None:
        self.bytecode = bytecode

    def key(self, bucket: Bucket) -> str:
        return f"{bucket.environment.globals['language']} {bucket.key}"

    def load_bytecode(self, bucket: Bucket) -> None:
        if code := self.bytecode.templates.get(self.key(bucket)):
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        self.bytecode.keep_template(self.key(bucket), bucket.bytecode_to_string())


class Jar:
    """The cookies of the only visitor."""

    def __init__(self, pages: Pages) -> None:
        self.pages = pages
        self.cookies: dict[str, str] = json.loads(getattr(pages.settings, COOKIES, "{}"))

    @property
    def header(self) -> bytes:
        return "; ".join(f"{name}={value}" for name, value in self.cookies.items()).encode(
            "latin-1", "ignore"
        )

    def take(self, headers: list[tuple[bytes, bytes]]) -> bool:
        """Take over the cookies that an answer sets; return whether any has changed."""
        before = dict(self.cookies)
        for name, value in headers:
            if name == b"set-cookie":
                self.set(value.decode("latin-1"))
        if self.cookies != before:
            self.pages.keep(json.dumps({COOKIES: json.dumps(self.cookies)}))
        return self.cookies != before

    def set(self, text: str) -> None:
        try:
            parsed = SimpleCookie(text)
        except CookieError:
            return
        for name, morsel in parsed.items():
            if morsel["max-age"] == "0":
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = morsel.coded_value


class BrowserServer:
    """Answers the requests of the service worker."""

    def __init__(
        self, app: Any, direct: Direct, base: str, languages: str, to_js: Callable[..., Any]
    ) -> None:
        self.app = app
        self.jar = Jar(direct.pages)
        self.direct = direct
        self.to_js = to_js
        self.has_api = False
        self.base = base
        self.languages = languages

    async def answer(
        self, about: Any, headers: Any, body: Any, begin: Any, more: Any, end: Any, leaving: Any
    ) -> None:
        content = body.to_bytes() if body else b""
        messages: list[Message] = [{"type": "http.request", "body": content, "more_body": False}]
        head: Message = {}
        begun = False

        async def receive() -> Message:
            if messages:
                return messages.pop()
            await leaving
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            nonlocal head, begun
            if message["type"] == "http.response.start":
                head = message
                self.jar.take(head["headers"])
                async with self.direct.turn:
                    await self.direct.save()
                return
            chunk = self.with_base(head, message.get("body", b""))
            last = not message.get("more_body")
            if not begun:
                begun = True
                lines = self.lines(head)
                if last:
                    begin(head["status"], self.to_js(lines), self.to_js(chunk))
                    return
                begin(head["status"], self.to_js(lines))
            if chunk:
                more(self.to_js(chunk))
            if last:
                end()

        scope = self.scope(about, headers)
        if scope["path"].startswith("/api/") and not self.has_api:
            from dicecup.web.app import api_routes

            self.has_api = True
            self.app.router.routes[:0] = api_routes()
        await self.app(scope, receive, send)

    def scope(self, about: Any, headers: Any) -> Message:
        """A request of JavaScript as an ASGI application takes it."""
        method, protocol, host, path, query = about
        given = [(name.lower().encode(), value.encode("latin-1", "ignore")) for name, value in headers]
        given += [(b"host", host.encode()), (b"accept-language", self.languages.encode())]
        given.append((b"cookie", self.jar.header))
        return {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": protocol.rstrip(":"),
            "path": "/" + unquote(path.removeprefix(self.base)),
            "raw_path": path.encode(),
            "query_string": query.removeprefix("?").encode(),
            "root_path": "",
            "headers": given,
            "client": ("127.0.0.1", 1),
            "server": (host.partition(":")[0], 80),
            "state": {},
        }

    def lines(self, head: Message) -> list[list[str]]:
        """The headers of an answer as JavaScript takes them."""
        found = []
        for name, value in head["headers"]:
            text = value.decode("latin-1")
            if name in (b"location", b"hx-redirect") and text.startswith("/"):
                text = self.base + text[1:]
            if name not in (b"set-cookie", b"content-length"):
                found.append([name.decode("latin-1"), text])
        return found

    def with_base(self, head: Message, body: bytes) -> bytes:
        kind = dict(head["headers"]).get(b"content-type", b"")
        if self.base == "/" or not kind.startswith(PAGES):
            return body
        return ADDRESS.sub(rb"\1" + self.base.encode(), body)

    def values_came(self) -> None:
        """Look again for the coach's values: some have been fetched."""
        forget_values()

    async def fetch_values(self, fetch: Callable[[str], Any], name: str) -> None:
        """Fetch a file of values that somebody needs now."""
        try:
            await fetch(name)
        except Exception:
            raise UsageError("values_unreachable") from None
        self.values_came()

    async def draw(self, path: str, form: dict[str, str] | None = None) -> str:
        """Handle a request that the program makes itself, for a page or with a form; return the response."""
        about = ("POST" if form else "GET", "http:", "localhost", path, "")
        sent = [["content-type", "application/x-www-form-urlencoded"], ["hx-request", "true"]]
        body = self.to_js(urlencode(form).encode()) if form else None
        answers: list[str] = []

        def begin(_status: int, _lines: Any, whole: Any) -> None:
            answers.append(whole.to_bytes().decode())

        never = asyncio.get_running_loop().create_future()
        await self.answer(about, sent if form else [], body, begin, None, None, never)
        return answers[0]

    async def rest(self) -> None:
        """Stop making changes: another version takes over."""
        self.app.state.matches.subscribers.close()
        await self.direct.turn.acquire()


def forget_values() -> None:
    """Forget which of the coach's values are here."""
    from dicecup.coach import advice
    from dicecup.solver import ready
    from dicecup.solver.double import wasm

    for module in (advice, ready, wasm):
        for function in vars(module).values():
            if hasattr(function, "cache_clear"):
                function.cache_clear()


class NoPages:
    """A null object for the browser's storage."""

    settings: Any = None
    dirty = written = False

    def keep(self, settings: str) -> None:
        """Keep nothing."""

    async def save(self) -> None:
        """Store nothing."""


async def prepare(bytecode: Any, languages: str) -> None:
    """Render pages and roll once, so that a snapshot taken afterwards contains all that they need."""
    from dicecup.web.pages import render

    render.template_cache = TemplateCache(bytecode)
    with TemporaryDirectory() as folder:
        server, life = await opened(NoPages(), "/", languages, f"{folder}/games.db")
        for path in FIRST_PAGES:
            await server.draw(path)
        await first_roll(server)
        await life.__aexit__(None, None, None)


async def first_roll(server: BrowserServer) -> None:
    """Open a match for the visitor, look at it, and roll."""
    from dicecup.web.guard import COOKIE
    from dicecup.web.service.opening import NewMatch, NewSeat, open_match

    wish = NewMatch("yatzy", [NewSeat("person", "A")])
    match = await open_match(server.app.state.matches, wish, server.jar.cookies[COOKIE])
    page = await server.draw(f"/t/{match.id}")
    await server.draw(f"/t/{match.id}/throw", dict(re.findall(HIDDEN, page)))


def settle() -> None:
    """Drop what is not needed any more, before a snapshot is made."""
    from dicecup.web.app import spare_long_lived_objects

    forget_values()  # none were there yet when the first pages were drawn
    spare_long_lived_objects()


async def start(pages: Pages, base: str, languages: str, further: FurtherValues) -> BrowserServer:
    """Start the application, whose database is in place, and return what answers requests."""
    from dicecup.web.service import advising

    random.seed()  # a snapshot begins with the same numbers every time
    server, _life = await opened(pages, base, languages, DATABASE)
    advising.further_values.update(
        {name.rpartition("/")[2]: partial(server.fetch_values, further.fetch, name) for name in further.names}
    )
    return server


async def opened(pages: Pages, base: str, languages: str, database: str) -> tuple[BrowserServer, Any]:
    from pyodide.ffi import to_js

    from dicecup.web.app import create_app
    from dicecup.web.settings import Settings

    direct = Direct(pages)
    direct.install()
    app = create_app(Settings(database=database, hosts="*", limits=False))
    life = app.router.lifespan_context(app)
    await life.__aenter__()
    await direct.save()
    return BrowserServer(app, direct, base, languages, to_js), life
