"""Every kind of wrong value in a rules file: one error with the file, the key and what was expected."""

from __future__ import annotations

import pytest

from dicecup.errors import RulesError
from dicecup.rules import load_ruleset

MANY_BOXES = "\n".join(f"box.b{number}.points = 1" for number in range(60))
MANY_COLUMNS = "[columns]\n" + "\n".join(f"c{number} = 1" for number in range(11))

TOO_MANY_ENDINGS = 'dice.layers = ["a", "b", "c"]\ncolumns = { x = 1, y = 1, z = 1, u = 1, v = 1, w = 1 }'

DICE = [
    ("dice.count = 0", "dice.count", "expected_whole_number", {"low": 1, "high": 8}),
    ("dice.count = 9", "dice.count", "expected_whole_number", {}),
    ("dice.count = true", "dice.count", "expected_whole_number", {}),
    ("dice.count = 2.0", "dice.count", "expected_whole_number", {}),
    ('dice.count = "two"', "dice.count", "expected_whole_number", {}),
    ("dice.faces = 1", "dice.faces", "expected_whole_number", {"low": 2, "high": 10}),
    ("dice.faces = 11", "dice.faces", "expected_whole_number", {}),
    ("dice.counted = 3", "dice.counted", "expected_whole_number", {"low": 1, "high": 2}),
    ("dice.layers = []", "dice.layers", "expected_ids", {}),
    ('dice.layers = "outer"', "dice.layers", "expected_ids", {}),
    ('dice.layers = ["a", "a"]', "dice.layers", "expected_ids", {}),
    ('dice.layers = ["Outer"]', "dice.layers", "expected_id", {}),
    ("dice.layers = [1]", "dice.layers", "expected_id", {}),
    ('dice.layers = ["a", "b", "c", "d"]', "dice.layers", "expected_at_most", {"most": 3}),
    (
        'dice.colour = "red"',
        "dice.colour",
        "expected_one_of_keys",
        {"known": "count, counted, faces, layers"},
    ),
    ("dice = 5", "dice", "expected_table", {}),
    ("throws = 0", "throws", "expected_whole_number", {"low": 1, "high": 10}),
    ("throws = 11", "throws", "expected_whole_number", {}),
    ('scored = ["dice", "more"]', "scored", "expected_every_layer", {"layers": "dice"}),
    ("scored = []", "scored", "expected_ids", {}),
    ('dice.layers = ["a", "b"]', "box", "expected_multiple", {"boxes": 5, "scored": 2}),
]

SHEET = [
    ('strike = "never"', "strike", "expected_one_of", {"known": "free, last_resort"}),
    ('strike = ["free"]', "strike", "expected_one_of", {}),
    ('section_totals = "yes"', "section_totals", "expected_true_or_false", {}),
    ("upper = 1", "upper", "expected_table", {}),
    ("upper.boxes = 3", "upper.boxes", "expected_table", {}),
    ("upper.bones = 3", "upper.bones", "expected_one_of_keys", {"known": "bonus, boxes"}),
    ("upper.boxes.fours = 4", "upper.boxes.fours", "expected_whole_number", {"low": 1, "high": 3}),
    ("upper.boxes.more_ones = 1", "upper.boxes", "expected_different_faces", {}),
    ('upper.boxes."One!" = 1', "upper.boxes.One!", "expected_id", {}),
    ("upper.bonus = 50", "upper.bonus", "expected_tiers", {}),
    ("upper.bonus = [50]", "upper.bonus", "expected_tiers", {}),
    ("upper.bonus = [{ at = 5, points = 1 }, { at = 5, points = 2 }]", "upper.bonus", "expected_tiers", {}),
    ("upper.bonus = [{ at = 0, points = 1 }]", "upper.bonus[1].at", "expected_whole_number", {"low": 1}),
    ("upper.bonus = [{ at = 5 }]", "upper.bonus[1].points", "expected_whole_number", {"low": 0}),
    ("upper.bonus = [{ at = 5, points = 1, x = 1 }]", "upper.bonus[1].x", "expected_one_of_keys", {}),
    ("box = 1", "box", "expected_table", {}),
    ("box.pair = 1", "box.pair", "expected_table", {}),
    ('box."Bad Id".points = 1', "box.Bad Id", "expected_id", {}),
    (f"box.{'a' * 41}.points = 1", f"box.{'a' * 41}", "expected_id", {}),
    ("box.pair.point = 1", "box.pair.point", "expected_one_of_keys", {}),
    ("box.pair.strike = 0", "box.pair.strike", "expected_true_or_false", {}),
    ("box.pair.after_total = 1", "box.pair.after_total", "expected_true_or_false", {}),
    ("box.ones.points = 1", "box.ones", "expected_new_id", {}),
    ("box.grand_total.points = 1", "box.grand_total", "expected_new_id", {}),
    (MANY_BOXES, "box", "expected_boxes", {"most": 60}),
    ("upper = false\nbox = false", "box", "expected_boxes", {}),
    ("columns = 3", "columns", "expected_table", {}),
    ("columns.x1 = 0", "columns.x1", "expected_whole_number", {"low": 1, "high": 100}),
    ("columns.X1 = 1", "columns.X1", "expected_id", {}),
    (TOO_MANY_ENDINGS, "box", "expected_fewer_endings", {}),
    (MANY_COLUMNS, "columns", "expected_at_most", {"most": 10}),
]

