"""Measure the pages of a person with 10,000 games: list, statistics, API, download and deletion.

.venv/bin/python -m bench.my_games [--games 10000] [--database postgresql://…]

A few real games are stored many times, with a review. Each figure is for 20 requests to a
server in its own process.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2 as httpx
from psutil import Process
from tests.web.serving import Server

import dicecup
from dicecup.engine.record import Record
from dicecup.engine.record_text import RecordWriter, entry_texts
from dicecup.storage.results import add_verdicts
from dicecup.storage.store import Store, open_store
from dicecup.storage.stored import Addition, Opening, Seat, Verdict
from dicecup.web.guard import COOKIE
from dicecup.web.service.identity import key_hash, new_match_id
from dicecup.web.service.statistics import final_results

KEY = "bench-" + "k" * 30
REQUESTS = 20
START = datetime(2020, 1, 1, tzinfo=UTC)


def played(game: str) -> Record:
    """A whole game of one player, who throws once a turn and takes the most points."""
    playing = dicecup.Game(game, players=["Ann"], seed=1)
    while not playing.finished:
        playing.roll()
        points: dict[str, int] = playing.points()
        playing.score(max(points, key=lambda box: points[box]))
    return playing.record


def fill(store: Store, games: int) -> None:
    kinds = []
    for game in ("yatzy", "yatzy-sv", "yahtzee"):
        record = played(game)
        kinds.append((record, RecordWriter().header(record.header), tuple(entry_texts(record))))
    for number in range(games):
        record, header, texts = kinds[number % len(kinds)]
        made = (START + timedelta(hours=number)).isoformat(timespec="seconds")
        rules = record.header.rules
        holder = key_hash(KEY)
        opening = Opening(new_match_id(), made, holder, rules.id, dict(rules.options), "seed")
        store.open_match(opening, [Seat("person", "Ann", "")], [(0, holder)], header, texts[:-1])
        results = tuple(final_results(record, made))
        store.append(Addition(opening.id, len(texts) - 1, texts[-1:], made, results))
        add_verdicts(store, opening.id, len(texts), [Verdict(0, 10.0, -12.0, 1.2)])


def measure(client: httpx.Client, server: Process, path: str, headers: dict[str, str]) -> dict[str, Any]:
    """The time a client waits, and the processor's time, which other programs do not change."""
    times, size = [], 0
    before = sum(server.cpu_times()[:2])
    for _request in range(REQUESTS):
        began = time.perf_counter()
        answer = client.get(path, headers=headers)
        times.append(1000 * (time.perf_counter() - began))
        assert answer.status_code == 200, answer.text
        size = len(answer.content)
    busy = 1000 * (sum(server.cpu_times()[:2]) - before) / REQUESTS
    median, most = round(statistics.median(times), 1), round(max(times), 1)
    return {"median_ms": median, "max_ms": most, "processor_ms": round(busy, 1), "bytes": size}


def figures(address: str, server: Process) -> dict[str, Any]:
    api, page = {"Authorization": f"Bearer {KEY}"}, {"Cookie": f"{COOKIE}={KEY}"}
    with httpx.Client(base_url=address, timeout=600) as client:
        older = (
            client.get("/api/my/matches?most=50", headers=api).links["next"]["url"].partition("before=")[2]
        )
        back = client.get("/api/my/results", headers=api).links["next"]["url"].partition("before=")[2]
        found = {
            "my games": measure(client, server, "/mine", page),
            "older games": measure(client, server, f"/mine?before={older}", page),
            "older statistics": measure(client, server, f"/mine?results={back}", page),
            "GET /api/my/matches": measure(client, server, "/api/my/matches", api),
            "GET /api/my/results": measure(client, server, "/api/my/results", api),
            "GET /api/my/statistics": measure(client, server, "/api/my/statistics", api),
        }
        began = time.perf_counter()
        archive = client.get("/api/my/data", headers=api).content
        found["GET /api/my/data"] = {"s": round(time.perf_counter() - began, 2), "bytes": len(archive)}
        began = time.perf_counter()
        removed = client.delete("/api/my/data", headers=api).json()
        found["DELETE /api/my/data"] = {"s": round(time.perf_counter() - began, 2), **removed}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--database", help="an empty PostgreSQL database; by default an SQLite file")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        database = arguments.database or f"{folder}/games.db"
        store = open_store(database)
        began = time.perf_counter()
        fill(store, arguments.games)
        print(f"filled in {time.perf_counter() - began:.0f} s", flush=True)
        store.close()
        with Server(database) as server:
            print(json.dumps(figures(server.address, Process(server.process.pid)), indent=2))


if __name__ == "__main__":
    main()
