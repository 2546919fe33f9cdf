"""A server killed at random moments, and players that track every acknowledged move."""

from __future__ import annotations

import asyncio
import os
import random
import socket
import sys
from asyncio.subprocess import Process
from dataclasses import dataclass, field
from typing import Any

import httpx2 as httpx
from tests.waiting import PATIENCE

KILLS = 8
# Each comes after so many answered moves of all games together; there are about 8,000.
MOMENTS = range(100, 5000)
# All games; the long one is one in ten.
GAMES = ["yatzy", "dice-in-dice", "yahtzee", "yum-plus", "yatzy-sv"] * 2
GAMES[-1] = "triple-yum-plus"


@dataclass
class Played:
    """One match as its player knows it."""

    game: str
    chance: random.Random
    id: str = ""
    key: str = ""
    answered: int = 0  # the highest version acknowledged by the server
    moves: dict[int, dict[str, Any]] = field(default_factory=dict)  # version after the move → the state shown
    finished: bool = False


class KilledServer:
    """`dicecup serve` on one port, killed with -9 and restarted."""

    def __init__(self, database: str, seed: int) -> None:
        self.database = database
        self.chance = random.Random(seed)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process: Process | None = None
        self.kills = 0
        self.answers = 0
        self.answered = asyncio.Event()

    async def start(self) -> None:
        self.process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "dicecup", "serve", "--no-browser", "--port", str(self.port)),
            env=os.environ
            | {"DICECUP_DATABASE": self.database, "DICECUP_LIMITS": "off", "DICECUP_WARM": "off"}
            | {"DICECUP_PACE": "0", "DICECUP_PAUSE": "0", "DICECUP_REVEAL_AFTER": "0"},
            stderr=asyncio.subprocess.DEVNULL,
        )

    async def kill(self) -> None:
        assert self.process
        self.process.kill()
        await self.process.wait()

    def count_answer(self) -> None:
        self.answers += 1
        self.answered.set()

    async def kill_now_and_then(self) -> None:
        """Kill it in the middle of whatever it is doing, after a random number of answers each time."""
        for moment in sorted(self.chance.sample(MOMENTS, KILLS)):
            while self.answers < moment:
                self.answered.clear()
                await self.answered.wait()
            await self.kill()
            self.kills += 1
            await self.start()


async def ask(client: httpx.AsyncClient, method: str, path: str, **more: Any) -> httpx.Response:
    """Retry until the server answers: a killed one does not."""
    for _attempt in range(int(PATIENCE / 0.05)):
        try:
            return await client.request(method, path, **more)
        except httpx.TransportError:
            await asyncio.sleep(0.05)
    raise AssertionError("the server does not come back")


def a_move(state: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    turn = state["turn"]
    if turn["throw_due"]:
        return {"throw": True}
    if turn["throws_left"] and chance.random() < 0.3:
        dice = turn["dice"]
        return {"keep": chance.sample(dice, chance.randrange(len(dice)))}
    move: dict[str, Any] = {}
    for layer, choices in turn["choices"].items():
        allowed = [one for one in choices if one["allowed"] and one["box"] not in move.values()]
        chosen = chance.choice(allowed)
        move[layer if len(turn["choices"]) > 1 else "box"] = chosen["box"]
        if chosen["column"]:
            move["column"] = chosen["column"]
    return move


async def play(client: httpx.AsyncClient, played: Played, server: KilledServer) -> None:
    """Play a complete game with a bot in the other seat, tracking every response."""
    seats = [{"kind": "person", "name": "Ann"}, {"kind": "bot", "name": "random"}]
    opened = await ask(client, "POST", "/api/matches", json={"game": played.game, "seats": seats})
    assert opened.status_code == 201, opened.text
    played.id, played.key = opened.json()["state"]["id"], opened.json()["key"]
    headers = {"Authorization": f"Bearer {played.key}"}
    state = opened.json()["state"]
    quiet = 0
    while state["status"] != "finished":
        if not state["turn"]["yours"]:
            await asyncio.sleep(0.02)
            quiet += 1
            assert quiet < PATIENCE / 0.02, f"{played.id} is stuck"
            state = (await ask(client, "GET", f"/api/matches/{played.id}", headers=headers)).json()
            continue
        quiet = 0
        body = {"version": state["version"], "move": a_move(state, played.chance)}
        answer = await ask(client, "POST", f"/api/matches/{played.id}/moves", json=body, headers=headers)
        if answer.status_code == 200:
            state = answer.json()
            played.answered = state["version"]
            server.count_answer()
            played.moves[body["version"]] = body["move"]
        else:
            # The move was saved, but the server was killed before it answered; or a bot was faster.
            assert answer.status_code in (403, 409), answer.text
            state = answer.json()["state"]
        assert state["version"] >= played.answered, "an answered move is gone"
    played.finished = True
