"""Settings, read from environment variables so that worker processes see the same ones."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from dicecup.installation import data_folder

CONNECTION = "dicecup.connection"  # where a request's scope holds its connection, if it is for events
METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # the variable of prometheus-client


@dataclass(frozen=True)
class ConnectionLimits:
    """How long and how many connections may be open."""

    header_seconds: float = 10.0  # from the first byte of a request, or from the start, to its last header
    body_seconds: float = 60.0  # from there to the end of its body
    send_seconds: float = 60.0  # in which a client reads nothing of its answer
    most: int = 0  # connections of one process; 0: as many as it may have open files
    most_of_address: int = 500
    proxies: str = "127.0.0.1,::1"  # addresses and networks whose X-Forwarded-For and -Proto are believed


@dataclass(frozen=True)
class Retention:
    """After how many days matches are removed; 0: never."""

    abandoned_days: int = 365  # since the last move of a game that is not over
    upload_days: int = 365  # since a record was uploaded
    finished_days: int = 0  # since the end of a game


@dataclass(frozen=True)
class Logs:
    """What is logged, and how."""

    json: bool = False  # one JSON object a line
    level: str = "warning"

    @property
    def requests(self) -> bool:
        """Whether there is a line for each request."""
        return self.level in ("info", "debug")


@dataclass(frozen=True)
class MetricsAccess:
    """Who may see `/metrics`: nobody by default."""

    local: bool = False  # requests from this machine that no proxy passed on
    token: str = ""  # whoever sends it as `Authorization: Bearer TOKEN`

    @property
    def on(self) -> bool:
        return self.local or bool(self.token)


@dataclass(frozen=True)
class Settings:
    database: str
    database_seconds: float = 5.0  # to wait for a busy database before a request is answered with 503
    hosts: str = ""  # names in the Host header to answer, beside those of local networks; * for all
    address: str = ""  # where others reach this server, for links and codes; empty: as the browser asked
    pause: float = 1.5  # seconds in which a box can be taken back before a bot throws
    pace: float = 0.7  # seconds between the steps of a bot
    reveal_after: float = 10.0  # seconds in which the last box can be taken back before the secret is shown
    limits: bool = True  # whether requests are counted
    link_hours: int = 24  # for which a private link of a seat is valid
    worker_megabytes: int = 500  # of a worker process; one that takes more is replaced
    warm: bool = False  # whether kernels are compiled in the background when the server starts
    connections: ConnectionLimits = ConnectionLimits()
    retention: Retention = Retention()
    logs: Logs = Logs()
    metrics: MetricsAccess = MetricsAccess()


def settings_of(environment: Mapping[str, str]) -> Settings:
    return Settings(
        database=environment.get("DICECUP_DATABASE") or str(data_folder() / "games.db"),
        database_seconds=seconds(environment, "DICECUP_DATABASE_SECONDS", Settings.database_seconds),
        hosts=environment.get("DICECUP_HOSTS", ""),
        address=environment.get("DICECUP_ADDRESS", "").rstrip("/"),
        pause=seconds(environment, "DICECUP_PAUSE", Settings.pause),
        pace=seconds(environment, "DICECUP_PACE", Settings.pace),
        reveal_after=seconds(environment, "DICECUP_REVEAL_AFTER", Settings.reveal_after),
        limits=environment.get("DICECUP_LIMITS") != "off",
        link_hours=whole(environment, "DICECUP_LINK_HOURS", Settings.link_hours),
        worker_megabytes=whole(environment, "DICECUP_WORKER_MEGABYTES", Settings.worker_megabytes),
        warm=environment.get("DICECUP_WARM") != "off",
        connections=connection_limits_of(environment),
        retention=retention_of(environment),
        logs=Logs(
            json=environment.get("DICECUP_LOG_FORMAT") == "json",
            level=environment.get("DICECUP_LOG_LEVEL", Logs.level).lower(),
        ),
        metrics=MetricsAccess(
            local=environment.get("DICECUP_METRICS") == "local",
            token=environment.get("DICECUP_METRICS_TOKEN", ""),
        ),
    )


def retention_of(environment: Mapping[str, str]) -> Retention:
    usual = Retention()
    return Retention(
        abandoned_days=whole(environment, "DICECUP_KEEP_ABANDONED_DAYS", usual.abandoned_days),
        upload_days=whole(environment, "DICECUP_KEEP_UPLOAD_DAYS", usual.upload_days),
        finished_days=whole(environment, "DICECUP_KEEP_FINISHED_DAYS", usual.finished_days),
    )


def connection_limits_of(environment: Mapping[str, str]) -> ConnectionLimits:
    usual = ConnectionLimits()
    return ConnectionLimits(
        header_seconds=seconds(environment, "DICECUP_HEADER_SECONDS", usual.header_seconds),
        body_seconds=seconds(environment, "DICECUP_BODY_SECONDS", usual.body_seconds),
        send_seconds=seconds(environment, "DICECUP_SEND_SECONDS", usual.send_seconds),
        most=whole(environment, "DICECUP_CONNECTIONS", usual.most),
        most_of_address=whole(environment, "DICECUP_CONNECTIONS_OF_ADDRESS", usual.most_of_address),
        proxies=environment.get("DICECUP_PROXIES", usual.proxies),
    )


def seconds(environment: Mapping[str, str], name: str, otherwise: float) -> float:
    try:
        return max(0.0, min(600.0, float(environment.get(name, otherwise))))
    except ValueError:
        return otherwise


def whole(environment: Mapping[str, str], name: str, otherwise: int) -> int:
    try:
        return max(0, min(1_000_000, int(environment.get(name, otherwise))))
    except ValueError:
        return otherwise


def settings_of_process() -> Settings:
    return settings_of(os.environ)
