"""Finding what is known about a game: a table, a solve where that takes seconds, or a learned value."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from dicecup.coach.values import Values
from dicecup.errors import DicecupError, UsageError
from dicecup.rules.model import Ruleset

if TYPE_CHECKING:
    from dicecup.solver.solve import Progress

Watch = Callable[["Progress"], None]
Tell = Callable[[DicecupError], None]


def nobody_watches(progress: Progress) -> None:
    """A solve goes on unseen."""


def nobody_listens(error: DicecupError) -> None:
    """A bad table is passed over in silence."""


FINDING = Lock()  # of several threads that ask for the same game one solves it, and the others wait


def known_values(rules: Ruleset) -> Values:
    """As `find_values`, remembered: for players and services that ask again and again."""
    with FINDING:
        return remembered_values(rules)


@lru_cache(maxsize=4)
def remembered_values(rules: Ruleset) -> Values:
    return find_values(rules)


def find_values(
    rules: Ruleset,
    *,
    folder: Path | None = None,
    watch: Watch = nobody_watches,
    tell: Tell = nobody_listens,
) -> Values:
    """The best knowledge there is. Where there is none, the error says what to run."""
    need_packages()
    from dicecup.solver.games import find_solution
    from dicecup.solver.learned import find_learned

    try:
        return Values(find_solution(rules, folder=folder, watch=watch, tell=tell))
    except UsageError as error:
        if learned := find_learned(rules):
            return Values(learned, why_learned=error.with_traceback(None))
        raise


def need_packages() -> None:
    try:
        import numba  # noqa: F401
        import numpy  # noqa: F401
    except ImportError:
        raise UsageError("solver_missing") from None
