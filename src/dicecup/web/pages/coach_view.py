"""View models of dice, of the coach's hints and of its reports, in the viewer's language."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dicecup.dice import Dice, die_faces, format_dice, layer_faces
from dicecup.engine.legality import crossed_out
from dicecup.engine.play import scored_layers, with_strikes
from dicecup.engine.serialize import move_to_data
from dicecup.engine.state import Keep, Score, State
from dicecup.i18n.language import Language
from dicecup.i18n.sentences import (
    do_text,
    instead_text,
    move_text,
    number_text,
    percent_text,
    reason_text,
    reasons_text,
    remarks_text,
    said_text,
    signed_text,
)
from dicecup.match import Match
from dicecup.rules.model import Ruleset
from dicecup.rules.scoring import score_box
from dicecup.web.service.advising import MOST_CHOICES
from dicecup.web.texts import player_name

if TYPE_CHECKING:
    from dicecup.coach.advice import Hint
    from dicecup.coach.reasons import Reason
    from dicecup.coach.review import PlayerReview
    from dicecup.web.service.worker_main import GameReport

MOST_SHOWN = 60  # of up to 600 choices with double dice
LEAST_LOSS = 0.05  # smaller losses are shown as none


@dataclass(frozen=True, slots=True)
class DiceView:
    text: str
    faces: list[tuple[int, ...]]


def dice_view(dice: Dice) -> DiceView:
    return DiceView(format_dice(dice), [die_faces(die) for die in dice])


@dataclass(frozen=True, slots=True)
class AdviceView:
    """The best choice as a sentence: what to do; why, and what the next best costs."""

    do: str
    kept: DiceView | None  # to be drawn instead of the text
    why: str
    move: str  # as JSON, for the button that does it


@dataclass(frozen=True, slots=True)
class ChoiceView:
    text: str
    expected: str
    loss: str  # empty for the best
    reason: str = ""


@dataclass(frozen=True, slots=True)
class HintView:
    expected: str
    exact: bool
    best: list[ChoiceView]
    others: list[ChoiceView]
    advice: AdviceView | None = None  # while a decision is due


@dataclass(frozen=True, slots=True)
class PlayerSoFar:
    name: str
    luck: str
    skill: str
    chance: str
    last: str  # the last decision
    loss: str  # empty if nothing was better
    better: str  # what was better


@dataclass(frozen=True, slots=True)
class SoFarView:
    players: list[PlayerSoFar]
    exact: bool
    standard_error: str


def hint_view(
    match: Match, advice: Hint, language: Language, reasons: list[Reason] | None = None
) -> HintView:
    rules = match.rules
    shown = advice.choices[:MOST_SHOWN]
    texts = [
        reason_text(rules, choice.move, reason, language)
        for choice, reason in zip(shown, reasons or (), strict=False)
    ]
    texts += [""] * (len(shown) - len(texts))
    views = [
        ChoiceView(
            text=said_text(rules, match.state, choice.move, language),
            expected=number_text(choice.expected, language, 1),
            loss=loss_text(choice.loss, language),
            reason=reason,
        )
        for choice, reason in zip(shown, texts, strict=True)
    ]
    expected = number_text(advice.expected, language, 1)
    said = advice_view(rules, match.state, advice, language, reasons) if advice.choices else None
    return HintView(expected, advice.exact, views[:MOST_CHOICES], views[MOST_CHOICES:], said)


def crossed_text(rules: Ruleset, move: Keep | Score, dice: Dice, points: int, language: Language) -> str:
    """A move as people say it, where the points of its turn are known but not the sheet: boxes that got
    nothing are crossed out, unless they never hold points.

    Where a turn fills several boxes, their points are those of the dice: no sheet changes them.
    """
    if isinstance(move, Score):
        placed = []
        for one, layer in zip(move.placements, scored_layers(rules), strict=True):
            box = rules.boxes[rules.box_index[one.box]]
            given = score_box(box, layer_faces(dice, layer), rules.dice.counted).points
            written = given if rules.has_layers else points
            placed.append(replace(one, strike=one.strike or crossed_out(box, written)))
        move = Score(tuple(placed))
    return move_text(rules, move, language)


def advice_view(
    rules: Ruleset, state: State, advice: Hint, language: Language, reasons: list[Reason] | None
) -> AdviceView:
    from dicecup.coach.reasons import remarks

    best, next_best = advice.choices[0], advice.choices[1] if len(advice.choices) > 1 else None
    why = remarks(rules, state, best.move, reasons[0]) if reasons else ()
    instead = ""
    if next_best:
        other = with_strikes(rules, state.sheet, state.dice, next_best.move)
        instead = instead_text(rules, best.move, other, next_best.loss, language)
    return best_view(rules, state, best.move, remarks_text(rules, why, language), instead, language)


def best_view(
    rules: Ruleset, state: State, move: Keep | Score, why: str, instead: str, language: Language
) -> AdviceView:
    return AdviceView(
        do=do_text(rules, with_strikes(rules, state.sheet, state.dice, move), language),
        kept=dice_view(move.dice) if isinstance(move, Keep) and move.dice else None,
        why=reasons_text(why, instead, language),
        move=json.dumps(move_to_data(rules, move)),
    )


def so_far_view(rules: Ruleset, found: GameReport, language: Language) -> SoFarView:
    over = all(player.finished for player in found.review.players)
    wins = None if over else found.wins
    chances = wins.chances if wins else [None] * len(found.review.players)
    error = percent_text(wins.standard_error, language, 1) if wins else ""
    players = [
        player_so_far(rules, player, chance, language)
        for player, chance in zip(found.review.players, chances, strict=True)
    ]
    return SoFarView(players, found.review.exact, error)


def player_so_far(
    rules: Ruleset, found: PlayerReview, chance: float | None, language: Language
) -> PlayerSoFar:
    last = found.decisions[-1] if found.decisions else None
    loss = loss_text(last.loss, language) if last else ""
    return PlayerSoFar(
        name=player_name(found.name, language),
        luck=signed(found.luck, language) if found.rolls_known else "–",
        skill=signed(found.skill, language) if found.rolls_known else "–",
        chance="" if chance is None else percent_text(chance, language),
        last=crossed_text(rules, last.taken.move, last.dice, last.taken.points, language) if last else "",
        loss=loss,
        better=crossed_text(rules, last.best.move, last.dice, last.best.points, language)
        if last and loss
        else "",
    )


def loss_text(loss: float, language: Language) -> str:
    return f"−{number_text(loss, language, 1)}" if loss >= LEAST_LOSS else ""


def signed(value: float, language: Language) -> str:
    """Format with a sign and a typographic minus; what is shown as 0 has no sign."""
    text = number_text(abs(value), language, 1)
    if abs(value) < LEAST_LOSS:
        return text
    return ("+" if value > 0 else "−") + text


def figure(value: float, language: Language, decimals: int = 1, *, sign: bool = False) -> str:
    """Format a number with a typographic minus, and no minus before 0."""
    rounded = round(value, decimals) + 0.0
    text = signed_text(rounded, language, decimals) if sign else number_text(rounded, language, decimals)
    return text.replace("-", "−")
