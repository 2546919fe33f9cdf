"""A page as a tree of elements, and a spectator who applies events to it as the script does."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

VOID = {"input", "use", "path", "img", "br"}


@dataclass
class Element:
    tag: str
    attributes: dict[str, str | None] = field(default_factory=dict)
    children: list[Element | str] = field(default_factory=list)

    def find(self, name: str) -> Element | None:
        """Return the element with an id, this one or one within it."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            if element.attributes.get("id") == name:
                return element
            waiting += [child for child in reversed(element.children) if isinstance(child, Element)]
        return None

    def replace(self, name: str, new: Element) -> bool:
        """Put another element in the place of each with an id; return whether there is one."""
        replaced, waiting = False, [self]
        while waiting:
            element = waiting.pop()
            for place, child in enumerate(element.children):
                if isinstance(child, Element):
                    if child.attributes.get("id") == name:
                        element.children[place] = new
                        replaced = True
                    else:
                        waiting.append(child)
        return replaced

    def form_fields(self, name: str) -> list[Element]:
        found = [self] if self.attributes.get("name") == name else []
        for child in self.children:
            if isinstance(child, Element):
                found += child.form_fields(name)
        return found


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Element("")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs))
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Element(tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.open[-1].children.append(data.strip())


def tree(html: str) -> Element:
    """The one element of a piece of HTML, whose last tags may be missing."""
    reader = Reader()
    reader.feed(html)
    (element,) = (child for child in reader.open[0].children if isinstance(child, Element))
    return element


class Spectator:
    """The page of somebody who watches."""

    def __init__(self) -> None:
        self.match = Element("")
        self.wholes = self.changes = 0

    def receive(self, event: bytes) -> None:
        lines = event.decode().removesuffix("\n\n").split("\n")
        fields: dict[str, Any] = {}
        for line in lines:
            name, _, value = line.partition(": ")
            fields.setdefault(name, []).append(value)
        text, (stamp,) = "\n".join(fields["data"]), fields["id"]
        if fields["event"] == ["match"]:
            self.wholes += 1
            self.match = tree(text)
        else:
            assert fields["event"] == ["change"]
            self.changes += 1
            self.apply(json.loads(text))
        assert self.match.attributes["data-stamp"] == stamp

    def apply(self, change: dict[str, Any]) -> None:
        assert change["after"] == self.match.attributes["data-stamp"]
        for part in map(tree, change["parts"]):
            name = str(part.attributes["id"])
            if name == "match":
                assert self.match.find(name)
                self.match.attributes = part.attributes
            else:
                assert self.match.replace(name, part), name
