"""What `import dicecup` gives: lazily, typed, with examples that run, and all of it on the API page."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import re
import subprocess
import sys
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from types import FunctionType

import pytest

import dicecup
import dicecup.engine
import dicecup.envs

ROOT = Path(__file__).resolve().parents[2]
NAMES = [name for name in dicecup.__all__ if name != "__version__"]
ENGINE = [f"engine.{name}" for name in dicecup.engine.__all__ if name not in NAMES]
ENVIRONMENTS = [f"envs.{name}" for name in dicecup.envs.__all__]
# Names of types, such as unions: they have no docstring, but a sentence below them in the source.
TYPES = [
    name
    for name in NAMES
    if not inspect.isclass(getattr(dicecup, name)) and not inspect.isfunction(getattr(dicecup, name))
]
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
    for name in set(NAMES) - set(TYPES):
        assert getattr(dicecup, name).__name__ == name
    for name in TYPES:
        assert getattr(dicecup, name) == getattr(importlib.import_module(dicecup._HOME[name]), name)
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
    assert {name for name, module in seen.items() if module == "dicecup"} == set(dicecup._PACKAGES)
    for package in dicecup._PACKAGES:
        del seen[package]
    assert seen == dicecup._HOME
    assert sorted(seen) == sorted(NAMES)


@pytest.mark.parametrize("package", dicecup._PACKAGES)
def test_documented_packages_are_loaded_when_used(package: str) -> None:
    assert package in dir(dicecup)
    loaded = loaded_after(f"import dicecup; assert dicecup.{package}.__all__")
    assert f"dicecup.{package}" in loaded
    assert not loaded & {"numba", "click", "fastapi"}


@pytest.mark.parametrize("name", TYPES)
def test_every_type_has_a_sentence_in_the_source(name: str) -> None:
    module = importlib.import_module(dicecup._HOME[name])
    body = ast.parse(inspect.getsource(module)).body
    place = next(
        number
        for number, node in enumerate(body)
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name
    )
    after = body[place + 1]
    assert isinstance(after, ast.Expr)
    assert isinstance(after.value, ast.Constant)
    assert str(after.value.value).endswith(".")


def test_star_import() -> None:
    names: dict[str, object] = {}
    exec("from dicecup import *", names)
    assert set(dicecup.__all__) <= set(names)


def function_of(member: object) -> FunctionType | None:
    """The function behind a method or a property."""
    if isinstance(member, property):
        member = member.fget
    elif isinstance(member, cached_property):
        member = member.func
    found = getattr(member, "__func__", member)
    return found if inspect.isfunction(found) else None


def public_members(name: str) -> list[tuple[str, FunctionType]]:
    """The methods and properties that a public class brings, itself or from a base that is not public."""
    found = attrgetter(name)(dicecup)
    if not inspect.isclass(found):
        return []
    bases = [base for base in found.__mro__ if base.__module__.startswith("dicecup.")]
    own = [base for base in bases if base is found or base.__name__ not in NAMES]
    members = [(key, function_of(value)) for base in own for key, value in vars(base).items()]
    return [(f"{name}.{key}", member) for key, member in members if member and not key.startswith("_")]


def left_out(name: str) -> set[str]:
    """The members of a class that the reference page does not show."""
    page = (ROOT / "docs" / "reference.md").read_text()
    options = page.partition(f"::: dicecup.{name}\n")[2].partition(":::")[0]
    return {f"{name}.{member}" for member in re.findall(r'"!\^(\w+)\$"', options)}


MEMBERS = [member for name in NAMES for member in public_members(name)]
MAIN = [
    name for name, _ in MEMBERS if name.startswith(("Game.", "Rules.", "Position.", "Solution.", "Turn."))
]


@pytest.mark.parametrize("name", [name for name in [*NAMES, *ENGINE] if name not in TYPES])
def test_every_name_has_an_example(name: str) -> None:
    assert ">>> " in (inspect.getdoc(attrgetter(name)(dicecup)) or ""), name


@pytest.mark.parametrize(("name", "member"), MEMBERS, ids=[name for name, _ in MEMBERS])
def test_every_method_is_documented_and_typed(name: str, member: FunctionType) -> None:
    assert inspect.getdoc(member), name
    parameters = [key for key in inspect.signature(member).parameters if key not in ("self", "cls")]
    assert set(member.__annotations__) == {*parameters, "return"}, name


@pytest.mark.parametrize("name", [*NAMES, *ENVIRONMENTS])
def test_every_member_in_the_reference_has_an_example(name: str) -> None:
    members, hidden = dict(public_members(name)), left_out(name)
    assert hidden <= set(members)
    shown = {key: inspect.getdoc(member) or "" for key, member in members.items() if key not in hidden}
    assert [key for key, text in shown.items() if ">>> " not in text] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_on_the_api_page(name: str) -> None:
    page = (ROOT / "docs" / "api.md").read_text()
    assert re.search(rf"`(dicecup\.)?{name}\b", page), name


@pytest.mark.parametrize("name", MAIN)
def test_every_method_of_the_main_classes_is_on_the_api_page(name: str) -> None:
    page = (ROOT / "docs" / "api.md").read_text()
    assert re.search(rf"`([^`\n]*\W)?{name.partition('.')[2]}\b", page), name


def examples() -> list[doctest.DocTest]:
    finder, names = doctest.DocTestFinder(recurse=True), {"dicecup": dicecup}
    modules = [dicecup, *map(importlib.import_module, sorted(set(dicecup._HOME.values())))]
    found = [test for module in modules for test in finder.find(module, extraglobs=names)]
    for _name, member in MEMBERS:  # doctest finds no cached properties
        found += finder.find(member, f"{member.__module__}.{member.__qualname__}", extraglobs=names)
    return list({test.name: test for test in found if test.examples}.values())


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.name.removeprefix("dicecup."))
def test_example(example: doctest.DocTest, here: Path) -> None:
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(example, out=said.append)
    assert not runner.failures, "".join(said)
