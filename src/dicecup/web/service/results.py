"""How a game ended, seat by seat, as it is kept for lists and statistics."""

from __future__ import annotations

import json

from dicecup.engine.record import Record
from dicecup.engine.sheet_data import sheet_to_data
from dicecup.engine.totals import standings
from dicecup.storage.rows import Result


def results_of(record: Record, finished: str) -> list[Result]:
    rules, players = record.rules, record.header.players
    return [
        Result(
            seat=seat,
            name=players[seat],
            ruleset=record.header.reference,
            identity=rules.identity,
            points=points,
            place=place,
            players=len(players),
            sheet=json.dumps(sheet_to_data(rules, record.state.sheets[seat])),
            finished=finished,
        )
        for place, seat, points in standings(rules, record.state)
    ]
