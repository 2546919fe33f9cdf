"""The bots: always legal, reproducible, each stronger than the previous one; greedy is greedy."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from dicecup.bots import BOTS, bot_called, bot_of_player
from dicecup.dice import all_dice
from dicecup.engine import (
    Keep,
    Placement,
    Score,
    Sheet,
    State,
    Throw,
    apply,
    dice_to_throw,
    final_score,
    legal_moves,
    score,
    start,
)
from dicecup.engine.state import TurnMove
from dicecup.rules import Ruleset, builtin_ids, load_ruleset

GREEDY = BOTS["greedy"]
UNSOLVED = [name for name in BOTS if name not in ("optimal", "winner")]  # tests/coach covers these
YATZY = load_ruleset("yatzy")


def game_of(rules: Ruleset, bot: str, chance: Random, listed: bool = False) -> int:
    """Play a game, which the engine would refuse to do with illegal moves; return its score."""
    state = start(rules)
    while not state.finished:
        if state.throw_due:
            sides = all_dice(rules.dice.faces, len(rules.dice.layers))
            dice = tuple(chance.choice(sides) for _ in range(dice_to_throw(rules, state)))
            state = apply(rules, state, Throw(dice))
        else:
            move = BOTS[bot].decide(rules, state, chance)
            assert not listed or move in legal_moves(rules, state)
            state = apply(rules, state, move)
    return final_score(rules, state.sheet)


@pytest.mark.slow
@pytest.mark.parametrize("bot", UNSOLVED)
@pytest.mark.parametrize("game", builtin_ids())
def test_bots_play_every_variant_legally(game, bot):
    choices = load_ruleset(game).choices
    for values in product(*choices.values()):
        rules = load_ruleset(game, dict(zip(choices, values, strict=True)))
        game_of(rules, bot, Random(f"{game} {values}"), listed=True)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["yatzy", "dice-in-dice", "yahtzee"])
def test_each_bot_beats_the_one_before(game):
    rules = load_ruleset(game)
    means = [sum(game_of(rules, bot, Random(number)) for number in range(40)) / 40 for bot in UNSOLVED]
    assert means == sorted(means)
    assert means[1] > means[0] * 1.3


def decide(rules: Ruleset, *dice, throws_left: int = 0, **filled: int) -> TurnMove:
    sheet = Sheet(tuple(filled.get(box.id) for box in rules.boxes) * len(rules.columns))
    return GREEDY.decide(rules, State((sheet,), 0, tuple(sorted(dice)), None, throws_left), Random(1))


def test_greedy_fills_the_box_with_the_most_points():
    assert decide(YATZY, 6, 6, 6, 6, 6) == score("yatzy")
    assert decide(YATZY, 6, 6, 6, 6, 6, yatzy=50) == score("sixes")  # 30 in several boxes: the first
    assert decide(YATZY, 2, 3, 4, 5, 6, chance=10) == score("high_straight")


def test_greedy_keeps_the_dice_of_the_best_box():
    assert decide(YATZY, 6, 6, 5, 5, 5, throws_left=2) == score("full_house")
    assert decide(YATZY, 6, 6, 5, 5, 5, throws_left=2, full_house=0) == Keep((5, 5, 6, 6))
    assert decide(YATZY, 6, 6, 1, 2, 4, throws_left=1) == Keep((6, 6))


def test_greedy_throws_all_again_when_nothing_scores():
    lower = {box.id: 0 for box in YATZY.boxes if box.id not in ("yatzy", "chance")}
    assert decide(YATZY, 1, 2, 3, 4, 6, throws_left=1, **lower) == Keep(())


def test_greedy_prefers_the_column_that_counts_most():
    rules = load_ruleset("triple-yum-plus")
    assert decide(rules, 6, 6, 6, 6, 6) == score("yum", "x3")


def test_greedy_keeps_whole_double_dice():
    rules = load_ruleset("dice-in-dice")
    dice = ((1, 6), (2, 6), (3, 6), (4, 6), (5, 6), (6, 1))
    move = decide(rules, *dice, throws_left=2)
    assert move == Keep(dice[:5])
    move = decide(rules, *dice)
    assert isinstance(move, Score)
    assert move.placements == (Placement("yatzy"), Placement("high_straight"))


def test_greedy_obeys_the_forced_joker():
    rules = load_ruleset("yahtzee", {"joker": "forced"})
    assert decide(rules, 1, 1, 1, 1, 1, yahtzee=50) == score("ones")


def test_random_is_repeatable_and_spreads():
    state = State(start(YATZY).sheets, 0, (1, 2, 3, 4, 5), None, 2)
    moves = [BOTS["random"].decide(YATZY, state, Random(number)) for number in range(300)]
    assert moves == [BOTS["random"].decide(YATZY, state, Random(number)) for number in range(300)]
    assert len(set(moves)) > len(legal_moves(YATZY, state)) // 2


def test_bots_by_name(refused):
    assert bot_called("greedy") is GREEDY
    assert bot_of_player("bot:greedy") is GREEDY
    assert bot_of_player("Ann") is None
    assert bot_of_player("greedy") is None
    for name in ("clever", "", "Greedy"):
        with refused("bot_unknown", bot=name, known="random, greedy, careless, steady, optimal, winner"):
            bot_of_player(f"bot:{name}")
