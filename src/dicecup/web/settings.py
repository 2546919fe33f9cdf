"""What can be set from outside, all of it through the environment, so that worker processes see the same."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from dicecup.folders import data_folder


@dataclass(frozen=True)
class Settings:
    database: str
    address: str = ""  # where others reach this server, for links and codes; empty: as the browser asked
    pause: float = 1.5  # seconds in which a box can be taken back before a bot throws
    pace: float = 0.7  # seconds between the steps of a bot
    reveal_after: float = 10.0  # seconds in which the last box can be taken back before the secret is shown
    limits: bool = True  # whether requests are counted
    warm: bool = False  # whether the coach gets ready in the background when the server starts


def settings_of(environment: Mapping[str, str]) -> Settings:
    return Settings(
        database=environment.get("DICECUP_DATABASE") or str(data_folder() / "games.db"),
        address=environment.get("DICECUP_ADDRESS", "").rstrip("/"),
        pause=seconds(environment, "DICECUP_PAUSE", Settings.pause),
        pace=seconds(environment, "DICECUP_PACE", Settings.pace),
        reveal_after=seconds(environment, "DICECUP_REVEAL_AFTER", Settings.reveal_after),
        limits=environment.get("DICECUP_LIMITS") != "off",
        warm=environment.get("DICECUP_WARM") != "off",
    )


def seconds(environment: Mapping[str, str], name: str, otherwise: float) -> float:
    try:
        return max(0.0, min(600.0, float(environment.get(name, otherwise))))
    except ValueError:
        return otherwise


def settings_of_process() -> Settings:
    return settings_of(os.environ)
