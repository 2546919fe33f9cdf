"""Measure how long others' moves take while one client does its worst within the limits.

    .venv/bin/python -m bench.web_attack [--games 20] [--seconds 10] [--clients 40] [--only try]
    .venv/bin/python -m bench.web_attack --blocks
    .venv/bin/python -m bench.web_attack --waits [--seconds 10] [--only try]

Starts `dicecup serve` with its limits on, and a temporary database. Some matches are played from one address,
two moves a second each, while another address sends one kind of expensive request as fast as it gets answers,
over many connections; refusals count as answers. Phases with and without an attack alternate in one run, so
that both see the same machine: `ratio` is the 99th percentile of an attack over that of the quiet phases
around it. Each kind of request is sent once before it is measured, since a server compiles its templates in
its first seconds; not so `review`, which the coach begins then, and which `review again` finds made. The
players and the attacker are two processes on the same machine, with the priority of the server.
Linux only: the addresses are 127.0.0.1 and 127.0.0.2.

`--blocks` needs no quiet machine: the application runs in this process, gets each kind of request a few times
at once, and the processor time of every step of its event loop is measured. Nobody else is answered during a
step, so the longest one is how long one request can hold up all others: `longest_ms`. `loop_ms` is what a
request takes of the loop altogether; `web/guard.py` bounds how much of that an address can use in a second.

`--waits` tells a slow server from a busy machine: the application runs in this process, one address attacks
and another one plays. Of the slowest percent of the moves it gives the time, and how long threads of this
process were ready to run meanwhile but waited for a processor, as Linux counts it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from bench.attacks import FULL, Send, attacks_on, long_record
from bench.web_load import Connection, Game
from starlette.types import ASGIApp, Message
from tests.web.killing import a_move
from tests.web.serving import Server
from tools.walks import http_scope

from dicecup.web.app import create_app
from dicecup.web.settings import Settings

ATTACKER = "127.0.0.2"
PERIOD = 0.5  # seconds between two moves of a match
REVIEW = 4  # times as long as other attacks: the coach needs some seconds until it is answered


class Client(Connection):
    """A connection of the attacker, from an address of its own."""

    async def open(self) -> None:
        self.reader, self.writer = await asyncio.open_connection(
            self.host, self.port, local_addr=(ATTACKER, 0)
        )

    async def send(self, request: bytes) -> int:
        """Send a request, read the whole answer, and return its status."""
        self.writer.write(request)
        answer = (await self.reader.readuntil(b"\r\n\r\n")).lower()
        if b"content-length: " in answer:
            await self.reader.readexactly(int(answer.partition(b"content-length: ")[2].partition(b"\r\n")[0]))
        else:
            while size := int(await self.reader.readline(), 16):
                await self.reader.readexactly(size + 2)
            await self.reader.readline()
        return int(answer[9:12])


def request_of(method: str, path: str, body: object) -> bytes:
    data = json.dumps(body).encode() if body is not None else b""
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(data)}\r\n"
    return f"{head}Content-Type: application/json\r\n\r\n".encode() + data


def attack_for(address: str, send: Send, clients: int, seconds: float) -> Counter[int]:
    """Attack from many connections for some seconds; return the statuses. Runs in a process of its own."""
    answers: Counter[int] = Counter()

    async def all_clients() -> None:
        request = request_of(*send)
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await asyncio.gather(*(attack(address, request, answers) for _ in range(clients)))

    asyncio.run(all_clients())
    return answers


async def once(address: str, send: Send) -> None:
    """Send one request of the attacker, and wait for the answer."""
    client = Client(address)
    await client.open()
    await client.send(request_of(*send))
    client.writer.close()


async def attack(address: str, request: bytes, answers: Counter[int]) -> None:
    """Send one kind of request without a pause; a connection that is closed is opened again."""
    while True:
        client = Client(address)
        try:
            await client.open()
            while True:
                answers[await client.send(request)] += 1
        except (OSError, asyncio.IncompleteReadError):
            answers[0] += 1
            await asyncio.sleep(0.05)
        finally:
            if hasattr(client, "writer"):
                client.writer.close()


async def phase(games: list[Game], seconds: float) -> list[float]:
    """Play for some seconds; return what the moves took."""
    for game in games:
        game.times.clear()
        if game.state["status"] == "finished":
            await game.begin(asyncio.Semaphore(1))
    await asyncio.gather(*(game.play(time.monotonic() + seconds, PERIOD) for game in games))
    return sorted(taken for game in games for taken in game.times)


def percentile(times: list[float], share: float) -> float:
    return round(1000 * times[min(len(times) - 1, int(len(times) * share))], 1)


async def measure(address: str, wish: argparse.Namespace, say: Callable[[object], None]) -> None:
    games = [Game(address, number) for number in range(wish.games)]
    for game in games:
        await game.begin(asyncio.Semaphore(1))
    record = long_record()
    opener = Connection(address)
    await opener.open()
    status, kept = await opener.ask("/api/records", {"record": record})
    assert status == 201, kept
    full = {}
    for name, wish_for in FULL.items():
        status, opened = await opener.ask("/api/matches", wish_for)
        assert status == 201, opened
        full[name] = opened["state"]["id"]
    pool = ProcessPoolExecutor(1)
    before = await phase(games, wish.seconds)
    for name, send in attacks_on(kept["id"], record, full).items():
        if wish.only and name not in wish.only:
            continue
        seconds = wish.seconds
        if name == "review":
            seconds *= REVIEW
        else:
            await once(address, send)
        attacked = asyncio.get_running_loop().run_in_executor(
            pool, attack_for, address, send, wish.clients, seconds
        )
        during = await phase(games, seconds)
        answers = await attacked
        after = await phase(games, wish.seconds)
        quiet = sorted(before + after)
        before = after
        say(
            {
                "attack": name,
                "answers": dict(sorted(answers.items())),
                "quiet": {
                    "p50_ms": round(1000 * statistics.median(quiet), 1),
                    "p99_ms": percentile(quiet, 0.99),
                },
                "attacked": {
                    "p50_ms": round(1000 * statistics.median(during), 1),
                    "p99_ms": percentile(during, 0.99),
                },
                "ratio": round(percentile(during, 0.99) / percentile(quiet, 0.99), 1),
            }
        )


class Steps:
    """The processor time of every step of the event loops of this process."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        run = asyncio.Handle._run

        def timed(handle: asyncio.Handle) -> None:
            begun = time.thread_time()
            run(handle)
            self.seconds.append(time.thread_time() - begun)

        asyncio.Handle._run = timed  # type: ignore[method-assign]


