"""Whole small games with everything that rules can say, made at random, against the oracle."""

from __future__ import annotations

from random import Random

import pytest

from dicecup.coach.many import play_games
from dicecup.rules import load_ruleset
from dicecup.solver.reference import Reference
from dicecup.solver.solution import Solution
from dicecup.solver.solve import solve


def random_game(random: Random) -> str:
    """A rules file: two or three dice of two or three faces, upper boxes, and lower boxes of all kinds."""
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
    ]
    chosen = sorted(random.sample(range(len(lower)), random.randint(2, 3)))
    needed = {1: 0, 3: 2}  # a box that looks at another brings it along
    chosen = sorted({*chosen, *(needed[number] for number in chosen if number in needed)})
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


@pytest.mark.parametrize("seed", range(40))
def test_whole_small_games(tmp_path, seed):
    path = tmp_path / "small.toml"
    path.write_text(random_game(Random(seed)), encoding="utf-8")
    rules = load_ruleset(str(path))
    table = solve(rules, folder=tmp_path)
    assert table.header.expected == pytest.approx(Reference(rules).expected(), abs=1e-9)


@pytest.mark.parametrize("seed", [2, 5, 11, 22])
def test_small_games_played(tmp_path, seed):
    path = tmp_path / "small.toml"
    path.write_text(random_game(Random(seed)), encoding="utf-8")
    rules = load_ruleset(str(path))
    scores = play_games(Solution(rules, solve(rules, folder=tmp_path)), 100_000, seed).scores
    error = scores.std(ddof=1) / len(scores) ** 0.5
    assert abs(scores.mean() - Reference(rules).expected()) < 4 * error
