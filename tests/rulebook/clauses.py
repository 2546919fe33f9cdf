"""Every clause of every rule sheet, summarised, in sheet order.

A test names what it proves with `clause = clauses_of(sheet)` and `@clause("pair")`, or a row of a table with
`clause.case("pair", …)`. `test_clauses.py` fails when a clause has no test.
"""

from __future__ import annotations

import pytest

DOUBLE_DICE = {
    "double dice": "a die is a large hollow outer die with a small inner die in it",
    "five count": "only five inner and five outer dice are scored",
    "unused dice": "the unused inner and outer die need not belong to the same double die",
    "layers apart": "inner dice make combinations by themselves, outer dice by themselves",
    "whole dice": "the inner die cannot be saved while the outer is thrown again",
    "inner then outer": "the inner dice are scored first, then the outer dice",
    "one die disregarded everywhere": "also in Chance, Extra, Ones to Sixes (and optional Yatzy scoring)",
    "extra added": "two boxes a turn ask for an even number, so there is the box Extra",
    "extra variant negative": "as Chance, but the points are negative",
    "extra variant chance": "exactly as Chance",
    "extra variant free strike": "a free cross out, no points",
    "strict scandinavian scoring": "four alike are not two pairs, five alike are no full house",
    "international scoring": "international or German scoring may be used",
    "worked example": "6-5 6-4 3-3 3-2 4-1 3-2: outer full house, inner low straight",
}
BASIC = {
    "five dice": "five ordinary dice of six sides",
    "throw, keep, throw, keep, throw": "all dice, then twice the ones not kept",
    "saved dice thrown again": "a die kept before may be thrown in the last throw",
    "fill in": "the score of a combination is filled in",
    "cross out": "with no combination one must be crossed out and scores nothing",
    "every box once": "next time another combination, until all are filled",
    "computed lines": "Total, Bonus and Grand Total take no dice",
    "upper": "the sum of the dice of one value; 3-3-3-6-6 is 9 or 12",
    "total": "the sum of ones to sixes",
    "bonus": "50 for a total of 63 or more",
    "pair": "5-5-?-?-? is 10",
    "two pairs": "5-5-6-6-? is 22",
    "four alike as two pairs": "allowed",
    "three of a kind": "2-2-2-?-? is 6",
    "four of a kind": "4-4-4-4-? is 16",
    "low straight": "1-2-3-4-5 is 15",
    "high straight": "2-3-4-5-6 is 20",
    "full house": "a pair and three of a kind; 3-3-3-4-4 is 17",
    "five alike as full house": "allowed",
    "chance": "the sum of all dice; 1-5-4-3-3 is 16",
    "yatzy": "five alike are 50",
    "yatzy with sum": "as an option the sum of the dice is added",
    "grand total": "everything from Total down; ones to sixes are not counted twice",
}

