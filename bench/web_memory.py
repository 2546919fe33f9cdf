"""Count the objects of live matches in the memory of a server.

    .venv/bin/python -m bench.web_memory [--others 12]

The application runs in this process. Of each game some matches are played to their end, as the `others`; then
one of 15 moves and one whole game with a spectator. What only this match refers to is counted, with
`sys.getsizeof`: rules, and what it shares with the others, such as equal rolls, are not. `seen` is what is
kept of what spectators saw last.
"""

from __future__ import annotations

import argparse
import asyncio
import enum
import gc
import json
import random
import sys
import tempfile
import types
from pathlib import Path
from typing import Any

from bench.web_attack import ask_app
from starlette.types import ASGIApp, Message
from tests.web.killing import a_move

from dicecup.rules.model import Ruleset
from dicecup.web.app import create_app
from dicecup.web.service.live_match import LiveMatch
from dicecup.web.settings import Settings

GAMES = ["yatzy", "yum-plus", "triple-yum-plus"]
SHARED = (
    *(type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType),
    *(types.CodeType, Ruleset, enum.Enum, int, type(None)),
)


def new_bytes(root: object, known: set[int], outside: set[int]) -> int:
    """The size of all objects that `root` refers to and that are not known yet; they are known then."""
    total, waiting = 0, [root]
    while waiting:
        found = waiting.pop()
        if id(found) in known or id(found) in outside or isinstance(found, SHARED):
            continue
        known.add(id(found))
        total += sys.getsizeof(found)
        if not isinstance(found, str | bytes):
            waiting += gc.get_referents(found)
    return total


def outside_of(live: LiveMatch) -> set[int]:
    """What a match refers to that is not its own."""
    return {id(one) for one in (live.store, live.persist, live.listeners, *live.listeners)}


async def play(app: ASGIApp, game: str, moves: int, chance: random.Random, *, watched: bool) -> str:
    """Play a match of one player; return its id. A spectator stays until the end of the program."""
    wish = {"game": game, "seats": [{"kind": "person", "name": "Ann"}]}
    opened = json.loads((await ask_app(app, "POST", "/api/matches", wish))[1])
    state, key = opened["state"], opened["key"]
    if watched:
        await watch(app, state["id"])
    for _ in range(moves):
        if state["status"] == "finished":
            break
        move = {"version": state["version"], "move": a_move(state, chance)}
        status, body = await ask_app(app, "POST", f"/api/matches/{state['id']}/moves", move, key)
        assert status == 200, body
        state = json.loads(body)
    await asyncio.sleep(0.2)  # the spectator has seen it
    return str(state["id"])


spectators: set[asyncio.Task[Any]] = set()


async def watch(app: ASGIApp, match: str) -> None:
    stays, begun = asyncio.Event(), asyncio.Event()

    async def send(message: Message) -> None:
        if message.get("body"):
            begun.set()

    spectators.add(asyncio.create_task(ask_app(app, "GET", f"/t/{match}/events", None, until=stays, to=send)))
    await begun.wait()


async def measure(folder: str, others: int) -> None:
    app = create_app(Settings(f"{folder}/games.db", warm=False, limits=False))
    async with app.router.lifespan_context(app):
        matches, chance = app.state.matches, random.Random(1)
        for game in GAMES:
            rest = [await play(app, game, 10_000, chance, watched=False) for _ in range(others)]
            for moves in (15, 10_000):
                match = await play(app, game, moves, chance, watched=True)
                live, channel = matches.live[match], matches.subscribers.channels[match]
                channel.forget_wholes()
                known: set[int] = set()
                for other in rest:
                    new_bytes(matches.live[other], known, outside_of(matches.live[other]))
                own = outside_of(live)
                parts = {
                    "entries": new_bytes(live.playing().record.entries, known, own),
                    "states": new_bytes(live.playing().record, known, own),
                    "match": new_bytes(live, known, own),
                    "seen": new_bytes(channel.frames, known, own),
                }
                told = {"game": game, "version": live.version, **parts, "all": sum(parts.values())}
                print(json.dumps(told), flush=True)
        for task in spectators:
            task.cancel()
        await asyncio.gather(*spectators, return_exceptions=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Count the objects of live matches.")
    parser.add_argument("--others", type=int, default=12, help="matches of the same game in memory")
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(folder, parser.parse_args().others))


if __name__ == "__main__":
    assert Path("tests/web").is_dir(), "run this in the clone's folder"
    main()
