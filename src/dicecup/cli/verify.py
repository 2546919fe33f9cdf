"""`dicecup verify`: proves a record, and every throw in it where the dice can be proved."""

from __future__ import annotations

from pathlib import Path

import click

from dicecup.cli.common import (
    Command,
    _,
    echo,
    given_record,
    json_option,
    language_option,
    print_json,
    speech,
    talk,
)
from dicecup.engine.record import Proof, Record, verify
from dicecup.engine.state import standings
from dicecup.errors import RecordError
from dicecup.i18n.sentences import rolls_verified_text
from dicecup.messages import N_

ANSWER_KEYS = (
    *("valid", "error", "line", "dice", "proved", "throws", "first_wrong_throw"),
    *("finished", "standings"),
)


@click.command(
    "verify",
    cls=Command,
    help=N_("Check a game file against the rules and verify its dice: every roll, or the first wrong one."),
    example="dicecup verify game.record",
)
@click.argument("record", type=click.Path(path_type=Path))
@json_option
@language_option
def command(record: Path, as_json: bool) -> int:
    try:
        found = given_record(record)
    except RecordError as error:
        if as_json:
            invalid = {"valid": False, "error": error.code, "line": error.values.get("line")}
            print_json(dict.fromkeys(ANSWER_KEYS) | invalid)
        raise
    proof = verify(found)
    if as_json:
        print_json(answer(found, proof))
    else:
        echo(text(proof))
    if proof.problem:
        talk(f"dicecup: {speech.language.sentence(proof.problem)} [{proof.problem.code}]")
    return 1 if proof.problem else 0


def answer(record: Record, proof: Proof) -> dict[str, object]:
    wrong = proof.problem.values if proof.problem else {}
    return dict.fromkeys(ANSWER_KEYS) | {
        "valid": True,
        "dice": proof.kind,
        "proved": proof.proved,
        "throws": proof.throws,
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
    elif proof.kind == "typed":
        proved = _("The players rolled their own dice: there’s nothing to verify.")
    else:
        proved = _("The dice were rolled without a fingerprint: they can’t be verified.")
    return f"{in_order}\n{proved}"
