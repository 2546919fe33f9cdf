"""The scoring vocabulary: points of dice in a box, independent of the sheet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, permutations

from dicecup.dice import Faces
from dicecup.rules.model import Alike, AnyDice, Box, Needs, OfFace, Points, Ruleset, Run, TheseFaces


@dataclass(frozen=True, slots=True)
class Scored:
    """The points, and the dice that counted for them."""

    points: int
    counted: Faces


NOTHING = Scored(0, ())


def score_box(box: Box, faces: Faces, counted: int) -> Scored:
    """Return the maximum points for `counted` of these dice in the box, and those dice."""
    return best_score(box.needs, box.points, tuple(sorted(faces)), counted)


@lru_cache(maxsize=1 << 14)  # all throws of a game: its variants have most boxes in common
def best_score(needs: Needs, points: Points, faces: Faces, counted: int) -> Scored:
    best: Scored | None = None
    for chosen in sorted(set(combinations(faces, counted))):
        for matching in matches(needs, chosen):
            found = points.base + points.all * sum(chosen) + points.matching * sum(matching)
            if best is None or found > best.points:
                best = Scored(found, chosen if points.all else matching)
    return best or NOTHING


def matches(needs: Needs, chosen: Faces) -> Iterator[Faces]:
    """Yield every way to meet the need with the chosen dice, as the dice that meet it."""
    match needs:
        case AnyDice(at_least):
            if sum(chosen) >= at_least:
                yield chosen
        case OfFace(face):
            if face in chosen:
                yield (face,) * chosen.count(face)
        case Alike(groups, different):
            counts = {face: chosen.count(face) for face in dict.fromkeys(chosen)}
            yield from alike_matches(groups, different, counts)
        case Run(length, around):
            for first in dict.fromkeys(chosen):
                row = tuple(range(first, first + length))
                if row[-1] == around + 1:
                    row = (1, *row[:-1])
                if all(face in chosen for face in row):
                    yield row
        case _:
            if all(chosen.count(face) >= needs.faces.count(face) for face in needs.faces):
                yield needs.faces


def alike_matches(groups: Faces, different: bool, counts: dict[int, int]) -> Iterator[Faces]:
    if different:
        large_enough = [face for face in counts if counts[face] >= min(groups)]
        for faces in permutations(large_enough, len(groups)):
            if all(counts[face] >= size for face, size in zip(faces, groups, strict=True)):
                yield group_dice(groups, faces)
        return
    if not groups:
        yield ()
        return
    for face, count in counts.items():
        if count >= groups[0]:
            left = counts | {face: count - groups[0]}
            for rest in alike_matches(groups[1:], False, left):
                yield tuple(sorted((face,) * groups[0] + rest))


def group_dice(groups: Faces, faces: Faces) -> Faces:
    return tuple(sorted(face for face, size in zip(faces, groups, strict=True) for _ in range(size)))


def dice_needed(needs: Needs, counted: int) -> int:
    """Return how many dice a need takes when a joker meets it."""
    match needs:
        case Alike(groups, _):
            return sum(groups)
        case Run(length):
            return length
        case TheseFaces(faces):
            return len(faces)
        case _:
            return counted


class ScoreTable:
    """A cache of the points of all boxes by dice: a lookup instead of 40 µs."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self.known: dict[Faces, tuple[Scored, ...]] = {}

    def __getitem__(self, faces: Faces) -> tuple[Scored, ...]:
        """Return the scores for the sorted faces of one layer, one entry per box."""
        scores = self.known.get(faces)
        if scores is None:
            counted = self.rules.dice.counted
            scores = tuple(score_box(box, faces, counted) for box in self.rules.boxes)
            self.known[faces] = scores
        return scores


@lru_cache(maxsize=64)
def score_table(rules: Ruleset) -> ScoreTable:
    return ScoreTable(rules)
