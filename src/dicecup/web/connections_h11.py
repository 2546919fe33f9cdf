"""Bounded connections with h11, the parser for systems that httptools has no wheel for."""

from __future__ import annotations

from http import HTTPStatus

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from dicecup.web.connections import MOST_HEAD, ConnectionBounds

END_OF_HEAD = b"\r\n\r\n"


class H11Connection(ConnectionBounds, H11Protocol):
    """h11 limits heads that are incomplete (`h11_max_incomplete_event_size`), but not complete ones."""

    reading: object = h11.IDLE  # what of the request is received, as h11 calls it

    def data_received(self, data: bytes) -> None:
        if self.reading is h11.IDLE and len(data) > MOST_HEAD and END_OF_HEAD not in data[:MOST_HEAD]:
            self.turn_away(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        else:
            super().data_received(data)

    def handle_events(self) -> None:
        """Set the deadline for what the client has to send next."""
        super().handle_events()
        now = self.conn.their_state
        if now is h11.SEND_BODY and self.reading is not h11.SEND_BODY:
            self.set_deadline(self.limits.body_seconds)
        elif now is not h11.SEND_BODY and now is not h11.IDLE:
            self.stop_deadline()
        self.reading = now
