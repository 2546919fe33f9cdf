"""Make the puzzles of a game: play games, and pick positions with one clearly best, not obvious choice.

    PYTHONPATH=src python tools/make_puzzles.py yatzy --seed 1 --out src/dicecup/coach/data

The human-like bots play. A position becomes a puzzle if every other choice loses clearly, and if bots that
look at it again and again miss the best choice sometimes, but not always. How often they do is its grade.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from math import log10
from pathlib import Path
from random import Random

from dicecup.bots.heuristic import CarelessBot, PlanningBot, SteadyBot
from dicecup.coach.advice import Choice, Values, advise, find_values, is_strike, without_strikes
from dicecup.coach.puzzles import A_DAY, OFFERED, Puzzle, offered_places, puzzles_text
from dicecup.coach.reasons import Reasons
from dicecup.coach.review import turn_measure
from dicecup.coach.review_data import reason_data
from dicecup.engine.play import apply
from dicecup.engine.serialize import Position, move_to_data
from dicecup.engine.state import Move, State, Throw, empty_sheet, start
from dicecup.rules import load_ruleset
from dicecup.rules.model import Ruleset

TRIES = 20  # of each bot
MISSED = (0.3, 0.97)  # of all tries: not obvious, and not out of everybody's reach
MARGIN = 0.04  # of a perfect turn that the second-best choice loses at least
LEARNED_MARGIN = 0.08  # where the values are not exact
LISTED = 8  # choices with their losses
EVEN = 1500  # rating of a puzzle that half of the tries solve
HARDEST = 400  # the most that a rating differs from it


class Casual(SteadyBot):
    """A good casual player who plans so many rolls ahead and misses some choices."""

    def __init__(self, horizon: int, overlooked: float) -> None:
        self.horizon = horizon
        self.overlooked = overlooked


class Calm(CarelessBot):
    """A beginner who misses no choice."""

    overlooked = 0.0


GOOD: tuple[PlanningBot, ...] = (SteadyBot(), Casual(1, 0.0))  # what one of them misses is not obvious
PLAYERS: tuple[PlanningBot, ...] = (*GOOD, Casual(2, 0.2), Casual(1, 0.2), CarelessBot(), Calm())


def decisions(rules: Ruleset, chance: Random) -> Iterator[State]:
    """Yield the states of endless games in which somebody decides; players change from turn to turn."""
    while True:
        state: State = start(rules)
        player: PlanningBot = GOOD[0]
        while not state.finished:
            if state.throw_due:
                if state.throws_left == rules.throws:
                    player = chance.choice(PLAYERS)
                state = apply(rules, state, Throw(thrown(rules, state, chance)))
                continue
            yield state
            state = apply(rules, state, player.decide(rules, state, chance))


def thrown(rules: Ruleset, state: State, chance: Random) -> tuple[int | tuple[int, ...], ...]:
    layers = len(rules.dice.layers)

    def die() -> int | tuple[int, ...]:
        faces = tuple(chance.randint(1, rules.dice.faces) for _ in range(layers))
        return faces if layers > 1 else faces[0]

    return tuple(die() for _ in range(rules.dice.count - len(state.kept or ())))


def tries(rules: Ruleset, state: State, chance: Random) -> Counter[Move]:
    found: Counter[Move] = Counter()
    for player in PLAYERS:
        for _ in range(TRIES if player.overlooked else 1):
            move = without_strikes(player.decide(rules, state, chance))
            found[move] += 1 if player.overlooked else TRIES
    return found


def puzzle_of(values: Values, state: State, margin: float, chance: Random) -> Puzzle | None:
    """Return the puzzle of a position, if it makes one."""
    rules = values.rules
    choices = [choice for choice in advise(values, state).choices if not is_strike(choice)]
    if len(choices) < OFFERED or choices[1].loss < margin:
        return None
    if all(without_strikes(bot.decide(rules, state, chance)) == choices[0].move for bot in GOOD):
        return None
    found = tries(rules, state, chance)
    missed = 1 - found[choices[0].move] / found.total()
    if not MISSED[0] <= missed <= MISSED[1]:
        return None
    listed = choices[:LISTED]
    picked = [move for move, _ in found.most_common(3) if move != choices[0].move]
    listed += [choice for choice in choices[LISTED:] if choice.move in picked]
    unlisted = [choice for choice in choices[LISTED:] if choice not in listed]
    return Puzzle(
        id="",
        line=str(Position(rules.id, rules, state)),
        moves=tuple(move_to_data(rules, choice.move) for choice in listed),
        losses=tuple(round(choice.loss, 2) for choice in listed),
        rest=round(unlisted[0].loss, 2) if unlisted else None,
        offered=offered_places(rules, [choice.move for choice in listed], picked),
        missed=round(missed, 2),
        rating=rating_of(missed),
        reason=short_reason(values, state, choices[0]),
    )


def short_reason(values: Values, state: State, choice: Choice) -> dict[str, object]:
    data = reason_data(choice, Reasons(values, state).reason(choice))
    if "aims" in data:
        kept = [aim for aim in data["aims"] if aim["chance"] >= 0.01][:4]
        data["aims"] = [
            aim | {"chance": round(aim["chance"], 3), "points": round(aim["points"], 1)} for aim in kept
        ]
        data["zero"] = round(data["zero"], 3)
        data.pop("standard_error", None)
    else:
        data["rest"] = round(data["rest"], 1)
    return data


def rating_of(missed: float) -> int:
    share = min(max(missed, 0.01), 0.99)
    return round(EVEN + max(-HARDEST * 2, min(HARDEST * 2, HARDEST * log10(share / (1 - share)))))


def kind_of(puzzle: Puzzle) -> tuple[object, ...]:
    """Puzzles of one kind are alike: not too many of them are taken."""
    state = puzzle.position.state
    filled = sum(points is not None for points in state.sheet.cells)
    return state.throws_left, 5 * filled // len(state.sheet.cells), "keep" in puzzle.moves[0]


def spread(found: list[Puzzle], count: int) -> list[Puzzle]:
    """Return so many puzzles, of all kinds and of all grades, easiest first."""
    found = sorted(found, key=lambda puzzle: (puzzle.rating, puzzle.line))
    size, taken = -(-len(found) // A_DAY), []
    for level in range(A_DAY):
        seen: Counter[object] = Counter()
        ranked = []
        for puzzle in found[level * size : (level + 1) * size]:
            ranked.append((seen[kind_of(puzzle)], puzzle.line, puzzle))
            seen[kind_of(puzzle)] += 1
        taken += [puzzle for _, _, puzzle in sorted(ranked, key=lambda one: one[:2])[: count // A_DAY]]
    return sorted(taken, key=lambda puzzle: (puzzle.rating, puzzle.line))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("game")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--candidates", type=int, default=300, help="puzzles to pick these from")
    parser.add_argument("--every", type=int, default=3, help="look at every so manieth decision")
    parser.add_argument("--out", type=Path, default=Path("puzzles"))
    arguments = parser.parse_args()
    rules = load_ruleset(arguments.game)
    values, chance = find_values(rules), Random(arguments.seed)
    turn = turn_measure(values.turn(empty_sheet(rules)).value, rules.turns)
    margin = turn * (MARGIN if values.exact else LEARNED_MARGIN)
    found: dict[str, Puzzle] = {}
    looked = 0
    for number, state in enumerate(decisions(rules, chance)):
        if number % arguments.every:
            continue
        looked += 1
        puzzle = puzzle_of(values, state, margin, chance)
        if puzzle:
            found[puzzle.line] = puzzle
            print(f"\r{looked} positions, {len(found)} candidates", end="", file=sys.stderr, flush=True)
        if len(found) >= arguments.candidates:
            break
    taken = spread(list(found.values()), arguments.count)
    named = [replace(one, id=f"{rules.id}-{number}") for number, one in enumerate(taken, start=1)]
    header = {"game": rules.id, "identity": rules.identity, "seed": arguments.seed, "positions": looked}
    header |= {"exact": values.exact, "margin": round(margin, 2)}
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / f"puzzles-{rules.id}.jsonl").write_text(puzzles_text(header, named), "utf-8")
    print(json.dumps(header | {"puzzles": len(named)}), flush=True)


if __name__ == "__main__":
    main()