async def ask_app(
    app: ASGIApp,
    method: str,
    path: str,
    body: object,
    key: str = "",
    *,
    client: str = ATTACKER,
    until: asyncio.Event | None = None,
    to: Callable[[Message], Awaitable[None]] | None = None,
) -> tuple[int, bytes]:
    """Answer a request in this process; the status and the body, or each message `to` somebody.

    A stream goes on `until` something happens.
    """
    data = json.dumps(body).encode() if body is not None else b""
    headers = {
        "host": "127.0.0.1",
        "content-type": "application/json",
        "content-length": str(len(data)),
    }
    scope = http_scope(method, path, headers | ({"authorization": f"Bearer {key}"} if key else {}), client)
    status, found = 0, bytearray()

    async def receive() -> Message:
        if until:
            await until.wait()
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": data, "more_body": False}

    async def send(message: Message) -> None:
        nonlocal status
        status = message.get("status", status)
        found.extend(message.get("body", b""))

    await app(scope, receive, to or send)
    return status, bytes(found)


async def open_full(app: ASGIApp) -> dict[str, str]:
    """Open the matches in FULL; their ids."""
    answers = {name: await ask_app(app, "POST", "/api/matches", wish) for name, wish in FULL.items()}
    return {name: json.loads(body)["state"]["id"] for name, (_, body) in answers.items()}


