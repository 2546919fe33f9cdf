"""Making puzzles: play games, and pick positions with one clearly best, not obvious choice.

The human-like bots play. A position becomes a puzzle if every other choice loses clearly, and if bots that
look at it again and again miss the best choice sometimes, but not always. How often they do is its grade.
Every game has dice of its own, so that the workers of an executor find the same puzzles as one core.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import replace
from itertools import count as counted
from math import log10
from random import Random
from typing import Any, NamedTuple

from dicecup.bots.heuristic import CarelessBot, SteadyBot
from dicecup.bots.planning import PlanningBot
from dicecup.coach.advice import Choice, Values, advise, is_strike, known_values, without_strikes
from dicecup.coach.puzzles import A_DAY, OFFERED, Puzzle, offered_places
from dicecup.coach.reasons import Reasons
from dicecup.coach.review import turn_measure
from dicecup.coach.review_data import reason_data
from dicecup.engine.play import apply
from dicecup.engine.serialize import Position, move_to_data
from dicecup.engine.state import Move, State, Throw, empty_sheet, start
from dicecup.executors import spread
from dicecup.rules.model import Ruleset
from dicecup.solver.solution import OnShare, no_callback

TRIES = 20  # of each bot
MISSED = (0.3, 0.97)  # share of tries that miss it: not obvious, but not too hard for everyone
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


GOOD: tuple[PlanningBot, ...] = (SteadyBot(), Casual(1, 0.0))  # a choice that one misses is not obvious
PLAYERS: tuple[PlanningBot, ...] = (*GOOD, Casual(2, 0.2), Casual(1, 0.2), CarelessBot(), Calm())


def decisions(rules: Ruleset, chance: Random) -> Iterator[State]:
    """Yield the states of a game in which somebody decides; players change from turn to turn."""
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
        line=str(Position(rules.reference, rules, state)),
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
    """Return the kind of a puzzle; only a limited number of each kind is selected."""
    state = puzzle.position.state
    filled = sum(points is not None for points in state.sheet.cells)
    return state.throws_left, 5 * filled // len(state.sheet.cells), "keep" in puzzle.moves[0]


def select_evenly(found: list[Puzzle], count: int) -> list[Puzzle]:
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


class PuzzlesOfGame(NamedTuple):
    """The puzzles found in one game, and how many of its positions were examined."""

    puzzles: list[Puzzle]
    positions: int


def puzzles_of_game(rules: Ruleset, seed: int, number: int, every: int) -> PuzzlesOfGame:
    """Examine every n-th decision of the game with this number."""
    values, chance = known_values(rules), Random(f"{seed} {number}")
    states = list(decisions(rules, chance))[::every]
    found = (puzzle_of(values, state, margin_of(values), chance) for state in states)
    return PuzzlesOfGame([puzzle for puzzle in found if puzzle], len(states))


def margin_of(values: Values) -> float:
    """Return the points that the second-best choice of a puzzle loses at least."""
    turn = turn_measure(values.turn(empty_sheet(values.rules)).value, values.rules.turns)
    return turn * (MARGIN if values.exact else LEARNED_MARGIN)


def make_puzzles(
    rules: Ruleset,
    *,
    seed: int = 1,
    count: int = 150,
    candidates: int = 300,
    every: int = 3,
    executor: Executor | None = None,
    on_progress: OnShare = no_callback,
) -> tuple[dict[str, Any], list[Puzzle]]:
    """Return so many puzzles, picked from these `candidates`, and the header of their file.

    The same seed gives the same puzzles, here or by the workers of an `executor`.
    """
    values = known_values(rules)
    pieces = ((rules, seed, number, every) for number in counted())
    games = spread(executor, puzzles_of_game, pieces, waiting=16) if executor else each_game(pieces)
    found: dict[str, Puzzle] = {}
    positions = 0
    with closing(games):
        for game in games:
            positions += game.positions
            found |= {puzzle.line: puzzle for puzzle in game.puzzles}
            on_progress(min(1.0, len(found) / candidates))
            if len(found) >= candidates:
                break
    taken = select_evenly(list(found.values())[:candidates], count)
    header = {"game": rules.id, "identity": rules.identity, "seed": seed, "positions": positions}
    header |= {"exact": values.exact, "margin": round(margin_of(values), 2)}
    return header, [replace(one, id=f"{rules.id}-{number}") for number, one in enumerate(taken, start=1)]


def each_game(pieces: Iterator[tuple[Ruleset, int, int, int]]) -> Generator[PuzzlesOfGame]:
    for piece in pieces:
        yield puzzles_of_game(*piece)
