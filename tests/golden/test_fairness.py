"""Records of verifiable dice that must verify forever, each with its own statement of what is proved."""

from __future__ import annotations

from pathlib import Path

import pytest

from dicecup.engine.record_dice import verify
from dicecup.engine.record_text import record_from_text, record_to_text

RECORDS = Path(__file__).parent / "fairness"
EXPECTED = {
    "statement-1": (1, ("players",), None),  # as records were written before there was statement 2
    "statement-2": (2, ("server", "players"), None),
    "statement-2-double-dice": (2, ("server", "players"), None),
    "statement-2-steered": (2, (), "seed_of_bot"),
    "statement-2-without-words": (2, ("players",), None),
}


def test_every_record_is_expected():
    assert {path.stem for path in RECORDS.iterdir()} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_record_proves_what_it_did(name: str):
    data = (RECORDS / f"{name}.record").read_bytes()
    record, _ = record_from_text(data)
    proof = verify(record)
    assert (proof.statement, proof.against, proof.problem and proof.problem.code) == EXPECTED[name]
    assert record_to_text(record).encode() == data
