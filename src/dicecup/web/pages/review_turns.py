"""One player's game, turn by turn and decision by decision; each can be opened and tried again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dicecup.dice import Dice, format_dice
from dicecup.engine.play import score_sheet
from dicecup.engine.record import Record
from dicecup.engine.state import Keep, Score, State, final_score
from dicecup.i18n.language import Language
from dicecup.i18n.sentences import MARKS, SIGNS, cell_text, move_text, number_text, signed_text
from dicecup.web.pages.match_view import faces_of
from dicecup.web.pages.sheet_view import number
from dicecup.web.service.reviewing import Reviewed

if TYPE_CHECKING:
    from dicecup.coach.review import Decision, RollLuck

SHOWN_CHOICES = 5
LEAST_LOSS = 0.005  # smaller losses are shown as none


@dataclass(frozen=True, slots=True)
class DiceView:
    text: str
    faces: list[tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class ReviewChoiceView:
    text: str
    expected: str
    loss: str
    taken: bool


@dataclass(frozen=True, slots=True)
class DecisionView:
    """What was chosen; with a coach, what would have been best and what the choice lost."""

    turn: int
    throw: int
    moves: int
    dice: DiceView
    taken: str
    best: str = ""
    loss: str = ""  # empty where nothing was lost
    lost: float = 0.0
    mark: str = ""
    sign: str = ""
    mark_name: str = ""
    choices: list[ReviewChoiceView] = field(default_factory=list)
    more: int = 0


@dataclass(frozen=True, slots=True)
class ReviewTurnView:
    number: int
    dice: DiceView  # as they lay at the end
    boxes: str  # empty during the turn
    total: int
    decisions: list[DecisionView]

    @property
    def worst(self) -> DecisionView:
        return max(self.decisions, key=lambda decision: decision.lost)


@dataclass(frozen=True, slots=True)
class LuckView:
    turn: int
    moves: int
    dice: DiceView
    gain: str


@dataclass(frozen=True, slots=True)
class SeatView:
    number: int
    name: str
    turns: list[ReviewTurnView]
    costly: list[DecisionView]  # the costliest first
    luckiest: LuckView | None = None
    unluckiest: LuckView | None = None


def figure(value: float, language: Language, decimals: int = 1, *, sign: bool = False) -> str:
    """Format a number with a typographic minus, and no minus before 0."""
    rounded = round(value, decimals) + 0.0
    text = signed_text(rounded, language, decimals) if sign else number_text(rounded, language, decimals)
    return text.replace("-", "−")


def dice_view(dice: Dice) -> DiceView:
    return DiceView(format_dice(dice), [faces_of(die) for die in dice])


def seat_view(record: Record, name: str, seat: int, language: Language, found: Reviewed | None) -> SeatView:
    player = found.review.players[seat] if found else None
    known = {decision.moves: decision for decision in player.decisions} if player else {}
    turns = turns_of(record, seat, language, known)
    costly = [decision for turn in turns for decision in turn.decisions if decision.mark]
    return SeatView(
        number=seat,
        name=name,
        turns=turns,
        costly=sorted(costly, key=lambda decision: -decision.lost),
        luckiest=luck_view(player.luckiest, language) if player and player.luckiest else None,
        unluckiest=luck_view(player.unluckiest, language) if player and player.unluckiest else None,
    )


def luck_view(luck: RollLuck, language: Language) -> LuckView:
    return LuckView(luck.turn, luck.moves, dice_view(luck.dice), figure(luck.gain, language, sign=True))


def turns_of(
    record: Record, seat: int, language: Language, known: dict[int, Decision]
) -> list[ReviewTurnView]:
    """Every turn with a decision, including the one in progress."""
    turns: list[ReviewTurnView] = []
    decisions: list[DecisionView] = []
    last: State | None = None
    steps = zip(record.moves, record.states, record.states[1:], strict=False)
    for place, (move, before, after) in enumerate(steps):
        if before.player != seat or not isinstance(move, Keep | Score):
            continue
        last = before
        number_of_turn = len(turns) + 1
        decisions.append(
            decision_view(record, number_of_turn, place, before, move, known.get(place), language)
        )
        if isinstance(move, Score):
            total = final_score(record.rules, after.sheets[seat])
            boxes = boxes_text(record, before, move, language)
            turns.append(ReviewTurnView(number_of_turn, dice_view(before.dice), boxes, total, decisions))
            decisions = []
    if decisions and last:
        total = final_score(record.rules, last.sheets[seat])
        turns.append(ReviewTurnView(len(turns) + 1, dice_view(last.dice), "", total, decisions))
    return turns


def boxes_text(record: Record, before: State, move: Score, language: Language) -> str:
    _, written = score_sheet(record.rules, before.sheet, before.dice, move.placements)
    parts = [
        f"{cell_text(record.rules, place.box, place.column, language)} {number(scored.points)}"
        for place, scored in zip(move.placements, written, strict=True)
    ]
    return language.join(parts)


def decision_view(
    record: Record,
    turn: int,
    moves: int,
    before: State,
    move: Keep | Score,
    found: Decision | None,
    language: Language,
) -> DecisionView:
    rules = record.rules
    throw, taken = rules.throws - before.throws_left, move_text(rules, move, language)
    if found is None:
        return DecisionView(turn, throw, moves, dice_view(before.dice), taken)
    shown = list(found.choices[:SHOWN_CHOICES])
    if found.taken not in shown:
        shown.append(found.taken)
    choices = [
        ReviewChoiceView(
            text=move_text(rules, choice.move, language),
            expected=figure(choice.expected, language),
            loss=loss_text(choice.loss, language),
            taken=choice is found.taken,
        )
        for choice in shown
    ]
    return DecisionView(
        turn=turn,
        throw=throw,
        moves=moves,
        dice=dice_view(before.dice),
        taken=taken,
        best=move_text(rules, found.best.move, language),
        loss=loss_text(found.loss, language),
        lost=found.loss,
        mark=found.mark,
        sign=SIGNS[found.mark],
        mark_name=language.gettext(MARKS[found.mark]) if found.mark else "",
        choices=choices,
        more=len(found.choices) - len(choices),
    )


def loss_text(loss: float, language: Language) -> str:
    return figure(-loss, language, 2) if loss >= LEAST_LOSS else ""
