"""The catalogues compiled from their current sources, and every built-in game with every option."""

from __future__ import annotations

import importlib.util
from itertools import product
from pathlib import Path
from types import ModuleType

import pytest

from dicecup.i18n.language import Language
from dicecup.rules import Ruleset, builtin_ids, load_ruleset

ROOT = Path(__file__).resolve().parents[2]
VARIABLES = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session", autouse=True)
def tool() -> ModuleType:
    """The catalogue tool, after compiling: the tests read what the source files contain."""
    spec = importlib.util.spec_from_file_location("catalogues", ROOT / "tools" / "catalogues.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.compile_all(ROOT)
    return module


@pytest.fixture(params=["en", "fr", "de", "sv"])
def code(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def speaking(code: str, monkeypatch: pytest.MonkeyPatch) -> Language:
    """Set the language of the command line during the test."""
    from dicecup.cli.common import speech

    language = Language(code)
    monkeypatch.setattr(speech, "language", language)
    return language


@pytest.fixture
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Clear the environment's language; changes made by a run are restored."""
    from dicecup.cli.common import speech

    monkeypatch.setattr(speech, "language", speech.language)
    for variable in VARIABLES:
        monkeypatch.setenv(variable, "")
    return monkeypatch


def every_choice(game: str) -> list[Ruleset]:
    choices = load_ruleset(game).choices
    return [
        load_ruleset(game, dict(zip(choices, values, strict=True))) for values in product(*choices.values())
    ]


@pytest.fixture(params=builtin_ids())
def every_variant(request: pytest.FixtureRequest) -> list[Ruleset]:
    """Return a built-in game with each combination of its options, the defaults first."""
    return every_choice(request.param)


@pytest.fixture(params=builtin_ids())
def game(request: pytest.FixtureRequest) -> Ruleset:
    return load_ruleset(request.param)
