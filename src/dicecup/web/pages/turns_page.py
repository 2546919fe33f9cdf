"""A game turn by turn: one player's decisions, to be tried again; games with the same dice side by side."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from starlette.responses import Response

from dicecup.engine.legality import moment_of
from dicecup.engine.play import score_sheet, with_strikes
from dicecup.engine.record import Record
from dicecup.engine.state import Keep, Score, State, final_score, rolls_made
from dicecup.i18n.language import Language, game_name
from dicecup.i18n.sentences import (
    MARKS,
    SIGNS,
    lesson_text,
    placement_text,
    said_text,
)
from dicecup.web.pages.coach_view import DiceView, crossed_text, dice_view, figure
from dicecup.web.pages.match_page import Asked, seat_in
from dicecup.web.pages.render import go_to, page
from dicecup.web.pages.setup_page import default_name
from dicecup.web.pages.sheet_view import number
from dicecup.web.service import playing_apart
from dicecup.web.service.live_match import LiveMatch
from dicecup.web.service.reviewing import Reviewed, Rounds, rounds_of
from dicecup.web.texts import player_name
from dicecup.web.viewer import Form, MatchesNow, ReviewsNow, ViewerNow

if TYPE_CHECKING:
    from dicecup.coach.review import Decision, PlayerReview, RollLuck


SHOWN_CHOICES = 5
LEAST_LOSS = 0.005  # smaller losses are shown as none
SMALLEST_COST = 0.05  # … where turns stand side by side


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
    kept: DiceView | None  # the dice kept before the roll; None for the first roll of a turn
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


def seat_view(record: Record, name: str, seat: int, language: Language, found: Reviewed | None) -> SeatView:
    player = found.review.players[seat] if found else None
    known = {decision.moves: decision for decision in player.decisions} if player else {}
    turns = turn_views(record, seat, language, known)
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


def turn_views(
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


router = APIRouter(prefix="/t/{match}", include_in_schema=False)


@dataclass(frozen=True, slots=True)
class WayView:
    """One player's turn from the decision where the players diverged."""

    name: str
    bot: bool
    choice: str  # where they parted
    keeps: bool  # whether that was a keep, so that the box must be shown too
    box: str
    points: int
    cost: str  # of the whole turn, empty where nothing is known or lost


@dataclass(frozen=True, slots=True)
class RoundView:
    number: int
    first: DiceView  # the dice that all had first
    parted: DiceView | None  # those on which they parted
    roll: int
    ways: list[WayView]  # one for all if they did the same


@dataclass(frozen=True, slots=True)
class TotalView:
    name: str
    bot: bool
    points: int
    cost: str


def rounds_view(found: Rounds, names: list[tuple[str, bool]], language: Language) -> list[RoundView]:
    return [round_view(found, turn, names, language) for turn in range(len(found.rounds))]


def round_view(found: Rounds, turn: int, names: list[tuple[str, bool]], language: Language) -> RoundView:
    one = found.rounds[turn]
    shown = range(len(found.seats)) if one.parted is not None else range(1)
    place = 0 if one.parted is None else one.parted
    decisions = one.turns[0].decisions
    return RoundView(
        number=turn + 1,
        first=dice_view(decisions[0].dice),
        parted=dice_view(decisions[place].dice) if one.parted is not None else None,
        roll=place + 1,
        ways=[way_view(found, turn, player, place, names[player], language) for player in shown],
    )


def way_view(
    found: Rounds, turn: int, player: int, place: int, who: tuple[str, bool], language: Language
) -> WayView:
    played = found.rounds[turn].turns[player]
    parted, last = played.decisions[place], played.decisions[-1]
    lost = sum(found.losses[player][turn]) if found.losses else 0.0
    return WayView(
        *who,
        choice=crossed_text(found.rules, parted.move, parted.dice, played.points, language),
        keeps=isinstance(parted.move, Keep),
        box=crossed_text(found.rules, last.move, last.dice, played.points, language),
        points=played.points,
        cost=figure(-lost, language) if lost >= SMALLEST_COST else "",
    )


def totals(found: Rounds, names: list[tuple[str, bool]], language: Language) -> list[TotalView]:
    """The points so far and what the decisions cost, the best first."""
    made = []
    for player, who in enumerate(names):
        points = sum(one.turns[player].points for one in found.rounds)
        lost = sum(map(sum, found.losses[player])) if found.losses else 0.0
        made.append(TotalView(*who, points, figure(-lost, language) if found.losses else ""))
    return sorted(made, key=lambda total: -total.points)


@router.get("/rounds")
async def compare(request: Request, viewer: ViewerNow, reviews: ReviewsNow, live: Asked) -> Response:
    """Show what everybody did with the same dice, as far as it is open."""
    whole: LiveMatch = live.whole or live
    found = await rounds_of(reviews, whole)
    seats = whole.stored.seats
    names = [
        (player_name(seats[seat].name, viewer.language), seats[seat].kind == "bot") for seat in found.seats
    ]
    return page(
        request,
        viewer,
        "rounds.html",
        match_id=whole.id,
        game_name=game_name(found.rules, viewer.language.code),
        layers=len(found.rules.dice.layers),
        rounds=rounds_view(found, names, viewer.language),
        totals=totals(found, names, viewer.language) if found.rounds else [],
        finished=not whole.apart,
        coached=found.losses is not None,
        pending=found.pending,
        opens=whole.stored.opening.same,
    )


@router.post("/part")
async def play_part(
    request: Request, viewer: ViewerNow, matches: MatchesNow, live: Asked, _form: Form
) -> Response:
    """Go to the match in which one plays alone."""
    part = await playing_apart.own_part(matches, live, viewer.key)
    return go_to(request, viewer, f"/t/{part.id}")


@router.post("/replay")
async def same_dice_again(
    request: Request, viewer: ViewerNow, matches: MatchesNow, live: Asked, form: Form
) -> Response:
    """Play the dice of one's own finished game again, against what one did then."""
    name = viewer.name or default_name(viewer.language, 1)
    whole = await playing_apart.play_dice_again(matches, live, seat_in(form), viewer.key, name)
    part = await playing_apart.own_part(matches, whole, viewer.key)
    return go_to(request, viewer, f"/t/{part.id}")
