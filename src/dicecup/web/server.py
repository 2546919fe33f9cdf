"""Run the application with uvicorn. `dicecup serve` loads this module by name: cli does not import web."""

from __future__ import annotations

import socket
from importlib.util import find_spec

import uvicorn
from uvicorn.supervisors import Multiprocess

from dicecup.web.connections import MOST_HEAD, raise_descriptor_limit
from dicecup.web.settings import settings_of_process


def run(listener: socket.socket, workers: int = 1) -> None:
    """Serve until a signal. Application and protocol are given by name, so that workers import them."""
    raise_descriptor_limit()
    config = uvicorn.Config(
        "dicecup.web.app:create_app",
        factory=True,
        http=protocol(),
        h11_max_incomplete_event_size=MOST_HEAD,
        forwarded_allow_ips=settings_of_process().connections.proxies,
        log_level="warning",
        access_log=False,  # addresses of tables are nobody's business
        server_header=False,
        timeout_graceful_shutdown=2,
        timeout_keep_alive=60,  # a player thinks between two moves
        workers=workers,
    )
    if workers == 1:
        uvicorn.Server(config).run(sockets=[listener])
    else:
        Multiprocess(config, [listener]).run()


def protocol() -> str:
    if find_spec("httptools"):
        return "dicecup.web.connections_httptools:HttpToolsConnection"
    return "dicecup.web.connections_h11:H11Connection"
