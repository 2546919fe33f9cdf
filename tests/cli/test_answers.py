"""Output of the commands: text, JSON, languages, files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pypdf import PdfReader

from dicecup.rules import builtin_ids, load_ruleset, main_ids


def score(run, *arguments: str):
    done = run("score", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_score_json(run):
    assert score(run, "yatzy", "3", "3", "3", "6", "6")["boxes"]["full_house"] == 21
    assert score(run, "yatzy", "3 3 3 6 6")["boxes"]["threes"] == 9
    assert score(run, "yatzy", "3,3,3,6,6")["boxes"]["sixes"] == 12


def test_score_of_double_dice(run):
    answer = score(run, "dice-in-dice", "6-5", "6-4", "3-3", "3-2", "4-1", "3-2")
    assert (answer["outer"]["full_house"], answer["inner"]["low_straight"]) == (21, 15)
    assert list(answer) == ["inner", "outer"]


def test_score_with_columns_and_a_sheet_in_a_file(run, tmp_path: Path):
    (tmp_path / "sheet.json").write_text('{"x2": {"low_score": 24}}')
    boxes = score(run, "triple-yum-plus", "6", "6", "6", "3", "3", "--sheet", "@sheet.json")["boxes"]
    assert (boxes["x1"]["high_score"], boxes["x2"]["high_score"]) == (24, 0)
    assert "low_score" not in boxes["x2"]


def test_score_of_a_repeat(run):
    answer = score(run, "yahtzee", *"44444", "--sheet", '{"yahtzee": 50, "fours": 12}')
    assert answer["yahtzee_bonus"] == 100
    assert answer["boxes"]["large_straight"] == 40
    assert "+100" in run("score", "yahtzee", *"44444", "--sheet", '{"yahtzee": 50}').stdout


def test_rules_lists_all_games(run):
    games = json.loads(run("rules", "--json").stdout)["games"]
    assert [game["id"] for game in games] == list(builtin_ids())
    assert all(game["summary"] for game in games)


# Every main game in every language, and the relatives in one of them.
SHOWN = [(game, code) for game in main_ids() for code in ("en", "fr", "de", "sv")]
SHOWN += [(game, "fr") for game in builtin_ids() if game not in main_ids()]
in_languages = pytest.mark.parametrize(("game", "language"), SHOWN)


@in_languages
def test_rules_show_every_line_in_every_language(run, game, language):
    done = run("rules", game, "--lang", language)
    assert done.returncode == 0, done.stderr
    words = load_ruleset(game).names[language]
    for line in load_ruleset(game).lines:
        assert words[line] in done.stdout
    assert max(map(len, done.stdout.split("\n"))) <= 110
    assert "{" not in done.stdout


def test_rules_json_has_the_identity(run):
    strict = json.loads(run("rules", "yatzy", "-o", "scoring=scandinavian", "--json").stdout)
    swedish = json.loads(run("rules", "yatzy-sv", "--json").stdout)
    assert strict["identity"] == swedish["identity"] == load_ruleset("yatzy-sv").identity
    assert strict["chosen"]["scoring"] == "scandinavian"


@pytest.mark.parametrize(
    ("environment", "word"),
    [({"LANG": "sv_SE.UTF-8"}, "Ettor"), ({"LANGUAGE": "de:en"}, "Einser"), ({"LC_ALL": "C"}, "Ones")],
)
def test_language_of_the_environment(run_process, environment, word):
    assert word in run_process("score", "yatzy", *"33366", **environment).stdout


@in_languages
def test_printed_pads_have_the_sheets_lines_in_order(run, tmp_path: Path, game, language):
    done = run("sheet", game, "--lang", language, "--players", "3", "--pdf", "pad.pdf")
    assert done.returncode == 0, done.stderr
    pages = PdfReader(tmp_path / "pad.pdf").pages
    assert len(pages) == (2 if game == "triple-yum-plus" else 1) or game not in main_ids()
    text = " ".join(pages[0].extract_text().split())
    place = 0
    for line in load_ruleset(game).lines:
        name = " ".join(load_ruleset(game).names[language][line].split())
        found = text.find(name, place)
        assert found >= 0, name
        place = found


@pytest.mark.parametrize(("paper", "size"), [("a4", (595, 842)), ("letter", (612, 792))])
def test_paper(run, tmp_path: Path, paper, size):
    run("sheet", "yatzy", "--paper", paper, "--pdf", "pad.pdf")
    box = PdfReader(tmp_path / "pad.pdf").pages[0].mediabox
    assert (round(box.width), round(box.height)) == size


def test_a_pad_for_many_players_is_landscape_and_continues(run, tmp_path: Path):
    run("sheet", "yatzy", "--players", "24", "--pdf", "pad.pdf")
    pages = PdfReader(tmp_path / "pad.pdf").pages
    assert len(pages) == 2
    assert pages[0].mediabox.width > pages[0].mediabox.height


@pytest.mark.parametrize("command", ["rules", "score", "play", "sheet", "verify"])
@pytest.mark.parametrize("language", ["en", "fr", "de", "sv"])
def test_help_has_an_example_and_is_translated(run, command, language):
    done = run(command, "--help", "--lang", language)
    assert done.returncode == 0
    assert f"dicecup {command} " in done.stdout
    if language != "en":
        english = run(command, "--help", "--lang", "en").stdout
        ours = {line.strip() for line in done.stdout.split("\n") if len(line.split()) > 3}
        theirs = {line.strip() for line in english.split("\n") if len(line.split()) > 3}
        examples = {line for line in ours & theirs if line.startswith("dicecup ")}
        assert ours & theirs == examples


def test_version(run_process):
    from dicecup import __version__

    assert __version__ in run_process("--version").stdout


def test_house_rules_as_one_word(run, tmp_path: Path):
    (tmp_path / "ours.toml").write_text('format = 1\nid = "ours"\nbase = "yatzy"\nbox.chance = false\n')
    reference = run("rules", "ours.toml", "--pack").stdout.strip()
    assert reference.startswith("house:")
    assert json.loads(run("rules", "ours.toml", "--pack", "--json").stdout) == {"reference": reference}
    assert run("rules", "yatzy", "--pack").stdout == "yatzy\n"
    assert "chance" not in score(run, reference, "3 3 3 6 6")["boxes"]
    (tmp_path / "theirs.toml").write_text('format = 1\nid = "theirs"\nbase = "ours.toml"\n')
    refused = run("rules", "theirs.toml", "--pack")
    assert (refused.returncode, "[rules_key_wrong]" in refused.stderr) == (2, True)
    assert json.loads(run("rules", "--schema").stdout)["required"] == ["format", "id"]
    played = run("play", reference, "--seed", "1", "--record", "ours.record", typed="")
    assert "Traceback" not in played.stderr
    record = (tmp_path / "ours.record").read_text("utf-8")
    assert f"game {reference}" in record
    assert run("play", "--record", "ours.record", typed="").returncode == played.returncode
