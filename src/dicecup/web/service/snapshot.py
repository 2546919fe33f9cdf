"""A match as data for one viewer: ids and numbers, no texts or secrets; and what of it changes.

A drawing has parts, which can be sent alone, and regions, which the next drawing takes over as they are while
nothing that they were made from has changed. Texts are large and matches are many: once a drawing is sent
only marks of its texts are kept, by which the next one is compared with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from dicecup.dice import layer_faces
from dicecup.engine.legality import Moment, cell_names, cell_of, moment_of, offers, refusal
from dicecup.engine.pad import possible_values, usual_points, written
from dicecup.engine.play import legal_announcements, place, scored_layers
from dicecup.engine.serialize import dice_to_data, move_to_data
from dicecup.engine.sheet_data import sheet_to_data
from dicecup.engine.state import (
    Announce,
    Placement,
    Sheet,
    State,
    Write,
    column_lines,
    dice_to_throw,
    final_score,
    overall_lines,
    rolls_made,
    standings,
)
from dicecup.match import Match
from dicecup.rules.model import Ruleset
from dicecup.web.service.live_match import LiveMatch
from dicecup.web.service.playing_apart import progress_of
from dicecup.web.service.undoing import undo_options

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
    """Put pieces where their names stand between marks; names without a piece stay as they are."""
    found = text.split(MARK)
    found[1::2] = [pieces.get(name, f"{MARK}{name}{MARK}") for name in found[1::2]]
    return "".join(found)


NOTHING_PICKED: Mapping[str, Placement] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class BoxChoice:
    """An open cell and what the dice of a layer give in it."""

    cell: int
    box: str
    column: str
    points: int
    counted: tuple[int, ...]
    allowed: bool
    strike: bool  # whether 0 may be written instead of the points


@dataclass(frozen=True, slots=True)
class LayerChoices:
    """The choices for one layer; `chosen` is the box that was picked for it already."""

    layer: str
    choices: tuple[BoxChoice, ...]
    chosen: Placement | None = None
    points: int = 0


def layer_choices(
    rules: Ruleset, state: State, picked: Mapping[str, Placement] = NOTHING_PICKED
) -> list[LayerChoices]:
    """Choices for each scored layer, in order; a box that was picked for one layer is closed to the others.

    Boxes picked for the first layers count as filled. Without them, a later layer is shown on the sheet as it
    is: what it gives may still change.
    """
    if state.throw_due or state.finished or not state.dice:
        return []
    sheet, moment = state.sheet, moment_of(rules, state)
    found = []
    for name, layer in zip(rules.scored, scored_layers(rules), strict=True):
        faces = layer_faces(state.dice, layer)
        taken = {cell_of(rules, other.box, other.column) for key, other in picked.items() if key != name}
        open_now = tuple(
            choice for choice in choices_on(rules, sheet, faces, moment) if choice.cell not in taken
        )
        chosen, points = picked.get(name), 0
        if chosen is not None:
            sheet, scored = place(rules, sheet, faces, chosen, moment)
            points = scored.points
        found.append(LayerChoices(name, open_now, chosen, points))
    return found


def announcements(rules: Ruleset, state: State) -> tuple[Announce, ...]:
    """The boxes that can be announced now."""
    if not rules.extensions or state.throw_due or state.finished or not state.dice:
        return ()
    return legal_announcements(rules, state)


def choices_on(
    rules: Ruleset, sheet: Sheet, faces: tuple[int, ...], moment: Moment | None = None
) -> tuple[BoxChoice, ...]:
    given = offers(rules, sheet, faces, moment)
    found = []
    for cell, scored in enumerate(given):
        if scored is None:
            continue
        box, column = cell_names(rules, cell)
        allowed, struck = (
            refusal(rules, sheet, faces, given, cell, strike, moment) is None for strike in (False, True)
        )
        strike = bool(scored.points) and struck
        found.append(BoxChoice(cell, box, column, scored.points, scored.counted, allowed, strike))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class BoxValues:
    """What can be written in a box of a score pad, and what it holds now."""

    values: tuple[int, ...]  # lowest first
    likely: tuple[int, ...]  # the likeliest of many, lowest first
    was: int | None


MANY_VALUES = 8
LIKELY_VALUES = 5


def box_values(rules: Ruleset, sheet: Sheet, box: str, column: str = "") -> BoxValues:
    """The values that are possible in a box; of many, those that a turn played for it is likely to give."""
    values, was = possible_values(rules, sheet, box, column), written(rules, sheet, box, column)
    if len(values) <= MANY_VALUES or box not in rules.box_index:
        return BoxValues(values, (), was)
    usual = usual_points(rules, rules.box_index[box])
    likely = sorted((points for points in values if points), key=lambda points: -usual.get(points, 0.0))
    return BoxValues(values, tuple(sorted(likely[:LIKELY_VALUES])), was)


Data = dict[str, Any]
DICE = {"typed": "table", "points": "points"}


def status(live: LiveMatch) -> str:
    if live.match is None:
        return "waiting"
    return "finished" if live.match.state.finished else "playing"


def state_data(live: LiveMatch, seats: frozenset[int]) -> Data:
    opening, match = live.stored.opening, live.match
    undo = undo_options(live, seats)
    return {
        "id": live.id,
        "version": live.version,
        "status": status(live),
        "game": opening.ruleset,
        "options": dict(opening.options),
        "identity": match.rules.identity if match else None,
        "dice": DICE.get(opening.dice, "screen"),
        "commitment": opening.commitment,
        "secret": match.record.secret if match else None,
        "coach": opening.coach,
        "seats": [seat_data(live, number, seats) for number in range(len(live.stored.seats))],
        "turn": turn_data(match, seats) if match and not match.state.finished else None,
        "last": last_data(match) if match else None,
        "standings": standings_data(match) if match else [],
        "undo": {
            "alone": undo.alone,
            "together": undo.together,
            "proposed": undo.proposed,
            "agreed": sorted(undo.agreed),
        },
        "next": live.stored.next,
        "evening": live.stored.evening if seats else None,  # its link is for those who play
        "same": same_data(live, seats) if opening.same or opening.part_of else None,
    }


def same_data(live: LiveMatch, seats: frozenset[int]) -> Data:
    """How far everybody is in a match with the same dice for all; nothing of what they did."""
    whole = live.whole or live
    apart = whole.apart and whole is live
    mine = [live.stored.parts[seat] for seat in sorted(seats) if seat in live.stored.parts]
    return {
        "opens": whole.stored.opening.same or None,
        "part": mine[0] if mine else None,
        "part_of": live.stored.opening.part_of,
        "turns_open": live.turns_open if apart else 0,
        "players": [{"seat": one.seat, "turns": one.turns, "done": one.done} for one in progress_of(live)]
        if apart
        else [],
    }


def seat_data(live: LiveMatch, number: int, seats: frozenset[int]) -> Data:
    seat, match = live.stored.seats[number], live.match
    data: Data = {
        "number": number,
        "kind": seat.kind,
        "name": seat.name,
        "yours": number in seats,
        "here": number in live.company.here,
        "points": 0,
        "sheet": {},
        "lines": [],
        "overall": {},
    }
    if match:
        sheet = match.state.sheets[number]
        data["points"] = final_score(match.rules, sheet)
        data["sheet"] = sheet_to_data(match.rules, sheet)
        data["lines"] = [
            dict(column_lines(match.rules, sheet, column)) for column in range(len(match.rules.columns))
        ]
        data["overall"] = dict(overall_lines(match.rules, sheet))
    return data


def turn_data(match: Match, seats: frozenset[int]) -> Data:
    rules, state = match.rules, match.state
    filled = sum(points is not None for points in state.sheet.cells)
    throw_due = state.throw_due and match.record.header.origin.kind != "points"
    return {
        "seat": state.player,
        "yours": state.player in seats,
        "number": filled // len(rules.scored) + 1,
        "of": rules.turns,
        "dice": dice_to_data(state.dice),
        "kept": dice_to_data(state.kept or ()),
        "throw_due": throw_due,
        "dice_to_throw": dice_to_throw(rules, state) if throw_due else 0,
        "throws_made": rolls_made(rules, state),
        "throws_left": state.throws_left,
        "choices": {layer.layer: choices_data(layer) for layer in layer_choices(rules, state)},
        "announced": cell_data(rules, state.announced) if state.announced is not None else None,
        "announceable": [{"box": one.box, "column": one.column} for one in announcements(rules, state)],
        "throws_saved": state.sheet.saved,
    }


def cell_data(rules: Ruleset, cell: int) -> Data:
    box, column = cell_names(rules, cell)
    return {"box": box, "column": column}


def choices_data(layer: LayerChoices) -> list[Data]:
    return [
        {
            "box": choice.box,
            "column": choice.column,
            "points": choice.points,
            "counted": list(choice.counted),
            "allowed": choice.allowed,
            "strike": choice.strike,
        }
        for choice in layer.choices
    ]


def last_data(match: Match) -> Data | None:
    """The last current move, and whose it was."""
    for before, move, _ in match.record.backwards():
        seat = move.seat if isinstance(move, Write) else before.player
        return {"seat": seat, "move": move_to_data(match.rules, move)}
    return None


def standings_data(match: Match) -> list[Data]:
    return [
        {"place": place, "seat": seat, "points": points}
        for place, seat, points in standings(match.rules, match.state)
    ]
