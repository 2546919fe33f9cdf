"""Scores dice from the English text of a box alone: what a reader of `rules` or of a pad would write."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations

Faces = tuple[int, ...]
COUNTED = 5  # of six dice five count, as the text of the game says
SHOWING = re.compile(r"the sum of the dice that show (?P<face>\d)")
GROUPS = re.compile(
    r"(?P<groups>.*?)(?:(?P<different>, of different numbers)| \((?P<count>\d) alike count too\))?"
)


def points_by_text(text: str, faces: Faces, counted: int = COUNTED) -> int:
    """Return the most points that the text gives for these dice; 0 where they do not meet its need."""
    text = text.split("; ", maxsplit=1)[0]  # what follows is about other boxes
    if found := SHOWING.fullmatch(text):
        face = int(found["face"])
        return min(faces.count(face), counted) * face
    need, colon, points = text.partition(": ")
    if not colon:
        return value(text, (), faces, counted)
    return max((value(points, these, faces, counted) for these in choices(need, faces)), default=0)


def choices(need: str, faces: Faces) -> Iterator[Faces]:
    """Yield every choice of dice that meets the need, as these dice."""
    if found := re.fullmatch(r"dice that add up to (\d+) or more", need):
        if sum(faces) >= int(found[1]):
            yield faces
    elif found := re.fullmatch(r"any (\d) in a row(?: \((.*) counts too\))?", need):
        length = int(found[1])
        if found[2]:
            yield from choices(found[2], faces)
        for chosen in set(combinations(sorted(faces), length)):
            if chosen == tuple(range(chosen[0], chosen[0] + length)):
                yield chosen
    elif re.fullmatch(r"\d(-\d)+", need):
        wanted = tuple(map(int, need.split("-")))
        if not Counter(wanted) - Counter(faces):
            yield wanted
    else:
        yield from group_choices(need, faces)


def group_choices(need: str, faces: Faces) -> Iterator[Faces]:
    found = GROUPS.fullmatch(need)
    assert found, need
    sizes = [size for part in found["groups"].split(" and ") for size in group_sizes(part)]
    for chosen in set(combinations(sorted(faces), sum(sizes))):
        shown = Counter(chosen)
        if found["count"] and len(shown) == 1:
            assert int(found["count"]) == sum(sizes)
            yield chosen
        if sorted(shown.values()) == sorted(sizes) and (
            len(sizes) == 1 or found["different"] or found["count"]
        ):
            yield chosen


def group_sizes(part: str) -> list[int]:
    if part == "a pair":
        return [2]
    if found := re.fullmatch(r"(\d) pairs", part):
        return [2] * int(found[1])
    found = re.fullmatch(r"(\d) alike", part)
    assert found, part
    return [int(found[1])]


def value(points: str, these: Faces, faces: Faces, counted: int) -> int:
    if found := re.fullmatch(r"(\d+) points?", points):
        return int(found[1])
    if found := re.fullmatch(r"(?:(\d+) )?(plus|minus) (.*)", points):
        rest = value(found[3], these, faces, counted)
        return int(found[1] or 0) + (rest if found[2] == "plus" else -rest)
    others = list((Counter(faces) - Counter(these)).elements())
    room = counted - len(these)
    match points:
        case "no points":
            return 0
        case "the sum of these dice":
            return sum(these)
        case "the sum of all dice":
            assert len(faces) == counted
            return sum(faces)
        case "the sum of the best 5 dice":
            return sum(sorted(faces)[-COUNTED:])
        case "the sum of the lowest 5 dice":
            return sum(sorted(faces)[:COUNTED])
        case "the sum of the best 5 dice with them":
            return sum(these) + sum(sorted(others)[-room:])
    raise AssertionError(points)
