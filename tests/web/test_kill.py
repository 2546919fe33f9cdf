"""kill -9 at random moments of 200 random games: no acknowledged move is lost, and no match is stuck."""

from __future__ import annotations

import asyncio
import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.web.killing import GAMES, KILLS, KilledServer, Played, play

from dicecup.engine.serialize import move_to_data
from dicecup.engine.state import Throw, final_score
from dicecup.storage.store import open_store
from dicecup.web.service.identity import key_hash
from dicecup.web.service.live_match import LiveMatch

GAMES_PLAYED = 200


async def play_all(server: KilledServer) -> list[Played]:
    games = [Played(GAMES[number % len(GAMES)], random.Random(number)) for number in range(GAMES_PLAYED)]
    await server.start()
    killer = asyncio.create_task(server.kill_now_and_then())
    try:
        async with asyncio.TaskGroup() as group:
            for played in games:
                group.create_task(play(played, server))
    finally:
        killer.cancel()
        await server.close()
    return games


@pytest.mark.slow
def test_no_acknowledged_move_is_lost(database: str) -> None:
    server = KilledServer(database, seed=6)
    # In a separate thread: browser tests in the same process leave a running loop in this one.
    with ThreadPoolExecutor(1) as thread:
        games = thread.submit(asyncio.run, play_all(server)).result()
    assert server.kills == KILLS
    store = open_store(database)
    for played in games:
        assert played.finished
        stored = store.match(played.id)
        assert stored is not None
        live = LiveMatch(store, stored)
        live.take_over(*live.fetch())  # replays every entry by the rules
        match = live.playing()
        assert match.state.finished
        assert stored.finished
        found = store.results_of(key_hash(played.key)).results
        results = [result for result in found if result.match == played.id]
        assert [result.points for result in results] == [final_score(match.rules, match.state.sheets[0])]
        for version, move in played.moves.items():
            entry = match.record.entries[version]
            if move == {"throw": True}:
                assert isinstance(entry, Throw)
            else:
                told = move_to_data(match.rules, entry)  # type: ignore[arg-type]
                told = {name: sorted(value) if name == "keep" else value for name, value in told.items()}
                assert told == {
                    name: sorted(value) if name == "keep" else value for name, value in move.items()
                }
    store.close()
