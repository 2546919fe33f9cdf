"""Links between the boxes of a column: which there are, and whether points agree with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from dicecup.rules.model import Ruleset


@lru_cache(maxsize=64)
def box_links(rules: Ruleset) -> tuple[tuple[int, str, int], ...]:
    """Return the dependencies between boxes of a column: (box, kind, other box)."""
    links: list[tuple[int, str, int]] = []
    for index, box in enumerate(rules.boxes):
        links += [(index, "after", rules.box_index[other]) for other in box.after]
        for held in (rules.box_index[other] for other in box.once):
            links += [(index, "once", held), (held, "held", index)]
        if box.above:
            other = rules.box_index[box.above]
            links += [(index, "above", other), (other, "below", index)]
    return tuple(links)


def link_holds(kind: str, points: int, written: int | None) -> bool:
    """Return whether points in a box agree with what is written in the other box of a link.

    `held` is the inverse of `once`: a box whose points another box requires must not become 0.
    """
    if kind == "after":
        return written is not None
    if kind == "once":
        return bool(written)
    if kind == "held":
        return bool(points) or not written
    if not written:  # open, or crossed out: a 0 sets no limit
        return True
    return points > written if kind == "above" else points < written


def links_hold(
    rules: Ruleset, box: int, points: int, written: Sequence[int | None] | Mapping[int, int | None]
) -> bool:
    """Return whether points in a box agree with what is `written` in the boxes of its column.

    A 0 may always be a strike, unless another box has scored by points in this one.
    """
    return all(
        link_holds(kind, points, written[other])
        for index, kind, other in box_links(rules)
        if index == box and (points or kind == "held")
    )
