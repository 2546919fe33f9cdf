"""What `import dicecup` gives: lazily, typed, with examples that run, and all of it on the API page."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import dicecup

ROOT = Path(__file__).resolve().parents[2]
NAMES = [name for name in dicecup.__all__ if name != "__version__"]
HEAVY = {"numpy", "numba", "click", "fastapi", "dicecup.solver.find", "dicecup.web", "dicecup.cli"}


def loaded_after(code: str) -> set[str]:
    """The modules that are loaded when this code has run in a fresh interpreter."""
    code += "\nimport sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_import_loads_nothing_of_the_package() -> None:
    loaded = loaded_after("import dicecup")
    assert {name for name in loaded if name.startswith("dicecup")} == {"dicecup"}
    assert not loaded & {"numpy", "numba", "click", "multiprocessing", "tomllib"}


def test_playing_loads_nothing_heavy() -> None:
    loaded = loaded_after(
        "import dicecup; game = dicecup.Game('yatzy', ['Ann', 'bot:steady'], seed=1); game.roll();"
        "game.score('chance'); game.play_bots(); game.roll(); game.points(); game.legal_moves(); game.undo();"
        "dicecup.Rules('yatzy').name('sv'); str(game.position)"
    )
    assert not loaded & HEAVY


def test_names_can_be_looked_at_without_numpy() -> None:
    code = "import pydoc, sys; sys.modules['numpy'] = None; from dicecup import *; import dicecup;"
    loaded = loaded_after(code + "assert 'Simulation' in pydoc.plain(pydoc.render_doc(dicecup))")
    assert "dicecup.bots.simulation" in loaded


def test_every_name_is_there_and_listed() -> None:
    assert set(NAMES) <= set(dir(dicecup))
    for name in NAMES:
        assert getattr(dicecup, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        dicecup.Nothing  # noqa: B018


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(dicecup.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {
        alias.name: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == dicecup._HOME
    assert sorted(seen) == sorted(NAMES)


def test_star_import() -> None:
    names: dict[str, object] = {}
    exec("from dicecup import *", names)
    assert set(dicecup.__all__) <= set(names)


def public_members(name: str) -> list[tuple[str, object]]:
    """The methods and properties that a public class brings, itself or from a base that is not public."""
    found = getattr(dicecup, name)
    if not inspect.isclass(found):
        return []
    bases = [base for base in found.__mro__ if base.__module__.startswith("dicecup.")]
    own = [base for base in bases if base is found or base.__name__ not in NAMES]
    members = [(key, value) for base in own for key, value in vars(base).items() if not key.startswith("_")]
    return [
        (f"{name}.{key}", getattr(value, "__func__", value))
        for key, value in members
        if inspect.isfunction(getattr(value, "__func__", value)) or isinstance(value, property)
    ]


MEMBERS = [member for name in NAMES for member in public_members(name)]
MAIN = [
    name for name, _ in MEMBERS if name.startswith(("Game.", "Rules.", "Position.", "Solution.", "Turn."))
]


@pytest.mark.parametrize("name", NAMES)
def test_every_name_has_an_example(name: str) -> None:
    assert ">>> " in (inspect.getdoc(getattr(dicecup, name)) or ""), name


@pytest.mark.parametrize(("name", "member"), MEMBERS, ids=[name for name, _ in MEMBERS])
def test_every_method_is_documented_and_typed(name: str, member: object) -> None:
    assert inspect.getdoc(member), name
    function = member.fget if isinstance(member, property) else member
    assert inspect.isfunction(function)
    parameters = [key for key in inspect.signature(function).parameters if key not in ("self", "cls")]
    assert set(function.__annotations__) == {*parameters, "return"}, name


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_on_the_api_page(name: str) -> None:
    page = (ROOT / "docs" / "api.md").read_text()
    assert re.search(rf"`(dicecup\.)?{name}\b", page), name


@pytest.mark.parametrize("name", MAIN)
def test_every_method_of_the_main_classes_is_on_the_api_page(name: str) -> None:
    page = (ROOT / "docs" / "api.md").read_text()
    assert re.search(rf"`([^`\n]*\W)?{name.partition('.')[2]}\b", page), name


def examples() -> list[doctest.DocTest]:
    finder = doctest.DocTestFinder(recurse=True)
    modules = [dicecup, *map(importlib.import_module, sorted(set(dicecup._HOME.values())))]
    found = [test for module in modules for test in finder.find(module, extraglobs={"dicecup": dicecup})]
    return [test for test in found if test.examples]


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.name.removeprefix("dicecup."))
def test_example(example: doctest.DocTest, here: Path) -> None:
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(example, out=said.append)
    assert not runner.failures, "".join(said)
