"""Any house rules that a stranger may send are loaded or refused, in bounded time.

Coverage is not measured here, which would take twice as long: other tests of this folder have an example of
every mistake.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.rules_files.test_house import HEAD, packed

from dicecup.errors import DicecupError
from dicecup.rules import builtin_ids
from dicecup.rules.loader import house_reference, load_without_files

MOST_CALLS = 400_000  # of Python functions, whatever the text: some tenths of a second


def calls_of(function: Callable[[], object]) -> int:
    """Count the Python functions that are called; any error but ours is passed on."""
    count = 0

    def profile(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        function()
    except DicecupError as error:
        str(error)
    finally:
        sys.setprofile(before)
    return count


ids = st.sampled_from(["pair", "chance", "yatzy", "ones", "extra", "more", "x1", "Bad Id", "grand_total"])
small = st.integers(-1, 70)
points = st.one_of(small, st.sampled_from(["all", "matching", "50 + all", "36 - all", "-all", "?"]))
needs = st.dictionaries(
    st.sampled_from(["alike", "run", "faces", "at_least", "different"]),
    st.one_of(small, st.lists(small, max_size=6), st.booleans()),
    max_size=2,
)
box = st.one_of(
    st.just(False),
    st.fixed_dictionaries(
        {},
        optional={
            "needs": needs,
            "points": points,
            "strike": st.booleans(),
            "after": st.lists(ids, max_size=3),
            "above": ids,
            "after_total": st.booleans(),
        },
    ),
)
game = st.fixed_dictionaries(
    {},
    optional={
        "dice": st.dictionaries(st.sampled_from(["count", "faces", "counted", "layers"]), small, max_size=3),
        "throws": small,
        "strike": st.sampled_from(["free", "last_resort", "never"]),
        "upper": st.fixed_dictionaries(
            {},
            optional={
                "boxes": st.dictionaries(ids, st.one_of(small, st.just(False)), max_size=4),
                "bonus": st.lists(st.fixed_dictionaries({"at": small, "points": small}), max_size=3),
            },
        ),
        "box": st.dictionaries(ids, box, max_size=5),
        "order": st.lists(ids, max_size=5),
        "columns": st.dictionaries(ids, small, max_size=6),
        "joker": st.fixed_dictionaries({"filled": st.lists(ids), "boxes": st.lists(ids)}),
        "repeat": st.fixed_dictionaries({"id": ids, "box": ids, "points": small}),
    },
)
rules = st.builds(
    lambda head, patch, options: head | patch | options,
    st.fixed_dictionaries(
        {"format": st.just(1), "id": st.just("ours")},
        optional={"base": st.sampled_from([*builtin_ids(), "ours", "../x"])},
    ),
    game,
    st.fixed_dictionaries(
        {},
        optional={
            "options": st.dictionaries(ids, st.lists(ids, max_size=4), max_size=4),
            "option": st.dictionaries(ids, st.dictionaries(ids, game, max_size=3), max_size=3),
            "names": st.dictionaries(
                st.sampled_from(["en", "fr"]), st.dictionaries(ids, st.text(max_size=9))
            ),
        },
    ),
)
chain = {f"b{number}": {"points": 1, "after": [f"b{number + 1}"]} for number in range(40)}


@settings(max_examples=150, deadline=None)
@example({"format": 1, "id": "ours", "base": "yatzy", "box": chain | {"b40": {"points": 1}}})
@example({"format": 1, "id": "ours", "base": "yatzy", "box": chain | {"b40": {"points": 1, "after": ["b0"]}}})
@given(rules)
def test_no_tables_are_slow_or_raise_anything_else(tables: dict[str, Any]):
    def load() -> None:
        load_without_files(packed(json.dumps(tables).encode()))

    assert calls_of(load) < MOST_CALLS


@settings(max_examples=150, deadline=None)
@example("a = [" + "[" * 9_000)
@example(".".join("a" * 9_000) + " = 1")
@example("\n".join(f"[a{number}.b]" for number in range(2_500)))
@given(st.one_of(st.text(max_size=300), st.text("[]{}=.\"'\n ab1,#", max_size=300)))
def test_no_text_is_slow_or_raises_anything_else(text: str):
    for given_text in (text, HEAD + text, "house:" + text):
        assert calls_of(lambda: house_reference(given_text)) < MOST_CALLS  # noqa: B023
        assert calls_of(lambda: load_without_files(given_text)) < MOST_CALLS  # noqa: B023
