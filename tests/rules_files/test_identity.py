"""The identity of a ruleset: a hash of its meaning."""

from __future__ import annotations

import pytest

from dicecup.rules import builtin_ids, load_ruleset

FULL = """
[joker]
filled = ["pair"]
boxes = ["run"]

[repeat]
id = "again"
box = "pair"
points = 5

[box.run]
needs = { run = 2 }
points = "10 + all"

[box.both]
needs = { faces = [1, 3] }
points = 3

[box.low]
needs = { at_least = 2 }
points = "all"

[box.high]
needs = { at_least = 3 }
points = "all"
above = "low"
after = ["pair"]

[box.extra]
after_total = true
points = "-all"
strike = false
"""


@pytest.fixture
def full(change_small):
    """The path of a game that uses the whole format."""
    return change_small(FULL, "full.toml")


@pytest.fixture
def changed(full, write_rules):
    """changed(lines) → the ruleset patched with these lines."""
    return lambda lines: load_ruleset(write_rules(f'format = 1\nid = "x"\nbase = "full.toml"\n{lines}'))


@pytest.mark.parametrize(
    "lines",
    [
        "",
        'id = "renamed"',
        'names.en.game = "Something else"',
        'names.sv = { game = "Annat", pair = "Par" }',
        "section_totals = true",
        'options.more = ["a", "b"]',
        'options.o = ["w", "v"]\nthrows = 2\noption.o.w.throws = 2',
        'strike = "free"',
        "columns = { }",
    ],
)
def test_irrelevant_changes_keep_the_identity(full, changed, write_rules, lines):
    if lines.startswith("id"):
        other = load_ruleset(write_rules(f'format = 1\n{lines}\nbase = "full.toml"'))
    else:
        other = changed(lines)
    assert other.identity == load_ruleset(full).identity


@pytest.mark.parametrize(
    "lines",
    [
        "throws = 3",
        "dice.count = 3\ndice.counted = 2",
        "dice.counted = 1\nbox.pair.needs.alike = [1]\nbox.both.needs.faces = [1]\nbox.run.needs = { }",
        'dice.layers = ["only"]',
        "dice.faces = 4\nupper.boxes.fours = 4",
        "upper.bonus = [{ at = 6, points = 10 }]",
        "upper.bonus = [{ at = 5, points = 11 }]",
        "upper.bonus = false",
        "upper.boxes.ones = 3\nupper.boxes.threes = 1",
        'strike = "last_resort"',
        "box.both.points = 4",
        'box.both.points = "matching"',
        'box.both.points = "3 + all"',
        'box.run.points = "10 - all"',
        "box.both.needs.faces = [2, 3]",
        "box.both.needs = { alike = [1, 1], different = true }",
        "box.both.needs = { alike = [1, 1] }",
        "box.low.needs.at_least = 3",
        "box.pair.strike = true\nbox.chance.strike = false",
        "box.extra.strike = true",
        "box.extra.after_total = false",
        'box.both.after = ["low"]',
        'box.both.above = "low"',
        "box.both = false",
        "box.more.points = 1",
        "columns = { a = 1 }\nrepeat = false",
        "columns = { a = 2 }\nrepeat = false",
        "columns = { a = 1, b = 2 }\nrepeat = false",
        "joker = false",
        "joker.forced = true",
        'joker.boxes = ["both"]',
        'joker.filled = ["pair", "run"]',
        "repeat = false",
        "repeat.points = 6",
        'repeat.box = "run"',
    ],
)
def test_every_part_of_the_meaning_counts(full, changed, lines):
    assert changed(lines).identity != load_ruleset(full).identity


def test_kind_of_need_counts_even_with_equal_fields(changed):
    """`run = 2`, `at_least = 2` and the face 2 are all a single field with a 2."""
    run = changed("box.run.needs = { run = 2 }")
    least = changed("box.run.needs = { at_least = 2 }")
    assert run.identity != least.identity


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("box.both.needs.faces = [1, 3]", "box.both.needs.faces = [3, 1]"),
        (
            "dice.count = 3\nbox.both.needs = { alike = [2, 1] }",
            "dice.count = 3\nbox.both.needs = { alike = [1, 2] }",
        ),
        ('box.both.after = ["pair", "low"]', 'box.both.after = ["low", "pair"]'),
        ('joker.filled = ["pair", "low"]', 'joker.filled = ["low", "pair"]'),
        ('joker.boxes = ["run", "both"]', 'joker.boxes = ["both", "run"]'),
    ],
)
def test_order_where_it_means_nothing(changed, one, other):
    assert changed(one).identity == changed(other).identity


def test_strict_scandinavian_yatzy_is_the_swedish_game():
    assert load_ruleset("yatzy", {"scoring": "scandinavian"}).identity == load_ruleset("yatzy-sv").identity
    strict = load_ruleset("yatzy", {"scoring": "scandinavian", "strike": "last_resort"})
    assert strict.identity == load_ruleset("yatzy-sv", {"strike": "last_resort"}).identity


def test_builtin_games_all_differ():
    identities = {load_ruleset(game).identity for game in builtin_ids()}
    assert len(identities) == len(builtin_ids())


def test_identity_is_a_sha256(full):
    identity = load_ruleset(full).identity
    assert len(identity) == 64
    assert set(identity) <= set("0123456789abcdef")


def test_house_rules_are_the_same_game_from_anywhere(full, write_rules):
    lines = 'format = 1\nid = "copy"\nbase = "dice-in-dice"\n'
    rules = load_ruleset(write_rules(lines + 'option.extra.chance.box.extra.points = "-all"'))
    assert rules.identity != load_ruleset("dice-in-dice").identity
    rules = load_ruleset(write_rules(lines), {"extra": "negative"})
    assert rules.identity == load_ruleset("dice-in-dice", {"extra": "negative"}).identity
