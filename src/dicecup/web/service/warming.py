"""Compiling the coach's kernels in the background when the server starts for the first time.

Compiled kernels are kept on the disk, so that this happens once in the life of an installation. What was done
is marked beside them, game by game: an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import asyncio
import fcntl
from collections.abc import Callable
from pathlib import Path

from dicecup.rules.loader import builtin_ids, load_ruleset
from dicecup.rules.model import Ruleset
from dicecup.web.service.thinker import Thinker

NICEST = 19  # whatever else there is to do comes first
DELAY = 3.0  # seconds after the start, so that the first page does not wait


async def warm_all() -> None:
    """In a process that lives no longer than this."""
    await asyncio.sleep(DELAY)
    thinker = Thinker(NICEST)
    try:
        for game in builtin_ids():
            await thinker.ask("warm", load_ruleset(game))
    finally:
        await thinker.stop()


def warm_once(rules: Ruleset, prepare: Callable[[Ruleset], None]) -> None:
    """Prepare a game unless that was done before, or another process is at it."""
    import numba

    from dicecup.solver.compiled import KEPT

    if not KEPT:  # nothing stays: whoever asks first has to wait
        return
    folder = Path(numba.config.CACHE_DIR)  # type: ignore[attr-defined]
    mark = folder / f"warm-{rules.id}"
    with (folder / "warming").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return
        if not mark.exists():
            prepare(rules)
            mark.touch()
