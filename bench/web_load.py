"""Measure the latency of moves in live matches under load, with spectators on every match.

    .venv/bin/python -m bench.web_load [--games 1000] [--watchers 3] [--seconds 30] [--clients 1]
                                       [--postgresql --workers 4]

Starts `dicecup serve` with a temporary database, opens the matches, plays one move every two seconds in each,
and follows each match with spectators by server-sent events, as pages do. Latency is measured from the first
byte of the request to the last byte of the response, on the same machine; the server's own share of it is
smaller. `shown` is the time until the last spectator of a match has the move. `server_cpu` is how many cores
the server used, and `server_ms_per_move` the processor time of all its processes for one move, what
spectators get included; on a busy machine they are more meaningful than the latencies. Memory is what the
server's processes gained (resident, without what they share).

With `--postgresql` a PostgreSQL server is started as well, on this machine; its time is `database_cpu`. One
client process is enough for about 1,000 matches.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing import Barrier, Process, Queue
from pathlib import Path
from typing import Any

import psutil
from tests.web.killing import a_move
from tests.web.serving import Server
from tools.postgres_server import PostgresServer

from dicecup.web.connections import raise_descriptor_limit

GAMES = ["yatzy", "yum-plus", "dice-in-dice"]
PERIOD = 2.0  # seconds between two moves of a match
PATIENCE = 300.0  # seconds
AT_ONCE = 20  # requests while the matches are opened


class Connection:
    """A minimal HTTP client, so that the measurement itself uses little CPU time."""

    def __init__(self, address: str) -> None:
        self.host, port = address.removeprefix("http://").split(":")
        self.port = int(port)

    async def open(self) -> None:
        self.reader, self.writer = await asyncio.open_connection(self.host, self.port)

    async def ask(self, path: str, body: object, key: str = "") -> tuple[int, Any]:
        data = json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: {self.host}\r\nContent-Length: {len(data)}\r\n"
        head += "Content-Type: application/json\r\n" + (f"Authorization: Bearer {key}\r\n" if key else "")
        self.writer.write(head.encode() + b"\r\n" + data)
        answer = await self.reader.readuntil(b"\r\n\r\n")
        length = int(answer.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        return int(answer[9:12]), json.loads(await self.reader.readexactly(length))


VERSION = re.compile(rb"\nid: (\d+)\.")


class Watcher(asyncio.Protocol):
    """A spectator of a match, who counts the events and notes when a version is shown."""

    events = 0  # of all spectators of this process

    def __init__(self, host: str, match: str, shown: dict[int, float]) -> None:
        self.shown = shown  # by version; the last spectator of a match counts
        self.request = f"GET /t/{match}/events HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()

    def connection_made(self, transport: Any) -> None:
        transport.write(self.request)

    def data_received(self, data: bytes) -> None:
        for event in VERSION.finditer(data):
            Watcher.events += 1
            self.shown[int(event[1])] = time.perf_counter()


class Game:
    """One live match and its player."""

    def __init__(self, address: str, number: int) -> None:
        self.connection = Connection(address)
        self.chance = random.Random(number)
        self.times: list[float] = []
        self.sent: dict[int, float] = {}  # when the moves that led to a version were sent
        self.shown: dict[int, float] = {}

    async def begin(self, free: asyncio.Semaphore) -> None:
        async with free:
            await self.connection.open()
            wish = {"game": self.chance.choice(GAMES), "seats": [{"kind": "person", "name": "Ann"}]}
            status, answer = await self.connection.ask("/api/matches", wish)
            assert status == 201, answer
            self.state, self.key = answer["state"], answer["key"]

    async def watch(self, watchers: int, free: asyncio.Semaphore) -> None:
        loop = asyncio.get_running_loop()
        host, port = self.connection.host, self.connection.port
        for _ in range(watchers):
            async with free:
                await loop.create_connection(lambda: Watcher(host, self.state["id"], self.shown), host, port)

    async def play(self, until: float, pause: float = PERIOD) -> None:
        await asyncio.sleep(self.chance.random() * pause)
        while time.monotonic() < until and self.state["status"] != "finished":
            due = time.monotonic() + pause
            body = {"version": self.state["version"], "move": a_move(self.state, self.chance)}
            began = time.perf_counter()
            status, answer = await self.connection.ask(
                f"/api/matches/{self.state['id']}/moves", body, self.key
            )
            self.times.append(time.perf_counter() - began)
            assert status == 200, answer
            self.state = answer
            self.sent[answer["version"]] = began
            await asyncio.sleep(max(0, due - time.monotonic()))

    def delays(self) -> list[float]:
        """How long after moves were sent the last spectator saw them, as far as they were shown."""
        return [self.shown[version] - sent for version, sent in self.sent.items() if version in self.shown]


async def play_all(address: str, numbers: range, wish: argparse.Namespace, step: Any, found: Any) -> None:
    """The matches of one client process. All processes wait for each other after each step."""
    games = [Game(address, number) for number in numbers]
    free = asyncio.Semaphore(AT_ONCE)
    await asyncio.gather(*(game.begin(free) for game in games))
    await asyncio.to_thread(step.wait, PATIENCE)
    await asyncio.gather(*(game.watch(wish.watchers, free) for game in games))
    await asyncio.sleep(3)
    await asyncio.to_thread(step.wait, PATIENCE)
    before = Watcher.events
    until = time.monotonic() + wish.seconds
    await asyncio.gather(*(game.play(until) for game in games))
    await asyncio.sleep(1)
    delays = [delay for game in games for delay in game.delays()]
    found.put(([taken for game in games for taken in game.times], Watcher.events - before, delays))
    await asyncio.to_thread(step.wait, PATIENCE)


def run_client(address: str, numbers: range, wish: argparse.Namespace, step: Any, found: Any) -> None:
    raise_descriptor_limit()
    try:
        import uvloop
    except ImportError:
        asyncio.run(play_all(address, numbers, wish, step, found))
    else:
        uvloop.run(play_all(address, numbers, wish, step, found))


async def warm_up(address: str, workers: int) -> None:
    """Let every process of the server compile its templates and fill its caches."""
    games = [Game(address, -number) for number in range(1, 1 + 12 * workers)]
    free = asyncio.Semaphore(AT_ONCE)
    await asyncio.gather(*(game.begin(free) for game in games))
    await asyncio.gather(*(game.watch(1, free) for game in games))
    await asyncio.gather(*(game.play(time.monotonic() + PERIOD, pause=0) for game in games))


class Usage:
    """What the processes of a program have used so far."""

    def __init__(self, process: int) -> None:
        first = psutil.Process(process)
        processes = [first, *first.children(recursive=True)]
        self.seconds = sum(sum(one.cpu_times()[:2]) for one in processes)
        self.memory = sum(one.memory_full_info().uss for one in processes)


def database_seconds() -> float:
    """The CPU time of all processes of PostgreSQL on this machine that belong to this user."""
    return sum(
        sum(one.cpu_times()[:2])
        for one in psutil.process_iter(["name", "uids"])
        if one.info["name"] == "postgres"
    )


def measure(server: Server, wish: argparse.Namespace) -> dict[str, float]:
    step, found = Barrier(wish.clients + 1), Queue()
    shares = [range(number, wish.games, wish.clients) for number in range(wish.clients)]
    clients = [
        Process(target=run_client, args=(server.address, share, wish, step, found)) for share in shares
    ]
    asyncio.run(warm_up(server.address, wish.workers))
    empty = Usage(server.process.pid)
    for client in clients:
        client.start()
    step.wait(PATIENCE)
    opened = Usage(server.process.pid)
    step.wait(PATIENCE)
    before, load, database = Usage(server.process.pid), os.getloadavg()[0], database_seconds()
    answers = [found.get(timeout=PATIENCE + wish.seconds) for _ in clients]
    after, database = Usage(server.process.pid), database_seconds() - database
    step.wait(PATIENCE)
    for client in clients:
        client.join()
    times = sorted(taken for part, _, _ in answers for taken in part)
    delays = sorted(delay for _, _, part in answers for delay in part) or [0.0]
    watchers = wish.games * wish.watchers
    return {
        "games": wish.games,
        "watchers": watchers,
        "workers": wish.workers,
        "moves": len(times),
        "moves_per_second": len(times) / wish.seconds,
        "events": sum(events for _, events, _ in answers),
        "p50_ms": 1000 * statistics.median(times),
        "p99_ms": 1000 * times[int(len(times) * 0.99)],
        "worst_ms": 1000 * times[-1],
        "shown_p50_ms": 1000 * statistics.median(delays),
        "shown_p99_ms": 1000 * delays[int(len(delays) * 0.99)],
        "server_cpu": (after.seconds - before.seconds) / wish.seconds,
        "server_ms_per_move": 1000 * (after.seconds - before.seconds) / len(times),
        "database_cpu": database / wish.seconds,
        "new_game_kb": (opened.memory - empty.memory) / wish.games / 1000,
        "stream_kb": (before.memory - opened.memory) / max(1, watchers) / 1000,
        "played_game_kb": (after.memory - before.memory + opened.memory - empty.memory) / wish.games / 1000,
        "load_before": load,
    }


@contextmanager
def started(wish: argparse.Namespace) -> Iterator[Server]:
    with ExitStack() as stack:
        database = str(Path(stack.enter_context(tempfile.TemporaryDirectory())) / "games.db")
        if wish.postgresql:
            database = stack.enter_context(PostgresServer()).new_database("games")
        arguments = ["--workers", str(wish.workers), "--database", database] if wish.workers > 1 else []
        yield stack.enter_context(Server(database, *arguments))


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure live games under load.")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--watchers", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--clients", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--postgresql", action="store_true")
    wish = parser.parse_args()
    with started(wish) as server:
        found = measure(server, wish)
    print(json.dumps({name: round(value, 3) for name, value in found.items()}, indent=2))


if __name__ == "__main__":
    assert Path("tests/web").is_dir(), "run this in the clone's folder"
    main()
