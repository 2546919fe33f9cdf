"""The same dice for all in the public API, in simulations and in the terminal."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

import dicecup
from dicecup.bots.registry import find_bot
from dicecup.bots.simulation import play_piece
from dicecup.bots.summary import MeanDifference, difference
from dicecup.bots.workers import Player
from dicecup.cli.play import check_same_dice
from dicecup.engine.record_dice import verify
from dicecup.errors import UsageError
from dicecup.rules import load_ruleset


@pytest.mark.parametrize("arguments", [{"seed": 7}, {}])
def test_a_game_with_the_same_dice(arguments):
    game = dicecup.Game("yatzy", ["Ann", "Bo", "bot:greedy"], same_dice=True, **arguments)
    first = game.roll()
    game.score("chance")
    assert game.roll() == first
    game.score("ones")
    assert game.roll() == first
    assert game.record.header.origin.same_dice
    if arguments:
        assert verify(game.record).same_dice


@pytest.mark.parametrize("dice", ["typed", "system", "points"])
def test_other_dice_cannot_be_the_same(dice):
    with pytest.raises(UsageError) as refused:
        dicecup.Game("yatzy", ["Ann"], dice=dice, same_dice=True)
    assert refused.value.code == "argument_wrong"


def test_bots_are_told_apart_with_fewer_games():
    """Two players who decide alike have the same games; the difference of others has less spread."""
    rules = load_ruleset("yatzy")
    greedy = Player(find_bot("greedy"), "greedy")
    one, other = (play_piece(greedy, rules, 0, 10, 1, same_dice=True).scores for _ in range(2))
    assert (one == other).all()
    assert difference(one, other) == MeanDifference(0.0, 0.0)
    assert (play_piece(greedy, rules, 5, 6, 1, same_dice=True).scores == one[5]).all()


def test_result_has_the_difference_to_the_first():
    found = dicecup.simulate("yatzy", bots=["greedy", "random"], games=20, seed=1, same_dice=True, cores=1)
    assert found.differences[0] == MeanDifference(0.0, 0.0)
    assert found.differences[1].mean == pytest.approx(found.mean[1] - found.mean[0])
    assert dicecup.simulate("yatzy", bots=["greedy", "random"], games=5, seed=1, cores=1).differences == ()


class Watching:
    """Fills the first box, and notes the dice of each turn and how many sheets it sees."""

    def __init__(self, *, sees_others: bool) -> None:
        self.sees_others = sees_others
        self.sheets = set[int]()
        self.dice = list[tuple[int, object]]()

    def decide(self, rules, state, chance):
        self.sheets.add(len(state.sheets))
        self.dice.append((sum(cell is not None for cell in state.sheet.cells), state.dice))
        return next(move for move in dicecup.legal_moves(rules, state) if isinstance(move, dicecup.Score))


def test_bots_that_see_others_play_together_with_the_same_dice():
    """And with those that bots get who play alone: in each game somebody else begins."""
    one, other, alone = (Watching(sees_others=sees) for sees in (True, False, True))
    found = dicecup.simulate("yatzy", [one, other, "random"], games=6, seed=1, same_dice=True, cores=1)
    assert one.sheets == other.sheets == {3}
    assert found.differences[1] == MeanDifference(0.0, 0.0)
    assert found.differences[2].mean == pytest.approx(found.mean[2] - found.mean[0])
    dicecup.simulate("yatzy", [alone], games=6, seed=1, same_dice=True, cores=1)
    assert alone.sheets == {1}
    assert one.dice == other.dice == alone.dice
    with ThreadPoolExecutor(1) as executor:
        bots: list[dicecup.Bot | str] = [Watching(sees_others=True), "greedy"]
        found, again = (
            dicecup.simulate("yatzy", bots, games=12, seed=1, same_dice=True, **where)
            for where in ({"cores": 1}, {"executor": executor})
        )
    assert found == again


@pytest.mark.parametrize(
    ("players", "dice", "code"),
    [
        (("Ann",), None, "same_dice_order"),
        (("Ann", "Bo"), None, "same_dice_order"),
        (("bot:greedy", "Ann"), None, "same_dice_order"),
        (("Ann", "bot:greedy"), "typed", "same_dice_typed"),
    ],
)
def test_nobody_sees_the_dice_before_their_turn(players, dice, code):
    with pytest.raises(UsageError) as refused:
        check_same_dice(players, dice)
    assert refused.value.code == code


def test_one_person_before_the_bots():
    check_same_dice(("Ann", "bot:greedy", "bot:random"), "screen")
