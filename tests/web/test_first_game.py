"""The guide through a first turn: three steps, in one match only, until it is skipped or done."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tests.web.conftest import Visitor

pytestmark = pytest.mark.one_database


def step(page: str) -> str:
    found = re.search(r'<span aria-hidden="true">(\d/\d)</span>', page)
    return found[1] if found else ""


def version(page: str) -> str:
    found = re.search(r'data-version="(\d+)"', page)
    assert found
    return found[1]


def begin(visitor: Visitor, game: str = "yatzy", **more: Any) -> str:
    visitor.go(f"/new/{game}")
    visitor.send(f"/new/{game}", kind="person", name="Zoë", **more)
    return visitor.path


def test_three_steps(visitor: Visitor) -> None:
    path = begin(visitor)
    assert step(visitor.page) == "1/3"
    assert "Roll the dice." in visitor.page
    steps = []
    for _roll in range(3):
        visitor.send(f"{path}/throw", version=version(visitor.page))
        steps.append(step(visitor.page))
    assert steps == ["2/3", "2/3", "3/3"]
    visitor.send(f"{path}/score", version=version(visitor.page), box="chance")
    assert step(visitor.page) == ""


def test_it_is_shown_in_the_first_match_only(visitor: Visitor) -> None:
    first = begin(visitor)
    begin(visitor)
    assert step(visitor.page) == ""
    assert step(visitor.go(first)) == "1/3"


def test_another_way_to_play_has_its_own(visitor: Visitor) -> None:
    begin(visitor)
    begin(visitor, "dice-in-dice")
    assert step(visitor.page) == "1/3"
    path = begin(visitor, dice="table")
    assert "Roll real dice" in visitor.page
    visitor.send(f"{path}/type", version=version(visitor.page), dice="33366")
    assert step(visitor.page) == "2/3"


def test_it_can_be_skipped(visitor: Visitor) -> None:
    path = begin(visitor)
    visitor.send(f"{path}/guide")
    assert step(visitor.page) == ""
    visitor.client.cookies.delete("guide")  # a page that was loaded before does not bring it back
    assert step(visitor.go(path)) == ""


def test_a_strange_cookie_does_no_harm(visitor: Visitor) -> None:
    visitor.client.cookies.set("guide", "screen&double==&=x&" + "y" * 1000)
    begin(visitor)
    assert step(visitor.page) == "1/3"


def test_nobody_else_sees_it(visitor: Visitor) -> None:
    path = begin(visitor)
    visitor.client.cookies.clear()
    assert step(visitor.go(path)) == ""


def test_a_pad_needs_one_sentence(visitor: Visitor) -> None:
    path = begin(visitor, dice="points")
    assert "Tap a box, then its points." in visitor.page
    visitor.send(f"{path}/guide")
    assert "Tap a box, then its points." not in visitor.page
