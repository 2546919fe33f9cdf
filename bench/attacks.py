"""The most expensive requests that a stranger can send within the limits: see `bench.web_attack`."""

from __future__ import annotations

import random

from dicecup.engine.fairness import commitment
from dicecup.engine.play import legal_moves
from dicecup.engine.record import Header, Record, RecordBuilder, Reveal
from dicecup.engine.record_text import record_to_text
from dicecup.engine.state import Throw, dice_to_throw
from dicecup.match import verifiable_origin
from dicecup.rules import load_ruleset

PLAYERS = 10

Send = tuple[str, str, object]  # method, path, body


def long_record() -> str:
    """The record of a whole game of ten players, near the limits of an upload."""
    rules, secret, chance = load_ruleset("triple-yum-plus"), bytes(32), random.Random(1)
    names = tuple(f"Player {number}" for number in range(PLAYERS))
    origin = verifiable_origin(secret, ("",) * PLAYERS)
    assert origin.commitment == commitment(secret)
    builder = RecordBuilder(Record(Header(rules.id, rules, names, origin)))
    while not builder.state.finished:
        if builder.state.throw_due:
            count = dice_to_throw(rules, builder.state)
            builder.add(Throw(origin.throw(secret, builder.build().next_throw, rules, count)))
        else:
            builder.add(chance.choice(legal_moves(rules, builder.state)[-40:]))
    builder.add(Reveal(secret.hex()))
    return record_to_text(builder.build())


PEOPLE = [{"kind": "person", "name": f"Player {number}"} for number in range(24)]
# Matches with as many people as there may be, one with dice and one with points only.
FULL = {
    "full match": {"game": "triple-yum-plus", "seats": PEOPLE},
    "full pad": {"game": "triple-yum-plus", "seats": PEOPLE, "dice": "points"},
}
# House rules as large as they may be.
HOUSE = "\n".join(
    [
        'format = 1\nid = "large"\nbase = "yatzy"\nthrows = 10\ndice = { count = 8, faces = 6 }',
        *(f'box.b{number} = {{ points = "all" }}' for number in range(30)),
    ]
)


def attacks_on(match: str, record: str, full: dict[str, str]) -> dict[str, Send]:
    """The most expensive requests that a stranger can send; `full` are the ids of the matches in FULL."""
    pages: dict[str, Send] = {name: ("GET", f"/t/{opened}", None) for name, opened in full.items()}
    return pages | {
        "record": ("GET", f"/api/matches/{match}/record", None),
        "proof": ("GET", f"/t/{match}/proof", None),
        "try": ("POST", f"/api/matches/{match}/try", {"moves": 1000}),
        "upload": ("POST", "/api/reviews", {"record": record}),
        "keep upload": ("POST", "/api/records", {"record": record}),
        "match page": ("GET", f"/t/{match}", None),
        "review page": ("GET", f"/t/{match}/review", None),
        "review": ("GET", f"/api/matches/{match}/review", None),
        "review again": ("GET", f"/api/matches/{match}/review", None),
        "set-up page": ("GET", "/new/yatzy", None),
        "open": ("POST", "/api/matches", {"game": "yatzy", "seats": [{"kind": "person", "name": "Eve"}]}),
        "house rules": ("POST", "/api/house-rules", {"text": HOUSE}),
        "workshop": ("GET", "/workshop", None),
        "rules": ("GET", "/rules/triple-yum-plus", None),
        "score pad to print": ("GET", "/rules/triple-yum-plus/pad.pdf", None),
        "description of the API": ("GET", "/api/openapi.json", None),
        "puzzles": ("GET", "/api/puzzles/today/triple-yum-plus", None),
    }
