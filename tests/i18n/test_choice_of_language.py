"""Language selection: --lang, else the environment, else English."""

from __future__ import annotations

import pytest

from dicecup.cli.main import main, wanted_language
from dicecup.i18n import language_of_environment

ENVIRONMENTS = [
    ({}, "en"),
    ({"LANG": "sv_SE.UTF-8"}, "sv"),
    ({"LANG": "fr"}, "fr"),
    ({"LANG": "de_AT"}, "de"),
    ({"LANG": "DE_de.utf8"}, "de"),
    ({"LANG": "C"}, "en"),
    ({"LANG": "C.UTF-8"}, "en"),
    ({"LANG": "POSIX"}, "en"),
    ({"LANG": "nl_NL.UTF-8"}, "en"),
    ({"LANG": "rubbish \x00 …"}, "en"),
    ({"LC_MESSAGES": "fr_FR.UTF-8", "LANG": "sv_SE.UTF-8"}, "fr"),
    ({"LC_ALL": "de_DE.UTF-8", "LC_MESSAGES": "fr_FR.UTF-8", "LANG": "sv_SE.UTF-8"}, "de"),
    ({"LC_ALL": "", "LC_MESSAGES": "", "LANG": "sv_SE.UTF-8"}, "sv"),
    ({"LC_ALL": "C", "LANG": "sv_SE.UTF-8"}, "en"),
    ({"LC_ALL": "nl_NL.UTF-8", "LANG": "sv_SE.UTF-8"}, "en"),
    ({"LC_MESSAGES": "en_GB.UTF-8", "LANG": "sv_SE.UTF-8"}, "en"),
    ({"LANGUAGE": "fr", "LC_ALL": "de_DE.UTF-8"}, "fr"),
    ({"LANGUAGE": "nl:fi:sv:de", "LANG": "fr_FR.UTF-8"}, "sv"),
    ({"LANGUAGE": "nl:fi", "LANG": "fr_FR.UTF-8"}, "fr"),
    ({"LANGUAGE": "", "LANG": "fr_FR.UTF-8"}, "fr"),
    ({"LC_CTYPE": "fr_FR.UTF-8"}, "en"),
]
ARGUMENTS = [
    ([], "fr"),
    (["rules"], "fr"),
    (["--lang", "sv", "rules"], "sv"),
    (["rules", "yatzy", "--lang", "de"], "de"),
    (["rules", "--lang=en"], "en"),
    (["rules", "--lang"], "fr"),
    (["rules", "--lang", "nl"], "fr"),
    (["rules", "--language", "sv"], "fr"),
    (["score", "sv"], "fr"),
]
USAGE = {"en": "Usage:", "fr": "Utilisation\u00a0:", "de": "Aufruf:", "sv": "Användning:"}


@pytest.mark.parametrize(("environment", "code"), ENVIRONMENTS)
def test_the_environment_chooses(environment: dict[str, str], code: str) -> None:
    assert language_of_environment(environment) == code


@pytest.mark.parametrize(("arguments", "code"), ARGUMENTS)
def test_the_option_outweighs_the_environment(
    bare_environment: pytest.MonkeyPatch, arguments: list[str], code: str
) -> None:
    bare_environment.setenv("LC_ALL", "fr_FR.UTF-8")
    assert wanted_language(arguments) == code


def test_the_default_is_english(bare_environment: pytest.MonkeyPatch) -> None:
    assert wanted_language(["rules"]) == "en"


def test_a_run_speaks_the_language_of_the_option(
    bare_environment: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], code: str
) -> None:
    bare_environment.setenv("LANG", "sv_SE.UTF-8")
    assert main(["score", "--help", "--lang", code]) == 0
    assert capsys.readouterr().out.startswith(USAGE[code])


def test_a_run_speaks_the_language_of_the_environment(
    bare_environment: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], code: str
) -> None:
    bare_environment.setenv("LANG", f"{code}_XX.UTF-8")
    assert main(["score", "--help"]) == 0
    assert capsys.readouterr().out.startswith(USAGE[code])


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("en", "That’s the wrong number of dice: 2. Give 5."),
        ("fr", "Le nombre de dés n’est pas bon\u00a0: 2. Il en faut 5."),
        ("de", "Die Zahl der Würfel stimmt nicht: 2. Nötig sind 5."),
        ("sv", "Fel antal tärningar: 2. Det ska vara 5."),
    ],
)
def test_errors_are_said_in_the_language_with_their_code(
    bare_environment: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], code: str, said: str
) -> None:
    assert main(["score", "yatzy", "1", "2", "--lang", code]) == 2
    assert capsys.readouterr().err == f"dicecup: {said} [dice_count_wrong]\n"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("en", "No such option '--foo'."),
        ("fr", "L’option '--foo' n’existe pas."),
        ("de", "Die Option '--foo' gibt es nicht."),
        ("sv", "Flaggan '--foo' finns inte."),
    ],
)
def test_click_messages_are_translated_too(
    bare_environment: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], code: str, said: str
) -> None:
    assert main(["score", "--foo", "--lang", code]) == 2
    assert said in capsys.readouterr().err
