"""Two bots without a plan: one takes any move, the other the most points it can see."""

from __future__ import annotations

from random import Random

from dicecup.dice import Dice, layer_faces
from dicecup.engine.moves import Keep, Placement, Score
from dicecup.engine.offers import cell_names, offers, refusal
from dicecup.engine.play import legal_moves, place, scored_layers
from dicecup.engine.state import Sheet, State
from dicecup.rules.model import AnyDice, Ruleset
from dicecup.rules.scoring import Scored


class RandomBot:
    """Any legal move, each as likely as the others."""

    def decide(self, rules: Ruleset, state: State, chance: Random) -> Keep | Score:
        move = chance.choice(legal_moves(rules, state))
        assert isinstance(move, Keep | Score)
        return move


class GreedyBot:
    """Most points now: keeps the dice that count in the best box so far, at the end fills the best box."""

    def decide(self, rules: Ruleset, state: State, chance: Random) -> Keep | Score:  # noqa: ARG002
        if state.throws_left:
            kept = dice_of_best_box(rules, state)
            if len(kept) < len(state.dice):
                return Keep(kept)
        sheet = state.sheet
        placements = []
        for layer in scored_layers(rules):
            faces = layer_faces(state.dice, layer)
            placement = best_placement(rules, sheet, faces)
            sheet, _ = place(rules, sheet, faces, placement)
            placements.append(placement)
        return Score(tuple(placements))


def best_placement(rules: Ruleset, sheet: Sheet, faces: tuple[int, ...]) -> Placement:
    """The allowed box with the most points; among equals the first on the sheet."""
    given = offers(rules, sheet, faces)
    allowed = [
        (scored.points * rules.columns[cell // len(rules.boxes)].multiplier, -cell)
        for cell, scored in enumerate(given)
        if scored is not None and not refusal(rules, sheet, faces, given, cell, strike=False)
    ]
    box, column = cell_names(rules, -max(allowed)[1])
    return Placement(box, column)


def dice_of_best_box(rules: Ruleset, state: State) -> Dice:
    """The dice that count in the best open box of any layer; boxes that take any dice give no direction."""
    best = 0
    kept: Dice = ()
    boxes = len(rules.boxes)
    for layer in scored_layers(rules):
        given = offers(rules, state.sheet, layer_faces(state.dice, layer))
        for cell, scored in enumerate(given):
            if scored is None or isinstance(rules.boxes[cell % boxes].needs, AnyDice):
                continue
            if scored.points > best:
                best, kept = scored.points, dice_with(state.dice, layer, scored)
    return kept


def dice_with(dice: Dice, layer: int, scored: Scored) -> Dice:
    """The whole dice whose faces in this layer counted."""
    wanted = list(scored.counted)
    kept = []
    for die in dice:
        face = die if isinstance(die, int) else die[layer]
        if face in wanted:
            wanted.remove(face)
            kept.append(die)
    return tuple(kept)
