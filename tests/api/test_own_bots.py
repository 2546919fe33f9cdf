"""Bots of one's own: at a seat, in simulations on several cores, on the command line; and when they fail."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint
from io import StringIO
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.api import own_bots

import dicecup
from dicecup.bots import BOTS, registry, workers
from dicecup.bots.workers import send_piece
from dicecup.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import dicecup

class MyBot:
    def decide(self, rules, state, chance):
        return dicecup.legal_moves(rules, state)[-1]

print(dicecup.simulate("yatzy", bots=[{bot}], games=60, seed=1{more})[0].games)
"""


def run_script(folder: Path, **said: str) -> subprocess.CompletedProcess[str]:
    """A script without `if __name__ == "__main__"`, as people write them."""
    (folder / "script.py").write_text(SCRIPT.format(**{"more": ""} | said))
    return subprocess.run(
        [sys.executable, "script.py"], cwd=folder, capture_output=True, text=True, check=False
    )


def test_the_same_games_on_one_core_and_on_two():
    alone = dicecup.simulate("yatzy", bots=[own_bots.Cautious(), "random"], games=60, seed=1, cores=1)
    shared = dicecup.simulate("yatzy", bots=[own_bots.Cautious(), "random"], games=60, seed=1, cores=2)
    assert alone == shared
    assert [result.bot for result in shared] == ["Cautious", "random"]
    assert shared.games == 60
    assert sum(share or 0.0 for share in shared.wins) == pytest.approx(1)
    assert shared[1:] == (shared[1],)


def test_pipes_of_another_class(monkeypatch):
    """Those of Windows are no `Connection`."""
    monkeypatch.setattr(workers, "Connection", type("PipeConnection", (), {}), raising=False)
    assert dicecup.simulate("yatzy", bots=[own_bots.Cautious()], games=60, seed=1, cores=2)[0].games == 60


@pytest.mark.parametrize("cores", [1, 2])
@pytest.mark.parametrize(
    ("bot", "code"),
    [
        (own_bots.Raising, "bot_failed"),
        (own_bots.Illegal, "bot_illegal"),
        (own_bots.Silent, "bot_no_move"),
        (own_bots.Rubbish, "bot_illegal"),
        (own_bots.Confused, "bot_failed"),
        (own_bots.Unspeakable, "bot_failed"),
        (own_bots.Unshowable, "bot_no_move"),
        (own_bots.Leaving, "bot_failed"),
        (own_bots.Closing, "bot_failed"),
    ],
)
def test_a_bot_that_fails_is_named(bot, code, cores, refused):
    with refused(code, bot=bot.__name__):
        dicecup.simulate("yatzy", bots=[bot()], games=60, seed=1, cores=cores)


def test_a_bot_may_answer_with_iterators():
    game = dicecup.Game("yatzy", [own_bots.Iterating(), "Ann"], seed=1)
    moves = game.play_bots()
    assert [len(move.dice) for move in moves if isinstance(move, dicecup.Keep)] == [1, 1]
    assert [move for _, move, _ in reversed(list(game.record.backwards()))] == list(moves)
    assert [len(move.placements) for move in moves if isinstance(move, dicecup.Score)] == [1]


