"""The real coach in tests of the server: it shares compiled kernels with the tests of the coach."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from httpx2 import Response
from tests.coach.conftest import play_record
from tests.waiting import READY, eventually

from dicecup.engine.record import Record
from dicecup.engine.record_text import record_to_text
from dicecup.rules import load_ruleset

ROOT = Path(__file__).resolve().parents[2]
KEPT = {
    "NUMBA_CACHE_DIR": str(ROOT / ".pytest_cache" / "kernels"),
    "DICECUP_CACHE": str(ROOT / ".pytest_cache" / "coach"),
}
TOLD_TO_WAIT = ("coach_busy", "coach_preparing", "still_working")


def record_of(game: str, players: int = 1, moves: int = 10**6, **options: str) -> str:
    """Return the record of a game of bots, as a file."""
    return record_to_text(game_of_bots(game, players, moves, **options))


def game_of_bots(game: str, players: int = 1, moves: int = 10**6, **options: str) -> Record:
    return play_record(load_ruleset(game, options), ("bot:greedy",) * players, 3, moves=moves)


def when_ready(ask: Callable[[], Response]) -> Response:
    """Retry until the coach has an answer, as a client does."""

    def is_answer(answer: Response) -> bool:
        return answer.status_code not in (429, 503) or answer.json()["error"]["code"] not in TOLD_TO_WAIT

    return eventually(ask, is_answer, READY)