CLAUSES: dict[str, dict[str, str]] = {
    "dice-in-dice-yatzy.en": DOUBLE_DICE
    | {
        "extra after grand total": "Extra stands after Grand Total, with Final Score below it",
        "negative extra not crossed out": "variant 1 may not be crossed out",
        "only included dice": "only dice in the combination count, except in Yatzy",
        **BASIC,
    },
    "doppel-yatzy.de": DOUBLE_DICE
    | {
        "six dice": "one die more, six in all, so that combinations are not out of reach",
        "dropped die differs": "which die is left out may differ from time to time",
        "highest removed": "with the negative Extra it is best to remove the highest die",
        "written in its column": "the result is written down, first the inner, then the outer",
        "pair of threes": "3-3-?-?-? is 6",
        "chance once": "chance saves from a strike; it too may be used only once",
        "65": "3+3+3+3+3+50 is 65",
        **BASIC,
    },
    "double-yatzy.fr": DOUBLE_DICE
    | {
        "extra after grand total": "Extra stands after Grand Total, with Score Final below it",
        "negative extra not crossed out": "variant 1 may not be crossed out",
        "any five": "any five inner and any five outer dice may be used",
        "only included dice": "only dice in the combination count, except in Yatzy",
        **BASIC,
    },
    "yatzy.sv": {
        "contents": "score pad, five dice",
        "any number of players": "the number of players is not limited",
        "one keeps the sheets": "one player keeps the score pad",
        "clockwise": "the turn goes clockwise",
        "fill as many as possible": "each player tries to fill as many combinations as possible",
        "any order": "the combinations may be taken in any order",
        "three throws": "at most three throws a turn, of any number of dice",
        "own choice of dice": "the player decides which dice are thrown again",
        "winner": "the highest sum when every sheet is filled",
        "ones": "each one is one point",
        "twos to sixes": "each die of the face is its pips",
        "bonus": "63 or more on the upper half is 50 extra",
        "pair": "two dice alike, their pips",
        "two pairs": "two pairs, their pips",
        "three of a kind": "three alike, their pips",
        "four of a kind": "four alike, their pips",
        "low straight": "1 to 5 is 15",
        "high straight": "2 to 6 is 20",
        "full house": "a pair and three alike, as 2-2-6-6-6",
        "full house of two faces": "the pair and the three must differ",
        "sum of the dice": "the swallowed line: full house and chance are the sum of the dice",
        "yatzy": "all dice alike, always 50",
        "every box once": "a combination is used only once",
        "strike": "with nothing that fits and chance used, a box must be struck and is 0",
    },
    "yum-plus.fr": {
        "two or more, or alone": "two or more play, or one alone",
        "aim": "as many points as possible",
        "three throws": "three throws at most",
        "one or two throws": "the player may throw only once or twice",
        "first throw": "the first throw is of all the dice",
        "second and third throw": "all dice or any of them are thrown again; tactics may change",
        "no fourth throw": "after the third the points must be marked",
        "22 boxes": "6 in the upper section, 16 in the lower",
        "any order": "boxes are filled in any order",
        "one box a turn": "a box must be filled at the end of every turn",
        "zero in a box of choice": "no points: 0 in a box of the player's choice",
        "after 22 boxes": "points and bonuses are added up; the most points win",
        "upper": "the total of the dice of one face",
        "sub total": "the points of ones to sixes",
        "bonus": "63: 35, 71: 55, 78: 75",
        "total upper section": "sub total and bonus",
        "one pair": "a pair",
        "two pairs": "two pairs",
        "three of a kind": "three alike",
        "four of a kind": "four alike",
        "short straight": "a sequence of four numbers",
        "long straight": "a sequence of five numbers",
        "low straight": "the low one of the straights",
        "high straight": "the high one of the straights",
        "low score": "21 or more, the total of the dice",
        "high score": "must be higher than the low score",
        "full house": "three alike and two alike",
        "chance": "the total of the dice",
        "minus": "36 less the total of the dice",
        "yum": "five alike",
        "second yum": "100 points",
        "third yum": "100 points",
        "zero option": "the player may write 0 although the dice would score",
        "joker: Yum boxes": "all Yum boxes are taken, by points or by a zero",
        "joker: upper box": "the upper box of the face is taken too",
        "joker: both conditions": "it takes both",
        "joker: any open box": "then any open box of either section takes its points",
        "joker: 30 in the fives": "the example",
        "joker: 25 in full house": "the example",
        "total lower section": "the points of the lower section",
        "grand total": "upper and lower section",
        "triple: any place": "a score goes in the place that suits it best",
        "triple: columns": "the columns count once, twice, three times",
        "triple: low scores first": "advice: low scores in the first column",
        "triple: fixed points third": "advice: boxes of fixed points in the third column",
    },
    "decisions": {
        "three throws": "up to three throws, the first of every die, any dice kept, stop after any",
        "boxes a turn": "every turn fills one box, two in Dice in Dice",
        "filled box stays": "a filled box stays as it is",
        "strike": "0 may be written in any open box whatever the dice show",
        "seats": "turns in seat order, any number of players, one included",
        "places": "the highest final score wins, equal scores share the place",
        "most for the player": "dice are counted so that the box gives the most",
        "counted dice shown": "it is shown which dice counted",
        "box order": "the boxes in the order of the sheet",
        "options": "each option with its values, the default first",
        "yatzy lines": "Total, Bonus, Grand Total are no boxes",
        "scoring scandinavian": "four alike are not two pairs, five alike are no full house",
        "scoring international": "kinds all dice, full house 25, straights 30 and 40, bonus 35",
        "yatzy plus_sum": "50 and the sum of the five dice",
        "strike last_resort": "0 only when no open box scores more than 0",
        "swedish full house": "two faces, the sum of its dice",
        "swedish chance": "the sum of all dice",
        "swedish two pairs": "two faces, unless the option lets four alike count",
        "swedish yatzy": "always 50, no option",
        "double dice": "six double dice, kept and thrown whole, written outer-inner",
        "eight turns": "each with an inner and then an outer score in different boxes",
        "five of six": "five of the six dice of a layer count, the dropped ones are free",
        "six dice hold more": "6-6-6-6-5-5 is 24 in two pairs, 22 under scandinavian",
        "extra": "after the grand total: chance, negative, free_strike",
        "negative extra": "the lowest five, and no strike",
        "worked example": "21 in full house, 15 in low straight",
        "yum bonus": "one of 35, 55, 75",
        "yum kinds": "all five dice, or the matching dice by option",
        "yum straights": "30, 40, 15, 20",
        "yum low and high": "21 and 22, either order, the second respects the first, 0 sets no limit",
        "yum order": "five alike score in the first open Yum box; any may be struck at any time",
        "yum joker": "all Yum boxes and the upper box filled: every open box takes them",
        "yum joker_upper": "none: upper boxes of other faces take nothing",
        "triple columns": "66 turns, everything per column, totals once, twice, three times",
        "triple joker": "all nine Yum boxes and all three upper boxes",
        "yahtzee boxes": "13 boxes, no pairs, straights 30 and 40, bonus 35",
        "yahtzee repeats": "100 for each further five alike once the box holds 50",
        "yahtzee free": "full points in full house and straights, any open box",
        "yahtzee forced": "the upper box first, then a lower box, then an upper box for 0",
        "yahtzee none": "no joker and no hundreds",
        "checks": "the table of checks that follow from the sheets",
    },
}

TESTED: dict[str, set[str]] = {sheet: set() for sheet in CLAUSES}


class Clauses:
    """The clauses of one sheet, or those that several sheets share, used to name what a test proves."""

    def __init__(self, *sheets: str) -> None:
        self.sheets = sheets

    def __call__(self, *names: str) -> pytest.MarkDecorator:
        for sheet in self.sheets:
            for name in names:
                assert name in CLAUSES[sheet], f"{sheet} has no clause {name!r}"
                TESTED[sheet].add(name)
        return pytest.mark.clause(*self.sheets, *names)

    def case(self, name: str, *values: object):
        """A row of a table that proves a clause."""
        said = ", ".join(str(value) for value in values)
        return pytest.param(*values, id=f"{', '.join(self.sheets)}: {name}: {said}", marks=self(name))


def clauses_of(*sheets: str) -> Clauses:
    return Clauses(*sheets)