NEEDS = [
    ("box.pair.needs = [2]", "box.pair.needs", "expected_table", {}),
    ("box.pair.needs.alik = [2]", "box.pair.needs.alik", "expected_one_of_keys", {}),
    ("box.pair.needs = { alike = [2], run = 2 }", "box.pair.needs.run", "expected_one_need", {}),
    ("box.pair.needs = { different = true }", "box.pair.needs.different", "expected_one_need", {}),
    ("box.pair.needs = { run = 2, different = true }", "box.pair.needs.run", "expected_one_need", {}),
    ("box.pair.needs.alike = [2, 1]", "box.pair.needs.alike", "expected_no_more_dice", {"counted": 2}),
    ("box.pair.needs.alike = []", "box.pair.needs.alike", "expected_whole_numbers", {"most": 2}),
    (
        "dice.count = 8\nbox.pair.needs.alike = [1, 1, 1, 1, 1]",
        "box.pair.needs.alike",
        "expected_whole_numbers",
        {"most": 4},
    ),
    ("box.pair.needs.alike = [0]", "box.pair.needs.alike", "expected_whole_numbers", {"low": 1, "high": 2}),
    ("box.pair.needs.alike = 2", "box.pair.needs.alike", "expected_whole_numbers", {}),
    ("box.pair.needs.alike = [true]", "box.pair.needs.alike", "expected_whole_numbers", {}),
    (
        'box.pair.needs = { alike = [2], different = "no" }',
        "box.pair.needs.different",
        "expected_true_or_false",
        {},
    ),
    ("box.pair.needs = { run = 1 }", "box.pair.needs.run", "expected_whole_number", {"low": 2, "high": 2}),
    ("box.pair.needs = { run = 3 }", "box.pair.needs.run", "expected_whole_number", {}),
    ("box.pair.needs = { faces = [4, 1] }", "box.pair.needs.faces", "expected_whole_numbers", {"high": 3}),
    ("box.pair.needs = { faces = [1, 2, 3] }", "box.pair.needs.faces", "expected_whole_numbers", {"most": 2}),
    ("box.pair.needs = { at_least = 0 }", "box.pair.needs.at_least", "expected_whole_number", {"high": 6}),
    ("box.pair.needs = { at_least = 7 }", "box.pair.needs.at_least", "expected_whole_number", {}),
]

POINTS = [
    "-1",
    "10001",
    "1.5",
    "true",
    "[1]",
    *(
        f'"{text}"'
        for text in (
            *("", "half", "all + 1", "10001 + all", "50 - matching", "-matching", "50 * all", "all ", "- 5"),
            *("+all", "5+5+all", "٥ + all"),
        )
    ),
]

LINKS = [
    ('box.chance.after = ["pair", "nothing"]', "box.chance.after", "expected_box", {"found": "nothing"}),
    ('box.chance.above = "nothing"', "box.chance.above", "expected_box", {"found": "nothing"}),
    ('box.chance.after = "pair"', "box.chance.after", "expected_ids", {}),
    ("box.chance.after = []", "box.chance.after", "expected_ids", {}),
    ("box.chance.after = [5]", "box.chance.after", "expected_id", {}),
    ('box.chance.above = ""', "box.chance.above", "expected_id", {}),
    ("box.pair.strike = false", "box.pair.strike", "expected_strike_with_need", {}),
    (
        'box.chance = { strike = false, after = ["pair"] }',
        "box.chance.strike",
        "expected_strike_with_need",
        {},
    ),
    (
        'box.chance = { strike = false, above = "pair" }',
        "box.chance.strike",
        "expected_strike_with_need",
        {},
    ),
]

