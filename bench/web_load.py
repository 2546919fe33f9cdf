"""Measure the latency of moves in live matches under load, with spectators on every match.

    .venv/bin/python -m bench.web_load [--games 300] [--watchers 3] [--seconds 30] [--database URL]

Starts `dicecup serve` with a temporary database, opens the matches, plays one move every two seconds in each,
and follows each match with spectators by server-sent events, as pages do. Latency is measured from the first
byte of the request to the last byte of the response, on the same machine; the server's own share of it is
smaller. `server_cpu` is the fraction of one core that the server used; on a busy machine it is more
meaningful than the latencies.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.web.killing import a_move
from tests.web.serving import Server

GAMES = ["yatzy", "yum-plus", "dice-in-dice"]
PERIOD = 2.0  # seconds between two moves of a match


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

    async def watch(self, match: str, seen: list[int]) -> None:
        await self.open()
        self.writer.write(f"GET /t/{match}/events HTTP/1.1\r\nHost: {self.host}\r\n\r\n".encode())
        try:
            while chunk := await self.reader.read(65536):
                seen[0] += chunk.count(b"event: ")
        finally:
            self.writer.close()


class Game:
    """One live match and its player."""

    def __init__(self, address: str, number: int) -> None:
        self.connection = Connection(address)
        self.chance = random.Random(number)
        self.times: list[float] = []

    async def begin(self) -> None:
        await self.connection.open()
        wish = {"game": self.chance.choice(GAMES), "seats": [{"kind": "person", "name": "Ann"}]}
        status, answer = await self.connection.ask("/api/matches", wish)
        assert status == 201, answer
        self.state, self.key = answer["state"], answer["key"]

    async def play(self, until: float) -> None:
        await asyncio.sleep(self.chance.random() * PERIOD)
        while time.monotonic() < until and self.state["status"] != "finished":
            due = time.monotonic() + PERIOD
            body = {"version": self.state["version"], "move": a_move(self.state, self.chance)}
            began = time.perf_counter()
            status, answer = await self.connection.ask(
                f"/api/matches/{self.state['id']}/moves", body, self.key
            )
            self.times.append(time.perf_counter() - began)
            assert status == 200, answer
            self.state = answer
            await asyncio.sleep(max(0, due - time.monotonic()))


def processor_time(process: int) -> float:
    """Return the CPU time a process has used in seconds; 0 if the system does not report it."""
    stat = Path(f"/proc/{process}/stat")
    if not stat.exists():
        return 0.0
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def measure(server: Server, games: int, watchers: int, seconds: float) -> dict[str, float]:
    address = server.address
    playing = [Game(address, number) for number in range(games)]
    for game in playing:
        await game.begin()
    seen = [0]
    audience = [
        asyncio.create_task(Connection(address).watch(game.state["id"], seen))
        for game in playing
        for _ in range(watchers)
    ]
    await asyncio.sleep(3)
    busy, load = processor_time(server.process.pid), os.getloadavg()[0]
    until = time.monotonic() + seconds
    await asyncio.gather(*(game.play(until) for game in playing))
    busy = processor_time(server.process.pid) - busy
    for task in audience:
        task.cancel()
    times = sorted(taken for game in playing for taken in game.times)
    return {
        "games": games,
        "watchers": games * watchers,
        "moves": len(times),
        "moves_per_second": len(times) / seconds,
        "events_seen": seen[0],
        "p50_ms": 1000 * statistics.median(times),
        "p99_ms": 1000 * times[int(len(times) * 0.99)],
        "worst_ms": 1000 * times[-1],
        "server_cpu": busy / seconds,
        "load_before": load,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure live games under load.")
    parser.add_argument("--games", type=int, default=300)
    parser.add_argument("--watchers", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--database")
    wish = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Server(wish.database or f"{folder}/games.db") as server:
        found = asyncio.run(measure(server, wish.games, wish.watchers, wish.seconds))
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    assert Path("tests/web").is_dir(), "run this in the clone's folder"
    main()
