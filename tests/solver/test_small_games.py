"""Complete random small games that use every feature of the rules, against the oracle."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

import pytest
from tests.solver.conftest import random_sheet

from dicecup.dice import lattice
from dicecup.engine.legality import face_of_alike
from dicecup.engine.play import legal_scores
from dicecup.playout.games import play_games
from dicecup.rules import Ruleset, load_ruleset
from dicecup.solver.components import joker_throws
from dicecup.solver.single.solution import SingleSolution
from dicecup.solver.single.solve import solve_single
from reference_solver import Reference


def random_game(random: Random) -> str:
    """Generate a rules file: two or three dice of two or three faces, upper boxes, all lower kinds."""
    dice, faces = random.choice([(2, 2), (2, 3), (3, 2), (3, 3)])
    upper = {name: face for face, name in enumerate(("ones", "twos", "threes")[:faces], start=1)}
    tiers = sorted(random.sample(range(2, dice * faces), random.choice([0, 1, 2])))
    lower = [
        f"[box.all]\npoints = 'all'\nstrike = {random.choice(['true', 'false'])}",
        f"[box.most]\nneeds = {{ at_least = {dice + 1} }}\npoints = 'all'\nabove = 'all'",
        f"[box.alike]\nneeds = {{ alike = [{dice}] }}\npoints = 10",
        f"[box.again]\nneeds = {{ alike = [{dice}] }}\npoints = 20\nafter = ['alike']",
        "[box.run]\nneeds = { run = 2 }\npoints = 7",
        "[box.twin]\nneeds = { run = 2 }\npoints = 7",
        "[box.less]\npoints = '5 - all'",
        "[box.nothing]\npoints = 0",
        "[box.late]\npoints = 'all'\nafter = ['twos']",
        "[box.over]\nneeds = { at_least = 3 }\npoints = 'all'\nabove = 'ones'",
    ]
    most = 3 if dice * faces < 9 else 2  # the oracle is slow
    chosen = sorted(random.sample(range(len(lower)), random.randint(2, most)))
    needed = {1: 0, 3: 2}  # a box that depends on another brings it along
    brought = {needed[number] for number in chosen if number in needed}
    chosen = sorted(brought.union(chosen))
    spare = [number for number in chosen if number not in brought and number not in needed]
    if faces == 3 and len(chosen) > most and spare:  # games of two faces keep all of them
        chosen.remove(spare[-1])
    text = [
        "format = 1\nid = 'small'",
        f"throws = {random.choice([1, 2, 3])}\nstrike = '{random.choice(['free', 'last_resort'])}'",
        f"[dice]\ncount = {dice}\nfaces = {faces}",
        "[upper]\nboxes = { " + ", ".join(f"{name} = {face}" for name, face in upper.items()) + " }",
        "bonus = [" + ", ".join(f"{{ at = {at}, points = {5 * at} }}" for at in tiers) + "]",
        *(lower[number].replace("strike = false", "") if 1 in chosen else lower[number] for number in chosen),
    ]
    if 2 in chosen and random.random() < 0.8:
        boxes = [*random.sample(sorted(upper), 1), *(["run"] if 4 in chosen else [])]
        forced = random.choice(["true", "false"])
        text.append(f"[joker]\nfilled = ['alike']\nboxes = {boxes}\nforced = {forced}")
    if 2 in chosen and random.random() < 0.6:
        text.append("[repeat]\nid = 'more'\nbox = 'alike'\npoints = 8")
    return "\n".join(text)


@cache
def expected_of(rules: Ruleset) -> float:
    """Return what the oracle expects of a whole game; several tests ask for the same games."""
    return Reference(rules).expected()


@pytest.mark.parametrize("seed", range(60))
def test_whole_small_games(tmp_path, seed):
    rules = house(tmp_path, random_game(Random(seed)))
    table = solve_single(rules, folder=tmp_path)
    assert table.header.expected == pytest.approx(expected_of(rules), abs=1e-9)


FORCED_BESIDE_A_LATE_BOX = """
format = 1
id = "late"
throws = 1
[dice]
count = 1
faces = 2
[upper]
boxes = { ones = 1, twos = 2 }
[box.first]
points = 7
[box.late]
points = 7
after = ["twos"]
[joker]
filled = ["first"]
boxes = ["first"]
forced = true
"""
TWO_FACES_ALIKE = """
format = 1
id = "two-faces"
throws = 1
[dice]
count = 2
faces = 9
counted = 1
[upper]
boxes = { u1 = 1, u2 = 2, u3 = 3, u4 = 4, u5 = 5, u6 = 6, u7 = 7, u8 = 8, u9 = 9 }
[box.first]
points = 5
[joker]
filled = ["first"]
boxes = ["first"]
"""


def house(tmp_path: Path, text: str) -> Ruleset:
    path = tmp_path / "small.toml"
    path.write_text(text, encoding="utf-8")
    return load_ruleset(str(path))


def test_a_forced_joker_beside_a_box_that_waits_for_an_upper_one(tmp_path):
    """The box already scores in a neighbouring lane of the vector, but not yet in this one."""
    rules = house(tmp_path, FORCED_BESIDE_A_LATE_BOX)
    expected = expected_of(rules)
    assert solve_single(rules, folder=tmp_path).header.expected == pytest.approx(expected, abs=1e-9)


def test_of_two_faces_that_could_be_a_joker_solver_and_engine_take_the_same(tmp_path):
    rules = house(tmp_path, TWO_FACES_ALIKE)
    faces = dict(joker_throws(rules))
    for number, dice in enumerate(lattice(2, 9).throws):
        assert faces[number] == face_of_alike(rules, dice) == max(dice)


@pytest.mark.parametrize("seed", [2, 5, 11, 22])
def test_small_games_played(tmp_path, seed):
    rules = house(tmp_path, random_game(Random(seed)))
    scores = play_games(SingleSolution(rules, solve_single(rules, folder=tmp_path)), 100_000, seed).scores
    error = scores.std(ddof=1) / len(scores) ** 0.5
    assert abs(scores.mean() - expected_of(rules)) < 4 * error


@pytest.mark.parametrize("seed", range(12))
def test_the_boxes_of_a_turn_are_those_the_engine_allows(tmp_path, seed):
    rules, random = house(tmp_path, random_game(Random(seed))), Random(seed)
    solution = SingleSolution(rules, solve_single(rules, folder=tmp_path))
    for open_boxes in range(1, rules.cells + 1):
        sheet = random_sheet(rules, open_boxes, random)
        turn = solution.turn(sheet)
        for dice in solution.lattice.throws:
            moves = [box.move for box in turn.boxes(dice)]
            assert sorted(moves, key=repr) == sorted(legal_scores(rules, sheet, dice), key=repr)
