"""A person's data: all of it in one file, or deleted; and removing abandoned matches.

A person is identified by the key of a browser or of an API client.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from dicecup.engine.record_text import RecordWriter, join_record, split_lines
from dicecup.errors import DicecupError
from dicecup.rules.loader import load_without_files
from dicecup.storage.people import MOST_GAMES, forget_owner, remove_empty_evenings
from dicecup.storage.removal import (
    ABANDONED,
    BATCH,
    FINISHED,
    UPLOADED,
    Removal,
    remove_old,
    remove_person,
)
from dicecup.storage.results import remove_learning
from dicecup.storage.store import Store
from dicecup.storage.stored import Evening, MatchLine, Notice
from dicecup.web.service.evening_tally import read_lines, totals
from dicecup.web.service.grading import learning_data
from dicecup.web.service.identity import now
from dicecup.web.service.matches import Matches
from dicecup.web.settings import Retention

MATCHES_AT_ONCE = 50
MOST_EXPORTED = 100_000  # evenings
BETWEEN_ROUNDS = 3600.0  # seconds
FILE_NAME = "dicecup-games.zip"
log = logging.getLogger("dicecup.web")


def rename_players(header: str, names: Mapping[int, str]) -> str:
    """Return the header of a record with other names at these seats, and its checksums made anew."""
    writer, lines, seat = RecordWriter(), [], 0
    for line in split_lines(header.encode())[0]:
        text = line.text
        if text.startswith("player "):
            text = f"player {names[seat]}" if seat in names else text
            seat += 1
        lines.append(writer.line(text))
    return "".join(lines)


async def delete_person(matches: Matches, holder: str) -> Removal:
    """Delete what is stored about the holder of a key (its hash), match by match."""
    total = Removal()
    await matches.in_background(remove_learning, matches.store, holder)
    while True:
        found = await matches.in_background(remove_person, matches.store, holder, rename_players)
        for match in found.removed:
            matches.forget(match)
        for match in found.renamed:
            await matches.refresh(Notice(match))
        total += found
        if not found.removed and not found.renamed:
            await matches.in_background(forget_owner, matches.store, holder)
            return total


class Pieces:
    """A file object whose content is consumed in pieces while it is written."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []

    def write(self, data: bytes) -> int:
        self.pieces.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Do nothing: `take` returns what was written."""

    def take(self) -> bytes:
        taken = b"".join(self.pieces)
        self.pieces.clear()
        return taken


async def export_person(matches: Matches, holder: str) -> AsyncIterator[bytes]:
    """Yield a ZIP archive of everything that is stored about the holder of a key (its hash).

    Each piece holds some matches and is made in the background thread, so that others wait for one at most.
    """
    pieces = archive(matches.store, holder)
    while (piece := await matches.in_background(next, pieces, None)) is not None:
        yield piece


def archive(store: Store, holder: str) -> Iterator[bytes]:
    """Yield the archive: `games.json` and what was learned, `evenings.json`, a record of each begun game."""
    file, date = Pieces(), datetime.now(UTC).timetuple()[:6]
    with ZipFile(file, "w", ZIP_DEFLATED) as zipped:  # type: ignore[call-overload]

        def entry(name: str) -> ZipInfo:
            info = ZipInfo(name, date)
            info.compress_type = ZIP_DEFLATED
            return info

        with zipped.open(entry("games.json"), "w", force_zip64=True) as listed:
            listed.write(f'{{"exported": {json.dumps(now())}, "games": ['.encode())
            first = True
            for lines in pages(store, holder):
                texts = [json.dumps(line_data(line), ensure_ascii=False) for line in lines]
                listed.write(("" if first else ",\n").encode() + ",\n".join(texts).encode())
                first = False
                yield file.take()
            learned = json.dumps(learning_data(store, holder), ensure_ascii=False)
            listed.write(f'], "learning": {learned}}}\n'.encode())
        with zipped.open(entry("evenings.json"), "w", force_zip64=True) as listed:
            listed.write(b'{"evenings": [')
            for number, evening in enumerate(store.evenings_of(holder, MOST_EXPORTED)):
                text = json.dumps(evening_data(store, evening, holder), ensure_ascii=False)
                listed.write((",\n" if number else "").encode() + text.encode())
                yield file.take()
            listed.write(b"]}\n")
        for lines in pages(store, holder):
            names = {line.id: record_name(line) for line in lines if line.begun}
            for match, header, texts in store.records(list(names)):
                zipped.writestr(entry(names[match]), join_record(header, texts))
            yield file.take()
    yield file.take()


def pages(store: Store, holder: str) -> Iterator[list[MatchLine]]:
    page = store.matches_of(holder, "", MATCHES_AT_ONCE)
    while page.lines:
        yield page.lines
        if not page.older:
            return
        page = store.matches_of(holder, page.older, MATCHES_AT_ONCE)


def record_name(line: MatchLine) -> str:
    return f"records/{load_without_files(line.ruleset).id}-{line.id}.record"


def evening_data(store: Store, evening: Evening, holder: str) -> dict[str, Any]:
    lines = read_lines(store, [evening.id], holder, MOST_GAMES)
    return {
        "id": evening.id,
        "name": evening.name,
        "created": evening.created,
        "yours": evening.owner == holder,
        "games": [line.id for line in lines],
        "people": [
            {"name": one.name, "games": one.games, "won": float(one.won), "points": one.points}
            for one in totals(lines)
        ],
    }


def line_data(line: MatchLine) -> dict[str, Any]:
    return {
        "id": line.id,
        "evening": line.evening,
        "game": line.ruleset,
        "created": line.created,
        "finished": line.finished,
        "retry": line.tried,
        "players": list(line.names),
        "record": record_name(line) if line.begun else None,
        "results": [
            {
                "seat": end.seat,
                "yours": end.mine,
                "points": end.points,
                "place": end.place,
                "luck": end.verdict.luck if end.verdict else None,
                "skill": end.verdict.skill if end.verdict else None,
                "error_rate": end.verdict.error_rate if end.verdict else None,
            }
            for end in line.ended
        ],
    }


async def keep_to_retention(matches: Matches) -> None:
    """Remove what is older than the settings allow, every hour while the server runs."""
    while True:
        try:
            removed = await remove_expired(matches, matches.settings.retention, datetime.now(UTC))
            if removed:
                log.info("retention: %d matches removed", removed)
        except DicecupError as error:  # the database is unavailable
            log.warning("retention: %s", error.code)
        except Exception as error:  # the next round may succeed; the error's text may name people
            log.error("retention: %s", type(error).__name__)
        await asyncio.sleep(BETWEEN_ROUNDS)


async def remove_expired(matches: Matches, retention: Retention, today: datetime) -> int:
    """Remove what is older than allowed, in batches; return how many matches."""
    total = 0
    for condition, days in (
        (ABANDONED, retention.abandoned_days),
        (UPLOADED, retention.upload_days),
        (FINISHED, retention.finished_days),
    ):
        before = (today - timedelta(days=days)).isoformat(timespec="seconds")
        count = BATCH if days else 0
        while count == BATCH:
            removed = await matches.in_background(remove_old, matches.store, condition, before)
            for match in removed:
                matches.forget(match)
            count = len(removed)
            total += count
    before = (today - timedelta(days=retention.abandoned_days)).isoformat(timespec="seconds")
    while retention.abandoned_days and await matches.in_background(
        remove_empty_evenings, matches.store, before
    ):
        pass
    return total
