"""A second, slow scorer, written directly from the rules and sharing no code with the package.

It knows what every game and every option says about points and about legal boxes. Faces are plain tuples,
sheets plain dictionaries from (column, box) to points. The tests compare it with the engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

Faces = tuple[int, ...]
Cell = tuple[str, str]  # column ("" if the game has none), box
Sheet = Mapping[Cell, int]
Options = Mapping[str, str]

UPPER = ["ones", "twos", "threes", "fours", "fives", "sixes"]
YATZY_LOWER = [
    *("pair", "two_pairs", "three_of_a_kind", "four_of_a_kind"),
    *("low_straight", "high_straight", "full_house", "chance", "yatzy"),
]
YUM_LOWER = [
    *("pair", "two_pairs", "three_of_a_kind", "four_of_a_kind"),
    *("short_straight", "long_straight", "low_straight", "high_straight"),
    *("low_score", "high_score", "full_house", "chance", "minus"),
    *("yum", "second_yum", "third_yum"),
]
YAHTZEE_LOWER = [
    *("three_of_a_kind", "four_of_a_kind", "full_house"),
    *("small_straight", "large_straight", "yahtzee", "chance"),
]
BOXES = {
    "yatzy": UPPER + YATZY_LOWER,
    "yatzy-sv": UPPER + YATZY_LOWER,
    "dice-in-dice": UPPER + YATZY_LOWER + ["extra"],
    "yum-plus": UPPER + YUM_LOWER,
    "triple-yum-plus": UPPER + YUM_LOWER,
    "yahtzee": UPPER + YAHTZEE_LOWER,
}
COLUMNS = {"triple-yum-plus": ["x1", "x2", "x3"]}
OPTIONS = {
    "yatzy": {
        "scoring": ["printed", "scandinavian", "international"],
        "yatzy": ["flat", "plus_sum"],
        "strike": ["free", "last_resort"],
    },
    "yatzy-sv": {"two_pairs": ["distinct", "four_alike"], "strike": ["free", "last_resort"]},
    "dice-in-dice": {
        "scoring": ["printed", "scandinavian", "international"],
        "yatzy": ["flat", "plus_sum"],
        "strike": ["free", "last_resort"],
        "extra": ["chance", "negative", "free_strike"],
    },
    "yum-plus": {"kinds": ["all_dice", "matching"], "joker_upper": ["sum", "none"]},
    "triple-yum-plus": {"kinds": ["all_dice", "matching"], "joker_upper": ["sum", "none"]},
    "yahtzee": {"joker": ["free", "forced", "none"]},
}


def columns(game: str) -> list[str]:
    return COLUMNS.get(game, [""])


def every_cell(game: str) -> list[Cell]:
    return [(column, box) for column in columns(game) for box in BOXES[game]]


# Terms of the rules, for five dice.


def highest_alike(dice: Faces, count: int) -> int:
    """Return the highest face shown by that many dice, or 0."""
    for face in (6, 5, 4, 3, 2, 1):
        if dice.count(face) >= count:
            return face
    return 0


def two_pairs(dice: Faces, four_alike: bool) -> int:
    best = 0
    for high in range(1, 7):
        for low in range(1, high):
            if dice.count(high) >= 2 and dice.count(low) >= 2:
                best = max(best, 2 * high + 2 * low)
        if four_alike and dice.count(high) >= 4:
            best = max(best, 4 * high)
    return best


def is_full_house(dice: Faces, five_alike: bool) -> bool:
    if len(set(dice)) == 1:
        return five_alike
    return sorted(dice.count(face) for face in set(dice)) == [2, 3]


def in_a_row(dice: Faces, length: int) -> bool:
    rows = [range(first, first + length) for first in range(1, 8 - length)]
    return any(all(face in dice for face in row) for row in rows)


@cache
def all_alike(dice: Faces) -> bool:
    return len(set(dice)) == 1


def face_of(box: str) -> int:
    return UPPER.index(box) + 1


def upper_points(box: str, dice: Faces) -> int:
    return face_of(box) * dice.count(face_of(box))


# One function per family of games: five dice in one box, ignoring the rest of the sheet. The tests ask for
# the same dice on many sheets: they are scored once.


@cache
def yatzy_points(scoring: str, yatzy: str, extra: str, box: str, dice: Faces) -> int:
    international = scoring == "international"
    if box in UPPER:
        return upper_points(box, dice)
    if box == "pair":
        return 2 * highest_alike(dice, 2)
    if box == "two_pairs":
        return two_pairs(dice, four_alike=scoring == "printed")
    if box == "three_of_a_kind":
        if international:
            return sum(dice) if highest_alike(dice, 3) else 0
        return 3 * highest_alike(dice, 3)
    if box == "four_of_a_kind":
        if international:
            return sum(dice) if highest_alike(dice, 4) else 0
        return 4 * highest_alike(dice, 4)
    if box == "low_straight":
        if international:
            return 30 if in_a_row(dice, 4) else 0
        return 15 if sorted(dice) == [1, 2, 3, 4, 5] else 0
    if box == "high_straight":
        if international:
            return 40 if in_a_row(dice, 5) else 0
        return 20 if sorted(dice) == [2, 3, 4, 5, 6] else 0
    if box == "full_house":
        if not is_full_house(dice, five_alike=scoring == "printed"):
            return 0
        return 25 if international else sum(dice)
    if box == "chance":
        return sum(dice)
    if box == "yatzy":
        more = sum(dice) if yatzy == "plus_sum" else 0
        return 50 + more if all_alike(dice) else 0
    if box == "extra":
        return {"chance": sum(dice), "negative": -sum(dice), "free_strike": 0}[extra]
    raise ValueError(box)


@cache
def double_dice_points(scoring: str, yatzy: str, extra: str, box: str, dice: Faces) -> int:
    """Return the most points of five of six dice."""
    return max(yatzy_points(scoring, yatzy, extra, box, five) for five in five_of(dice))


@cache
def swedish_points(pairs: str, box: str, dice: Faces) -> int:
    if box == "two_pairs":
        return two_pairs(dice, four_alike=pairs == "four_alike")
    if box == "full_house":
        return sum(dice) if is_full_house(dice, five_alike=False) else 0
    return yatzy_points("printed", "flat", "", box, dice)


@cache
def yum_points(kinds: str, box: str, dice: Faces) -> int:
    total = sum(dice)
    matching = kinds == "matching"
    if box in UPPER:
        return upper_points(box, dice)
    if box == "pair":
        return 2 * highest_alike(dice, 2)
    if box == "two_pairs":
        return two_pairs(dice, four_alike=False)
    if box == "three_of_a_kind":
        face = highest_alike(dice, 3)
        return (3 * face if matching else total) if face else 0
    if box == "four_of_a_kind":
        face = highest_alike(dice, 4)
        return (4 * face if matching else total) if face else 0
    if box == "short_straight":
        return 30 if in_a_row(dice, 4) else 0
    if box == "long_straight":
        return 40 if in_a_row(dice, 5) else 0
    if box == "low_straight":
        return 15 if sorted(dice) == [1, 2, 3, 4, 5] else 0
    if box == "high_straight":
        return 20 if sorted(dice) == [2, 3, 4, 5, 6] else 0
    if box == "low_score":
        return total if total >= 21 else 0
    if box == "high_score":
        return total if total >= 22 else 0
    if box == "full_house":
        return 25 if is_full_house(dice, five_alike=False) else 0
    if box == "chance":
        return total
    if box == "minus":
        return 36 - total
    if box in ("yum", "second_yum", "third_yum"):
        points = 50 if box == "yum" else 100
        return points if all_alike(dice) else 0
    raise ValueError(box)


@cache
def yahtzee_points(box: str, dice: Faces) -> int:
    if box in UPPER:
        return upper_points(box, dice)
    return {
        "three_of_a_kind": sum(dice) if highest_alike(dice, 3) else 0,
        "four_of_a_kind": sum(dice) if highest_alike(dice, 4) else 0,
        "full_house": 25 if is_full_house(dice, five_alike=False) else 0,
        "small_straight": 30 if in_a_row(dice, 4) else 0,
        "large_straight": 40 if in_a_row(dice, 5) else 0,
        "yahtzee": 50 if all_alike(dice) else 0,
        "chance": sum(dice),
    }[box]


# Rules that depend on the sheet: order of the Yum boxes, low and high score, jokers.


def yum_is_joker(game: str, sheet: Sheet, dice: Faces) -> bool:
    if not all_alike(dice):
        return False
    needed = ["yum", "second_yum", "third_yum", UPPER[dice[0] - 1]]
    return all((column, box) in sheet for column in columns(game) for box in needed)


def yum_points_on_sheet(options: Options, sheet: Sheet, cell: Cell, dice: Faces, joker: bool) -> int:
    column, box = cell
    points = yum_points(options["kinds"], box, dice)
    if box in ("yum", "second_yum", "third_yum"):
        open_yums = [yum for yum in ("yum", "second_yum", "third_yum") if (column, yum) not in sheet]
        return points if box == open_yums[0] else 0
    if box == "low_score":
        high = sheet.get((column, "high_score"), 0)
        return 0 if high and points >= high else points
    if box == "high_score":
        low = sheet.get((column, "low_score"), 0)
        return 0 if low and points <= low else points
    if joker:
        fixed = {
            **{"full_house": 25, "short_straight": 30, "long_straight": 40},
            **{"low_straight": 15, "high_straight": 20, "two_pairs": 4 * dice[0]},
        }
        if box in fixed:
            return fixed[box]
        if box in UPPER and options["joker_upper"] == "sum":
            return sum(dice)
    return points


def yahtzee_points_on_sheet(options: Options, sheet: Sheet, box: str, dice: Faces) -> int:
    joker = (
        options["joker"] != "none"
        and all_alike(dice)
        and ("", "yahtzee") in sheet
        and ("", UPPER[dice[0] - 1]) in sheet
    )
    full = {"full_house": 25, "small_straight": 30, "large_straight": 40}
    return full[box] if joker and box in full else yahtzee_points(box, dice)


def five_of(dice: Faces) -> list[Faces]:
    """Return every way to count five dice: all of five, or six with one dropped."""
    if len(dice) == 5:
        return [dice]
    return [dice[:dropped] + dice[dropped + 1 :] for dropped in range(6)]


def points_of(game: str, options: Options, sheet: Sheet, cell: Cell, dice: Faces) -> int:
    """Return the points of five dice, or of the six of one layer, in an open box of this sheet."""
    _, box = cell
    if game == "yatzy":
        return yatzy_points(options["scoring"], options["yatzy"], "", box, dice)
    if game == "yatzy-sv":
        return swedish_points(options["two_pairs"], box, dice)
    if game == "dice-in-dice":
        return double_dice_points(options["scoring"], options["yatzy"], options["extra"], box, dice)
    if game == "yahtzee":
        return yahtzee_points_on_sheet(options, sheet, box, dice)
    return yum_points_on_sheet(options, sheet, cell, dice, yum_is_joker(game, sheet, dice))


def offers(game: str, options: Options, sheet: Sheet, dice: Faces) -> dict[Cell, int]:
    """Return the points in every open box."""
    cells = [cell for cell in every_cell(game) if cell not in sheet]
    if game in ("yum-plus", "triple-yum-plus"):
        joker = yum_is_joker(game, sheet, dice)
        return {cell: yum_points_on_sheet(options, sheet, cell, dice, joker) for cell in cells}
    return {cell: points_of(game, options, sheet, cell, dice) for cell in cells}


def legal_placements(game: str, options: Options, sheet: Sheet, dice: Faces) -> set[tuple[Cell, bool]]:
    """Return every legal box, and whether it is a strike; writing 0 is listed once, as no strike."""
    points = offers(game, options, sheet, dice)
    allowed = set(points)
    if options.get("joker") == "forced" and all_alike(dice) and ("", "yahtzee") in sheet:
        own = ("", UPPER[dice[0] - 1])
        lower = {cell for cell in allowed if cell[1] not in UPPER}
        allowed = {own} if own in allowed else lower or allowed
    must_score = options.get("strike") == "last_resort" and any(points[cell] > 0 for cell in allowed)
    legal = set()
    for cell in allowed:
        free_strike = cell[1] == "extra" and options["extra"] == "free_strike"
        if points[cell] != 0 or free_strike or not must_score:
            legal.add((cell, False))
        cannot_be_struck = cell[1] == "extra" and options["extra"] == "negative"
        if points[cell] != 0 and not cannot_be_struck and not must_score:
            legal.add((cell, True))
    return legal


def is_paid_repeat(game: str, options: Options, sheet: Sheet, dice: Faces) -> bool:
    """Yahtzee: return whether this is a further five alike after the box holds 50."""
    return (
        game == "yahtzee"
        and options["joker"] != "none"
        and all_alike(dice)
        and sheet.get(("", "yahtzee")) == 50
    )


def bonus_points(game: str, options: Options, upper_sum: int) -> int:
    if game in ("yum-plus", "triple-yum-plus"):
        if upper_sum >= 78:
            return 75
        if upper_sum >= 71:
            return 55
        return 35 if upper_sum >= 63 else 0
    if upper_sum < 63:
        return 0
    return 35 if game == "yahtzee" or options.get("scoring") == "international" else 50


def final_points(game: str, options: Options, sheet: Sheet, repeats: int = 0) -> int:
    total = 100 * repeats
    for number, column in enumerate(columns(game), start=1):
        upper_sum = sum(sheet.get((column, box), 0) for box in UPPER)
        lower_sum = sum(sheet.get((column, box), 0) for box in BOXES[game] if box not in UPPER)
        total += number * (upper_sum + bonus_points(game, options, upper_sum) + lower_sum)
    return total