FORMS: dict[str, Callable[[Any], Any]] = {
    "array": np.array,
    "NumPy integers": lambda dice: tuple(np.array(dice)),
    "floats": lambda dice: tuple(map(float, dice)),
    "text": lambda dice: " ".join(map(str, dice)),
    "texts": lambda dice: [str(die) for die in dice],
    "iterator": iter,
    "unsorted": lambda dice: dice[::-1],
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_dice_that_a_bot_keeps_are_those_that_it_meant(form, tmp_path):
    game = dicecup.Game("yatzy", [own_bots.Keeping(form)], seed=1)
    moves = game.play_bots()
    assert moves == game.record.moves
    kept = [move.dice for move in moves if isinstance(move, dicecup.Keep)]
    assert {type(die) for dice in kept for die in dice} == {int}
    files = [tmp_path / "odd.parquet", tmp_path / "plain.parquet"]
    found = [
        dicecup.write_data(file, "yatzy-sv", own_bots.Keeping(form), games=1, seed=1, cores=1)
        for file, form in zip(files, (form, tuple), strict=True)
    ]
    assert found[0] == found[1]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_properties_of_a_bot_that_fail(refused):
    torn: Any = own_bots.Torn()
    calls: list[tuple[str, Callable[[], object]]] = [
        ("Torn", lambda: dicecup.Game("yatzy", ["Ann", torn])),
        ("Torn", lambda: dicecup.simulate("yatzy", [torn], games=1)),
        ("Blind", lambda: dicecup.simulate("yatzy", [own_bots.Blind(), "greedy"], games=1)),
    ]
    for name, call in calls:
        with refused("bot_failed", bot=name, problem="ZeroDivisionError: no idea"):
            call()


def test_a_bot_that_fails_at_a_seat_is_named(refused):
    for bot, code in ((own_bots.Raising(), "bot_failed"), (own_bots.Illegal(), "bot_illegal")):
        game = dicecup.Game("yatzy", ["Ann", bot], seed=1)
        game.roll()
        game.score("chance")
        with refused(code, bot=type(bot).__name__):
            game.play_bots()


def test_what_a_bot_raises_is_told_in_one_line():
    error = ValueError("first\n  second.\n")
    assert registry.described(error) == "ValueError: first second"
    with pytest.raises(
        dicecup.BotError, match=r"MoveError: You can’t keep 9: .* those\. Correct its code\.$"
    ):
        dicecup.simulate("yatzy", bots=[own_bots.Confused()], games=1, seed=1)


def test_a_worker_that_dies_before_its_next_piece(refused):
    ours, theirs = Pipe()
    theirs.close()
    with refused("bot_worker_died", bot="Dying"):
        send_piece(ours, (1,), "Dying")
    ours.close()


def test_a_script_that_ends_itself_is_no_bot(here, monkeypatch, refused):
    (here / "ending.py").write_text("import sys\nclass Bot: ...\nsys.exit(0)\n")
    monkeypatch.syspath_prepend(here)
    with refused("bot_not_loaded", bot="ending:Bot"):
        registry.find_bot("ending:Bot")


def test_a_worker_that_dies_is_an_error(refused):
    with refused("bot_worker_died", bot="Dying"):
        dicecup.simulate("yatzy", bots=[own_bots.Dying()], games=60, seed=1, cores=2)


@pytest.mark.parametrize("bot", [own_bots.Unpicklable, own_bots.Unloadable])
def test_a_bot_that_workers_cannot_load_plays_on_one_core(bot, refused):
    with refused("bot_not_shared", bot=bot.__name__):
        dicecup.simulate("yatzy", bots=[bot()], games=60, seed=1, cores=2)
    told: list[dicecup.DicecupError] = []
    found = dicecup.simulate("yatzy", bots=[bot()], games=60, seed=1, on_warning=told.append)
    assert found == dicecup.simulate("yatzy", bots=[bot()], games=60, seed=1, cores=1)
    if told:  # where there are several cores
        assert told[0].code == "bot_not_shared"
        with pytest.warns(UserWarning, match=f"{bot.__name__} .* several cores"):
            dicecup.simulate("yatzy", bots=[bot()], games=60, seed=1)


def test_a_script_that_is_not_guarded(tmp_path):
    done = run_script(tmp_path, bot='"greedy"', more=", cores=2")
    assert (done.returncode, done.stdout, done.stderr) == (0, "60\n", "")


def test_a_bot_of_the_script_itself(tmp_path):
    done = run_script(tmp_path, bot="MyBot()")
    assert (done.returncode, done.stdout) == (0, "60\n")
    done = run_script(tmp_path, bot="MyBot()", more=", cores=2")
    assert "MyBot is defined in __main__" in done.stderr
    assert done.stdout == ""


def test_bots_by_name(refused):
    assert isinstance(registry.find_bot("tests.api.own_bots:Cautious"), own_bots.Cautious)
    assert registry.find_bot("tests.api.own_bots:instance") is own_bots.instance
    assert registry.find_bot("greedy") is BOTS["greedy"]
    assert registry.bot_name(BOTS["greedy"]) == "greedy"
    for name in ("nowhere:Bot", "tests.api.own_bots:Nobody", "tests.api.own_bots:NeedsArguments", ":", "os:"):
        with refused("bot_not_loaded", bot=name):
            registry.find_bot(name)
    for name in ("tests.api.own_bots:not_a_bot", "os:getcwd"):
        with refused("bot_without_decide", bot=name):
            registry.find_bot(name)
    wrong: list[Any] = [7, own_bots.Cautious, None, object()]
    for rubbish in wrong:
        with refused("bot_without_decide"):
            dicecup.simulate("yatzy", bots=[rubbish], games=1)


def test_installed_bots(monkeypatch):
    entry = EntryPoint("cautious", "tests.api.own_bots:Cautious", registry.GROUP)
    ours = EntryPoint("greedy", "tests.api.own_bots:Raising", registry.GROUP)
    monkeypatch.setattr(
        registry, "entry_points", lambda group: [entry, ours] if group == registry.GROUP else []
    )
    registry.installed_bots.cache_clear()
    try:
        assert isinstance(registry.find_bot("cautious"), own_bots.Cautious)
        assert registry.find_bot("greedy") is BOTS["greedy"], "the names of built-in bots are taken"
        game = dicecup.Game("yatzy", ["bot:cautious"], seed=1)
        game.play_bots()
        assert game.finished
        assert dicecup.simulate("yatzy", bots="cautious", games=5, seed=1).bot == "cautious"
    finally:
        registry.installed_bots.cache_clear()


def test_a_record_loads_no_code(here, refused):
    name = "bot:tests.api.own_bots:Cautious"
    game = dicecup.Game("yatzy", ["Ann", name], seed=1)
    game.roll()
    game.score("chance")
    game.save("own.record")
    again = dicecup.Game.load("own.record")
    assert again.players == ("Ann", name)
    with refused("bot_unknown"):
        again.play_bots()
    wrong: list[Any] = [7, [own_bots.Cautious()], {7: own_bots.Cautious()}, "abc"]
    for rubbish in wrong:
        with refused("argument_wrong", argument="bots"):
            dicecup.Game.load("own.record", bots=rubbish)
    no_bot: Any = {name: 7}
    with refused("bot_without_decide", bot=name):
        dicecup.Game.load("own.record", bots=no_bot)
    no_seed: Any = "x"
    with refused("argument_wrong", argument="seed"):
        dicecup.Game.load("own.record", seed=no_seed)
    again = dicecup.Game.load("own.record", bots={name: own_bots.Cautious()})
    again.play_bots()
    assert again.player == "Ann"


def call(capsys, *arguments: str) -> tuple[int, str, str]:
    status = main(list(arguments))
    out, err = capsys.readouterr()
    return status, out, err


def test_on_the_command_line(here, capsys, monkeypatch):
    (here / "mine.py").write_text((ROOT / "tests" / "api" / "own_bots.py").read_text())
    name = "mine:Cautious"
    status, out, err = call(
        capsys,
        "simulate",
        "yatzy",
        "--bot",
        name,
        "--bot",
        "random",
        "--games",
        "50",
        "--seed",
        "1",
        "--json",
    )
    assert (status, err) == (0, "")
    assert f'"bot": "{name}"' in out
    status, _out, err = call(capsys, "simulate", "yatzy", "--bot", "mine:Illegal", "--games", "5")
    assert (status, "[bot_illegal]" in err) == (2, True)
    status, _out, err = call(capsys, "simulate", "yatzy", "--bot", "nobody", "--games", "5")
    assert (status, "[bot_unknown]" in err) == (2, True)

    monkeypatch.setattr("sys.stdin", StringIO())
    monkeypatch.setenv("DICECUP_DATA", str(here / "data"))
    status, out, err = call(capsys, "play", "yatzy", "--bot", name, "--bot", "bot:random", "--seed", "1")
    assert (status, "> " in out) == (0, True)
    path = err.split("--record ")[1].strip()
    assert dicecup.Game.load(path).players == ("You", f"bot:{name}", "bot:random")
    status, out, err = call(capsys, "play", "--record", path, "--bot", name, "--bot", "random")
    assert status == 0
    for wrong, code in (("nobody", "bot_unknown"), ("a,b", "bot_unknown"), ("mine:Nobody", "bot_not_loaded")):
        status, _out, err = call(capsys, "play", "yatzy", "--players", "Ann", "--bot", wrong)
        assert (status, f"[{code}]" in err) == (2, True)

    players = f"Ann,bot:{name}"
    status, _out, err = call(
        capsys, "play", "yatzy", "--players", f"bot:{name}", "--seed", "1", "--record", "alone.record"
    )
    assert status == 0
    assert dicecup.Game.load("alone.record").finished
    call(capsys, "play", "yatzy", "--players", players, "--seed", "1", "--record", "two.record")
    status, _out, err = call(capsys, "play", "--record", "two.record")
    assert (status, "[bot_from_record]" in err, players in err) == (2, True, True)
    status, _out, err = call(capsys, "play", "--record", "two.record", "--players", players)
    assert status == 0


def all_errors() -> list[type[dicecup.DicecupError]]:
    return [dicecup.DicecupError, *dicecup.DicecupError.__subclasses__()]


@pytest.mark.parametrize("kind", all_errors(), ids=lambda kind: kind.__name__)
def test_errors_survive_pickling(kind):
    inner = dicecup.MoveError("box_filled", box="ones")
    error = kind("record_illegal", line=3, problem=inner)
    error.rules = dicecup.Rules("yatzy")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert str(again) == str(error)
    assert "ones" in str(again)
    assert (again.code, again.rules) == (error.code, error.rules)


def test_saved_rolls_do_not_change_the_same_dice():
    """What a bot has saved is its own; the dice of a turn and a roll are everybody's."""
    found: dict[str, list[tuple[int, ...]]] = {}

    def player(name: str, keeps: bool) -> type:
        class Watcher:
            def decide(self, rules, state, chance):
                if rules.throws + state.sheet.saved - state.throws_left == 1:
                    found.setdefault(name, []).append(state.dice)
                moves = dicecup.legal_moves(rules, state)
                wanted = dicecup.Keep if keeps and state.throws_left else dicecup.Score
                return next(move for move in moves if isinstance(move, wanted))

        Watcher.__name__ = name
        return Watcher

    bots = [player("Stopping", keeps=False)(), player("Rolling", keeps=True)()]
    dicecup.simulate("maxi-yatzy", bots, games=1, seed=1, cores=1, same_dice=True)
    assert len(found["Stopping"]) == 20
    assert found["Stopping"] == found["Rolling"]