EXTRAS = [
    ("joker = 1", "joker", "expected_table", {}),
    ('joker = { filled = ["pair"] }', "joker.boxes", "expected_ids", {}),
    ('joker = { boxes = ["pair"] }', "joker.filled", "expected_ids", {}),
    ('joker = { filled = ["pear"], boxes = ["pair"] }', "joker.filled", "expected_box", {"found": "pear"}),
    ('joker = { filled = ["pair"], boxes = ["pear"] }', "joker.boxes", "expected_box", {"found": "pear"}),
    (
        'joker = { filled = ["pair"], boxes = ["pair"], forced = 1 }',
        "joker.forced",
        "expected_true_or_false",
        {},
    ),
    ('joker = { filled = ["pair"], boxs = ["pair"] }', "joker.boxs", "expected_one_of_keys", {}),
    (
        'dice.faces = 4\njoker = { filled = ["pair"], boxes = ["pair"] }',
        "joker.filled",
        "expected_upper_box_for_every_face",
        {},
    ),
    ('repeat = { box = "pair", points = 1 }', "repeat.id", "expected_id", {}),
    ('repeat = { id = "more", points = 1 }', "repeat.box", "expected_id", {}),
    ('repeat = { id = "more", box = "pear", points = 1 }', "repeat.box", "expected_box", {"found": "pear"}),
    ('repeat = { id = "more", box = "pair", points = -1 }', "repeat.points", "expected_whole_number", {}),
    (
        'repeat = { id = "more", box = "pair", points = 0 }',
        "repeat.points",
        "expected_whole_number",
        {"low": 1},
    ),
    ('repeat = { id = "more", box = "pair" }', "repeat.points", "expected_whole_number", {}),
    ('repeat = { id = "bonus", box = "pair", points = 1 }', "repeat.id", "expected_new_id", {}),
    ('repeat = { id = "chance", box = "pair", points = 1 }', "repeat.id", "expected_new_id", {}),
    ('repeat = { id = "more", box = "pair", pionts = 1 }', "repeat.pionts", "expected_one_of_keys", {}),
]

COLUMNS = "columns = { a = 1, b = 1 }"


def difference(**changed: str) -> str:
    parts = {"id": "d", "high": "chance", "low": "least", "times": "ones"} | changed
    return "\n".join(f'difference.{name} = "{value}"' for name, value in parts.items())


