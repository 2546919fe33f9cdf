"""How far long work is, and the callbacks that are called meanwhile. Needs no package of the solver."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from dicecup.errors import DicecupError


@dataclass(frozen=True)
class Progress:
    """How far a solve is. `resumed`: states that an earlier run had solved."""

    stage: Literal["compiling", "solving"]
    done: int = 0
    total: int = 1
    resumed: int = 0


OnProgress = Callable[[Progress], None]
OnShare = Callable[[float], None]  # called with the share of the work that is done
OnWarning = Callable[[DicecupError], None]  # called with the reason why a table is not used
OnBatch = Callable[[int], None]  # called after each batch of a level with its number of states


def no_callback(*_arguments: object) -> None:
    """The default callback: do nothing."""
