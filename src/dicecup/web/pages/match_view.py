"""View model of the game page: for one match, one viewer's seats, one language."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dicecup.dice import Die
from dicecup.engine.legality import cell_of
from dicecup.engine.state import Placement, Score, Throw, dice_to_throw, standings
from dicecup.errors import DicecupError
from dicecup.i18n.language import Language
from dicecup.i18n.names import game_name, name
from dicecup.match import Match
from dicecup.web.pages.announcements import announcement, departure, proposal
from dicecup.web.pages.coach_view import SoFarView, so_far_view
from dicecup.web.pages.sheet_view import Head, Row, heads, placement_text, rows
from dicecup.web.service.advising import has_coach
from dicecup.web.service.live_match import NOTHING_TO_UNDO, LiveMatch, UndoOptions
from dicecup.web.service.opening import game_rules, may_begin
from dicecup.web.service.snapshot import LayerChoices, layer_choices
from dicecup.web.texts import house_rules, player_name

if TYPE_CHECKING:
    from dicecup.web.service.worker_main import GameReport


@dataclass(frozen=True, slots=True)
class DieView:
    faces: tuple[int, ...]
    text: str
    kept: bool
    thrown: bool  # by the last throw


@dataclass(frozen=True, slots=True)
class PlayerView:
    seat: int
    name: str
    kind: str
    yours: bool
    active: bool
    points: int
    place: int


@dataclass(frozen=True, slots=True)
class TurnView:
    name: str
    yours: bool
    bot: bool
    left: bool  # whoever's turn it is has left the match
    number: int
    of: int
    throw: int  # how many throws were made
    throws: int
    dice: list[DieView]
    may_keep: bool  # dice can be marked to be kept
    may_throw: bool  # the server can throw now
    must_type: int  # how many physical dice are to be typed in
    layer: str  # which dice are scored with the next tap
    layer_id: str
    picked: str
    may_score: bool
    may_strike: bool


@dataclass(frozen=True, slots=True)
class MatchView:
    id: str
    version: int
    stamp: str
    game: str
    game_name: str
    begun: bool
    finished: bool
    seated: bool
    may_begin: bool
    typed: bool
    layers: list[str]
    players: list[PlayerView]
    commitment: str | None
    open_seats: list[int]
    heads: list[Head] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    turn: TurnView | None = None
    back: UndoOptions = NOTHING_TO_UNDO
    agreed_already: bool = False
    asked: str = ""  # who wants to undo how much
    news: str = ""
    left: str = ""  # who has left the match
    revealed: bool = False
    next: str | None = None
    problem: str = ""
    columns: int = 1
    coach: bool = False
    so_far: SoFarView | None = None  # what the coach has said already
    house_rules: list[str] = field(default_factory=list)


def match_view(
    live: LiveMatch,
    holder: str,
    language: Language,
    picked: tuple[Placement, ...] = (),
    problem: str = "",
    so_far: GameReport | None = None,
) -> MatchView:
    seats = live.seats_of(holder)
    opening, match = live.stored.opening, live.match
    rules = match.rules if match else game_rules(opening.ruleset, opening.options)
    layers = [name(rules, layer, language.code) for layer in rules.dice.layers] if rules.has_layers else []
    back = live.undo_options(seats)
    acting = bool(match and match.state.player in seats)
    choices, picked = safe_choices(match, picked) if match and acting else ([], ())
    order = sorted(range(len(live.stored.seats)), key=lambda seat: seat not in seats)
    columns = heads(rules, order, language)
    last_seat, written = last_written(match) if match else (None, frozenset())
    placed = {seat: (place, points) for place, seat, points in standings(rules, match.state)} if match else {}
    return MatchView(
        id=live.id,
        version=live.version,
        stamp=live.stamp,
        game=opening.ruleset,
        game_name=game_name(rules, language.code),
        begun=match is not None,
        finished=bool(match and match.state.finished),
        seated=bool(seats),
        may_begin=may_begin(live, holder),
        typed=opening.dice == "typed",
        layers=layers,
        players=[player_view(live, seat, seats, language, *placed.get(seat, (0, 0))) for seat in order],
        commitment=opening.commitment,
        open_seats=live.open_seats,
        heads=columns,
        rows=rows(match, columns, choices, language, written, last_seat) if match else [],
        turn=turn_view(live, match, seats, choices, picked, language)
        if match and not match.state.finished
        else None,
        back=back,
        agreed_already=bool(back.proposed) and seats <= back.agreed,
        asked=proposal(live, back, language),
        news=announcement(live, language) if match else "",
        left="" if match and match.state.finished else departure(live, language),
        revealed=bool(match and match.record.secret),
        next=live.stored.next,
        problem=problem,
        columns=len(rules.columns),
        coach=opening.coach and has_coach(),
        so_far=so_far_view(rules, so_far, language) if so_far else None,
        house_rules=house_rules(rules, language),
    )


def safe_choices(
    match: Match, picked: tuple[Placement, ...]
) -> tuple[list[LayerChoices], tuple[Placement, ...]]:
    """Return the choices; a box that was picked for earlier dice is dropped."""
    try:
        return layer_choices(match.rules, match.state, picked), picked
    except DicecupError:
        return layer_choices(match.rules, match.state), ()


def last_written(match: Match) -> tuple[int | None, frozenset[int]]:
    """Who wrote last, and in which cells, as long as it is the latest event."""
    for back, move in enumerate(reversed(match.record.moves)):
        if isinstance(move, Score):
            seat = match.record.states[-back - 2].player
            places = move.placements
            return seat, frozenset(cell_of(match.rules, place.box, place.column) for place in places)
        if back > 1:
            break
    return None, frozenset()


def player_view(
    live: LiveMatch, seat: int, seats: frozenset[int], language: Language, place: int, points: int
) -> PlayerView:
    stored, match = live.stored.seats[seat], live.match
    return PlayerView(
        seat=seat,
        name=player_name(stored.name, language),
        kind=stored.kind,
        yours=seat in seats,
        active=bool(match and not match.state.finished and match.state.player == seat),
        points=points,
        place=place,
    )


def turn_view(
    live: LiveMatch,
    match: Match,
    seats: frozenset[int],
    choices: list[LayerChoices],
    picked: tuple[Placement, ...],
    language: Language,
) -> TurnView:
    rules, state = match.rules, match.state
    typed = match.record.header.origin.kind == "typed"
    yours, bot = state.player in seats, live.bot_is_next()
    filled = sum(points is not None for points in state.sheet.cells)
    types = typed and state.throw_due and (yours or (bot and bool(seats)))
    waiting = next((layer for layer in choices if layer.chosen is None), None)
    return TurnView(
        name=player_name(match.player, language),
        yours=yours,
        bot=bot,
        left=state.player in live.open_seats,
        number=filled // len(rules.scored) + 1,
        of=rules.turns,
        throw=rules.throws - state.throws_left,
        throws=rules.throws,
        dice=dice_views(match),
        may_keep=yours and not state.throw_due and state.throws_left > 0,
        may_throw=yours and not typed and (state.throw_due or state.throws_left > 0),
        must_type=dice_to_throw(rules, state) if types else 0,
        layer=name(rules, waiting.layer, language.code) if waiting and rules.has_layers else "",
        layer_id=waiting.layer if waiting and rules.has_layers and yours else "",
        picked=",".join(placement_text(placement) for placement in picked),
        may_score=yours and bool(choices),
        may_strike=yours and any(choice.strike for choice in waiting.choices) if waiting else False,
    )


def dice_views(match: Match) -> list[DieView]:
    """The dice as they lie; while a throw is due, those that are kept. New ones are marked."""
    state = match.state
    shown = state.dice if state.kept is None else state.kept
    moves = match.record.moves
    fallen = list(moves[-1].dice) if moves and isinstance(moves[-1], Throw) else []
    found = []
    for die in shown:
        thrown = die in fallen
        if thrown:
            fallen.remove(die)
        faces = faces_of(die)
        kept = (
            state.kept is None and not thrown and bool(moves) and state.throws_left < match.rules.throws - 1
        )
        found.append(DieView(faces, "-".join(map(str, faces)), kept, thrown))
    return found


def faces_of(die: Die) -> tuple[int, ...]:
    return (die,) if isinstance(die, int) else die
