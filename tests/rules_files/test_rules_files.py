"""Invalid files, bases, house rules and where files are searched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dicecup.errors import RulesError, UsageError
from dicecup.rules import builtin_ids, load_ruleset
from dicecup.rules.loader import as_ruleset


def refusal(reference: str) -> RulesError:
    with pytest.raises(RulesError) as caught:
        load_ruleset(reference)
    assert str(caught.value)
    return caught.value


@pytest.mark.parametrize(
    "reference", ["", ".", "..", "nothing", "yatzy.toml", "Yatzy", " yatzy", "a\0b", "\udcff"]
)
def test_no_such_game(reference):
    error = refusal(reference)
    assert error.code == "ruleset_unknown"
    assert error.values["ruleset"] == reference
    assert error.values["known"] == ", ".join(builtin_ids())


def test_a_folder_is_not_a_rules_file(tmp_path):
    assert refusal(str(tmp_path)).code == "ruleset_unknown"


@pytest.mark.posix
def test_a_device_or_pipe_is_not_a_rules_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert refusal(str(tmp_path / "pipe")).code == "ruleset_unknown"
    assert refusal("/dev/zero").code == "ruleset_unknown"


def test_name_too_long_for_the_system():
    error = refusal("a" * 5000)
    assert error.code in ("file_unreadable", "ruleset_unknown")


def test_unreadable_file(tmp_path, monkeypatch):
    path = tmp_path / "rules.toml"
    path.write_text("")

    def open_refused(self: Path, mode: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", open_refused)
    error = refusal(str(path))
    assert error.code == "file_unreadable"
    assert getattr(error.values["problem"], "code", None) == "system_no_permission"


@pytest.mark.parametrize(
    ("data", "byte"), [(b"\xff\xfe\x00", 0), (b"id = \x80", 5), ("id = 'é'".encode("latin-1"), 6)]
)
def test_binary_rubbish(write_rules, data, byte):
    error = refusal(write_rules(data))
    assert (error.code, error.values["byte"]) == ("rules_not_text", byte)


@pytest.mark.parametrize(
    "text",
    [
        "\0",
        "<html>",
        "{}",
        "id = ",
        'id = "x"\nid = "x"',
        "x = " + "[" * 5000 + "]" * 5000,
        "x = " + "{a=" * 5000 + "1" + "}" * 5000,
        "x = 2026-13-45",
    ],
)
def test_not_toml(write_rules, text):
    path = write_rules(text)
    error = refusal(path)
    assert (error.code, error.values["file"]) == ("rules_not_toml", path)
    assert int(str(error.values["line"])) >= 1
    assert int(str(error.values["column"])) >= 1


def test_the_place_of_a_toml_mistake(write_rules):
    error = refusal(write_rules('format = 1\nid = "x"\nthrows = = 3\n'))
    assert (error.values["line"], error.values["column"]) == ("3", "10")


def test_whole_number_of_very_many_digits(write_rules):
    assert refusal(write_rules("format = " + "1" * 5000)).code == "rules_not_toml"


@pytest.mark.parametrize("size", [200_001, 5_000_000])
def test_huge_file(write_rules, size):
    error = refusal(write_rules(b"#" * size))
    assert error.code == "file_too_large"
    assert f"at most {error.values['most']} bytes" in str(error)


def test_key_of_very_many_parts(write_rules, monkeypatch):
    """The TOML parser is quadratic in the parts of a key: such a file is rejected before parsing."""
    path = write_rules('format = 1\nid = "x"\n' + "a" + ".a" * 20_000 + " = 1")
    monkeypatch.setattr("dicecup.rules.loader.tomllib.loads", None)
    assert refusal(path).code == "rules_too_deep"


def test_deep_tables_in_an_option(change_small):
    deep = "box.pair" + ".a" * 3000 + " = 1\n"
    refusal(change_small(deep + "option.o.v." + deep))
    shallower = "[box.pair" + ".a" * 20 + "]\n"
    assert refusal(change_small(shallower)).code == "rules_too_deep"


def test_deep_tables_in_base_and_file(write_rules):
    deep = "box.pair" + ".a" * 3000 + " = 1\n"
    write_rules('format = 1\nid = "deep"\n' + deep, "deep.toml")
    refusal(write_rules('format = 1\nid = "house"\nbase = "deep.toml"\n' + deep))


# Bases


def test_base_is_found_beside_the_file_that_names_it(write_rules, change_small, tmp_path, monkeypatch):
    (tmp_path / "deeper").mkdir()
    path = write_rules('format = 1\nid = "far"\nbase = "../house.toml"\nthrows = 4', "deeper/far.toml")
    change_small("throws = 5")
    monkeypatch.chdir("/")
    assert load_ruleset(path).throws == 4
    monkeypatch.chdir(tmp_path / "deeper")
    assert load_ruleset("far.toml").identity == load_ruleset(path).identity


def test_base_by_absolute_path(write_rules, tmp_path):
    rules = load_ruleset(write_rules(f'format = 1\nid = "x"\nbase = "{tmp_path / "small.toml"}"'))
    assert rules.identity == load_ruleset(str(tmp_path / "small.toml")).identity
    assert rules.id == "x"


def test_base_that_is_not_there(write_rules, tmp_path):
    error = refusal(write_rules('format = 1\nid = "x"\nbase = "nothing.toml"'))
    assert (error.code, error.values["ruleset"]) == ("ruleset_unknown", str(tmp_path / "nothing.toml"))


def test_an_error_in_a_base_file_names_that_file(write_rules, refuse_rules, tmp_path):
    write_rules("id = 'y'", "y.toml")
    error = refusal(write_rules('format = 1\nid = "x"\nbase = "y.toml"'))
    assert (error.values["file"], error.values["key"]) == (str(tmp_path / "y.toml"), "format")


@pytest.mark.parametrize("base", ["house.toml", "./house.toml", "other.toml"])
def test_base_cycle(write_rules, base):
    write_rules('format = 1\nid = "other"\nbase = "house.toml"', "other.toml")
    error = refusal(write_rules(f'format = 1\nid = "x"\nbase = "{base}"'))
    assert (error.code, error.values["key"]) == ("rules_key_wrong", "base")
    assert "doesn’t lead back to itself" in str(error)


def test_base_cycle_by_ever_longer_paths(write_rules, tmp_path):
    error = refusal(write_rules(f'format = 1\nid = "x"\nbase = "../{tmp_path.name}/house.toml"'))
    assert (error.code, error.values["key"]) == ("rules_key_wrong", "base")


def test_chain_of_bases(write_rules):
    for number in range(1, 10):
        write_rules(
            f'format = 1\nid = "x"\nbase = "h{number - 1}.toml"\nthrows = {number}', f"h{number}.toml"
        )
    path = write_rules('format = 1\nid = "x"\nbase = "small.toml"', "h0.toml")
    assert load_ruleset(path.replace("h0", "h9")).throws == 9


def test_too_long_a_chain_of_bases(write_rules):
    path = write_rules('format = 1\nid = "x"\nbase = "small.toml"', "h0.toml")
    for number in range(1, 11):
        write_rules(f'format = 1\nid = "x"\nbase = "h{number - 1}.toml"', f"h{number}.toml")
    error = refusal(path.replace("h0", "h10"))
    assert (error.code, error.values["key"]) == ("rules_key_wrong", "base")
    assert "at most 10 files in a row" in str(error)


def test_an_error_in_a_base_names_the_base(write_rules):
    base = write_rules('format = 1\nid = "below"\nbase = "yatzy"\nthrows = 99', "below.toml")
    error = refusal(write_rules('format = 1\nid = "above"\nbase = "below.toml"\nthrows = 3', "above.toml"))
    assert (error.values["file"], error.values["key"]) == (base, "throws")


def test_an_error_in_an_option_of_a_base_names_the_base(write_rules):
    text = 'format = 1\nid = "below"\nbase = "yatzy"\noptions.o = ["v", "w"]\noption.o.w = 3'
    base = write_rules(text, "below.toml")
    error = refusal(write_rules('format = 1\nid = "above"\nbase = "below.toml"\nthrows = 3', "above.toml"))
    assert (error.values["file"], error.values["key"]) == (base, "option.o.w: option.o.w")


def test_an_error_in_an_option_names_the_option(write_rules):
    text = 'format = 1\nid = "h"\nbase = "yatzy"\noptions.length = ["a", "b"]\noption.length.b.throws = 99'
    error = refusal(write_rules(text))
    assert error.values["key"] == "option.length.b: throws"


def test_two_options_that_do_not_go_together_are_found(write_rules):
    text = (
        'format = 1\nid = "h"\nbase = "yatzy"\noptions.x = ["a", "b"]\noptions.y = ["a", "b"]\n'
        'option.x.b.box.chance = false\noption.y.b.box.pair.after = ["chance"]'
    )
    assert refusal(write_rules(text)).values["key"] == "option.x.b + y.b: box.pair.after"


def test_file_may_have_the_id_of_a_builtin_game(write_rules):
    rules = load_ruleset(write_rules('format = 1\nid = "yatzy"\nbase = "yatzy"\nthrows = 4'))
    assert (rules.id, rules.throws) == ("yatzy", 4)
    assert rules.identity != load_ruleset("yatzy").identity


def test_file_named_like_a_builtin_game_does_not_hide_it(write_rules, tmp_path, monkeypatch):
    write_rules("rubbish", "yatzy")
    monkeypatch.chdir(tmp_path)
    assert load_ruleset("yatzy").throws == 3
    assert refusal("./yatzy").code == "rules_not_toml"


def test_changed_file_is_read_again(change_small):
    assert load_ruleset(change_small("throws = 4")).throws == 4
    assert load_ruleset(change_small("throws = 5")).throws == 5


# Options


def test_first_value_is_the_default(change_small):
    path = change_small("")
    rules = load_ruleset(path)
    assert (rules.throws, rules.options, rules.non_default_options) == (2, {"o": "v"}, {})
    rules = load_ruleset(path, {"o": "w"})
    assert (rules.throws, rules.options, rules.non_default_options) == (3, {"o": "w"}, {"o": "w"})
    assert rules.choices == {"o": ("v", "w")}


def test_unknown_option(change_small):
    path = change_small("")
    with pytest.raises(RulesError) as caught:
        load_ruleset(path, {"size": "w"})
    assert caught.value.code == "option_unknown"
    assert caught.value.values == {"option": "size", "ruleset": "house", "known": "o"}
    with pytest.raises(RulesError) as caught:
        load_ruleset(path, {"o": "x"})
    assert caught.value.code == "option_value_unknown"
    assert caught.value.values == {"option": "o", "value": "x", "known": "v, w"}
    assert "Choose one of: v, w." in str(caught.value)


def test_unknown_option_of_a_game_without_options(change_small):
    path = change_small("options = false\noption = false")
    with pytest.raises(RulesError, match=r"^house has no option “o”\. Choose one of: –\.$"):
        load_ruleset(path, {"o": "v"})


def test_options_are_applied_in_order(change_small):
    lines = 'options.p = ["n", "y"]\noption.p.y.throws = 7'
    assert load_ruleset(change_small(lines), {"o": "w", "p": "y"}).throws == 7
    assert load_ruleset(change_small(lines), {"p": "y"}).throws == 7
    assert load_ruleset(change_small(lines), {"o": "w"}).throws == 3


def test_every_builtin_option_value_loads_and_differs_from_the_default():
    for game in builtin_ids():
        plain = load_ruleset(game)
        for option, values in plain.choices.items():
            identities = {load_ruleset(game, {option: value}).identity for value in values}
            assert len(identities) == len(values), (game, option)


def test_builtin_rulesets_are_loaded_once():
    assert load_ruleset("yatzy", {"strike": "free"}) is load_ruleset("yatzy", {"strike": "free"})


def test_folder_holds_exactly_the_builtin_games():
    import dicecup.rules

    folder = Path(dicecup.rules.__file__).parent / "sheets"
    assert sorted(path.stem for path in folder.iterdir()) == sorted(builtin_ids())


def test_with_very_many_options_only_single_values_are_tried(write_rules):
    options = "\n".join(f'options.o{number} = ["a", "b", "c"]' for number in range(6))
    path = write_rules(f'format = 1\nid = "many"\nbase = "yatzy"\n{options}\noption.o5.c.throws = 99')
    assert refusal(path).values["key"] == "option.o5.c: throws"


# Files that would take too long


def with_options(options: int, values: int) -> str:
    named = ", ".join(f'"v{number}"' for number in range(values))
    lines = "".join(f"o{number} = [{named}]\n" for number in range(options))
    return f'format = 1\nid = "x"\nbase = "yatzy-sv"\n[options]\n{lines}'


@pytest.mark.parametrize(
    ("options", "values", "key"), [(2_000, 2, "options"), (19, 2, "options"), (1, 2_000, "options.o0")]
)
def test_options_and_their_values_are_bounded(tmp_path, options, values, key):
    path = tmp_path / "rules.toml"
    path.write_text(with_options(options, values))
    error = refusal(str(path))
    assert (error.code, error.values["key"]) == ("rules_key_wrong", key)


def test_as_many_options_as_allowed(tmp_path):
    path = tmp_path / "rules.toml"
    path.write_text(with_options(18, 20))
    assert len(load_ruleset(str(path)).choices) == 20


def test_each_base_is_read_once(tmp_path, monkeypatch):
    from dicecup.rules import loader

    for number in range(9):
        base = f"rules{number + 1}.toml" if number < 8 else "yatzy"
        (tmp_path / f"rules{number}.toml").write_text(f'format = 1\nid = "x{number}"\nbase = "{base}"\n')
    opened: list[str] = []
    read = loader.read_bytes

    def counted(reference):
        opened.append(reference)
        return read(reference)

    monkeypatch.setattr(loader, "read_bytes", counted)
    loader.builtin_tables.cache_clear()
    load_ruleset(str(tmp_path / "rules0.toml"))
    assert len(opened) == len(set(opened)) == 10
    load_ruleset(str(tmp_path / "rules0.toml"))
    assert opened[10:] == opened[:9]  # files may have changed, built-in games not


def test_a_mistake_in_a_base_of_a_base_names_that_file(tmp_path):
    (tmp_path / "a.toml").write_text('format = 1\nid = "a"\nbase = "b.toml"\nthrows = 2\n')
    (tmp_path / "b.toml").write_text('format = 1\nid = "b"\nbase = "c.toml"\n')
    (tmp_path / "c.toml").write_text('format = 1\nid = "c"\nbase = "yatzy"\nthrows = 99\n')
    assert refusal(str(tmp_path / "a.toml")).values["file"] == str(tmp_path / "c.toml")


def test_a_box_may_wait_for_points_in_several_boxes(write_rules):
    path = write_rules(
        'format = 1\nid = "two"\nbase = "generala"\nbox.double_generala.once = ["generala", "poker"]\n',
        "two.toml",
    )
    assert load_ruleset(path).boxes[-1].once == ("generala", "poker")
    path = write_rules('format = 1\nid = "one"\nbase = "two.toml"\nbox.poker = false\n')
    assert load_ruleset(path).boxes[-1].once == ("generala",)


def test_a_path_of_its_own_kind_has_to_give_a_text():
    class Path:
        def __fspath__(self):
            return 7

    for game in (Path(), 7):
        with pytest.raises(UsageError) as caught:
            as_ruleset(game)
        assert (caught.value.code, caught.value.values["argument"]) == ("argument_wrong", "game")
