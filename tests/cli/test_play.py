"""Complete games through a pipe: every game, undo, rejected input, resuming, bots, typed dice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.waiting import PATIENCE, eventually

from dicecup.engine.play import legal_moves
from dicecup.engine.record import Undo
from dicecup.engine.record_dice import verify
from dicecup.rules import builtin_ids, load_ruleset, main_ids
from dicecup.storage.record_file import read_record


@pytest.mark.parametrize("game", builtin_ids())
def test_bots_play_every_game(run, tmp_path: Path, game):
    done = run("play", game, "--players", "bot:random,bot:greedy", "--record", "a.record")
    assert done.returncode == 0, done.stderr
    record = read_record(tmp_path / "a.record")
    assert record.state.finished
    assert verify(record).proved
    assert "1st bot:" in done.stdout
    assert not (tmp_path / "a.record.secret").exists()


@pytest.mark.parametrize("game", main_ids())
@pytest.mark.parametrize("language", ["en", "fr", "de", "sv"])
def test_a_person_plays_a_whole_game_by_box_names(run, tmp_path: Path, game, language):
    """Fill the boxes in sheet order by their names in the language, always after the first throw."""
    rules = load_ruleset(game)
    names = [rules.names[language][box.id] for box in rules.boxes]
    if rules.has_columns:
        answers = [f"{column.id} {name}" for column in rules.columns for name in names]
    elif rules.has_layers:
        answers = [f"{inner}, {outer}" for inner, outer in zip(names[::2], names[1::2], strict=True)]
    else:
        answers = names
    done = run(
        "play",
        game,
        "--seed",
        "1",
        "--lang",
        language,
        "--record",
        "a.record",
        typed="\n".join(answers) + "\n",
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    assert read_record(tmp_path / "a.record").state.finished, done.stdout[-2000:]


def test_same_seed_same_game(run_process, tmp_path: Path):
    for name in ("a", "b"):
        run_process(
            "play", "yatzy", "--players", "bot:random,bot:random", "--seed", "7", "--record", f"{name}.record"
        )
    first, second = (read_record(tmp_path / f"{name}.record") for name in ("a", "b"))
    assert first.entries == second.entries


REFUSALS = [
    ("9 9", "Use 1 to 6"),
    ("6-5", "isn’t a valid die"),
    ("6 6 6 6 6 6", "You can’t keep"),
    ("1 2 2 3 3", "You’ve kept all your dice"),
    ("nonsense", "There’s no box"),
    ("t", "could be any of"),
    ("", "Type the dice to keep"),
    ("strike nonsense", "There’s no box"),
    ("undo", "There’s nothing to undo"),
    ("pair, chance", "Name one for each"),
    ("6_5", "isn’t a valid die"),
    ("strike", "Say which one to cross out"),
    ("33366", "You can’t keep"),
]


@pytest.mark.parametrize(("typed", "said"), REFUSALS)
def test_refusals_are_explained_and_nothing_changes(run, tmp_path: Path, typed, said):
    done = run("play", "yatzy", "--seed", "3", "--record", "a.record", typed=f"{typed}\n")
    assert said in done.stdout
    assert len(read_record(tmp_path / "a.record").entries) == 1  # the first throw


def test_a_filled_box_and_a_fourth_throw(run):
    typed = "keep\nkeep\nkeep\n1\nchance\nchance\n"
    done = run("play", "yatzy", "--seed", "3", "--record", "a.record", typed=typed)
    assert done.stdout.count("You have no rolls left this turn") == 2
    assert "Chance is already filled" in done.stdout


def test_the_negative_extra_cannot_be_struck(run):
    typed = "strike extra, pair\nextra, pair\n"
    done = run(
        "play", "dice-in-dice", "-o", "extra=negative", "--seed", "3", "--record", "a.record", typed=typed
    )
    assert "Extra can’t be crossed out" in done.stdout
    assert "You: -" in done.stdout


def test_the_second_box_is_asked_for(run, tmp_path: Path):
    done = run("play", "dice-in-dice", "--seed", "3", "--record", "a.record", typed="pair\nchance\n")
    assert "Which box for the outer dice?" in done.stdout
    assert len(read_record(tmp_path / "a.record").moves) == 3


def test_the_second_box_can_be_reconsidered(run, tmp_path: Path):
    typed = "pair\n?\nsheet\npair\nnonsense\nundo\nchance\nyatzy\n"
    done = run("play", "dice-in-dice", "--seed", "3", "--record", "a.record", typed=typed)
    assert "Pair can’t take both scores of a turn" in done.stdout
    assert "There’s no box “nonsense”" in done.stdout
    assert "No box was filled. Choose again." in done.stdout
    record = read_record(tmp_path / "a.record")
    filled = {
        box.id for box, cell in zip(record.rules.boxes, record.states[-2].sheet.cells, strict=True) if cell
    }
    assert "pair" not in filled
    assert len([move for move in record.moves if hasattr(move, "placements")]) == 1


def test_the_last_box_can_be_taken_back_before_the_game_is_closed(run, tmp_path: Path):
    (tmp_path / "short.toml").write_text(
        'format = 1\nid = "short"\nthrows = 1\ndice = { count = 2, faces = 6 }\n'
        'box.sum.points = "all"\nbox.pair = { needs.alike = [2], points = 10 }\n'
    )
    done = run("play", "short.toml", "--record", "a.record", typed="sum\npair\nundo\nstrike pair\n\n")
    assert done.stdout.count("The last box is filled") == 2
    record = read_record(tmp_path / "a.record")
    assert record.state.finished
    assert record.secret is not None
    assert verify(record).proved
    assert [entry.steps for entry in record.entries if isinstance(entry, Undo)] == [1]


def test_a_house_rule_and_its_record_can_be_moved_together(run, tmp_path: Path):
    (tmp_path / "house.toml").write_text('format = 1\nid = "house"\nbase = "yatzy"\n')
    (tmp_path / "games").mkdir()
    run("play", "house.toml", "--record", "games/a.record", typed="chance\n")
    assert run("verify", "games/a.record").returncode == 1  # not proved yet, but readable
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "house.toml").rename(tmp_path / "elsewhere" / "house.toml")
    (tmp_path / "games").rename(tmp_path / "elsewhere" / "games")
    done = run("play", "--record", "elsewhere/games/a.record", typed="pair\n")
    assert "Continuing house" in done.stdout


def test_all_sheets_are_shown(run):
    many = ",".join(f"P{number}" for number in range(8))
    done = run("play", "yatzy", "--players", many, "--seed", "1", "--record", "a.record", typed="sheet\n")
    assert all(done.stdout.count(f"P{number}") for number in range(8))
    done = run(
        "play",
        "triple-yum-plus",
        "--players",
        "Ann,Bo",
        "--seed",
        "1",
        "--record",
        "b.record",
        typed="sheet\n",
    )
    assert "\nAnn\n" in done.stdout
    assert "\nBo\n" in done.stdout


def test_undo_of_a_box_and_of_a_keep(run, tmp_path: Path):
    run("play", "yatzy", "--seed", "3", "--record", "a.record", typed="keep\nchance\nundo\nundo\npair\n")
    record = read_record(tmp_path / "a.record")
    assert [entry.steps for entry in record.entries if isinstance(entry, Undo)] == [2, 2]
    assert record.state.sheet.cells[record.rules.box_index["pair"]] == 6  # the first throw, 1 2 2 3 3


def test_undo_past_another_person_needs_everybody(run, tmp_path: Path):
    arguments = ["play", "yatzy", "--players", "Ann,Bo", "--seed", "3", "--record", "a.record"]
    done = run(*arguments, typed="chance\nundo\nno\nundo\nyes\n")
    assert done.stdout.count("This undoes moves of Ann and Bo") == 2
    assert "Nothing was undone" in done.stdout
    assert len(read_record(tmp_path / "a.record").moves) == 1


def test_going_on_with_the_same_command(run, tmp_path: Path):
    arguments = ["play", "yatzy", "--players", "Ann,Bo", "--record", "a.record"]
    first = run(*arguments, typed="chance\n")
    assert "dicecup play --record a.record" in first.stderr
    second = run(*arguments, typed="chance\n")
    assert "Continuing Yatzy" in second.stdout
    third = run("play", "--record", "a.record", typed="pair\n")
    assert third.returncode == 0
    assert (
        len([move for move in read_record(tmp_path / "a.record").moves if hasattr(move, "placements")]) == 3
    )


@pytest.mark.parametrize(
    "other",
    [
        ["yum-plus"],
        ["yatzy", "-o", "yatzy=plus_sum"],
        ["yatzy", "--players", "Ann,Cy"],
        ["-o", "yatzy=plus_sum"],
        ["--dice", "typed"],
        ["--seed", "5"],
    ],
)
def test_another_game_in_the_same_file_is_refused(run, tmp_path: Path, other):
    run("play", "yatzy", "--players", "Ann,Bo", "--record", "a.record", typed="chance\n")
    before = (tmp_path / "a.record").read_bytes()
    done = run("play", *other, "--record", "a.record", typed="chance\n")
    assert (done.returncode, "[record_of_other_game]" in done.stderr) == (2, True)
    assert (tmp_path / "a.record").read_bytes() == before


def test_typed_dice_and_their_undo(run, tmp_path: Path):
    typed = "1 2 3 4\n1 2 3 4 7\n1 1 1 1 1\nundo\n5 4 3 2 1\nlow\n"
    done = run("play", "yatzy", "--dice", "typed", "--record", "a.record", typed=typed)
    assert "wrong number of dice: 4" in done.stdout
    assert "Use 1 to 6" in done.stdout
    assert "kept all" not in done.stdout
    record = read_record(tmp_path / "a.record")
    assert record.state.sheet.cells[record.rules.box_index["low_straight"]] == 15


def test_the_promise_comes_before_the_dice_and_the_secret_after(run, tmp_path: Path):
    done = run("play", "yatzy", "--own-seeds", "--record", "a.record", typed="mine\nchance\n")
    record = read_record(tmp_path / "a.record")
    promise = record.header.origin.commitment
    assert (
        done.stdout.index(promise)
        < done.stdout.index("a word of your own")
        < done.stdout.index("roll 1 of 3")
    )
    secret = tmp_path / "a.record.secret"
    assert secret.stat().st_mode & 0o777 == 0o600
    assert secret.read_text().strip() not in done.stdout + done.stderr
    assert record.header.origin.player_seeds == ("mine",)
    assert record.header.origin.statement == 2
    assert run("verify", "a.record").returncode == 1  # not revealed yet


def test_games_without_a_file_are_kept_and_offered_again(run, tmp_path: Path):
    first = run("play", "yatzy", "--players", "Ann,Bo", typed="chance\n")
    kept = list((tmp_path / ".local/share/dicecup/games").glob("*.record"))
    assert len(kept) == 1
    assert str(kept[0]) in first.stderr
    menu = run("play", typed=f"{len(builtin_ids()) + 1}\nchance\n")
    assert "continue Yatzy: Ann, Bo" in menu.stdout
    assert "Bo: " in menu.stdout


def test_the_menu(run):
    done = run("play", typed="x\n99\n²\n2\nAnn,bot:clever\nAnn,bot:greedy\nchance\n")
    assert "Triple Yum Plus" in done.stdout
    assert done.stdout.count(f"Type a number from 1 to {len(builtin_ids())}") == 3
    assert "There’s no bot “clever”" in done.stdout
    assert "Ann: " in done.stdout
    assert run("play", typed="q\n").returncode == 0
    assert run("play", typed="").returncode == 0


def test_plain_characters_for_a_plain_terminal(run_process):
    arguments = ("play", "yatzy", "--seed", "3", "--record", "a.record")
    done = run_process(*arguments, typed="q\n", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "| o     |" in done.stdout
    done.stdout.encode("ascii")


@pytest.mark.posix
def test_ctrl_c_keeps_the_game(tmp_path: Path):
    import pty

    keep = {"PATH", "PYTHONPATH"}
    environment = {name: value for name, value in os.environ.items() if name in keep}
    environment |= {"HOME": str(tmp_path), "LANG": "C.UTF-8"}
    controller, terminal = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "dicecup", "play", "yatzy", "--record", "a.record"],
        cwd=tmp_path,
        env=environment,
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        os.write(controller, b"chance\n")
        path = tmp_path / "a.record"
        # The second throw is the last line before the program waits for input.
        eventually(lambda: path.exists() and path.read_bytes().count(b" throw ") == 2)
        process.send_signal(signal.SIGINT)
        _out, err = process.communicate(timeout=PATIENCE)
    os.close(controller)
    os.close(terminal)
    assert process.returncode == 130
    assert "Continue with: dicecup play --record a.record" in err
    assert "Traceback" not in err
    record = read_record(tmp_path / "a.record")
    assert legal_moves(record.rules, record.state)


def test_a_box_is_announced_in_the_terminal(run, tmp_path: Path):
    answers = [
        "ansagen sechser",
        "streichen angesagt sechser",
        "a einser",
        "announced ones",
        "abwärts einser",
    ]
    typed = "\n".join([*answers, "quit", ""])
    done = run("play", "jamb", "--seed", "1", "--record", "a.record", "--lang", "de", typed=typed)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "a.record").read_text(encoding="utf-8")
    assert "1 announce announced sixes" in text
    assert "1 announce announced ones" in text
    assert "1 score down ones" in text
    assert "sagt Angesagt Sechser an." in done.stdout
    assert "tippe „ansagen“" in done.stdout


def test_the_column_need_not_be_typed_where_it_is_clear(run, tmp_path: Path):
    """Balut's columns are alike; in Jamb only the announced box can be filled once it is announced."""
    run("play", "balut", "--seed", "1", "--record", "a.record", typed="choice\nchoice\nquit\n")
    text = (tmp_path / "a.record").read_text(encoding="utf-8")
    assert "score c1 choice" in text
    assert "score c2 choice" in text
    done = run(
        "play",
        "jamb",
        "--seed",
        "1",
        "--record",
        "b.record",
        typed="ones\nannounce sixes\nsixes\nfives\nquit\n",
    )
    text = (tmp_path / "b.record").read_text(encoding="utf-8")
    assert done.stdout.count("The column is missing") == 1
    assert "Announced: Sixes" in done.stdout
    assert "score announced sixes" in text
    assert "score free fives" in text


def test_a_win_at_once_is_said(run):
    answers = ["1 2 2 2 2", "poker", "3 3 3 3 3", "undo", "yes", "cross ones", "4 4 4 4 4", ""]
    done = run(
        "play",
        "generala",
        "--players",
        "Ann,Bo",
        "--dice",
        "typed",
        "--record",
        "a.record",
        typed="\n".join([*answers, ""]),
    )
    assert done.returncode == 0, done.stderr
    assert "Bo wins at once with 3 3 3 3 3." in done.stdout
    assert "Bo wins at once with 4 4 4 4 4." in done.stdout
    assert "The last box is filled" not in done.stdout
    assert "1st Bo: 0 points" in done.stdout
