"""`Game`, the object people use: what it shows, what it does, what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dicecup
from dicecup.engine.record_dice import verify


def test_a_whole_game_of_bots_can_be_saved_read_and_proved(here):
    game = dicecup.Game("yatzy", ["bot:greedy", "bot:random"])
    game.play_bots()
    assert game.finished
    assert not game.roll_due
    game.save("bots.record")
    again = dicecup.Game.load("bots.record")
    assert again.standings == game.standings
    assert verify(again.record).proved, "the secret is revealed at the end"
    assert not (here / "bots.record.secret").exists()
    for move in (again.roll, lambda: again.score("ones"), lambda: again.keep(1)):
        with pytest.raises(dicecup.DicecupError):
            move()


def test_an_unfinished_game_goes_on_with_the_same_dice(here, refused):
    game = dicecup.Game("yatzy", ["Ann", "Bo"])
    game.roll()
    game.save("ann.record")
    other = dicecup.Game.load("ann.record")
    game.score("chance")
    other.score("chance")
    assert other.roll() == game.roll()
    with refused("file_exists"):
        game.save("ann.record")
    game.save("ann.record", overwrite=True)
    assert dicecup.Game.load("ann.record").dice == game.dice


def test_a_rules_file_is_found_from_the_record(here, monkeypatch):
    game = dicecup.Game("our-yatzy.toml", dice="typed")
    game.roll(1, 2, 3, 4, 5)
    (here / "games").mkdir()
    game.save("games/own.record")
    monkeypatch.chdir(here / "games")
    again = dicecup.Game.load("own.record")
    assert again.rules == dicecup.Rules(here / "our-yatzy.toml")
    assert "chance" not in again.points()
    again.save("second.record")
    assert dicecup.Game.load("second.record").dice == (1, 2, 3, 4, 5)


def test_typed_dice(refused):
    game = dicecup.Game("yatzy", ["Ann", "bot:greedy"], dice="typed")
    with refused("dice_typed_missing"):
        game.roll()
    with refused("dice_count_wrong", found=3, expected=5):
        game.roll(1, 2, 3)
    assert game.roll(*"33666") == (3, 3, 6, 6, 6)
    game.score("full_house")
    assert game.play_bots() == (), "somebody has to type the bot's dice"
    game.roll(1, 1, 1, 1, 1)
    (move,) = game.play_bots()
    assert isinstance(move, dicecup.Score)
    with refused("dice_not_typed"):
        dicecup.Game("yatzy").roll(1, 2, 3, 4, 5)


def test_dice_in_any_form():
    game = dicecup.Game("yatzy", dice="typed")
    assert game.roll(*np.array([6, 1, 3, 3, 6])) == (1, 3, 3, 6, 6)
    assert all(type(die) is int for die in game.dice)
    game.keep(np.int64(6), 6)
    assert game.kept == (6, 6)
    game.undo()
    game.play(dicecup.Keep((6, 3, 6)))
    assert str(game.kept) == "(3, 6, 6)"
    double = dicecup.Game("dice-in-dice", dice="typed")
    double.roll("6-5", (6, 4), [3, 3], np.array([3, 2]), "4-1", (3, 2))
    assert double.dice == ((3, 2), (3, 2), (3, 3), (4, 1), (6, 4), (6, 5))
    double.keep("6-5")
    assert double.kept == ((6, 5),)


def test_columns_and_layers(refused):
    game = dicecup.Game("triple-yum-plus", dice="typed")
    game.roll(6, 6, 6, 2, 1)
    with refused("column_missing"):
        game.score("sixes")
    assert game.points()["x2"]["sixes"] == 18
    assert game.score("sixes", "x3") == 18
    assert game.sheet == {"x3": {"sixes": 18}}
    assert game.standings == ((1, "You", 54),)
    game = dicecup.Game("dice-in-dice", dice="typed")
    game.roll("6-5", "6-5", "3-3", "3-2", "4-1", "3-2")
    with refused("move_unreadable"):
        game.score("sixes")
    with refused("move_unreadable"):
        game.score(inner="pair")
    assert game.score(inner="yatzy", outer="pair", strike=["inner"]) == 12
    assert game.sheet == {"yatzy": 0, "pair": 12}
    game.undo()
    game.cross_out(inner="yatzy", outer="pair")
    assert game.sheet == {"yatzy": 0, "pair": 0}


def test_options_and_rules():
    game = dicecup.Game("yatzy", options={"scoring": "scandinavian"}, dice="typed")
    game.roll(3, 3, 3, 6, 6)
    assert game.points()["full_house"] == 21
    assert isinstance(game.rules, dicecup.Rules)
    same = dicecup.Game(game.rules)
    assert same.rules == game.rules
    other = dicecup.Game(game.rules, options={"scoring": "international"})
    assert other.rules.options["scoring"] == "international"
    assert repr(game.rules) == "Rules('yatzy', {'scoring': 'scandinavian'})"


def test_positions(refused):
    line = "yatzy scoring=scandinavian / ones=3 pair=12 / 1 3 3 6 6 / 1 / 6 6"
    game = dicecup.Game.from_position(line, "Ann", seed=1)
    assert game.player == "Ann"
    assert game.kept == (6, 6)
    assert str(game.position) == line
    assert dicecup.Game.from_position(game.position.to_data()).position.state == game.state
    assert len(game.roll()) == 5
    game.undo()
    with refused("undo_too_far"):
        game.undo()
    with refused("record_from_position"):
        game.save("nowhere.record")
    with refused("record_from_position"):
        game.review()
    trial = game.copy()
    trial.roll()
    assert game.roll_due


def test_players(refused):
    wrong: list[Any] = [(), "Ann", 3, None, [""], ["a,b"], ["Ann", "Ann"], [7], [dicecup.Game], ["x" * 61]]
    for players in wrong:
        with pytest.raises(dicecup.DicecupError):
            dicecup.Game("yatzy", players)
    with refused("players_too_many"):
        dicecup.Game("yatzy", [f"Ann {number}" for number in range(101)])
    with refused("bot_unknown", bot="genius"):
        dicecup.Game("yatzy", ["bot:genius"])
    assert dicecup.Game("yatzy", ["bot:greedy"] * 2).players == ("bot:greedy", "bot:greedy")


@pytest.mark.parametrize(
    "arguments",
    [{"dice": "loaded"}, {"dice": "seed"}, {"seed": -1}, {"seed": "7"}, {"seed": 10**19}, {"options": 3}],
)
def test_wrong_arguments(arguments):
    with pytest.raises(dicecup.DicecupError):
        dicecup.Game("yatzy", **arguments)


def test_a_hint_can_be_played(here, refused):
    game = dicecup.Game("yatzy-sv", seed=4)
    with refused("decision_not_due"):
        game.hint().best  # noqa: B018
    game.roll()
    hint = game.hint()
    assert hint.best is hint.choices[0]
    assert hint.choice(hint.choices[3].move) is hint.choices[3]
    with refused("choice_unknown"):
        hint.choice(dicecup.Keep((1, 2, 3, 4)))
    game.play(hint.best.move)
    assert game.roll_due


def test_a_review_of_everything(here):
    luck = dicecup.review("sunday.record").players[0].luck
    game = dicecup.Game.load("sunday.record")
    assert dicecup.review(game).players[0].luck == luck
    assert dicecup.review(game.record).players[0].luck == luck
    assert dicecup.review(here / "sunday.record").players[0].luck == luck


def test_it_says_what_it_is():
    assert repr(dicecup.Game("yatzy", ["Ann"])) == "<Game 'yatzy' (Ann: 0), Ann to roll>"
