"""`dicecup verify` says exactly what is proved against whom, in every language."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import dicecup

RECORDS = Path(__file__).parents[1] / "golden" / "fairness"
FINGERPRINT = "98bc69c5e0c4348a"  # of statement-2.record


@pytest.mark.parametrize(
    ("record", "statement", "against", "said"),
    [
        ("statement-1", 1, ["players"], "game files of this older kind"),
        ("statement-2", 2, ["server", "players"], "words of players: Ann, Åsa."),
        ("statement-2-without-words", 2, ["players"], "no player added a word"),
    ],
)
def test_statement_of_every_kind_of_record(run, record, statement, against, said):
    path = str(RECORDS / f"{record}.record")
    done = run("verify", path)
    assert done.returncode == 0
    assert said in done.stdout
    assert "Nothing shows that nobody knew the coming rolls" in done.stdout
    answer = json.loads(run("verify", path, "--json").stdout)
    assert (answer["proved"], answer["statement"], answer["proved_against"]) == (True, statement, against)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("fr", "n’a pas pu choisir les dés"),
        ("de", "konnte die Würfel nicht wählen"),
        ("sv", "kunde inte välja"),
    ],
)
def test_statement_in_other_languages(run, language, said):
    assert said in run("verify", str(RECORDS / "statement-2.record"), "--lang", language).stdout


def test_steered_dice_are_not_proved(run):
    path = str(RECORDS / "statement-2-steered.record")
    done = run("verify", path)
    assert done.returncode == 1
    assert "[seed_of_bot]" in done.stderr
    assert "choose the dice" not in done.stdout
    answer = json.loads(run("verify", path, "--json").stdout)
    assert (answer["proved"], answer["proved_against"], answer["error"]) == (False, [], "seed_of_bot")


def test_fingerprint_is_compared_with_the_one_that_was_shown(run):
    path = str(RECORDS / "statement-2.record")
    assert run("verify", path, "--fingerprint", FINGERPRINT.upper()).returncode == 0
    other = run("verify", path, "--fingerprint", FINGERPRINT[::-1])
    assert other.returncode == 1
    assert "[fingerprint_other]" in other.stderr
    assert run("verify", path, "--fingerprint", "98bc").returncode == 2


def test_a_score_pad(run, tmp_path):
    """Its values are checked; it is neither reviewed nor played on in the terminal."""
    path = tmp_path / "pad.record"
    game = dicecup.Game("yatzy", ["Ann", "Bo"], dice="points")
    game.write("Bo", "sixes", 24)
    game.write("Bo", "sixes", 18)
    game.join("Cleo")
    game.save(path)
    done = run("verify", str(path))
    assert (done.returncode, "every value is possible" in done.stdout) == (0, True)
    answer = json.loads(run("verify", str(path), "--json").stdout)
    assert (answer["valid"], answer["dice"], answer["proved"]) == (True, "points", False)
    assert answer["standings"][0] == {"place": 1, "name": "Bo", "points": 18}
    for command, code in ((("play", "--record"), "pad_in_terminal"), (("review",), "coach_points_only")):
        refused = run(*command, str(path))
        assert (refused.returncode, f"[{code}]" in refused.stderr) == (2, True)
    for ask in (game.hint, game.review):
        with pytest.raises(dicecup.UsageError, match="can’t judge"):
            ask()
