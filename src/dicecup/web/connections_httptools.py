"""Bounded connections with httptools, the fast parser."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Literal

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from dicecup.web.connections import MOST_HEAD, ConnectionBounds

Reading = Literal["nothing", "head", "body"]


class HeadTooLarge(Exception):  # noqa: N818 - only stops the parser
    """The headers of a request exceed the limit."""


class HttpToolsConnection(ConnectionBounds, HttpToolsProtocol):
    """httptools has no limit for the head of a request: it is kept here."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self.url = b""  # uvicorn sets it with the first byte of a request
        self.reading: Reading = "nothing"
        self.head_size = 0  # bytes of a head that is not complete
        self.fields_size = 0  # bytes of headers and trailers
        super().connection_made(transport)

    def data_received(self, data: bytes) -> None:
        before = self.reading
        super().data_received(data)
        if self.reading == "head" and before != "body":
            self.head_size += len(data)
            if self.head_size > MOST_HEAD and not self.transport.is_closing():
                self.turn_away(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.reading = "head"
        self.head_size = self.fields_size = 0
        self.set_deadline(self.limits.header_seconds)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Handle a header, or a trailer after a chunked body."""
        super().on_header(name, value)
        self.fields_size += len(name) + len(value)
        if len(self.url) + self.fields_size > MOST_HEAD:
            raise HeadTooLarge  # the parser stops, and uvicorn calls `send_400_response`

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        self.give_to_stream()
        self.reading = "body"
        self.set_deadline(self.limits.body_seconds)

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self.reading = "nothing"
        self.stop_deadline()

    def write_body(self, body: bytes) -> None:
        self.transport.write(b"%x\r\n%b\r\n" % (len(body), body))

    def send_400_response(self, msg: str) -> None:
        if len(self.url) + self.fields_size > MOST_HEAD:
            self.turn_away(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        else:
            super().send_400_response(msg)
