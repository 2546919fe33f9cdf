"""What may be done with the dice now: every open box, what it gives, and whether the rules allow it."""

from __future__ import annotations

from dataclasses import dataclass

from dicecup.dice import layer_faces
from dicecup.engine.moves import Placement
from dicecup.engine.offers import cell_names, offers, refusal
from dicecup.engine.play import place, scored_layers
from dicecup.engine.state import Sheet, State
from dicecup.rules.model import Ruleset


@dataclass(frozen=True, slots=True)
class Choice:
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
    choices: tuple[Choice, ...]
    chosen: Placement | None = None
    points: int = 0


def layer_choices(rules: Ruleset, state: State, picked: tuple[Placement, ...] = ()) -> list[LayerChoices]:
    """Choices for each scored layer, in order; boxes picked for the first layers count as filled.

    A layer after the next one is shown on the sheet as it is: what it gives may still change.
    """
    if state.throw_due or state.finished or not state.dice:
        return []
    sheet = state.sheet
    found = []
    for number, layer in enumerate(scored_layers(rules)):
        faces = layer_faces(state.dice, layer)
        open_now = choices_on(rules, sheet, faces)
        if number < len(picked):
            sheet, scored = place(rules, sheet, faces, picked[number])
            found.append(LayerChoices(rules.scored[number], open_now, picked[number], scored.points))
        else:
            found.append(LayerChoices(rules.scored[number], open_now))
    return found


def choices_on(rules: Ruleset, sheet: Sheet, faces: tuple[int, ...]) -> tuple[Choice, ...]:
    given = offers(rules, sheet, faces)
    found = []
    for cell, scored in enumerate(given):
        if scored is None:
            continue
        box, column = cell_names(rules, cell)
        allowed = refusal(rules, sheet, faces, given, cell, strike=False) is None
        strike = bool(scored.points) and refusal(rules, sheet, faces, given, cell, strike=True) is None
        found.append(Choice(cell, box, column, scored.points, scored.counted, allowed, strike))
    return tuple(found)