LEAST = 'box.least = { points = "all", strike = false }\nbox.chance.strike = false'
FAMILY = [
    ("saved_throws = 1", "saved_throws", "expected_true_or_false", {}),
    ("total_points = 1", "total_points", "expected_tiers", {}),
    ("total_points = [{ at = 0, points = -2 }]", "columns", "expected_columns", {}),
    ("across.ones = { at = 1, points = 1 }", "columns", "expected_columns", {}),
    (f"{COLUMNS}\nacross = 1", "across", "expected_table", {}),
    (f"{COLUMNS}\nacross.none = {{ at = 1, points = 1 }}", "across", "expected_box", {"found": "none"}),
    (f"{COLUMNS}\nacross.ones = {{ points = 1 }}", "across.ones.at", "expected_one_condition", {}),
    (
        f"{COLUMNS}\nacross.ones = {{ at = 1, each = true, points = 1 }}",
        "across.ones.at",
        "expected_one_condition",
        {},
    ),
    (
        f"{COLUMNS}\nacross.ones = {{ at = 0, points = 1 }}",
        "across.ones.at",
        "expected_whole_number",
        {"low": 1},
    ),
    (
        f"{COLUMNS}\nacross.ones = {{ every = 1, points = 1 }}",
        "across.ones.every",
        "expected_true_or_false",
        {},
    ),
    (f"{COLUMNS}\nacross.ones = {{ each = true }}", "across.ones.points", "expected_whole_number", {}),
    (
        f"{COLUMNS}\nacross.ones = {{ some = true, points = 1 }}",
        "across.ones.some",
        "expected_one_of_keys",
        {},
    ),
    ("columns.a = { times = 2 }", "columns.a.times", "expected_one_of_keys", {}),
    ("columns.a = { multiplier = 0 }", "columns.a.multiplier", "expected_whole_number", {}),
    ('columns.a = { order = "left" }', "columns.a.order", "expected_one_of", {"known": "free, down, up"}),
    ("columns.a = { announced = 1 }", "columns.a.announced", "expected_true_or_false", {}),
    (
        "throws = 1\noption.o.w.throws = 2\ncolumns.a = { announced = true }",
        "throws",
        "expected_whole_number",
        {"low": 2},
    ),
    ("win = 1", "win", "expected_table", {}),
    ('win = { box = "pear", roll = 1 }', "win.box", "expected_box", {"found": "pear"}),
    ('win = { box = "pair", roll = 0 }', "win.roll", "expected_whole_number", {}),
    ('win = { box = "pair", rolls = 1 }', "win.rolls", "expected_one_of_keys", {}),
    (
        'difference = { id = "d", high = "chance", low = "pear", times = "ones" }',
        "difference.low",
        "expected_box",
        {},
    ),
    (
        f"{LEAST}\n{difference(high='ones')}",
        "difference.high",
        "expected_box_without_strike",
        {"found": "ones"},
    ),
    (
        f"{LEAST}\n{difference(high='pair')}",
        "difference.high",
        "expected_box_without_strike",
        {"found": "pair"},
    ),
    (f"{LEAST}\n{difference(low='chance')}", "difference.times", "expected_different_boxes", {}),
    (f"{LEAST}\n{difference(id='least')}", "difference.id", "expected_new_id", {}),
    (f"{LEAST}\n{difference(more='x')}", "difference.more", "expected_one_of_keys", {}),
    (
        f'{LEAST}\n{difference()}\nrepeat = {{ id = "d", box = "pair", points = 1 }}',
        "difference.id",
        "expected_new_id",
        {},
    ),
    ('box.pair.once = ["pear"]', "box.pair.once", "expected_box", {"found": "pear"}),
    (
        'box.chance = { strike = false, once = ["pair"] }',
        "box.chance.strike",
        "expected_strike_with_need",
        {},
    ),
    ("box.pair.early = [-1]", "box.pair.early", "expected_whole_numbers", {}),
    ("box.pair.early = []", "box.pair.early", "expected_whole_numbers", {}),
    ("box.pair.needs = { alike = [2], around = true }", "box.pair.needs.alike", "expected_one_need", {}),
    ("box.pair.needs = { around = true }", "box.pair.needs.around", "expected_one_need", {}),
    ("box.pair.needs = { run = 2, around = 1 }", "box.pair.needs.around", "expected_true_or_false", {}),
    (
        'saved_throws = true\ndice.layers = ["a", "b"]\nbox.more.points = 1',
        "dice.layers",
        "expected_one_layer",
        {"keys": "saved_throws"},
    ),
]

FILE = [
    ("trows = 3", "trows", "expected_one_of_keys", {}),
    ("options = 1", "options", "expected_table", {}),
    ("options.o = []", "options.o", "expected_ids", {}),
    ('options.o = "v"', "options.o", "expected_ids", {}),
    ('options."O" = ["v"]', "options.O", "expected_id", {}),
    ("option = 1", "option", "expected_table", {}),
    ("option.p.v.throws = 1", "option.p", "expected_one_of_keys", {"known": "o"}),
    ("option.o = 1", "option.o", "expected_table", {}),
    ("option.o.x.throws = 1", "option.o.x", "expected_one_of_keys", {"known": "v, w"}),
    ("option.o.v = 1", "option.o.v", "expected_table", {}),
    ('option.o.v.names.en.game = "x"', "option.o.v.names", "expected_one_of_keys", {}),
    ("names = 1", "names", "expected_table", {}),
    ("names.en = 1", "names.en", "expected_table", {}),
    ("names.en.game = 1", "names.en.game", "expected_text", {}),
    ('names.en.game = ""', "names.en.game", "expected_text", {}),
    ('names.en.game = "two\\nlines"', "names.en.game", "expected_text", {}),
    ('names.en.game = "\\u001b[2J"', "names.en.game", "expected_text", {}),
    ('names.en.game = "a\\u202eb"', "names.en.game", "expected_text", {}),
    (f'names.en.game = "{"x" * 501}"', "names.en.game", "expected_text", {}),
    ("names.en.options = 1", "names.en.options", "expected_table", {}),
    ("names.en.options.o = 1", "names.en.options.o", "expected_table", {}),
    ('names.en.options."O".name = "x"', "names.en.options.O", "expected_id", {}),
    ('names.en.options.o.name = ""', "names.en.options.o.name", "expected_text", {}),
]


