"""Every throw in every box of every game with every combination of options, against the second scorer."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement, product
from random import Random

import pytest
from tests.rulebook import independent_scorer as second

from dicecup.engine import Placement, Score, Sheet, State, final_score, legal_moves
from dicecup.engine.legality import offers
from dicecup.rules import load_ruleset, main_ids

pytestmark = pytest.mark.slow
FIVE = list(combinations_with_replacement(range(1, 7), 5))
SIX = list(combinations_with_replacement(range(1, 7), 6))
FIVE_ALIKE = [(face,) * 5 for face in range(1, 7)]


def combinations_of(game: str) -> list[dict[str, str]]:
    names = list(second.OPTIONS[game])
    return [dict(zip(names, values, strict=True)) for values in product(*second.OPTIONS[game].values())]


CASES = [(game, options) for game in second.BOXES for options in combinations_of(game)]
IDS = [f"{game}-{'-'.join(options.values())}" for game, options in CASES]
every_game = pytest.mark.parametrize(("game", "options"), CASES, ids=IDS)


def engine_sheet(game: str, sheet: second.Sheet) -> Sheet:
    return Sheet(tuple(sheet.get(cell) for cell in second.every_cell(game)))


def engine_offers(game: str, options: second.Options, sheet: second.Sheet, dice: second.Faces):
    rules = load_ruleset(game, options)
    given = offers(rules, engine_sheet(game, sheet), dice)
    return {
        cell: scored.points
        for cell, scored in zip(second.every_cell(game), given, strict=True)
        if scored is not None
    }


def engine_placements(game: str, options: second.Options, sheet: second.Sheet, dice: second.Faces):
    """Return the placements from `legal_moves`, for games with one box per turn."""
    rules = load_ruleset(game, options)
    state = State((engine_sheet(game, sheet),), 0, dice, None, 0)
    found = set()
    for move in legal_moves(rules, state):
        assert isinstance(move, Score)
        (placement,) = move.placements
        found.add(((placement.column, placement.box), placement.strike))
    return found


def test_the_second_scorer_knows_the_games():
    assert set(second.BOXES) == set(main_ids())
    for game in main_ids():
        rules = load_ruleset(game)
        assert [box.id for box in rules.boxes] == second.BOXES[game]
        assert [column.id for column in rules.columns] == second.columns(game)
        assert {name: list(values) for name, values in rules.choices.items()} == second.OPTIONS[game]
    assert len(FIVE) == 252
    assert len(SIX) == 462


@every_game
def test_every_throw_in_every_box_of_an_empty_sheet(game: str, options: dict[str, str]):
    for dice in SIX if game == "dice-in-dice" else FIVE:
        assert engine_offers(game, options, {}, dice) == second.offers(game, options, {}, dice), dice


def yum_sheets(column: str) -> list[dict[second.Cell, int]]:
    """Columns with dependent boxes: low and high in both orders, Yum boxes in every state."""
    sheets: list[dict[second.Cell, int]] = []
    for points in (0, 21, 22, 24, 25, 29, 30):
        sheets.append({(column, "low_score"): points})
    for points in (0, 22, 23, 26, 30):
        sheets.append({(column, "high_score"): points})
    for first, middle, last in product((None, 0, 50), (None, 0), (None, 0)):
        yums = {"yum": first, "second_yum": middle, "third_yum": last}
        sheets.append({(column, box): points for box, points in yums.items() if points is not None})
    sheets.append({(column, "yum"): 50, (column, "second_yum"): 100, (column, "third_yum"): 100})
    return sheets


@pytest.mark.parametrize(
    "options", combinations_of("yum-plus"), ids=lambda options: "-".join(options.values())
)
def test_every_throw_where_yum_boxes_look_at_each_other(options: dict[str, str]):
    for sheet in yum_sheets(""):
        for dice in FIVE:
            found = engine_offers("yum-plus", options, sheet, dice)
            assert found == second.offers("yum-plus", options, sheet, dice), (sheet, dice)


def test_every_throw_where_the_columns_differ():
    """Low and high score and the order of the Yum boxes apply to each column separately."""
    options = {"kinds": "all_dice", "joker_upper": "sum"}
    chance = Random(3)
    sheets = [yum_sheets(column) for column in ("x1", "x2", "x3")]
    for _ in range(12):
        sheet = {cell: points for column in sheets for cell, points in chance.choice(column).items()}
        for dice in FIVE:
            found = engine_offers("triple-yum-plus", options, sheet, dice)
            assert found == second.offers("triple-yum-plus", options, sheet, dice), (sheet, dice)


def joker_sheets(game: str) -> list[dict[second.Cell, int]]:
    """All sets of filled upper boxes, with all, all but one, or none of the boxes that a joker requires."""
    waited_for = ["yahtzee"] if game == "yahtzee" else ["yum", "second_yum", "third_yum"]
    waiting = [(column, box) for column in second.columns(game) for box in waited_for]
    sheets = []
    for filled in product((False, True), repeat=6):
        upper = {
            (column, box): 0
            for column in second.columns(game)
            for box, is_filled in zip(second.UPPER, filled, strict=True)
            if is_filled
        }
        sheets.append(upper)
        sheets.append(upper | dict.fromkeys(waiting, 0))
        sheets.append(upper | dict.fromkeys(waiting, 50 if game == "yahtzee" else 100))
        sheets += [upper | dict.fromkeys(set(waiting) - {left_out}, 0) for left_out in waiting[-3:]]
    return sheets


JOKER_CASES = [
    pytest.param(game, options, id=label)
    for (game, options), label in zip(CASES, IDS, strict=True)
    if game in ("yum-plus", "triple-yum-plus", "yahtzee")
]


@pytest.mark.parametrize(("game", "options"), JOKER_CASES)
def test_five_alike_on_every_sheet_a_joker_looks_at(game: str, options: dict[str, str]):
    for sheet in joker_sheets(game):
        for dice in FIVE_ALIKE:
            found = engine_offers(game, options, sheet, dice)
            assert found == second.offers(game, options, sheet, dice), (sheet, dice)
            legal = engine_placements(game, options, sheet, dice)
            assert legal == second.legal_placements(game, options, sheet, dice), (sheet, dice)


def test_a_joker_of_three_columns_requires_every_column():
    """One of the nine Yum boxes, or one of the three upper boxes of the face, is open."""
    options = {"kinds": "all_dice", "joker_upper": "sum"}
    game = "triple-yum-plus"
    for face in range(1, 7):
        boxes = ["yum", "second_yum", "third_yum", second.UPPER[face - 1]]
        filled = {(column, box): 0 for column in second.columns(game) for box in boxes}
        for left_out in [None, *filled]:
            sheet = {cell: points for cell, points in filled.items() if cell != left_out}
            found = engine_offers(game, options, sheet, (face,) * 5)
            assert found == second.offers(game, options, sheet, (face,) * 5)
            assert (found["x1", "full_house"] == 25) == (left_out is None)


def random_sheets(game: str, number: int) -> Iterator[dict[second.Cell, int]]:
    """Yield sheets with any boxes filled, by strikes or by a throw, whether or not good play leads there."""
    chance = Random(f"{game} {number}")
    defaults = {name: values[0] for name, values in second.OPTIONS[game].items()}
    for _ in range(number):
        cells = second.every_cell(game)
        chance.shuffle(cells)
        sheet: dict[second.Cell, int] = {}
        filled = chance.randrange(len(cells))
        for cell in cells[: filled - filled % (2 if game == "dice-in-dice" else 1)]:
            dice = chance.choice(FIVE if game != "dice-in-dice" else SIX)
            struck = chance.random() < 0.3
            sheet[cell] = 0 if struck else second.points_of(game, defaults, sheet, cell, dice)
        yield sheet


@pytest.mark.parametrize(
    ("game", "options"),
    [
        pytest.param(*case, id=label)
        for case, label in zip(CASES, IDS, strict=True)
        if case[0] != "dice-in-dice"
    ],
)
def test_every_placement_of_every_throw(game: str, options: dict[str, str]):
    """Legal boxes and strikes: every throw on the empty sheet, a sample of throws on others."""
    for dice in FIVE:
        legal = engine_placements(game, options, {}, dice)
        assert legal == second.legal_placements(game, options, {}, dice), dice
    chance = Random(game)
    for sheet in random_sheets(game, 40):
        for dice in [*chance.sample(FIVE, 15), chance.choice(FIVE_ALIKE)]:
            legal = engine_placements(game, options, sheet, dice)
            assert legal == second.legal_placements(game, options, sheet, dice), (sheet, dice)
            assert engine_offers(game, options, sheet, dice) == second.offers(game, options, sheet, dice)
        found = final_score(load_ruleset(game, options), engine_sheet(game, sheet))
        assert found == second.final_points(game, options, sheet)


@pytest.mark.parametrize(
    "options", combinations_of("dice-in-dice"), ids=lambda options: "-".join(options.values())
)
def test_every_pair_of_boxes_of_double_dice(options: dict[str, str]):
    """The inner box comes first; the box it fills is not available for the outer dice."""
    game = "dice-in-dice"
    rules = load_ruleset(game, options)
    chance = Random(6)
    for sheet in random_sheets(game, 8):
        inner, outer = chance.choice(SIX), chance.choice(SIX)
        expected = set()
        for cell, struck in second.legal_placements(game, options, sheet, inner):
            gained = 0 if struck else second.points_of(game, options, sheet, cell, inner)
            after = {**sheet, cell: gained}
            for other, also_struck in second.legal_placements(game, options, after, outer):
                expected.add((cell[1], struck, other[1], also_struck))
        dice = tuple(sorted(zip(outer, inner, strict=True)))
        found = set()
        for move in legal_moves(rules, State((engine_sheet(game, sheet),), 0, dice, None, 0)):
            assert isinstance(move, Score)
            first, then = move.placements
            found.add((first.box, first.strike, then.box, then.strike))
        assert found == expected
        assert final_score(rules, engine_sheet(game, sheet)) == second.final_points(game, options, sheet)


def test_which_placement_comes_first_in_a_move():
    """The first placement is the inner one: the layers are distinguished, not only counted."""
    rules = load_ruleset("dice-in-dice")
    dice = ((1, 6),) * 6
    assert Score((Placement("sixes"), Placement("ones"))) in legal_moves(
        rules, State((engine_sheet("dice-in-dice", {}),), 0, dice, None, 0)
    )
