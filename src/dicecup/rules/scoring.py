"""The scoring vocabulary: points of dice in a box, independent of the sheet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, permutations
from operator import index

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
    return box_scores(box.needs, box.points, counted)[tuple(sorted(faces))]


class BoxScores(dict[Faces, Scored]):
    """The scores of one box by sorted faces, each computed when it is first asked for."""

    def __init__(self, needs: Needs, points: Points, counted: int) -> None:
        super().__init__()
        self.needs = needs
        self.points = points
        self.counted = counted

    def __missing__(self, faces: Faces) -> Scored:
        plain = tuple(map(index, faces))  # faces of NumPy equal plain ones, and the scores are kept
        found = self[faces] = best_score(self.needs, self.points, plain, self.counted)
        return found


@lru_cache(maxsize=256)  # the boxes of several games: their variants have most boxes in common
def box_scores(needs: Needs, points: Points, counted: int) -> BoxScores:
    return BoxScores(needs, points, counted)


def best_score(needs: Needs, points: Points, faces: Faces, counted: int) -> Scored:
    best: Scored | None = None
    for chosen in [faces] if counted == len(faces) else sorted(set(combinations(faces, counted))):
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


class ScoreTable(dict[Faces, tuple[Scored, ...]]):
    """The scores of sorted faces of one layer, one entry per box: a lookup instead of 40 µs."""

    def __init__(self, rules: Ruleset) -> None:
        super().__init__()
        self.boxes = [box_scores(box.needs, box.points, rules.dice.counted) for box in rules.boxes]

    def __missing__(self, faces: Faces) -> tuple[Scored, ...]:
        scores = self[faces] = tuple([box[faces] for box in self.boxes])
        return scores


@lru_cache(maxsize=64)
def score_table(rules: Ruleset) -> ScoreTable:
    return ScoreTable(rules)
