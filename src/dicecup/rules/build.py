"""Build a checked `Ruleset` from the tables of a rules file, options already chosen."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, cast

from dicecup.rules.model import (
    Across,
    Alike,
    AnyDice,
    Box,
    Column,
    ColumnOrder,
    DiceSet,
    Difference,
    Joker,
    Needs,
    OfFace,
    Points,
    Repeat,
    Ruleset,
    Run,
    Section,
    StrikePolicy,
    TheseFaces,
    Tier,
    Win,
)
from dicecup.rules.reader import Reader

# Far beyond any game of the family, and small enough that a malicious file cannot exhaust a machine.
MOST_DICE = 8
MOST_FACES = 10
MOST_LAYERS = 3
MOST_THROWS = 10
MOST_GROUPS = 4
MOST_POINTS = 10_000
MOST_BOXES = 60
MOST_COLUMNS = 10
MOST_ENDINGS = 10_000  # ways to score one turn

GAME_KEYS = {
    *("dice", "throws", "scored", "strike", "section_totals"),
    *("upper", "box", "columns", "joker", "repeat", "order"),
    *("saved_throws", "across", "total_points", "win", "difference"),
}
COMPUTED_LINES = {
    "upper_sum",
    "bonus",
    "upper_total",
    "lower_total",
    "grand_total",
    "weighted_total",
    "all_columns",
    "across",
    "total_points",
    "final_score",
    "saved_throws",
}
POINTS_PATTERN = re.compile(
    r"(?:(?P<base>[0-9]{1,5}) *(?P<sign>[+-]) *|(?P<minus>-) *)?(?P<sum>all|matching)"
)


def build_ruleset(
    game: Reader,
    *,
    ruleset_id: str,
    options: Mapping[str, str],
    choices: Mapping[str, tuple[str, ...]],
    names: Mapping[str, Mapping[str, Any]],
) -> Ruleset:
    dice = read_dice(game.child("dice"))
    boxes = read_upper_boxes(game.child("upper"), dice) + read_boxes(game, dice)
    columns = read_columns(game.child("columns"))
    check_boxes(game, boxes)
    ruleset = Ruleset(
        id=ruleset_id,
        dice=dice,
        throws=game.whole_number("throws", 1, MOST_THROWS),
        scored=read_scored(game, dice),
        boxes=boxes,
        bonus=read_tiers(game.child("upper"), "bonus"),
        columns=columns,
        joker=read_joker(game.child("joker"), boxes, dice) if game.has("joker") else None,
        repeat=read_repeat(game.child("repeat"), boxes) if game.has("repeat") else None,
        strike=cast(StrikePolicy, game.one_of("strike", ("free", "last_resort"), "free")),
        section_totals=game.yes_or_no("section_totals", default=False),
        options=options,
        choices=choices,
        names=names,
        reference=game.file,
        across=read_across(game.child("across"), boxes),
        total_points=read_tiers(game, "total_points", -MOST_POINTS),
        saved_throws=game.yes_or_no("saved_throws", default=False),
        win=read_win(game.child("win"), boxes) if game.has("win") else None,
        difference=read_difference(game.child("difference"), boxes) if game.has("difference") else None,
    )
    check_ruleset(game, ruleset)
    return ruleset


def check_ruleset(game: Reader, ruleset: Ruleset) -> None:
    """Check what concerns several parts of the rules."""
    if ruleset.cells % len(ruleset.scored):
        raise game.error("box", "expected_multiple", boxes=ruleset.cells, scored=len(ruleset.scored))
    if ruleset.cells ** len(ruleset.scored) > MOST_ENDINGS:
        raise game.error("box", "expected_fewer_endings", most=MOST_ENDINGS)
    if (ruleset.across or ruleset.total_points) and not ruleset.has_columns:
        raise game.error("columns", "expected_columns")
    if ruleset.has_layers and ruleset.extensions:
        raise game.error("dice.layers", "expected_one_layer", keys=", ".join(sorted(ruleset.extensions)))
    if "announced" in ruleset.extensions and ruleset.throws < 2:
        raise game.error("throws", "expected_whole_number", low=2, high=MOST_THROWS)
    repeat, difference = ruleset.repeat, ruleset.difference
    if repeat and difference and repeat.id == difference.id:
        raise game.error("difference.id", "expected_new_id")


def read_dice(table: Reader) -> DiceSet:
    table.allow({"count", "faces", "layers", "counted"})
    count = table.whole_number("count", 1, MOST_DICE)
    layers = table.ids("layers") if table.has("layers") else ("dice",)
    if len(layers) > MOST_LAYERS:
        raise table.error("layers", "expected_at_most", most=MOST_LAYERS)
    return DiceSet(
        count=count,
        faces=table.whole_number("faces", 2, MOST_FACES),
        layers=layers,
        counted=table.whole_number("counted", 1, count, default=count),
    )


def read_scored(game: Reader, dice: DiceSet) -> tuple[str, ...]:
    """Parse the scoring order: every layer is scored once per turn."""
    scored = game.ids("scored") if game.has("scored") else dice.layers
    if sorted(scored) != sorted(dice.layers):
        raise game.error("scored", "expected_every_layer", layers=", ".join(dice.layers))
    return scored


def read_upper_boxes(table: Reader, dice: DiceSet) -> tuple[Box, ...]:
    table.allow({"boxes", "bonus"})
    boxes = table.child("boxes")
    made = tuple(
        Box(
            id=boxes.check_id(name, name),
            section="upper",
            needs=OfFace(boxes.whole_number(name, 1, dice.faces)),
            points=Points(matching=1),
        )
        for name in boxes.table
    )
    if len({box.needs for box in made}) != len(made):
        raise table.error("boxes", "expected_different_faces")
    return made


def read_tiers(table: Reader, name: str, least: int = 0) -> tuple[Tier, ...]:
    """Parse steps in ascending order; where they may give less than 0 points they may also begin at 0."""
    rows = table.table.get(name, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise table.error(name, "expected_tiers")
    tiers = []
    for number, row in enumerate(rows, start=1):
        reader = Reader(row, table.file, f"{table.key(name)}[{number}]")
        reader.allow({"at", "points"})
        at = reader.whole_number("at", 0 if least < 0 else 1, MOST_POINTS)
        tiers.append(Tier(at, reader.whole_number("points", least, MOST_POINTS)))
    if any(low.at >= high.at for low, high in pairwise(tiers)):
        raise table.error(name, "expected_tiers")
    return tuple(tiers)


def read_boxes(game: Reader, dice: DiceSet) -> tuple[Box, ...]:
    """Parse the boxes below the upper section; those that `order` names come first, in its order."""
    boxes = tuple(read_box(name, box, dice) for name, box in game.child("box").children())
    if not game.has("order"):
        return boxes
    order = game.ids("order")
    check_known(game, "order", order, boxes)
    return tuple(sorted(boxes, key=lambda box: order.index(box.id) if box.id in order else len(order)))


def read_box(name: str, table: Reader, dice: DiceSet) -> Box:
    table.allow({"needs", "points", "after_total", "strike", "after", "above", "once", "early"})
    section: Section = "after_total" if table.yes_or_no("after_total", default=False) else "lower"
    return Box(
        id=name,
        section=section,
        needs=read_needs(table.child("needs"), dice),
        points=read_points(table),
        strike=table.yes_or_no("strike", default=True),
        after=table.ids("after") if table.has("after") else (),
        above=table.id("above") if table.has("above") else None,
        once=table.ids("once") if table.has("once") else (),
        early=table.whole_numbers("early", 0, MOST_POINTS, MOST_THROWS) if table.has("early") else (),
    )


def read_needs(table: Reader, dice: DiceSet) -> Needs:
    further = {"different": "alike", "around": "run"}
    table.allow({"at_least", "alike", "run", "faces", *further})
    kinds = [name for name in table.table if name not in further]
    strange = [name for name in table.table if name in further and kinds != [further[name]]]
    if len(kinds) > 1 or strange:
        raise table.error(kinds[-1] if kinds else strange[0], "expected_one_need")
    match kinds:
        case ["alike"]:
            groups = table.whole_numbers("alike", 1, dice.counted, min(MOST_GROUPS, dice.counted))
            if sum(groups) > dice.counted:
                raise table.error("alike", "expected_no_more_dice", counted=dice.counted)
            return Alike(tuple(sorted(groups, reverse=True)), table.yes_or_no("different", default=False))
        case ["run"]:
            length = table.whole_number("run", 2, min(dice.counted, dice.faces))
            return Run(length, dice.faces if table.yes_or_no("around", default=False) else 0)
        case ["faces"]:
            return TheseFaces(tuple(sorted(table.whole_numbers("faces", 1, dice.faces, dice.counted))))
        case ["at_least"]:
            return AnyDice(table.whole_number("at_least", 1, dice.counted * dice.faces))
        case _:
            return AnyDice()


def read_points(table: Reader) -> Points:
    """Parse an integer or one of the texts `matching`, `all`, `50 + all`, `36 - all`, `-all`."""
    value = table.table.get("points")
    if type(value) is int and 0 <= value <= MOST_POINTS:
        return Points(base=value)
    found = POINTS_PATTERN.fullmatch(value) if isinstance(value, str) else None
    base = int(found["base"] or 0) if found else 0
    sign = -1 if found and "-" in (found["sign"], found["minus"]) else 1
    if not found or base > MOST_POINTS or (sign < 0 and found["sum"] == "matching"):
        raise table.error("points", "expected_points")
    return Points(base=base, all=sign) if found["sum"] == "all" else Points(base=base, matching=sign)


def read_columns(table: Reader) -> tuple[Column, ...]:
    if len(table.table) > MOST_COLUMNS:
        raise table.error("", "expected_at_most", most=MOST_COLUMNS)
    columns = tuple(read_column(table, name) for name in table.table)
    return columns or (Column("", 1),)


def read_column(table: Reader, name: str) -> Column:
    """Parse a multiplier, or a table that also says in which order the column is filled."""
    name = table.check_id(name, name)
    if not isinstance(table.table[name], dict):
        return Column(name, table.whole_number(name, 1, 100))
    column = table.child(name)
    column.allow({"multiplier", "order", "announced"})
    return Column(
        name,
        column.whole_number("multiplier", 1, 100, default=1),
        cast(ColumnOrder, column.one_of("order", ("free", "down", "up"), "free")),
        column.yes_or_no("announced", default=False),
    )


def read_across(table: Reader, boxes: tuple[Box, ...]) -> tuple[Across, ...]:
    """Parse the points of boxes over all columns."""
    check_known(table, "", tuple(table.table), boxes)
    found = []
    for box, across in table.children():
        across.allow({"points", "at", "every", "each"})
        if sum(across.has(name) for name in ("at", "every", "each")) != 1:
            raise across.error("at", "expected_one_condition")
        found.append(
            Across(
                box,
                across.whole_number("points", 1, MOST_POINTS),
                across.whole_number("at", 1, MOST_POINTS) if across.has("at") else 0,
                across.yes_or_no("every", default=False),
                across.yes_or_no("each", default=False),
            )
        )
    return tuple(found)


def read_win(table: Reader, boxes: tuple[Box, ...]) -> Win:
    table.allow({"box", "roll"})
    win = Win(box=table.id("box"), roll=table.whole_number("roll", 1, MOST_THROWS))
    check_known(table, "box", (win.box,), boxes)
    return win


def read_difference(table: Reader, boxes: tuple[Box, ...]) -> Difference:
    table.allow({"id", "high", "low", "times"})
    named = {name: table.id(name) for name in ("high", "low", "times")}
    for name, box in named.items():
        check_known(table, name, (box,), boxes)
    by_id = {box.id: box for box in boxes}
    for name in ("high", "low"):
        if by_id[named[name]].section != "lower" or by_id[named[name]].strike:
            raise table.error(name, "expected_box_without_strike", found=named[name])
    if len(set(named.values())) < len(named):
        raise table.error("times", "expected_different_boxes")
    check_new_id(table, boxes)
    return Difference(table.id("id"), **named)


def read_joker(table: Reader, boxes: tuple[Box, ...], dice: DiceSet) -> Joker:
    table.allow({"filled", "boxes", "forced"})
    joker = Joker(
        filled=table.ids("filled"), boxes=table.ids("boxes"), forced=table.yes_or_no("forced", default=False)
    )
    for name in ("filled", "boxes"):
        check_known(table, name, getattr(joker, name), boxes)
    faces = {box.needs.face for box in boxes if isinstance(box.needs, OfFace)}
    if len(faces) != dice.faces:
        raise table.error("filled", "expected_upper_box_for_every_face")
    return joker


def read_repeat(table: Reader, boxes: tuple[Box, ...]) -> Repeat:
    table.allow({"id", "box", "points"})
    repeat = Repeat(
        id=table.id("id"), box=table.id("box"), points=table.whole_number("points", 1, MOST_POINTS)
    )
    check_known(table, "box", (repeat.box,), boxes)
    check_new_id(table, boxes)
    return repeat


def check_new_id(table: Reader, boxes: tuple[Box, ...]) -> None:
    """Check the id of a line that is no box."""
    if table.id("id") in COMPUTED_LINES or table.id("id") in {box.id for box in boxes}:
        raise table.error("id", "expected_new_id")


def check_boxes(game: Reader, boxes: tuple[Box, ...]) -> None:
    """Check what concerns several boxes: ids, counts, references and their cycles."""
    ids = [box.id for box in boxes]
    if not 1 <= len(boxes) <= MOST_BOXES:
        raise game.error("box", "expected_boxes", most=MOST_BOXES)
    for box_id in ids:
        if ids.count(box_id) > 1 or box_id in COMPUTED_LINES:
            raise game.error(f"box.{box_id}", "expected_new_id")
    for box in boxes:
        table = game.child("box").child(box.id) if box.section != "upper" else game
        check_known(table, "after", box.after, boxes)
        check_known(table, "above", (box.above,) if box.above else (), boxes)
        check_known(table, "once", box.once, boxes)
        limited = box.needs != AnyDice() or box.after or box.above or box.once
        if not box.strike and (limited or any(other.above == box.id for other in boxes)):
            raise table.error("strike", "expected_strike_with_need")
    check_cycles(game, boxes)


def check_known(table: Reader, name: str, wanted: tuple[str, ...], boxes: tuple[Box, ...]) -> None:
    known = {box.id for box in boxes}
    for box_id in wanted:
        if box_id not in known:
            raise table.error(name, "expected_box", found=box_id)


def check_cycles(game: Reader, boxes: tuple[Box, ...]) -> None:
    """Reject cycles of `after`, `once` and `above`: boxes in a cycle could never be filled."""
    reached = {box.id: {*box.after, *box.once, *([box.above] if box.above else [])} for box in boxes}
    for _ in range(len(boxes).bit_length()):  # each time, twice as many steps are known
        reached = {start: ends.union(*(reached[end] for end in ends)) for start, ends in reached.items()}
    for start, ends in reached.items():
        if start in ends:
            circle = sorted(end for end in ends if start in reached[end])
            raise game.error(f"box.{start}", "expected_no_cycle", boxes=", ".join(circle))
