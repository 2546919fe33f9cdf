"""A server killed at random moments, and players that track every acknowledged move."""

from __future__ import annotations

import asyncio
import json
import os
import random
import socket
import sys
from asyncio.subprocess import Process
from dataclasses import dataclass, field
from typing import Any

from tests.waiting import PATIENCE

from dicecup.rules.house import pack_tables

KILLS = 8
# Seconds between two looks whether the bot has moved, for each game that is being played: all are played at
# once, so the server is busy with the others meanwhile, and its work is moves rather than looks.
PAUSE = 0.01
# Each comes after so many answered moves of all games together; there are about 3,500.
MOMENTS = range(100, 3000)
# Three of four games are short house rules: more games begin and end while servers are killed. One in forty
# is the long game, which is three times as long as the others.
SHORT: dict[str, Any] = {
    "format": 1,
    "id": "short",
    "throws": 3,
    "dice": {"count": 5, "faces": 6},
    "upper": {"boxes": {"fives": 5, "sixes": 6}, "bonus": [{"at": 30, "points": 20}]},
    "box": {"pair": {"needs": {"alike": [2]}, "points": "matching"}, "chance": {"points": "all"}},
}
SHORT_DOUBLE: dict[str, Any] = SHORT | {
    "id": "short-double",
    "scored": ["inner", "outer"],
    "dice": {"count": 6, "faces": 6, "layers": ["outer", "inner"], "counted": 5},
}
WHOLE = ["yatzy", "dice-in-dice", "yahtzee", "yum-plus", "yatzy-sv"]
HOUSE = [pack_tables(SHORT), pack_tables(SHORT_DOUBLE), pack_tables(SHORT)]
GAMES = [game for whole in (*WHOLE, *WHOLE[:4], "triple-yum-plus") for game in (whole, *HOUSE)]


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


# Starts and kills servers, as it is told on stdin. Where processes can be copied it imports what a server
# needs and makes its routes once for all of them, which takes much longer than the rest of a start.
NURSERY = """\
import gc, multiprocessing, sys
import dicecup.storage.postgres, dicecup.web.app, dicecup.web.connections
from dicecup.cli.main import main
copied = "fork" in multiprocessing.get_all_start_methods()
if copied:
    dicecup.web.app.shared_routes()
    gc.collect()
    gc.freeze()  # so that no server collects what is here already
for line in sys.stdin:
    if line == "start\\n":
        context = multiprocessing.get_context("fork" if copied else "spawn")
        server = context.Process(target=main, args=(sys.argv[1:],), daemon=True)
        server.start()
    else:
        server.kill()
        server.join()
    print("done", flush=True)
"""


class KilledServer:
    """`dicecup serve` on one port, killed with -9 and restarted."""

    def __init__(self, database: str, seed: int) -> None:
        self.database = database
        self.chance = random.Random(seed)
        self.reserved = socket.socket()
        self.reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.reserved.bind(("127.0.0.1", 0))
        self.port = self.reserved.getsockname()[1]
        if sys.platform != "linux":  # there a server can listen on a port that somebody else has bound
            self.reserved.close()
        self.nursery: Process | None = None
        self.kills = 0
        self.answers = 0
        self.playing = 0
        self.answered = asyncio.Event()

    async def start(self) -> None:
        if self.nursery is None:
            self.nursery = await asyncio.create_subprocess_exec(
                *(sys.executable, "-c", NURSERY, "serve", "--no-browser", "--port", str(self.port)),
                env=os.environ
                | {"DICECUP_DATABASE": self.database, "DICECUP_LIMITS": "off", "DICECUP_WARM": "off"}
                | {"DICECUP_PACE": "0", "DICECUP_PAUSE": "0", "DICECUP_REVEAL_AFTER": "0"}
                | {"DICECUP_DATABASE_SECONDS": str(PATIENCE), "DICECUP_HEADER_SECONDS": str(PATIENCE)},
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
            )
        await self.tell("start")

    async def kill(self) -> None:
        await self.tell("kill")

    async def close(self) -> None:
        """Kill the server for the last time."""
        assert self.nursery
        await self.kill()
        await self.nursery.communicate(b"")  # the end of its orders
        self.reserved.close()

    async def tell(self, order: str) -> None:
        assert self.nursery
        assert self.nursery.stdin
        assert self.nursery.stdout
        self.nursery.stdin.write(f"{order}\n".encode())
        while await self.nursery.stdout.readline() != b"done\n":  # what the server prints
            assert not self.nursery.stdout.at_eof(), "the nursery has ended"

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


class Connection:
    """One connection that is kept and asked again and again until the server answers: a killed one does not.

    Thousands of moves are sent: a general HTTP client takes more processor time for them than the server.
    """

    def __init__(self, port: int) -> None:
        self.port = port
        self.key = ""
        self.writer: asyncio.StreamWriter | None = None

    async def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """The status and the data of the response."""
        async with asyncio.timeout(PATIENCE):
            while True:
                try:
                    return await self.send(method, path, b"" if body is None else json.dumps(body).encode())
                except (OSError, asyncio.IncompleteReadError):
                    self.close()
                    await asyncio.sleep(0.05)

    async def send(self, method: str, path: str, content: bytes) -> tuple[int, Any]:
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nContent-Length: {len(content)}\r\n"
        )
        head += f"Authorization: Bearer {self.key}\r\n" if self.key else ""
        self.writer.write(f"{head}Content-Type: application/json\r\n\r\n".encode() + content)
        answer = (await self.reader.readuntil(b"\r\n\r\n")).lower()
        length = int(answer.partition(b"content-length:")[2].partition(b"\r\n")[0])
        return int(answer.split()[1]), json.loads(await self.reader.readexactly(length))

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()
            self.writer = None


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


async def play(played: Played, server: KilledServer) -> None:
    """Play a complete game, every fifth one against a bot, tracking every response."""
    connection = Connection(server.port)
    seats = [{"kind": "person", "name": "Ann"}]
    if played.chance.random() < 0.2:
        seats.append({"kind": "bot", "name": "random"})
    status, opened = await connection.ask("POST", "/api/matches", {"game": played.game, "seats": seats})
    assert status == 201, opened
    state, played.id, played.key = opened["state"], opened["state"]["id"], opened["key"]
    connection.key = played.key
    server.playing += 1
    quiet = 0.0
    while state["status"] != "finished":
        if not state["turn"]["yours"]:
            pause = PAUSE * server.playing
            await asyncio.sleep(pause)
            quiet += pause
            assert quiet < PATIENCE, f"{played.id} is stuck"
            _, state = await connection.ask("GET", f"/api/matches/{played.id}")
            continue
        quiet = 0.0
        body = {"version": state["version"], "move": a_move(state, played.chance)}
        status, answer = await connection.ask("POST", f"/api/matches/{played.id}/moves", body)
        if status == 200:
            state = answer
            played.answered = state["version"]
            server.count_answer()
            played.moves[body["version"]] = body["move"]
        else:
            # The move was saved, but the server was killed before it answered; or a bot was faster.
            assert status in (403, 409), answer
            state = answer["state"]
        assert state["version"] >= played.answered, "an answered move is gone"
    connection.close()
    server.playing -= 1
    played.finished = True
