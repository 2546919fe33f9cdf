"""What an audience sees of a match, and what of it is different after a change.

A drawing has parts, which can be sent alone, and regions, which the next drawing takes over as they are while
nothing that they were made from has changed. Texts are large and matches are many: once a drawing is sent
only marks of its texts are kept, by which the next one is compared with it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

MARK = "\0"  # around the ids of parts; no template and no name of a player contains it
REGION = "region "  # before the name of a region, between two marks: an id contains no space


@dataclass(frozen=True, slots=True)
class PartGroup:
    """Parts that are made from one source, each by the same template."""

    template: str
    source: str  # its name
    values: tuple[tuple[str, Any], ...]


@dataclass(slots=True)
class Region:
    """A piece of a drawing, which can hold parts and groups of them."""

    made_from: object
    mark: int  # of its text
    text: str  # empty once it has been sent
    parts: tuple[str, ...]
    groups: tuple[PartGroup, ...]


@dataclass(slots=True)
class Seen:
    """What an audience saw last, by marks of the texts."""

    text: int
    parts: dict[str, int]
    regions: dict[str, Region]
    sources: dict[str, Any]  # of parts, by name


@dataclass(slots=True)
class Drawing:
    """A text in which each part is represented by its id between two marks, and each region by its name."""

    text: str
    parts: dict[str, str] = field(default_factory=dict)  # those that were made
    as_before: dict[str, int] = field(default_factory=dict)  # the marks of those that were not
    regions: dict[str, Region] = field(default_factory=dict)
    sources: dict[str, Any] = field(default_factory=dict)

    def whole(self) -> str:
        """Everything in its place. The drawing was made without one before it: nothing was taken over."""
        regions = {REGION + name: region.text for name, region in self.regions.items()}
        return filled(filled(self.text, regions), self.parts)

    def seen(self) -> Seen:
        """What is kept of this drawing."""
        parts = self.as_before | {part: hash(text) for part, text in self.parts.items()}
        for region in self.regions.values():
            region.text = ""
        return Seen(hash(self.text), parts, self.regions, self.sources)

    def changes_since(self, before: Seen) -> list[str] | None:
        """Return the parts that are different now; None if that is not the only difference."""
        regions = {name: region.mark for name, region in self.regions.items()}
        if not self.parts or hash(self.text) != before.text:
            return None
        if regions != {name: region.mark for name, region in before.regions.items()}:
            return None
        if self.parts.keys() | self.as_before.keys() != before.parts.keys():
            return None
        return [text for part, text in self.parts.items() if hash(text) != before.parts[part]]


@dataclass(slots=True)
class Frame:
    """One state of a match as one audience sees it, and the events that lead to it, until they are sent."""

    stamp: str
    seen: Seen
    before: str = ""  # the stamp of the frame before
    change: bytes = b""  # the event for those who saw that one
    whole: bytes = b""  # … and for all others


def filled(text: str, pieces: dict[str, str]) -> str:
    """Put pieces where their names stand between marks; what has another name stays as it is."""
    found = text.split(MARK)
    found[1::2] = [pieces.get(name, f"{MARK}{name}{MARK}") for name in found[1::2]]
    return "".join(found)
