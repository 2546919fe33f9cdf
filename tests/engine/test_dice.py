"""Multisets of dice, and dice as text."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicecup.dice import (
    all_dice,
    contains,
    format_dice,
    layer_faces,
    parse_dice,
    parse_die,
    parts,
    sort_dice,
    throws,
)

SINGLE = st.lists(st.integers(1, 6), max_size=6).map(tuple)
DOUBLE = st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)), max_size=6).map(tuple)


@given(SINGLE | DOUBLE)
def test_parts_are_every_choice_of_dice(dice):
    chosen = {
        tuple(sorted(dice[place] for place in places))
        for size in range(len(dice) + 1)
        for places in combinations(range(len(dice)), size)
    }
    found = parts(sort_dice(dice))
    assert len(found) == len(set(found))
    assert set(found) == chosen
    assert all(contains(dice, part) for part in found)


@pytest.mark.parametrize(
    ("count", "faces", "layers"), [(0, 6, 1), (3, 6, 1), (5, 2, 1), (2, 3, 2), (1, 2, 3)]
)
def test_throws_are_every_throw_with_its_weight(count, faces, layers):
    sides = list(all_dice(faces, layers))
    weights: dict = {}
    for ordered in product(sides, repeat=count):
        key = tuple(sorted(ordered))
        weights[key] = weights.get(key, 0) + 1
    assert dict(throws(count, faces, layers)) == weights


@given(SINGLE)
def test_single_dice_round_trip(dice):
    assert parse_dice(format_dice(dice).split(), 6, 1) == tuple(sorted(dice))


@given(DOUBLE)
def test_double_dice_round_trip(dice):
    assert parse_dice(format_dice(dice).split(), 6, 2) == tuple(sorted(dice))
    for layer in (0, 1):
        assert layer_faces(dice, layer) == tuple(sorted(die[layer] for die in dice))


@pytest.mark.parametrize(
    ("text", "layers", "example"),
    [
        *((text, 1, "6") for text in ("", "six", "6-5", "+6", " 6", "6 ", "-6", "6.0", "٦", "²", "6_5")),
        *((text, 2, "6-5") for text in ("", "6", "6_5", "6-", "-5", "6-5-4", "6--5", "6–5", "6/5")),
        ("6-5", 3, "6-5-4"),
    ],
)
def test_text_that_is_not_a_die(refused, text, layers, example):
    with refused("die_unreadable", text=text, example=example):
        parse_die(text, 6, layers)


@pytest.mark.parametrize(("text", "layers"), [("7", 1), ("0", 1), ("6" * 5000, 1), ("7-1", 2), ("1-0", 2)])
def test_faces_that_the_die_does_not_have(refused, text, layers):
    with refused("face_out_of_range", faces=6):
        parse_die(text, 6, layers)
