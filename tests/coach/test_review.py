"""Luck and skill: they add up, perfect play loses nothing, and every kind of game can be reviewed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.coach.conftest import SMALL_GAMES, play_record

from dicecup.bots.heuristic import GreedyBot
from dicecup.coach.advice import Choice, Values, advise
from dicecup.coach.review import (
    CLASSES,
    Decision,
    PlayerReview,
    Review,
    mark_of,
    rating_of,
    review,
    rolls_known,
    shortened,
    turn_measure,
)
from dicecup.coach.review_data import review_data
from dicecup.coach.winning import each_player
from dicecup.engine import Keep, Score, Throw, Write, final_score, score, start
from dicecup.engine.record import DiceOrigin, Header, Record, Undo
from dicecup.engine.state import Placement
from dicecup.errors import UsageError
from dicecup.rules import load_ruleset
from dicecup.solver.single.solution import SingleSolution
from dicecup.solver.single.solve import solve_single


def check(record: Record, values: Values) -> Review:
    """Check the invariants of every review."""
    found = review(record, values)
    assert [player.name for player in found.players] == list(record.header.players)
    for number, player in enumerate(found.players):
        difference = player.final - player.expected_at_start
        assert player.luck + player.skill == pytest.approx(difference, abs=1e-6)
        assert player.skill <= 0
        assert player.skill == pytest.approx(-sum(decision.loss for decision in player.decisions), abs=1e-9)
        sheet = record.state.sheets[number]
        assert player.finished == sheet.full
        if sheet.full:
            assert player.final == final_score(record.rules, sheet)
        assert len(player.course) == 1 + sum(points is not None for points in sheet.cells) // len(
            record.rules.scored
        )
        for decision in player.decisions:
            assert decision.taken in decision.choices
            assert decision.loss == decision.best.expected - decision.taken.expected
        unforced = [decision.loss for decision in player.decisions if decision.unforced]
        if unforced:
            assert player.error_rate == pytest.approx(sum(unforced) / len(unforced))
    return found


def best(values: Values) -> Callable[..., Keep | Score]:
    return lambda _rules, state, _chance: advise(values, state).choices[0].move


@pytest.mark.parametrize("name", ["yatzy-sv", *SMALL_GAMES])
def test_perfect_play_loses_nothing(known, small, name):
    values = small(name) if " " in name else known(name)
    for seed in range(3):
        found = check(play_record(values.rules, ("Ann",), seed, best(values)), values)
        assert all(decision.loss <= 1e-6 for decision in found.players[0].decisions)
        assert found.players[0].costliest is None
        assert found.players[0].rating in ("perfect", None)


@pytest.mark.parametrize(("precision", "most"), [(32, 1e-3), (64, 1e-6)])
@pytest.mark.parametrize("name", ["yatzy-sv", *SMALL_GAMES])
def test_tables_of_both_precisions_find_no_loss_in_perfect_play(
    known, small, tmp_path, name, precision, most
):
    rules = (small(name) if " " in name else known(name)).rules
    values = Values(SingleSolution(rules, solve_single(rules, precision=precision, folder=tmp_path)))
    for seed in range(2):
        found = check(play_record(rules, ("Ann",), seed, best(values)), values)
        assert all(decision.loss <= most for decision in found.players[0].decisions)


def test_a_table_of_32_bits_finds_hardly_a_loss_in_games_of_the_exact_player(known, tmp_path):
    exact = known("yatzy-sv")
    rules = exact.rules
    values = Values(SingleSolution(rules, solve_single(rules, precision=32, folder=tmp_path)))
    for seed in range(3):
        found = check(play_record(rules, ("Ann", "Bo"), seed, best(exact)), values)
        losses = [decision.loss for player in found.players for decision in player.decisions]
        assert max(losses) <= 1e-3


def test_perfect_play_with_double_dice_loses_nothing(known):
    values = known("dice-in-dice")
    found = check(play_record(values.rules, ("Ann",), 1, best(values), moves=12), values)
    assert all(decision.loss <= 1e-3 for decision in found.players[0].decisions)


@pytest.mark.parametrize("bot", ["random", "greedy", "careless", "steady"])
def test_luck_and_skill_add_up(known, bot):
    values = known("yatzy-sv")
    found = check(play_record(values.rules, (f"bot:{bot}", "bot:random"), 2), values)
    player = found.players[0]
    assert player.luckiest
    assert player.unluckiest
    assert player.luckiest.gain == max(throw.gain for throw in player.throws)
    assert player.unluckiest.gain == min(throw.gain for throw in player.throws)
    if bot in ("random", "greedy"):
        assert player.costliest
        assert player.costliest.loss == max(decision.loss for decision in player.decisions)
        assert player.costliest.mark == "blunder"


@pytest.mark.parametrize("kind", ["typed", "seed"])
def test_real_dice_and_seeded_dice(small, kind):
    values = small("joker free")
    check(play_record(values.rules, ("bot:greedy",), 4, kind=kind), values)


@pytest.mark.parametrize("moves", [0, 1, 2, 3, 7, 20])
def test_unfinished_games(small, moves):
    values = small("joker free")
    found = check(play_record(values.rules, ("bot:greedy", "bot:random"), 5, moves=moves), values)
    if moves == 0:
        assert all(player.final == player.expected_at_start for player in found.players)
        assert found.players[0].rating is None


@pytest.mark.parametrize("moves", range(12))
def test_an_unfinished_turn_has_its_own_expectation(small, moves):
    values = small("joker free")
    record = play_record(values.rules, ("bot:greedy", "bot:random"), 5, moves=moves)
    found = check(record, values)
    for number, player in enumerate(found.players):
        begun = bool(record.state.dice) and record.state.player == number
        assert player.under_way == (player.final if begun else None)
        assert begun or player.course[-1] == player.final


@pytest.mark.parametrize("moves", [0, 3, 4, 5, 6])
def test_a_review_ends_with_what_a_hint_says(known, moves):
    """This also holds with a learned value, whose estimate improves once the next turn is computed."""
    values = known("triple-yum-plus")
    record = play_record(values.rules, ("bot:greedy", "bot:random"), 5, moves=moves)
    found = check(record, values)
    for player, view in zip(found.players, each_player(values, record.state), strict=True):
        assert player.final == advise(values, view).expected


def test_undone_moves_do_not_count(small):
    values = small("order free")
    record = play_record(values.rules, ("bot:greedy",), 6, moves=4)
    longer = play_record(values.rules, ("bot:greedy",), 6, moves=7)
    assert longer.moves[:4] == record.moves
    undone = longer.append(Undo(3))
    assert review(undone, values) == review(record, values)
    check(undone, values)


@pytest.mark.parametrize("players", [1, 3, 10])
def test_any_number_of_players(small, players):
    values = small("order last_resort")
    names = tuple(f"player {number}" for number in range(players))
    check(play_record(values.rules, names, 7, GreedyBot().decide), values)


def test_ties_are_reviewed_alike(small):
    """Two players with the same dice and the same decisions have the same luck and the same skill."""
    values = small("joker free")
    rules = values.rules
    alone = play_record(rules, ("Ann",), 8, GreedyBot().decide)
    both = play_record(rules, ("Ann", "Bo"), 8, GreedyBot().decide, moves=0)
    turn: list = []
    for move, after in zip(alone.moves, alone.states[1:], strict=True):
        turn.append(move)
        if after.dice == ():
            for again in turn * 2:
                both = both.append(again)
            turn = []
    found = check(both, values)
    assert found.players[0].luck == found.players[1].luck
    assert found.players[0].skill == found.players[1].skill
    assert both.state.finished


def test_marks_and_classes():
    assert [mark_of(loss, 10) for loss in (0, 0.19, 0.2, 1.19, 1.2)] == [
        "",
        "",
        "inaccuracy",
        "inaccuracy",
        "blunder",
    ]
    assert rating_of(0, 10) == "perfect"
    assert [rating_of(most * 10, 10) for most, _ in CLASSES] == [rating for _, rating in CLASSES]
    assert rating_of(5, 10) == "beginner"


@pytest.mark.parametrize("expected", [0.0, -30.0, 0.001])
def test_games_without_points_have_marks_and_classes(expected):
    turn = turn_measure(expected, 15)
    assert (mark_of(0.0, turn), rating_of(0.0, turn)) == ("", "perfect")
    assert (mark_of(5.0, turn), rating_of(5.0, turn)) == ("blunder", "beginner")


def test_the_expected_score_at_the_start_is_the_solved_value(known):
    values = known("yatzy-sv")
    found = review(play_record(values.rules, ("Ann",), moves=0), values)
    assert found.players[0].expected_at_start == pytest.approx(248.4399893779, abs=1e-8)
    assert advise(values, start(values.rules)).expected == found.players[0].expected_at_start


def test_progress_is_told_after_every_move(small):
    values = small(SMALL_GAMES[0])
    record = play_record(values.rules, ("Ann", "Bo"), 1, best(values))
    shares: list[float] = []
    review(record, values, shares.append)
    assert shares == [(number + 1) / len(record.moves) for number in range(len(record.moves))]


def typed(*turns: tuple[Throw | Keep | Score, ...], player: str = "Ann") -> Record:
    rules = load_ruleset("yatzy-sv")
    record = Record(Header("yatzy-sv", rules, (player,), DiceOrigin("typed")))
    for turn in turns:
        for move in turn:
            record = record.append(move)
    return record


ROLLED = (Throw((1, 2, 6, 6, 6)), Keep((6, 6, 6)), Throw((6, 6)), score("sixes"))
SINGLE = (Throw((1, 1, 2, 3, 4)), score("ones"))
FINAL = (Throw((5, 5, 5, 5, 2), final=True), score("chance"))


def test_whether_the_rolls_are_known():
    assert rolls_known(typed(), 0)
    assert rolls_known(typed(ROLLED), 0)
    assert rolls_known(typed(ROLLED, SINGLE), 0)  # now and then the first roll is the last
    assert not rolls_known(typed(SINGLE), 0)
    assert rolls_known(typed(SINGLE, player="bot:greedy"), 0)
    assert not rolls_known(typed(ROLLED, FINAL), 0)


def test_only_the_choice_of_box_is_judged_where_the_rolls_are_unknown(known):
    record = typed(FINAL, SINGLE)
    found = review(record, known("yatzy-sv"))
    (player,) = found.players
    assert not player.rolls_known
    assert (player.luck, player.skill, player.rating, player.throws) == (0, 0, None, [])
    assert [decision.throws_left for decision in player.decisions] == [0, 0]
    assert player.decisions[0].loss > 0  # four fives in Chance
    assert not any(isinstance(one.move, Keep) for decision in player.decisions for one in decision.choices)
    (data,) = review_data(record, found, None)["players"]
    assert (data["rolls_known"], data["luck"], data["skill"], data["error_rate"]) == (False, None, None, None)


def test_points_alone_are_not_reviewed(known):
    record = Record(Header("yatzy-sv", load_ruleset("yatzy-sv"), ("Ann",), DiceOrigin("points")))
    with pytest.raises(UsageError) as caught:
        review(record.append(Write(0, "sixes", 24)), known("yatzy-sv"))
    assert caught.value.code == "coach_points_only"


def test_few_choices_are_enough_for_pages_and_puzzles() -> None:
    """Strikes are not counted: puzzles leave them out."""
    strikes = [Choice(Score((Placement("ones", strike=True),)), 0.0, 1.0)] * 3
    choices = tuple(
        [Choice(Keep((6,) * number), 9.0 - number, float(number)) for number in range(5)] + strikes
    )
    mixed = (*strikes, *choices)
    taken = choices[4]
    decision = Decision(1, 1, (1, 2, 3, 4, 5), 2, mixed, taken, unforced=True, mark="blunder")
    player = PlayerReview("Ann", 100.0, decisions=[decision, replace(decision, choices=choices[:2])])
    first, second = shortened(Review((player,), exact=True, perfect_turn=10.0), 2).players[0].decisions
    assert first.choices == mixed[:5]
    assert (first.left_out, first.taken, first.loss) == (6, taken, 4.0)
    assert (second.choices, second.left_out) == (choices[:2], 0)
