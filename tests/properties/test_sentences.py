"""Every message can be formatted: each code that is raised exists, with exactly the values it names."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from string import Formatter

import pytest

import dicecup
from dicecup import errors
from dicecup.errors import ALL_SENTENCES, PHRASES, DicecupError, Phrase
from dicecup.messages import Plural

SOURCE = Path(dicecup.__file__).parent
ERRORS = {
    name
    for name, value in vars(errors).items()
    if isinstance(value, type) and issubclass(value, DicecupError) and value is not DicecupError
}

Call = tuple[str, frozenset[str], str]


def texts(node: ast.expr) -> list[str]:
    """Return the possible texts of a first argument: one, or two joined by a conditional expression."""
    if isinstance(node, ast.IfExp):
        return texts(node.body) + texts(node.orelse)
    return [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []


@cache
def nodes() -> list[tuple[Path, list[ast.Call | ast.Assign]]]:
    """Return all calls and assignments of the source by file."""
    return [
        (
            file,
            [
                node
                for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
                if isinstance(node, ast.Call | ast.Assign)
            ],
        )
        for file in sorted(SOURCE.rglob("*.py"))
    ]


@cache
def calls(kind: str) -> list[Call]:
    """Return the uses of messages and phrases in the source: code, given values, location."""
    found = []
    for file, used in nodes():
        for node in used:
            if not isinstance(node, ast.Call):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            place = f"{file.relative_to(SOURCE)}:{node.lineno}"
            values = frozenset(keyword.arg or "**" for keyword in node.keywords)
            if kind == "sentence" and name in ERRORS and node.args:
                found += [(code, values, place) for code in texts(node.args[0])]
            if kind == "phrase":
                for argument in node.args:
                    found += [
                        (code, values, place)
                        for code in texts(argument)
                        if code.startswith(("expected_", "system_", "rule_"))
                    ]
    return found


def places_for_values(text: str | Plural) -> frozenset[str]:
    if isinstance(text, Plural):
        assert text.by in places_for_values(text.many)
        return places_for_values(text.many)
    return frozenset(name for _, name, _, _ in Formatter().parse(text) if name is not None)


@pytest.mark.parametrize(("kind", "known"), [("sentence", ALL_SENTENCES), ("phrase", PHRASES)])
def test_every_code_that_is_used_has_its_text_and_its_values(kind, known):
    used = calls(kind)
    assert len(used) > 20
    for code, values, place in used:
        assert code in known, place
        if "**" in values or (kind == "phrase" and "values" in values):
            continue
        assert places_for_values(known[code]) == values, f"{place}: {code}"


@pytest.mark.parametrize(("kind", "known"), [("sentence", ALL_SENTENCES), ("phrase", PHRASES)])
def test_every_text_is_used(kind, known):
    assert set(known) - {code for code, _, _ in calls(kind)} - named_elsewhere() == set()


@cache
def named_elsewhere() -> set[str]:
    """Return the texts that are assigned to a name or given to a call: some errors get their code so."""
    return {
        text
        for file, used in nodes()
        if file.name not in ("messages.py", "errors.py")
        for node in used
        for value in given_by(node)
        for text in texts(value)
    }


def given_by(node: ast.Call | ast.Assign) -> list[ast.expr]:
    if isinstance(node, ast.Call):
        return node.args
    return node.value.values if isinstance(node.value, ast.Dict) else [node.value]


def test_every_sentence_and_phrase_can_be_shown():
    for code, text in ALL_SENTENCES.items():
        sentence = str(DicecupError(code, **dict.fromkeys(places_for_values(text), "…")))
        assert sentence
        assert sentence[0].isupper() or sentence[0] in "0…“", sentence
    for code, text in PHRASES.items():
        phrase = str(Phrase(code, **dict.fromkeys(places_for_values(text), "…")))
        assert phrase
        assert not phrase.endswith(".")


def test_values_with_braces_and_percent_are_shown_as_they_are():
    error = DicecupError("box_unknown", box="{box} %s {0}", known="{known}")
    assert str(error) == "There’s no box “{box} %s {0}”. Choose one of: {known}."


def test_errors_carry_code_values_template_and_exit_status():
    error = errors.MoveError("box_filled", box="ones")
    assert (error.code, error.values, error.exit_status) == ("box_filled", {"box": "ones"}, 2)
    assert error.template == ALL_SENTENCES["box_filled"]
    assert errors.RecordError("record_cut").exit_status == 1
    assert Phrase("expected_boxes", most=3).template == PHRASES["expected_boxes"]