@pytest.mark.parametrize(
    ("lines", "key", "phrase", "values"), [*DICE, *SHEET, *NEEDS, *LINKS, *EXTRAS, *FAMILY, *FILE]
)
def test_wrong_value_names_file_key_and_expectation(change_small, refuse_rules, lines, key, phrase, values):
    refuse_rules(change_small(lines), key, phrase, **values)


@pytest.mark.parametrize("points", POINTS)
def test_wrong_points(change_small, refuse_rules, points):
    sentence = refuse_rules(
        change_small(f"box.chance.points = {points}"), "box.chance.points", "expected_points"
    )
    assert "50 + all" in sentence  # shows an example of points


def test_box_without_points(change_small, refuse_rules):
    refuse_rules(change_small("[box.more]"), "box.more.points", "expected_points")


@pytest.mark.parametrize(
    ("lines", "first", "boxes"),
    [
        ('box.chance.after = ["chance"]', "chance", "chance"),
        ('box.pair.after = ["chance"]\nbox.chance.after = ["pair"]', "pair", "chance, pair"),
        ('box.pair.above = "chance"\nbox.chance.above = "pair"', "pair", "chance, pair"),
        ('box.pair.after = ["chance"]\nbox.chance.above = "pair"', "pair", "chance, pair"),
        (
            'box.a = { points = 1, after = ["b"] }\nbox.b = { points = 1, above = "c" }\n'
            'box.c = { points = 1, after = ["a"] }',
            "a",
            "a, b, c",
        ),
    ],
)
def test_cycle_between_boxes(change_small, refuse_rules, lines, first, boxes):
    refuse_rules(change_small(lines), f"box.{first}", "expected_no_cycle", boxes=boxes)


def test_boxes_in_a_row_are_no_cycle(change_small):
    lines = 'box.chance.after = ["pair"]\nbox.more = { points = 1, after = ["pair"], above = "chance" }'
    rules = load_ruleset(change_small(lines))
    assert [(box.after, box.above) for box in rules.boxes[-2:]] == [(("pair",), None), (("pair",), "chance")]


def test_box_that_cannot_be_struck_may_not_be_forced_below_another(change_small):
    """If chance must stay below pair it can score 0, which its strike = false forbids."""
    path = change_small('box.chance.strike = false\nbox.pair.above = "chance"')
    with pytest.raises(RulesError) as caught:
        load_ruleset(path)
    assert caught.value.code == "rules_key_wrong"
    assert caught.value.values["key"] in ("box.chance.strike", "box.pair.above")


@pytest.mark.parametrize(
    ("text", "key", "phrase"),
    [
        ("", "format", "expected_whole_number"),
        ('id = "x"', "format", "expected_whole_number"),
        ('format = 2\nid = "x"', "format", "expected_whole_number"),
        ('format = "1"\nid = "x"', "format", "expected_whole_number"),
        ("format = 1", "id", "expected_id"),
        ('format = 1\nid = ""', "id", "expected_id"),
        ('format = 1\nid = "Big"', "id", "expected_id"),
        ('format = 1\nid = "-x"', "id", "expected_id"),
        ("format = 1\nid = 5", "id", "expected_id"),
        ('format = 1\nid = "x"', "dice.count", "expected_whole_number"),
        ('format = 1\nid = "x"\nbase = 5', "base", "expected_ruleset"),
        ('format = 1\nid = "x"\nbase = ""', "base", "expected_ruleset"),
        (
            'format = 1\nid = "x"\ndice = { count = 1, faces = 2 }\nbox.a.points = 1',
            "throws",
            "expected_whole_number",
        ),
    ],
)
def test_what_every_file_must_have(write_rules, refuse_rules, text, key, phrase):
    refuse_rules(write_rules(text), key, phrase)
