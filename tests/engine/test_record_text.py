"""Records as text: exact round trips, truncated lines, damaged lines, invalid lines."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dicecup.engine.fairness import commitment
from dicecup.engine.record import DiceOrigin, Header, Record, Reveal, Undo
from dicecup.engine.record_header import good_name
from dicecup.engine.record_text import (
    MOST_BYTES,
    RecordWriter,
    entry_texts,
    last_check,
    record_from_text,
    record_to_text,
)
from dicecup.errors import DicecupError, RecordError
from dicecup.rules import load_ruleset
from dicecup.rules.loader import FindRules, load_without_files

SECRET = bytes(range(32))
VERIFIABLE = DiceOrigin("verifiable", commitment=commitment(SECRET), player_seeds=("my seed", " ö#1"))
YATZY = load_ruleset("yatzy")

HEADER = [
    "dicecup record 1",
    "game yatzy",
    "option scoring=printed",
    "option yatzy=flat",
    "option strike=free",
    f"identity {YATZY.identity}",
    "player Ann",
    "dice typed",
    "begin",
]


def with_header(line: int, *lines: str) -> list[str]:
    """Return the header with one line replaced, counting from 1."""
    return [*HEADER[: line - 1], *lines, *HEADER[line:]]


def read(data: bytes, find_rules: FindRules = load_without_files) -> Record:
    return record_from_text(data, find_rules)[0]


def content(record: Record) -> tuple:
    """Return everything in a record, with the rules by identity."""
    header = record.header
    rules = (header.reference, header.rules.identity, header.rules.options)
    return (*rules, header.players, header.origin, header.date, record.entries)


def damage(data: bytes) -> RecordError:
    with pytest.raises(RecordError) as caught:
        record_from_text(data)
    assert str(caught.value)
    assert caught.value.exit_status == 1
    return caught.value


@pytest.fixture(scope="module")
def game(played):
    """A two-player game with an undo."""
    return played("dice-in-dice", 40).append(Undo(3))


@pytest.fixture(scope="module")
def text(game) -> str:
    return record_to_text(game)


# Round trips


@pytest.mark.parametrize(
    "origin",
    [
        DiceOrigin("system"),
        DiceOrigin("seed", seed=0),
        DiceOrigin("seed", seed=10**30 - 1),
        VERIFIABLE,
    ],
)
def test_origin_of_the_dice_round_trips(origin):
    record = Record(Header("yatzy", YATZY, ("Ann", "Bo"), origin, "2026-01-31 20:15"))
    assert content(read(record_to_text(record).encode())) == content(record)


def test_reveal_round_trips(played):
    record = played("yatzy", origin=VERIFIABLE, secret=SECRET).append(Reveal(SECRET.hex()))
    assert record_to_text(record).splitlines()[-1].startswith(f"secret {SECRET.hex()} #")
    assert content(read(record_to_text(record).encode())) == content(record)


def test_options_and_house_rules_round_trip(tmp_path, played):
    path = tmp_path / "my rules #1.toml"
    path.write_text('format = 1\nid = "x"\nbase = "dice-in-dice"\ncolumns = { a = 1, b = 2 }\nthrows = 2\n')
    record = played(str(path), options={"extra": "negative"})
    text = record_to_text(record)
    again = read(text.encode(), load_ruleset)
    assert (again.entries, again.header.reference) == (record.entries, str(path))
    assert again.rules.identity == record.rules.identity
    assert record_to_text(again) == text


@pytest.mark.parametrize("columns", ["a = 1", "a = 3"])
def test_a_single_named_column_round_trips(tmp_path, played, columns):
    path = tmp_path / "rules.toml"
    path.write_text(f'format = 1\nid = "x"\nbase = "yatzy"\ncolumns = {{ {columns} }}\n')
    text = record_to_text(played(str(path)))
    assert record_to_text(read(text.encode(), load_ruleset)) == text


def test_what_a_person_reads(chained):
    lines = [
        *HEADER,
        "1 throw 3 3 3 6 6",
        "1 score full_house 21",
        "1 throw 1 2 3 4 5",
        "1 keep 1 2",
        "undo 1",
        "1 keep",
        "1 throw 1 2 3 4 6",
        "1 score yatzy 0",
        "1 throw 1 1 2 2 3",
        "1 score pair 0 struck",
    ]
    assert record_to_text(read(chained(lines))).encode() == chained(lines)


def test_layers_and_columns_in_a_score(played):
    text = record_to_text(played("dice-in-dice"))
    assert " score inner " in text
    assert ", outer " in text
    assert " score x1 " in record_to_text(played("triple-yum-plus"))


# Truncated records


def test_empty_data_is_a_truncated_record():
    assert damage(b"").code == "record_cut"


# Records that passed through other systems


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_line_endings_and_a_byte_order_mark_are_ignored(text, game, mark, line_end):
    data = mark + text.encode().replace(b"\n", line_end)
    again, whole = record_from_text(data + b"cut off")
    assert content(again) == content(game)
    assert whole == len(data)
    assert last_check(data) == last_check(text.encode())
    swapped = data.replace(b"Ann", b"Ana", 1)
    assert damage(swapped).code == "record_damaged"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_record_in_utf_16_is_named(text, encoding):
    assert damage(f"\ufeff{text}".encode(encoding)).code == "record_not_utf8"


# Damaged records


def test_any_changed_byte_is_found_and_its_line_named(text):
    data = text.encode()
    for place in range(0, len(data) - 1, 3):
        line = data.count(b"\n", 0, place) + 1
        for bit in (place % 8, 7):
            changed = data[:place] + bytes([data[place] ^ 1 << bit]) + data[place + 1 :]
            error = damage(changed)
            if line == 1 and error.code == "record_not_text":
                continue
            assert (error.code, error.values) == ("record_damaged", {"line": line}), place


def test_changed_last_line_break_is_a_cut_line(text, game):
    record, _ = record_from_text(text.encode()[:-1] + b"x")
    assert record.entries == game.entries[:-1]


def test_lines_taken_out_or_swapped_or_put_in(text):
    lines = text.encode().splitlines(keepends=True)
    assert damage(b"".join(lines[:12] + lines[13:])).values == {"line": 13}
    assert damage(b"".join([*lines[:12], lines[13], lines[12], *lines[14:]])).values == {"line": 13}
    assert damage(b"".join([*lines[:12], b"\n", *lines[12:]])).values == {"line": 13}
    assert damage(b"".join([*lines[:12], lines[11], *lines[12:]])).values == {"line": 13}


@pytest.mark.parametrize(
    "data",
    [
        b"\x00\xff\xfe\n",
        b"\n",
        b"hello\n",
        b"GIF89a\n\x00",
        b"\xff" * 100 + b"\n",
    ],
)
def test_rubbish_is_not_a_record(data):
    assert damage(data).code == "record_not_text"


def test_huge_record(text):
    error = damage(text.encode() + b"x" * MOST_BYTES)
    assert (error.code, error.values["most"]) == ("record_too_large", MOST_BYTES)


# Invalid lines with valid checksums


@pytest.mark.parametrize(
    ("lines", "line", "expected"),
    [
        (with_header(2), 8, "expected_record_word"),
        (with_header(6), 8, "expected_record_word"),
        (with_header(7), 8, "expected_record_word"),
        (with_header(8), 8, "expected_record_word"),
        (with_header(2, "game"), 2, "expected_record_word"),
        (with_header(6, "identity"), 6, "expected_record_word"),
        (with_header(2, "sport yatzy"), 2, "expected_header_word"),
        (with_header(2, ""), 2, "expected_header_word"),
        (with_header(3, "option scoring"), 3, "expected_option"),
        (with_header(7, "player Ann, Bo"), 7, "expected_name"),
        (with_header(7, "player " + "x" * 61), 7, "expected_name"),
        (with_header(7, "player a\tb"), 7, "expected_name"),
        (with_header(7, *["player Ann"] * 101), 107, "expected_at_most"),
        (with_header(8, "dice loaded"), 8, "expected_origin"),
        (with_header(8, "dice seed"), 8, "expected_origin"),
        (with_header(8, "dice seed x"), 8, "expected_origin"),
        (with_header(8, "dice seed -1"), 8, "expected_origin"),
        (with_header(8, "dice seed ٣"), 8, "expected_origin"),
        (with_header(8, f"dice seed {'1' * 31}"), 8, "expected_origin"),
        (with_header(8, "dice verifiable abc", "seed a"), 8, "expected_origin"),
        (with_header(8, f"dice verifiable {'a' * 64}"), 8, "expected_origin"),
        (with_header(8, f"dice verifiable {'a' * 64}", "seed a", "seed b"), 8, "expected_origin"),
        (with_header(8, f"dice verifiable {'a' * 64}", "seed"), 9, "expected_record_word"),
        ([*HEADER, "hello"], 10, "expected_entry"),
        ([*HEADER, ""], 10, "expected_entry"),
        ([*HEADER, "1"], 10, "expected_entry"),
        ([*HEADER, "begin"], 10, "expected_entry"),
        ([*HEADER, "Ann throw 1 2 3 4 5"], 10, "expected_entry"),
        ([*HEADER, "undo"], 10, "expected_entry"),
        ([*HEADER, "undo x"], 10, "expected_entry"),
        ([*HEADER, "undo -1"], 10, "expected_entry"),
        ([*HEADER, "secret abc"], 10, "expected_entry"),
        ([*HEADER, "secret " + "a" * 33], 10, "expected_entry"),
        ([*HEADER, "1 throw 1 2 3 4 5", "1 score"], 11, "expected_score"),
        ([*HEADER, "1 throw 1 2 3 4 5", "1 score ones"], 11, "expected_score"),
        ([*HEADER, "1 throw 1 2 3 4 5", "1 score x1 ones 1"], 11, "expected_score"),
    ],
)
def test_wrong_line_is_named_with_what_was_expected(refused, chained, lines, line, expected):
    with refused("record_line_wrong", line=line, expected=expected):
        read(chained(lines))


@pytest.mark.parametrize(
    ("lines", "line", "expected"),
    [
        (with_header(2, "game yatzy", "game yahtzee"), 3, "option scoring=printed"),
        (with_header(2, "game yatzy", "game yatzy"), 3, "option scoring=printed"),
        (with_header(3), 3, "option scoring=printed"),
        (with_header(5), 5, "option strike=free"),
        (with_header(5, "option strike=free", "option strike=free"), 6, f"identity {YATZY.identity}"),
        (with_header(3, "option yatzy=flat", "option scoring=printed"), 3, "option scoring=printed"),
        (with_header(7, "player Ann", "date 2026"), 7, "date 2026"),
        (with_header(8, "dice seed 007"), 8, "dice seed 7"),
        (with_header(8, "dice typed", "seed a"), 9, "begin"),
        (with_header(8, "dice typed", "dice seed 7"), 9, "begin"),
        ([*HEADER, "2 throw 1 2 3 4 5"], 10, "1 throw 1 2 3 4 5"),
        ([*HEADER, "² throw 1 2 3 4 5"], 10, "1 throw 1 2 3 4 5"),
        ([*HEADER, "1 throw 5 4 3 2 1"], 10, "1 throw 1 2 3 4 5"),
        ([*HEADER, "1 throw 1234 5"], 10, "1 throw 1 2 3 4 5"),
        ([*HEADER, "1 throw 1 2 3 4 5", "1 keep 5 1"], 11, "1 keep 1 5"),
        ([*HEADER, "1 throw 1 2 3 4 5", "1 score ones 2"], 11, "1 score ones 1"),
        ([*HEADER, "1 throw 1 2 3 4 5", "1 score ones 1 struck"], 11, "1 score ones 0 struck"),
        ([*HEADER, "1 throw 1 2 3 4 5", "undo 01"], 11, "undo 1"),
    ],
)
def test_line_that_does_not_follow(refused, chained, lines, line, expected):
    with refused("record_line_other", line=line, expected=expected):
        read(chained(lines))


@pytest.mark.parametrize(
    ("entries", "line", "problem"),
    [
        (["1 throw 1 2 3 4 7"], 10, "face_out_of_range"),
        (["1 throw 1 2 3 4 x"], 10, "die_unreadable"),
        (["1 throw 1 2 3 4"], 10, "dice_count_wrong"),
        (["1 throw"], 10, "dice_count_wrong"),
        (["1 keep 1"], 10, "throw_first"),
        (["1 throw 1 2 3 4 5", "1 keep 6"], 11, "keep_not_there"),
        (["1 throw 1 2 3 4 5", "1 throw 1 2 3 4 5"], 11, "throw_not_due"),
        (["1 throw 1 2 3 4 5", "1 score once 0"], 11, "box_unknown"),
        (["1 throw 1 2 3 4 5", "1 score ones 1, twos 2"], 11, "layers_wrong"),
        (["undo 1"], 10, "undo_too_far"),
        (["1 throw 1 2 3 4 5", "undo 2"], 11, "undo_too_far"),
        (["secret " + "ab" * 16], 10, "reveal_not_due"),
    ],
)
def test_line_that_breaks_the_rules(refused, chained, entries, line, problem):
    with refused("record_illegal", line=line, problem=problem):
        read(chained([*HEADER, *entries]))


def test_changed_throw_is_detected_by_later_entries(refused, chained, unchained):
    """If a throw and the checksums are changed, the points or the kept dice no longer match."""
    lines = [*HEADER, "1 throw 1 2 3 4 5", "1 keep 5", "1 throw 1 1 2 2", "1 score chance 11"]
    assert unchained(chained(lines).decode()) == lines
    with refused("record_illegal", line=11, problem="keep_not_there"):
        read(chained([*lines[:9], "1 throw 1 2 3 4 6", *lines[10:]]))
    with refused("record_line_other", line=13, expected="1 score chance 10"):
        read(chained([*lines[:11], "1 throw 1 1 1 2", *lines[12:]]))


@pytest.mark.parametrize("title", ["dicecup record 2", "dicecup record", "dicecup record one"])
def test_unknown_version(refused, chained, title):
    with refused("record_version_unknown", found=title.removeprefix("dicecup record").strip(), known=1):
        read(chained(with_header(1, title)))


def test_record_of_another_ruleset(refused, chained):
    identity = load_ruleset("yahtzee").identity
    with refused("record_of_other_rules", ruleset="yatzy", found=identity[:12], expected=YATZY.identity[:12]):
        read(chained(with_header(6, f"identity {identity}")))
    with refused("record_of_other_rules"):
        read(chained(with_header(3, "option scoring=scandinavian")))
    with refused("option_unknown"):
        read(chained(with_header(3, "option size=big")))
    with refused("ruleset_unknown"):
        read(chained(with_header(2, "game yazty")))


def test_house_rules_that_changed_since(refused, tmp_path, played):
    path = tmp_path / "rules.toml"
    path.write_text('format = 1\nid = "x"\nbase = "yatzy"\n')
    text = record_to_text(played(str(path), 10)).encode()
    path.write_text('format = 1\nid = "renamed"\nbase = "yatzy"\nnames.en.game = "Ours"\n')
    read(text, load_ruleset)
    path.write_text('format = 1\nid = "x"\nbase = "yatzy"\nbox.yatzy.points = 60\n')
    with refused("record_of_other_rules"):
        read(text, load_ruleset)


def no_rules(reference, options):
    raise AssertionError(f"{reference} was looked for")


@pytest.mark.parametrize(
    "lines",
    [
        with_header(2, *["player Ann"] * 101, "game /etc/shadow"),
        with_header(2, "game yatzy", "game /etc/shadow"),
        with_header(3, "option scoring=printed", "game /etc/shadow"),
        with_header(8, "dice loaded"),
        with_header(8, "dice typed", "seed a"),
        with_header(2, "game a\x1b[2Jb"),
        with_header(2, "option a=b", "game yatzy"),
        HEADER[:-1],
    ],
)
def test_rules_are_looked_for_only_after_the_whole_header_is_read(chained, lines):
    with pytest.raises(RecordError):
        read(chained(lines), no_rules)


def test_a_record_names_built_in_games_only_unless_the_caller_says_otherwise(refused, chained, tmp_path):
    path = tmp_path / "rules.toml"
    path.write_text('format = 1\nid = "x"\nbase = "yatzy"\n')
    identity = load_ruleset(str(path)).identity
    lines = with_header(2, f"game {path}")
    lines[5] = f"identity {identity}"
    assert read(chained(lines), load_ruleset).rules.identity == identity
    with refused("ruleset_unknown"):
        read(chained(lines))


def test_a_line_of_nothing_but_spaces_takes_no_time():
    """Time that grows with the square would be ten hours here, and no test run would end."""
    assert damage(b"dicecup record 1" + b" " * (MOST_BYTES - 100) + b"\n").values == {"line": 1}


def test_a_line_longer_than_any_path(refused, chained):
    with refused("record_damaged", line=2):
        read(chained(with_header(2, "game " + "x" * 5_000)))


# Names, and headers that could not be parsed back


@pytest.mark.parametrize("name", ["Ann", "Åsa Ö", "O'Neil #1", "bot:greedy", "x" * 60, "李", "a  b"])
def test_good_names_round_trip(name):
    assert good_name(name)
    record = Record(Header("yatzy", YATZY, (name,), DiceOrigin("typed")))
    assert content(read(record_to_text(record).encode())) == content(record)


BAD_NAMES = [
    "",
    " ",
    " Ann",
    "Ann ",
    "Ann\n",
    "Ann\nBo",
    "A\tB",
    "Ann,Bo",
    "x" * 61,
    "\x1b[2J",
    "a\u2028b",
    "a\x85b",
    "\udcff",
]


@pytest.mark.parametrize("name", BAD_NAMES)
def test_bad_names(name):
    assert not good_name(name)
    with pytest.raises(RecordError):
        RecordWriter().header(Header("yatzy", YATZY, (name,), DiceOrigin("typed")))


@pytest.mark.parametrize(
    "header",
    [
        Header("yatzy", YATZY, (), DiceOrigin("typed")),
        Header("yatzy", YATZY, ("Ann",) * 101, DiceOrigin("typed")),
        Header("yatzy", YATZY, ("Ann",), DiceOrigin("seed", seed=-1)),
        Header("yatzy", YATZY, ("Ann",), DiceOrigin("seed", seed=10**30)),
        Header("yatzy", YATZY, ("Ann",), DiceOrigin("seed")),
        Header("yatzy", YATZY, ("Ann",), DiceOrigin("typed"), "2026 "),
        Header("yatzy", YATZY, ("Ann",), DiceOrigin("typed"), "20\n26"),
        Header("yatzy", YATZY, ("Ann",), DiceOrigin("typed"), "\udcff"),
        Header("yatzy", YATZY, ("Ann",), DiceOrigin("verifiable", commitment="a" * 64)),
        *(
            Header(
                "yatzy", YATZY, ("Ann",), DiceOrigin("verifiable", commitment="a" * 64, player_seeds=(seed,))
            )
            for seed in ("", " ", "a ", "a\nb", "\udcff")
        ),
        Header("yatzy", load_ruleset("yahtzee"), ("Ann",), DiceOrigin("typed")),
    ],
)
def test_header_that_could_not_be_read_back_is_not_written(header):
    with pytest.raises(DicecupError) as caught:
        RecordWriter().header(header)
    assert str(caught.value)


def test_writer_goes_on_where_another_stopped(played):
    record = played("yatzy", 12)
    text = record_to_text(record)
    shorter = replace(record, entries=record.entries[:-1])
    writer = RecordWriter(last_check(record_to_text(shorter).encode()))
    assert record_to_text(shorter) + writer.line([*entry_texts(record)][-1]) == text
