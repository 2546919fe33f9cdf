"""`dicecup verify`: check a record, and every roll in it where the dice are verifiable."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import click

from dicecup.cli.common import (
    Command,
    _,
    echo,
    echo_stderr,
    given_record,
    json_option,
    language_option,
    option,
    print_json,
    speech,
)
from dicecup.engine.record import Record
from dicecup.engine.record_dice import Proof, verify
from dicecup.engine.state import standings
from dicecup.errors import RecordError, UsageError
from dicecup.i18n.sentences import proof_statements, rolls_verified_text
from dicecup.messages import N_

FINGERPRINT = re.compile(r"[0-9a-f]{8,64}")
ANSWER_KEYS = (
    *("valid", "error", "line", "dice", "proved", "throws", "first_wrong_throw"),
    *("statement", "proved_against", "fingerprint", "finished", "standings"),
)


@click.command(
    "verify",
    cls=Command,
    help=N_("Check a game file against the rules and verify its dice: every roll, or the first wrong one."),
    example="dicecup verify game.record\ndicecup verify game.record --fingerprint 4ed3a47f8adc",
)
@click.argument("record", type=click.Path(path_type=Path))
@option(
    "--fingerprint",
    metavar="HEX",
    help=N_("The fingerprint you were shown before the game, or at least its first 8 digits."),
)
@json_option
@language_option
def command(record: Path, fingerprint: str | None, as_json: bool) -> int:
    if fingerprint is not None and not FINGERPRINT.fullmatch(fingerprint.lower()):
        raise UsageError("fingerprint_unreadable", found=fingerprint[:80])
    try:
        found = given_record(record)
    except RecordError as error:
        if as_json:
            invalid = {"valid": False, "error": error.code, "line": error.values.get("line")}
            print_json(dict.fromkeys(ANSWER_KEYS) | invalid)
        raise
    proof = verify(found)
    shown = found.header.origin.commitment
    if fingerprint is not None and not (shown and shown.startswith(fingerprint.lower())):
        proof = replace(proof, problem=RecordError("fingerprint_other", found=shown or "–"))
    if as_json:
        print_json(answer(found, proof))
    else:
        echo(text(proof))
    if proof.problem:
        echo_stderr(f"dicecup: {speech.language.sentence(proof.problem)} [{proof.problem.code}]")
    return 1 if proof.problem else 0


def answer(record: Record, proof: Proof) -> dict[str, object]:
    wrong = proof.problem.values if proof.problem else {}
    return dict.fromkeys(ANSWER_KEYS) | {
        "valid": True,
        "dice": proof.kind,
        "proved": proof.proved,
        "throws": proof.throws,
        "statement": proof.statement,
        "proved_against": list(proof.against),
        "fingerprint": record.header.origin.commitment or None,
        "error": proof.problem.code if proof.problem else None,
        "first_wrong_throw": wrong.get("number"),
        "finished": record.state.finished,
        "standings": [
            {"place": place, "name": record.header.players[player], "points": points}
            for place, player, points in standings(record.rules, record.state)
        ],
    }


def text(proof: Proof) -> str:
    in_order = _("Every line of the game file follows the rules.")
    if proof.proved:
        proved = rolls_verified_text(proof.throws, speech.language)
    elif proof.problem:
        proved = _("The dice couldn’t be verified.")
    elif proof.kind == "points":
        proved = _("Only points were written, no dice: every value is possible.")
    elif proof.kind == "typed":
        proved = _("The players rolled their own dice: there’s nothing to verify.")
    else:
        proved = _("The dice were rolled without a fingerprint: they can’t be verified.")
    return "\n".join([in_order, proved, *proof_statements(proof, speech.language)])
