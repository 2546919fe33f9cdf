"""Patches of bases, options and house rules: what they change, and what `false` removes."""

from __future__ import annotations

import pytest

from dicecup.i18n.language import LANGUAGES, option_name, option_text
from dicecup.rules import Ruleset, builtin_ids, load_ruleset
from dicecup.rules.model import Run


def test_patch_changes_only_what_it_names(change_small, tmp_path):
    small = load_ruleset(str(tmp_path / "small.toml"))
    rules = load_ruleset(change_small("box.pair.points = 7"))
    assert [box.points.base for box in rules.boxes] == [0, 0, 0, 7, 0]
    assert [box.needs for box in rules.boxes] == [box.needs for box in small.boxes]
    assert (rules.dice, rules.bonus, rules.throws) == (small.dice, small.bonus, small.throws)


def test_needs_are_replaced_as_one(change_small):
    rules = load_ruleset(change_small("box.pair.needs = { run = 2 }"))
    assert rules.boxes[3].needs == Run(2)


def test_false_removes(change_small):
    rules = load_ruleset(change_small("box.pair = false\nupper.bonus = false\noptions.o = false"))
    assert [box.id for box in rules.boxes] == ["ones", "twos", "threes", "chance"]
    assert (rules.bonus, rules.choices, rules.options) == ((), {}, {})


@pytest.mark.parametrize("box", ["two_pairs", "full_house", "yatzy", "chance", "sixes"])
def test_removing_a_box_removes_its_option_patches(write_rules, box):
    where = "upper.boxes" if box == "sixes" else "box"
    path = write_rules(f'format = 1\nid = "house"\nbase = "yatzy"\n{where}.{box} = false')
    for scoring in ("printed", "scandinavian", "international"):
        for yatzy in ("flat", "plus_sum"):
            rules = load_ruleset(path, {"scoring": scoring, "yatzy": yatzy})
            assert box not in rules.box_index
            assert len(rules.boxes) == 14


@pytest.mark.parametrize("box", ["two_pairs", "full_house", "third_yum"])
def test_removing_a_box_removes_its_joker(write_rules, box):
    rules = load_ruleset(write_rules(f'format = 1\nid = "house"\nbase = "yum-plus"\nbox.{box} = false'))
    assert rules.joker is not None
    assert box not in rules.joker.boxes + rules.joker.filled


def test_a_column_and_a_link_can_be_removed(write_rules):
    text = 'format = 1\nid = "h"\nbase = "triple-yum-plus"\ncolumns.x3 = false\nbox.high_score.above = false'
    rules = load_ruleset(write_rules(text))
    assert [column.id for column in rules.columns] == ["x1", "x2"]
    assert rules.boxes[rules.box_index["high_score"]].above is None


def test_an_option_is_taken_away_with_its_patches(write_rules):
    rules = load_ruleset(write_rules('format = 1\nid = "h"\nbase = "yatzy"\noptions.scoring = false'))
    assert list(rules.choices) == ["yatzy", "strike"]


