"""Names that only look different from those of others are numbered."""

from __future__ import annotations

import pytest
from tests.web.conftest import ANN, FRIEND, Player, code

from dicecup.engine.record_header import MOST_NAME
from dicecup.errors import UsageError
from dicecup.web.service.identity import LATIN_PAIRS, mark_look_alikes, read_name, skeleton

pytestmark = pytest.mark.one_database

CYRILLIC_ANN = "\u0410nn"


@pytest.mark.parametrize(
    ("names", "marked"),
    [
        (["Ann", CYRILLIC_ANN], ["Ann", f"{CYRILLIC_ANN} (2)"]),
        (["Ann", CYRILLIC_ANN, "\u0391nn"], ["Ann", f"{CYRILLIC_ANN} (2)", "\u0391nn (3)"]),
        (["Ian", "lan"], ["Ian", "lan (2)"]),
        (["B0b", "Bob"], ["B0b", "Bob (2)"]),
        (["Bjorn", "Bjom"], ["Bjorn", "Bjom (2)"]),
        (["x" * MOST_NAME, "\u0445" * MOST_NAME], ["x" * MOST_NAME, "\u0445" * (MOST_NAME - 4) + " (2)"]),
        (["Ann", "Anna", "Änn", "Вова", "Νίκος"], ["Ann", "Anna", "Änn", "Вова", "Νίκος"]),
    ],
)
def test_marks(names: list[str], marked: list[str]) -> None:
    assert mark_look_alikes(names) == marked


def test_pairs_are_no_letters_of_a_name_alone() -> None:
    assert all(skeleton(pair) == letter for pair, letter in LATIN_PAIRS.items())


@pytest.mark.parametrize("name", ["bot:greedy", "b\u043et:greedy", "BOT:x", "bot\u2236x"])
def test_nobody_is_called_like_a_bot(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_name(name)
    assert caught.value.code == "name_of_bot"


def test_whoever_joins_is_marked(ann: Player, bo: Player) -> None:
    state = ann.open("yatzy", ANN, FRIEND, FRIEND)
    joined = bo.post(f"/matches/{state['id']}/join", {"name": CYRILLIC_ANN})
    assert joined.json()["state"]["seats"][1]["name"] == f"{CYRILLIC_ANN} (2)"
    assert code(bo.post(f"/matches/{state['id']}/join", {"name": "ann"})) == "name_twice"