async def measure_blocks(folder: str, at_once: int, only: list[str], say: Callable[[object], None]) -> None:
    steps = Steps()
    app = create_app(Settings(f"{folder}/games.db", warm=False))
    async with app.router.lifespan_context(app):
        record = long_record()
        _, kept = await ask_app(app, "POST", "/api/records", {"record": record})
        for name, send in attacks_on(json.loads(kept)["id"], record, await open_full(app)).items():
            if only and name not in only:
                continue
            while (await ask_app(app, *send))[0] == 429:  # until templates are compiled, and a review is made
                await asyncio.sleep(1)
            await asyncio.sleep(2)  # the share of the address is full again
            steps.seconds.clear()
            answers = await asyncio.gather(*(ask_app(app, *send) for _ in range(at_once)))
            longest = sorted(steps.seconds)[-3:]
            say(
                {
                    "attack": name,
                    "answers": dict(Counter(status for status, _ in answers)),
                    "longest_ms": round(1000 * longest[-1], 1),
                    "third_longest_ms": round(1000 * longest[0], 1),
                    "loop_ms": round(1000 * sum(steps.seconds) / at_once, 1),
                }
            )


def waited() -> float:
    """How many seconds the threads of this process have waited for a processor so far, together."""
    total = 0
    for task in Path("/proc/self/task").iterdir():
        with suppress(OSError):  # it has ended
            total += int((task / "schedstat").read_text().split()[1])
    return total / 1e9


async def timed_moves(app: ASGIApp, seconds: float) -> list[tuple[float, float]]:
    """Play for some seconds; return how long moves took, and how long threads waited, slowest first."""
    chance, times = random.Random(1), []
    state: dict[str, Any] = {"status": "finished"}
    key = ""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if state["status"] == "finished":
            wish = {"game": "yatzy", "seats": [{"kind": "person", "name": "Ann"}]}
            opened = json.loads((await ask_app(app, "POST", "/api/matches", wish, client="127.0.0.1"))[1])
            state, key = opened["state"], opened["key"]
        path = f"/api/matches/{state['id']}/moves"
        body = {"version": state["version"], "move": a_move(state, chance)}
        begun, waited_before = time.perf_counter(), waited()
        status, answer = await ask_app(app, "POST", path, body, key, client="127.0.0.1")
        times.append((time.perf_counter() - begun, waited() - waited_before))
        assert status == 200, answer
        state = json.loads(answer)
        await asyncio.sleep(0.03)
    return sorted(times, reverse=True)


async def measure_waits(folder: str, wish: argparse.Namespace, say: Callable[[object], None]) -> None:
    app = create_app(Settings(f"{folder}/games.db", warm=False))
    async with app.router.lifespan_context(app):
        record = long_record()
        _, kept = await ask_app(app, "POST", "/api/records", {"record": record})
        for name, send in attacks_on(json.loads(kept)["id"], record, await open_full(app)).items():
            if wish.only and name not in wish.only:
                continue
            await ask_app(app, *send)

            async def attack_on(send: Send = send) -> None:
                while True:
                    await ask_app(app, *send)
                    await asyncio.sleep(0.01)

            attackers = [asyncio.create_task(attack_on()) for _ in range(20)]
            times = await timed_moves(app, wish.seconds)
            for attacker in attackers:
                attacker.cancel()
            await asyncio.gather(*attackers, return_exceptions=True)
            slowest = times[: 1 + len(times) // 100]
            told = [
                {"took_ms": round(1000 * took), "waited_ms": round(1000 * idle)} for took, idle in slowest
            ]
            say({"attack": name, "moves": len(times), "slowest": told})


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure moves while one client does its worst.")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--clients", type=int, default=40, help="connections of the attacker")
    parser.add_argument("--only", action="append", help="one kind of attack; may be given several times")
    parser.add_argument("--blocks", action="store_true", help="measure the steps of the event loop instead")
    parser.add_argument("--waits", action="store_true", help="measure how long threads wait instead")
    wish = parser.parse_args()

    def say(found: object) -> None:
        print(json.dumps(found), flush=True)

    if wish.blocks:
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(measure_blocks(folder, 10, wish.only or [], say))
        return
    if wish.waits:
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(measure_waits(folder, wish, say))
        return
    with tempfile.TemporaryDirectory() as folder, Server(f"{folder}/games.db", DICECUP_LIMITS="on") as server:
        asyncio.run(measure(server.address, wish, say))


if __name__ == "__main__":
    assert Path("tests/web").is_dir(), "run this in the clone's folder"
    main()
