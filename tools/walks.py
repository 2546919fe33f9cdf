"""Draw the packages and the three walks of docs/architecture.md from the code: tools/walks.py [--check]

A walk follows one action of a user through the code. It is run for real, and at a few moments that matter
(the milestones, named below as module and function) the call stack is taken: the modules on these stacks are
the walk. A task or a thread continues the call that started it, so that its stack begins with that call; what
other tasks do meanwhile is not part of the walk. The pictures stand between the markers `<!-- walks -->`.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import io
import json
import os
import re
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context, ContextVar, copy_context
from itertools import groupby, pairwise
from pathlib import Path
from types import FrameType
from typing import Any
from unittest import mock
from urllib.parse import urlencode

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"
PAGE = ROOT / "docs" / "architecture.md"
MARKER = "<!-- walks -->"
HOUSE_RULE = 'format = 1\nid = "our-yatzy"\nbase = "yatzy"\nbox.chance = false\n'
POSITION = "yatzy-sv / ones=3 pair=12 / 1 2 6 6 6 / 2"

# What is reached on each walk: (module, function), and what happens there.
MILESTONES: dict[str, dict[tuple[str, str], str]] = {
    "rules file → score": {
        ("rules.loader", "parse_rules_text"): "file read",
        ("rules.loader", "merge"): "base patched",
        ("rules.build", "build_ruleset"): "rules checked",
        ("rules.scoring", "__missing__"): "points found",
    },
    "click → other browser": {
        ("engine.legality", "offers"): "legal boxes found",
        ("storage.sqlite", "run"): "entry stored",
        ("web.service.subscribers", "notify"): "subscribers notified",
        ("web.pages.render", "render_parts"): "fragment rendered",
        ("web.service.subscribers", "event"): "event sent",
    },
    "hint → value": {
        ("rules.loader", "load_ruleset"): "rules loaded",
        ("engine.sheet_data", "sheet_from_data"): "position read",
        ("solver.ready", "open_packed"): "table opened",
        ("solver.plain_turn", "_solve"): "turn solved",
        ("coach.advice", "worths"): "choices ranked",
        ("coach.reasons", "reason"): "reasons found",
        ("cli.common", "print_json"): "answer written",
    },
}


def http_scope(method: str, path: str, headers: dict[str, str], client: str) -> dict[str, Any]:
    """A request as a server passes it to the application."""
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": (client, 1),
        "server": ("localhost", 80),
        "root_path": "",
    }


class Walk:
    """Records the modules on the call stack when a milestone is first reached, and all modules that run."""

    def __init__(self, milestones: dict[tuple[str, str], str]) -> None:
        self.milestones = milestones
        self.reached: dict[tuple[str, str], list[str]] = {}
        self.ran: set[str] = set()
        threading.setprofile(self.profile)  # of every thread that starts from now on
        sys.setprofile(self.profile)

    @property
    def modules(self) -> list[str]:
        """The modules on the stacks, in the order in which they were reached."""
        return list(dict.fromkeys(module for path in self.reached.values() for module in path))

    def profile(self, frame: FrameType, event: str, _argument: object) -> None:
        # It is called for every function of the program: the cheapest questions come first.
        if event != "call" or (before := started_by.get()) is None or not (module := module_of(frame)):
            return
        if module not in self.ran and not is_import(frame):
            self.ran.add(module)
        key = (module, frame.f_code.co_name)
        if key in self.milestones:
            stack = [*before, *stack_of(frame)]
            self.reached.setdefault(key, [module for module, _calls in groupby(stack)])

    def picture(self) -> str:
        """The modules as a graph, each milestone behind the module that reaches it."""
        lines = [f'    {module.replace(".", "_")}["{module}"]' for module in self.modules]
        for number, (key, path) in enumerate(self.reached.items(), start=1):
            lines.append(f'    step{number}(["{number}. {self.milestones[key]}"])')
            names = [module.replace(".", "_") for module in path] + [f"step{number}"]
            lines += [f"    {name} --> {following}" for name, following in pairwise(names)]
        return "\n".join(["```mermaid", "flowchart LR", *dict.fromkeys(lines), "```"])

    @contextlib.contextmanager
    def recording(self) -> Iterator[None]:
        outside = started_by.set([])
        yield
        started_by.reset(outside)
        threading.setprofile(None)
        sys.setprofile(None)
        if missing := self.milestones.keys() - self.reached.keys():
            raise SystemExit(f"walks.py: these milestones were not reached: {sorted(missing)}")


# The modules on the stack of the call that started this task or thread; None outside of a walk.
started_by: ContextVar[list[str] | None] = ContextVar("started_by", default=None)


def frames(innermost: FrameType | None) -> Iterator[FrameType]:
    """The call stack, the innermost call first."""
    while innermost is not None:
        yield innermost
        innermost = innermost.f_back


def stack_of(frame: FrameType) -> list[str]:
    """The modules on the call stack, the outermost call first."""
    return [module for each in frames(frame) if (module := module_of(each))][::-1]


def is_import(frame: FrameType) -> bool:
    """Whether a call only belongs to the import of a module."""
    return any(each.f_code.co_name == "<module>" and module_of(each) for each in frames(frame))


def continued() -> Context:
    """The context for a task or thread that the caller starts."""
    context = copy_context()
    if (before := started_by.get()) is not None:
        context.run(started_by.set, [*before, *stack_of(sys._getframe(1))])
    return context


def start_task(
    loop: asyncio.AbstractEventLoop, coroutine: Any, context: Context | None = None, **options: Any
) -> asyncio.Task[Any]:
    """Start a task, as the factory of tasks of an event loop."""
    context = continued() if context is None else context
    return asyncio.Task(coroutine, loop=loop, context=context, **options)


class ThreadPool(ThreadPoolExecutor):
    """Threads for the calls that hand work to them."""

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **named: Any) -> Any:
        return super().submit(continued().run, work, *arguments, **named)


def module_of(frame: FrameType) -> str:
    name = str(frame.f_globals.get("__name__", ""))
    return name.removeprefix("dicecup.") if name.startswith("dicecup.") else ""


def walk_rules(walk: Walk, folder: Path) -> None:
    from dicecup.engine import empty_sheet
    from dicecup.engine.legality import layer_offers
    from dicecup.rules import load_ruleset

    file = folder / "our-yatzy.toml"
    file.write_text(HOUSE_RULE, encoding="utf-8")
    with walk.recording():
        rules = load_ruleset(str(file))
        layer_offers(rules, empty_sheet(rules), (3, 3, 3, 6, 6))


def walk_hint(walk: Walk, folder: Path) -> None:
    os.environ["DICECUP_CACHE"] = str(folder)
    from dicecup.cli.main import main

    quiet = contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO())
    with quiet[0], quiet[1], walk.recording():
        main(["hint", POSITION, "--json"])


class Client:
    """Requests to the application without a network around it."""

    def __init__(self, app: Any, key: str = "") -> None:
        self.app = app
        self.key = key

    async def ask(self, method: str, path: str, body: bytes = b"", kind: str = "", send: Any = None) -> Any:
        """The body of the answer; with `send`, the messages of the answer go there as they come."""
        headers = {"host": "localhost", "content-type": kind, "content-length": str(len(body))}
        if self.key:
            headers |= {"cookie": f"{self.cookie}={self.key}"}
        scope = http_scope(method, path, headers, "127.0.0.1")
        requests = [{"type": "http.request", "body": body, "more_body": False}]
        received = bytearray()

        async def receive() -> dict[str, Any]:
            if requests:
                return requests.pop()
            await asyncio.Event().wait()  # the client never leaves
            raise AssertionError

        async def collect(message: dict[str, Any]) -> None:
            assert message.get("status", 200) < 400, message
            received.extend(message.get("body", b""))

        await self.app(scope, receive, send or collect)
        return received.decode()

    @property
    def cookie(self) -> str:
        from dicecup.web.guard import COOKIE

        return COOKIE

    async def token(self, page: str) -> str:
        """The token in the forms of a page."""
        found = re.search(r'name="csrf" value="(\w+)"', await self.ask("GET", page))
        assert found
        return found[1]

    async def submit(self, path: str, **fields: object) -> None:
        """Send a form of the page of a match."""
        form = urlencode(fields).encode()
        await self.ask("POST", path, form, "application/x-www-form-urlencoded")


async def click(walk: Walk, folder: Path) -> None:
    """Ann fills a box; Bo, who watches, gets the new sheet."""
    from dicecup.web.app import create_app
    from dicecup.web.settings import Settings

    asyncio.get_running_loop().set_task_factory(start_task)
    app = create_app(Settings(database=str(folder / "games.db")))
    async with app.router.lifespan_context(app):
        ann, bo = Client(app), Client(app)
        wish = {"game": "yatzy", "seats": [{"kind": "person", "name": "Ann"}]}
        opened = json.loads(
            await ann.ask("POST", "/api/matches", json.dumps(wish).encode(), "application/json")
        )
        ann.key = opened["key"]
        page = f"/t/{opened['state']['id']}"
        token = await ann.token(page)
        await ann.submit(f"{page}/throw", version=0, csrf=token)
        shown: asyncio.Queue[bytes] = asyncio.Queue()

        async def send(message: dict[str, Any]) -> None:
            if body := message.get("body"):
                await shown.put(body)

        watching = asyncio.create_task(bo.ask("GET", f"{page}/events", send=send))
        await shown.get()
        with walk.recording():
            await ann.submit(f"{page}/score", version=1, box="chance", csrf=token)
            await shown.get()
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching


def walk_click(walk: Walk, folder: Path) -> None:
    with mock.patch("dicecup.storage.entries.ThreadPoolExecutor", ThreadPool):
        asyncio.run(click(walk, folder))


WALKS: dict[str, Callable[[Walk, Path], None]] = {
    "rules file → score": walk_rules,
    "click → other browser": walk_click,
    "hint → value": walk_hint,
}


def packages() -> str:
    """The packages and their imports as a mermaid graph, without the arrows that follow from others."""
    imports: dict[str, set[str]] = {}
    sizes: Counter[str] = Counter()
    for path in sorted((SOURCE / "dicecup").rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        package = parts[1] if len(parts) > 2 or (SOURCE / "dicecup" / f"{parts[-1]}.py").exists() else ""
        if not package:
            continue
        sizes[package] += path.name != "__init__.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("dicecup."):
                other = node.module.split(".")[1]
                if other != package:
                    imports.setdefault(package, set()).add(other)
    lines = ["```mermaid", "flowchart TD"]
    lines += [f'    {name}["{name}<br>{count} modules"]' for name, count in sizes.items() if count > 1]
    for package, others in imports.items():
        indirect = {far for other in others for far in reachable(imports, other)}
        lines += [f"    {package} --> {other}" for other in sorted(others - indirect)]
    return "\n".join([*lines, "```"])


def reachable(imports: dict[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    new = set(imports.get(start, ()))
    while new:
        found |= new
        new = {far for other in new for far in imports.get(other, ())} - found
    return found


def modules() -> str:
    """Every module with the first line of its docstring, by package, and how many there are."""
    rows = ["| module | what it is |", "|---|---|"]
    count = 0
    for path in sorted((SOURCE / "dicecup").rglob("*.py"), key=lambda path: (len(path.parts) > 3, path)):
        name = ".".join(path.relative_to(SOURCE / "dicecup").with_suffix("").parts)
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        sentence = " ".join(text.split("\n\n")[0].split())
        label = f"**{name.removesuffix('.__init__')}**" if name.endswith("__init__") else f"`{name}`"
        rows.append(f"| {label} | {sentence} |")
        count += path.name != "__init__.py"
    return "\n".join([f"{count} modules; packages, in bold, are not counted.", "", *rows])


def section() -> str:
    """What stands between the markers."""
    blocks = ["## Packages", packages(), "## Modules", modules()]
    for name, run in WALKS.items():
        walk = Walk(MILESTONES[name])
        with tempfile.TemporaryDirectory() as folder:
            run(walk, Path(folder))
        counted = (
            f"{len(walk.modules)} modules are on the call stack when one of the numbered steps is reached; "
            f"in all, functions of about {round(len(walk.ran), -1)} modules run."
        )
        title = f"## {name[0].upper()}{name[1:]}: {len(walk.modules)} modules"
        blocks += [title, counted, walk.picture()]
    return "\n\n".join(blocks)


def main() -> int:
    before, old, after = PAGE.read_text(encoding="utf-8").split(MARKER)
    new = f"\n\n{section()}\n\n"
    if "--check" in sys.argv:
        return int(new != old)
    PAGE.write_text(MARKER.join((before, new, after)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