@pytest.mark.parametrize("joker", ["free", "forced", "none"])
def test_what_only_options_bring_is_taken_away(write_rules, joker):
    house = write_rules('format = 1\nid = "house"\nbase = "yahtzee"\njoker = false')
    rules, plain = load_ruleset(house, {"joker": joker}), load_ruleset("yahtzee", {"joker": joker})
    assert rules.joker is None
    assert rules.repeat == plain.repeat
    without = write_rules('format = 1\nid = "house"\nbase = "yahtzee"\njoker = false\nrepeat = false')
    assert (
        load_ruleset(without, {"joker": joker}).identity
        == load_ruleset("yahtzee", {"joker": "none"}).identity
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_options_that_lose_a_rule_lose_the_words_for_it(write_rules, language):
    """Otherwise `free` would still promise points for a joker that is gone."""
    house = load_ruleset(write_rules('format = 1\nid = "house"\nbase = "yahtzee"\njoker = false'))
    plain = load_ruleset("yahtzee")
    assert [option_text(house, "joker", value, language) for value in house.choices["joker"]] == [
        "",
        "",
        option_text(plain, "joker", "none", language),
    ]
    assert option_name(house, "joker", language) == option_name(plain, "joker", language)
    own = write_rules(
        'format = 1\nid = "own"\nbase = "yahtzee"\njoker = false\nnames.en.options.joker.free = "100 more"'
    )
    assert option_text(load_ruleset(own), "joker", "free", "en") == "100 more"


def test_options_keep_their_words_without_a_box(write_rules):
    house = load_ruleset(write_rules('format = 1\nid = "house"\nbase = "yatzy"\nbox.two_pairs = false'))
    text = option_text(load_ruleset("yatzy"), "scoring", "scandinavian", "en")
    assert text
    assert option_text(house, "scoring", "scandinavian", "en") == text


def test_a_value_of_a_box_is_taken_away_with_its_words(write_rules):
    write_rules(
        'format = 1\nid = "below"\nbase = "yatzy"\noptions.x = ["a", "b"]\n'
        'option.x.b.box.pair.after = ["ones"]\n'
        'names.en.options.x = { a = "Any order", b = "Pair after Ones" }',
        "below.toml",
    )
    above = write_rules('format = 1\nid = "above"\nbase = "below.toml"\nbox.pair.after = false', "above.toml")
    rules = load_ruleset(above)
    assert [option_text(rules, "x", value, "en") for value in "ab"] == ["Any order", ""]


def test_a_value_that_only_an_option_brings_is_taken_away(write_rules):
    """The rest of the option's patch is kept."""
    write_rules(
        'format = 1\nid = "below"\nbase = "yatzy"\noptions.x = ["a", "b"]\n'
        'option.x.b.box.pair = { after = ["ones"], points = 5 }\noption.x.b.section_totals = true',
        "below.toml",
    )
    above = write_rules('format = 1\nid = "above"\nbase = "below.toml"\nbox.pair.after = false', "above.toml")
    rules = load_ruleset(above, {"x": "b"})
    pair = rules.boxes[rules.box_index["pair"]]
    assert (pair.after, rules.section_totals) == ((), True)
    assert pair.points != load_ruleset("yatzy").boxes[rules.box_index["pair"]].points
    kept = write_rules('format = 1\nid = "kept"\nbase = "below.toml"\nsection_totals = false', "kept.toml")
    assert load_ruleset(kept, {"x": "b"}).section_totals  # false is a value of its own there


def test_false_with_nothing_to_remove(change_small, refuse_rules):
    refuse_rules(change_small("joker = false"), "joker", "expected_table")


def test_names_override_those_of_the_base(change_small):
    rules = load_ruleset(
        change_small('names.en.pair = "Two"\nnames.en.options.o.name = "O"\nnames.sv.pair = "Två"')
    )
    # The game's name is not inherited from its base.
    assert rules.names["en"] == {"pair": "Two", "options": {"o": {"name": "O"}}}
    assert rules.names["sv"] == {"pair": "Två"}


def test_what_names_a_removed_box_goes_with_it(write_rules):
    def house(base: str, *boxes: str) -> Ruleset:
        lines = "\n".join(f"box.{box} = false" for box in boxes)
        return load_ruleset(write_rules(f'format = 1\nid = "house"\nbase = "{base}"\n{lines}\n'))

    assert [across.box for across in house("balut", "straight", "choice").across] == [
        *("fours", "fives", "sixes", "full_house", "balut")
    ]
    generala = house("generala", "generala")
    assert (generala.win, generala.boxes[-1].id, generala.boxes[-1].once) == (None, "double_generala", ())
    assert house("jamb", "minimum").difference is None
    assert house("generala", "poker").win is not None


def test_links_to_a_removed_box_go_with_it(write_rules):
    """What came before it still comes before what came after it."""

    def house(base: str, lines: str) -> Ruleset:
        return load_ruleset(write_rules(f'format = 1\nid = "house"\nbase = "{base}"\n{lines}\n'))

    def after(rules: Ruleset, box: str) -> tuple[str, ...]:
        return rules.boxes[rules.box_index[box]].after

    assert after(house("yum-plus", "box.yum = false"), "second_yum") == ()
    assert after(house("yum-plus", "box.second_yum = false"), "third_yum") == ("yum",)
    assert after(house("yum-plus", "box.yum = false\nbox.second_yum = false"), "third_yum") == ()
    high = house("yum-plus", "box.low_score = false")
    assert high.boxes[high.box_index["high_score"]].above is None
    assert "fours" not in {across.box for across in house("balut", "upper.boxes.fours = false").across}
    assert house("jamb", "upper.boxes.ones = false").difference is None
    assert house("yahtzee", "box.yahtzee = false").joker is None
    assert house("generala", "win = false").win is None


def test_every_box_of_every_game_can_be_removed(write_rules):
    """A joker may need all upper boxes, and two boxes a turn need an even number: those games say so."""
    for base in builtin_ids():
        plain = load_ruleset(base)
        for box in plain.boxes if not plain.has_layers else ():
            where = "upper.boxes" if box.section == "upper" else "box"
            text = f'format = 1\nid = "house"\nbase = "{base}"\n{where}.{box.id} = false\n'
            if where == "upper.boxes" and base.endswith(("yahtzee", "kniffel", "yum-plus")):
                text += "joker = false\n"
            assert box.id not in load_ruleset(write_rules(text)).box_index


def test_a_removed_box_leaves_the_order_and_the_boxes_of_options(write_rules):
    write_rules(
        'format = 1\nid = "below"\nbase = "yatzy"\noptions.x = ["a", "b"]\noption.x.b.box.chance = false\n'
        'order = ["yatzy", "two_pairs", "pair"]',
        "below.toml",
    )
    above = write_rules('format = 1\nid = "above"\nbase = "below.toml"\nbox.two_pairs = false', "above.toml")
    boxes = [box.id for box in load_ruleset(above, {"x": "b"}).boxes]
    assert not {"two_pairs", "chance"} & {*boxes}
    assert boxes.index("yatzy") < boxes.index("pair")
