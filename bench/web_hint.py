"""Measure hints at the server: the first one of a game, then one for each roll.

    .venv/bin/python -m bench.web_hint [--cold] [GAME …]

Starts `dicecup serve`, opens a match with the coach on for every game and requests the hint of each roll
through the API; the time is measured from the first byte of the request to the last byte of the response.
`first` is the wait for the first hint after the match was opened, with compiled kernels on disk; `--cold`
measures it with nothing compiled and nothing solved, as after an installation. `why` and `so far` are the
parts that pages load after the hint.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx2 as httpx
from tests.web.conftest import best_score
from tests.web.serving import Server

from dicecup.rules.loader import builtin_ids

TARGETS = {"dice-in-dice": 300}  # milliseconds
TARGET = 50
THROWS = 40
COLUMNS = ("first", "median", "p95", "worst", "why", "so far")
FRAGMENT = {"HX-Request": "true"}


class Table:
    def __init__(self, client: httpx.Client, game: str) -> None:
        self.client = client
        seats = [{"kind": "person", "name": name} for name in ("Ann", "Bo")]
        opened = client.post("/api/matches", json={"game": game, "seats": seats, "coach": True}).json()
        self.state: dict[str, Any] = opened["state"]
        self.headers = {"Authorization": f"Bearer {opened['key']}"}
        self.chance = random.Random(1)

    def move(self, move: dict[str, Any] | None = None) -> None:
        body = {"version": self.state["version"], "move": move or self.next_move()}
        answer = self.client.post(f"/api/matches/{self.state['id']}/moves", json=body, headers=self.headers)
        assert answer.status_code == 200, answer.text
        self.state = answer.json()

    def next_move(self) -> dict[str, Any]:
        turn = self.state["turn"]
        if turn["throws_left"] and self.chance.random() < 0.5:
            return {"keep": turn["dice"][:2]}
        return best_score(self.state)

    def ask(self, path: str) -> float:
        """Return the milliseconds until there is an answer, retrying as often as necessary."""
        began = time.perf_counter()
        while True:
            answer = self.client.get(path, headers=FRAGMENT)
            if answer.status_code == 200 and 'class="preparing"' not in answer.text:
                return 1000 * (time.perf_counter() - began)
            time.sleep(0.05)

    @property
    def hint(self) -> str:
        return f"/api/matches/{self.state['id']}/hint"

    def page(self, part: str) -> str:
        return f"/t/{self.state['id']}/{part}"


def to_next_throw(table: Table) -> None:
    """Continue the match until there is a roll without a hint."""
    while True:
        table.move({"throw": True} if table.state["turn"]["throw_due"] else None)
        if not table.state["turn"]["throw_due"]:
            return


def measure(client: httpx.Client, game: str) -> None:
    table = Table(client, game)
    table.move({"throw": True})
    first = table.ask(table.hint)
    hints, whys, stands = [], [], []
    for number in range(THROWS):
        if table.state["status"] == "finished":
            break
        hints.append(table.ask(table.hint))
        if number % 4 == 0:
            whys.append(table.ask(table.page("why")))
            stands.append(table.ask(table.page("so-far")))
        if sum(len(seat["sheet"]) for seat in table.state["seats"]) > 26:
            table = Table(client, game)
        to_next_throw(table)
    hints = sorted(hints[1:])
    print(
        f"{game:<16} {TARGETS.get(game, TARGET):>7} {first:>9.0f} {statistics.median(hints):>9.1f} "
        f"{hints[int(0.95 * len(hints))]:>9.1f} {hints[-1]:>9.1f} {statistics.median(whys):>9.0f} "
        f"{statistics.median(stands):>9.0f}",
        flush=True,
    )


def measure_all(games: list[str], **environment: str) -> None:
    print(f"{'game':<16} {'target':>7}", *(f"{name:>9}" for name in COLUMNS))
    with (
        tempfile.TemporaryDirectory() as folder,
        Server(f"{folder}/games.db", **environment) as server,
        httpx.Client(base_url=server.address, timeout=60) as client,
    ):
        for game in games:
            measure(client, game)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure hints at the server, in milliseconds.")
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("games", nargs="*", default=list(builtin_ids()))
    wish = parser.parse_args()
    print(f"milliseconds; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    measure_all(wish.games)
    if wish.cold:
        print("nothing compiled, nothing solved:")
        with tempfile.TemporaryDirectory() as folder:
            measure_all(wish.games, DICECUP_CACHE=folder)


if __name__ == "__main__":
    assert Path("tests/web").is_dir(), "run this in the clone's folder"
    main()
