"""One player's game, turn by turn and decision by decision; each can be opened and tried again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dicecup.coach.advice import with_strikes
from dicecup.engine.legality import moment_of
from dicecup.engine.play import score_sheet
from dicecup.engine.record import Record
from dicecup.engine.state import Keep, Score, State, final_score, rolls_made
from dicecup.i18n.language import Language
from dicecup.i18n.sentences import (
    MARKS,
    SIGNS,
    lesson_text,
    number_text,
    placement_text,
    signed_text,
)
from dicecup.web.pages.coach_view import DiceView, dice_view, said_text
from dicecup.web.pages.sheet_view import number
from dicecup.web.service.reviewing import Reviewed

if TYPE_CHECKING:
    from dicecup.coach.review import Decision, PlayerReview, RollLuck

SHOWN_CHOICES = 5
LEAST_LOSS = 0.005  # smaller losses are shown as none


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

    @property
    def worst_is_box(self) -> bool:
        """Whether the choice of the box was the mistake, and not a keep before it."""
        return bool(self.boxes) and self.worst is self.decisions[-1]


@dataclass(frozen=True, slots=True)
class LuckView:
    turn: int
    moves: int
    dice: DiceView
    kept: DiceView | None  # what the roll was to go with; None for the first roll of a turn
    gain: str


@dataclass(frozen=True, slots=True)
class LessonView:
    """A habit in a sentence; in one game with the decision that it cost most in."""

    text: str
    decision: DecisionView | None = None


@dataclass(frozen=True, slots=True)
class SeatView:
    number: int
    name: str
    turns: list[ReviewTurnView]
    costly: list[DecisionView]  # the costliest first
    luckiest: LuckView | None = None
    unluckiest: LuckView | None = None
    lessons: list[LessonView] = field(default_factory=list)


def figure(value: float, language: Language, decimals: int = 1, *, sign: bool = False) -> str:
    """Format a number with a typographic minus, and no minus before 0."""
    rounded = round(value, decimals) + 0.0
    text = signed_text(rounded, language, decimals) if sign else number_text(rounded, language, decimals)
    return text.replace("-", "−")


def seat_view(record: Record, name: str, seat: int, language: Language, found: Reviewed | None) -> SeatView:
    player = found.review.players[seat] if found else None
    known = {decision.moves: decision for decision in player.decisions} if player else {}
    turns = turns_of(record, seat, language, known)
    decisions = [decision for turn in turns for decision in turn.decisions]
    costly = [decision for decision in decisions if decision.mark]
    return SeatView(
        number=seat,
        name=name,
        turns=turns,
        costly=sorted(costly, key=lambda decision: -decision.lost),
        luckiest=luck_view(player.luckiest, language) if player and player.luckiest else None,
        unluckiest=luck_view(player.unluckiest, language) if player and player.unluckiest else None,
        lessons=lesson_views(record, player, decisions, language) if player else [],
    )


def luck_view(luck: RollLuck, language: Language) -> LuckView:
    kept = dice_view(luck.kept) if luck.kept else None
    return LuckView(luck.turn, luck.moves, dice_view(luck.dice), kept, figure(luck.gain, language, sign=True))


def lesson_views(
    record: Record, player: PlayerReview, decisions: list[DecisionView], language: Language
) -> list[LessonView]:
    """The lessons of one game, at most three."""
    known = {decision.moves: decision for decision in decisions}
    return [
        LessonView(
            lesson_text(record.rules, lesson.habit.kind, lesson.habit.box, lesson.loss, language),
            known.get(lesson.moves),
        )
        for lesson in player.lessons
    ]


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
    """What was written: `Sixes 24`, or `cross out Sixes`."""
    rules = record.rules
    _, written = score_sheet(rules, before.sheet, before.dice, move.placements, moment_of(rules, before))
    said = with_strikes(rules, before.sheet, before.dice, move)
    assert isinstance(said, Score)
    parts = [
        placement_text(rules, place, language) + ("" if place.strike else f" {number(scored.points)}")
        for place, scored in zip(said.placements, written, strict=True)
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
    throw, taken = rolls_made(rules, before), said_text(rules, before, move, language)
    if found is None:
        return DecisionView(turn, throw, moves, dice_view(before.dice), taken)
    shown = list(found.choices[:SHOWN_CHOICES])
    if found.taken not in shown:
        shown.append(found.taken)
    choices = [
        ReviewChoiceView(
            text=said_text(rules, before, choice.move, language),
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
        best=said_text(rules, before, found.best.move, language),
        loss=loss_text(found.loss, language),
        lost=found.loss,
        mark=found.mark,
        sign=SIGNS[found.mark],
        mark_name=language.gettext(MARKS[found.mark]) if found.mark else "",
        choices=choices,
        more=len(found.choices) + found.left_out - len(choices),
    )


def loss_text(loss: float, language: Language) -> str:
    return figure(-loss, language, 2) if loss >= LEAST_LOSS else ""
