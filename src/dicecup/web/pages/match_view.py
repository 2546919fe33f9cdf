"""View model of the game page: for one match, one viewer's seats, one language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from dicecup.engine.legality import cell_names, cell_of
from dicecup.engine.play import announcement_missing
from dicecup.engine.record import Record
from dicecup.engine.same_dice import is_repeatable
from dicecup.engine.state import (
    Announce,
    Placement,
    Score,
    Throw,
    dice_to_throw,
    rolls_made,
    standings,
)
from dicecup.errors import DicecupError
from dicecup.i18n.language import Language
from dicecup.i18n.names import game_name, name
from dicecup.match import Match
from dicecup.rules.model import Ruleset
from dicecup.web.pages.announcements import announcement, departure, notice, proposal
from dicecup.web.pages.coach_view import SoFarView, faces_of, so_far_view
from dicecup.web.pages.first_game import GuideStep
from dicecup.web.pages.last_entry import NO_ENTRY, LastEntry, last_entry
from dicecup.web.pages.pad_view import PadView, pad_view
from dicecup.web.pages.parts import OnePart, PartSource
from dicecup.web.pages.sheet_view import SheetView, number, picked_text
from dicecup.web.service.advising import has_coach, has_solver
from dicecup.web.service.draft import Slot, slots_of
from dicecup.web.service.live_match import LiveMatch
from dicecup.web.service.opening import game_rules, may_begin
from dicecup.web.service.playing_apart import progress_of
from dicecup.web.service.snapshot import LayerChoices, announcements, layer_choices
from dicecup.web.service.undoing import NOTHING_TO_UNDO, UndoOptions, undo_options
from dicecup.web.texts import house_rules, line_names, player_name

if TYPE_CHECKING:
    from dicecup.web.service.worker_main import GameReport


@dataclass(frozen=True, slots=True)
class DieView:
    faces: tuple[int, ...]
    text: str
    state: str  # of its slot
    marked: bool  # to be kept


@dataclass(frozen=True, slots=True)
class Chip:
    """The name and the points of a player, a part of the page."""

    seat: int
    name: str
    kind: str
    yours: bool
    active: bool
    points: str
    here: bool
    opens: bool  # the sheet, with a tap

    @property
    def part_id(self) -> str:
        return f"chip-{self.seat}"


@dataclass(frozen=True, slots=True)
class PlayerView:
    seat: int
    name: str
    kind: str
    yours: bool
    active: bool
    points: str
    place: int
    here: bool = False  # has the match open; never said of bots
    sheet: SheetView | None = None  # to be opened with a tap

    @property
    def chip(self) -> OnePart:
        opens = self.sheet is not None
        chip = Chip(self.seat, self.name, self.kind, self.yours, self.active, self.points, self.here, opens)
        return OnePart(chip.part_id, chip)

    @property
    def look(self) -> tuple[object, ...]:
        """What does not change with every move."""
        return self.seat, self.name, self.sheet is not None


@dataclass(frozen=True, slots=True)
class PickView:
    """A box that was picked for the dice of one layer."""

    layer: str
    name: str  # of the layer
    box: str
    points: str


@dataclass(frozen=True, slots=True)
class TurnView:
    name: str
    yours: bool
    bot: bool
    left: bool  # whoever's turn it is has left the match
    number: int
    of: int
    throw: int  # how many throws were made
    final: bool  # the dice are those that the turn ends with: how many throws were made is not known
    throws: int
    saved: int  # rolls that earlier turns have saved
    dice: list[DieView]
    rolled: bool  # the dice are of this turn
    count: int  # how many dice there are
    may_keep: bool  # dice can be marked to be kept
    may_throw: bool  # the server can throw now
    must_type: int  # how many physical dice are to be typed in
    picks: list[PickView]
    picked: str
    complete: bool  # a box is picked for every layer
    may_score: bool
    may_strike: bool
    may_announce: bool
    must_announce: bool  # nothing else can be done
    announced: str  # the box that the turn must fill
    counts_rolls: bool  # every roll must be typed

    @property
    def any_picked(self) -> bool:
        return any(pick.box for pick in self.picks)


@dataclass(frozen=True, slots=True)
class SameView:
    """A match with the same dice for all, or the match of one seat of it."""

    whole: str  # the id of the match of all
    opens: str  # when turns can be seen: "turn" or "game"
    apart: bool  # somebody is still playing
    is_part: bool
    players: list[tuple[int, bool]]  # of the match of all, by seat: turns finished, done
    turns: int
    turns_open: int


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
    others: bool  # people play on other devices, or may come
    may_begin: bool
    typed: bool
    layers: list[str]
    players: list[PlayerView]
    commitment: str | None
    open_seats: list[int]
    shown: PlayerView | None = None  # whose sheet is open
    sheet: SheetView | None = None
    turn: TurnView | None = None
    last: LastEntry = NO_ENTRY
    back: UndoOptions = NOTHING_TO_UNDO
    agreed_already: bool = False
    asked: str = ""  # who wants to undo how much
    news: str = ""  # what happened last, for screen readers
    notice: str = ""  # … if it is to be read
    left: str = ""  # who has left the match
    revealed: bool = False
    next: str | None = None
    guide: GuideStep | None = None  # for somebody who plays like this for the first time
    starter: str = ""  # who starts the next game, where several play
    evening: str | None = None  # its link is for those who play
    problem: str = ""
    columns: int = 1
    coach: bool = False
    has_chances: bool = False  # whether the coach can work out chances to win
    so_far: SoFarView | None = None  # what the coach has said already
    house_rules: list[str] = field(default_factory=list)
    rules_query: str = ""  # leads to the page of the rules with those
    lines: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # names and explanations
    same: SameView | None = None  # with the same dice for all
    repeatable: list[int] = field(default_factory=list)  # own seats whose dice can be played again
    final_only: bool = False  # only the dice that turns end with are typed
    is_pad: bool = False  # points are written straight into the sheets
    pad: PadView | None = None  # once it has begun

    @property
    def players_look(self) -> tuple[object, ...]:
        return tuple(player.look for player in self.players)

    @property
    def sheet_look(self) -> tuple[object, ...]:
        """What the form around the open sheet depends on."""
        owner = self.shown.name if self.shown and self.seated else ""
        turn = (self.turn.picked, self.turn.may_strike) if self.turn else ()
        return self.seated and self.version, owner, turn

    def sources(self) -> Iterator[PartSource]:
        """The parts that are made one by one."""
        for player in self.players:
            yield player.chip
            if player.sheet:
                yield from player.sheet.blocks
        if self.sheet:
            yield from self.sheet.blocks


def match_view(
    live: LiveMatch,
    holder: str,
    language: Language,
    picked: Mapping[str, Placement] | None = None,
    problem: str = "",
    so_far: GameReport | None = None,
) -> MatchView:
    """What a viewer sees; without `picked` the boxes that the player has picked on any page."""
    seats = live.seats_of(holder)
    opening, match = live.stored.opening, live.match
    finished = match is not None and match.state.finished
    rules = match.rules if match else game_rules(opening.ruleset, opening.options)
    layers = [name(rules, layer, language.code) for layer in rules.dice.layers] if rules.has_layers else []
    back = undo_options(live, seats)
    acting = bool(match and not finished and match.state.player in seats)
    if picked is None:
        picked = live.draft.picked if live.draft.version == live.version else {}
    choices, picked = safe_choices(match, picked) if match and acting else ([], {})
    announceable = announcements(rules, match.state) if match and acting else ()
    last = last_entry(match, language) if match else NO_ENTRY
    placed = {seat: (place, points) for place, seat, points in standings(rules, match.state)} if match else {}
    seat_shown = shown_seat(match, seats) if match else 0
    players = [
        player_view(live, seat, seats, language, last, *placed.get(seat, (0, 0)))
        for seat in range(len(live.stored.seats))
    ]
    if seats:  # whoever has a seat comes first, and the sheet is open already
        players[seat_shown] = replace(players[seat_shown], sheet=None)
        players = players[seat_shown:] + players[:seat_shown]
    shown = next(player for player in players if player.seat == seat_shown) if match else None
    return MatchView(
        id=live.id,
        version=live.version,
        stamp=live.stamp,
        game=opening.ruleset,
        game_name=game_name(rules, language.code),
        begun=match is not None,
        finished=finished,
        seated=bool(seats),
        others=bool(live.human_seats - seats) and not live.shown_only,
        may_begin=may_begin(live, holder),
        typed=opening.dice == "typed",
        layers=layers,
        players=players,
        commitment=opening.commitment,
        open_seats=live.open_seats,
        shown=shown,
        sheet=seat_sheet(match, seat_shown, "row", language, last, choices, announceable) if match else None,
        turn=turn_view(live, match, seats, choices, picked, language) if match and not finished else None,
        last=last,
        back=back,
        agreed_already=bool(back.proposed) and seats <= back.agreed,
        asked=proposal(live, back, language),
        news=announcement(live, language) if match else "",
        notice=notice(live, language) if match else "",
        left="" if finished else departure(live, language),
        revealed=bool(match and match.record.secret),
        next=live.stored.next,
        starter=player_name(live.stored.seats[1].name, language) if len(live.human_seats) > 1 else "",
        evening=live.stored.evening if seats else None,
        problem=problem,
        columns=len(rules.columns),
        coach=opening.coach and has_coach(rules),
        has_chances=has_solver(),
        so_far=so_far_view(rules, so_far, language) if so_far else None,
        house_rules=house_rules(rules, language),
        rules_query=f"?{urlencode(unusual)}" if (unusual := rules.non_default_options) else "",
        lines=line_names(rules, language),
        same=same_view(live, rules) if opening.same or opening.part_of else None,
        repeatable=sorted(seats) if match and is_repeatable(match.record) else [],
        final_only=live.final_only,
        is_pad=live.is_pad,
        pad=pad_view(match, bool(seats), language) if match and live.is_pad else None,
    )


def same_view(live: LiveMatch, rules: Ruleset) -> SameView:
    whole = live.whole or live
    return SameView(
        whole=whole.id,
        opens=whole.stored.opening.same,
        apart=whole.apart,
        is_part=whole is not live,
        players=[(one.turns, one.done) for one in progress_of(whole)],
        turns=rules.turns,
        turns_open=whole.turns_open,
    )


def shown_seat(match: Match, seats: frozenset[int]) -> int:
    """Whose sheet is open: the viewer's seat that plays now or next; for a spectator whoever plays or won."""
    state = match.state
    count = len(state.sheets)
    if not seats:
        return standings(match.rules, state)[0][1] if state.finished else state.player
    first = min(seats) if state.finished else state.player
    return next(seat for seat in ((first + step) % count for step in range(count)) if seat in seats)


def safe_choices(
    match: Match, picked: Mapping[str, Placement]
) -> tuple[list[LayerChoices], Mapping[str, Placement]]:
    """Return the choices; boxes that were picked for earlier dice are dropped."""
    known = {layer: place for layer, place in picked.items() if layer in match.rules.scored}
    try:
        return layer_choices(match.rules, match.state, known), known
    except DicecupError:
        return layer_choices(match.rules, match.state), {}


def player_view(
    live: LiveMatch,
    seat: int,
    seats: frozenset[int],
    language: Language,
    last: LastEntry,
    place: int,
    points: int,
) -> PlayerView:
    stored, match = live.stored.seats[seat], live.match
    active = bool(match and not match.state.finished and match.state.player == seat)
    return PlayerView(
        seat=seat,
        name=player_name(stored.name, language),
        kind=stored.kind,
        yours=seat in seats,
        active=active,
        points=number(points),
        place=place,
        here=seat in live.company.here,
        sheet=seat_sheet(match, seat, f"row-{seat}", language, last) if match else None,
    )


def seat_sheet(
    match: Match,
    seat: int,
    of_sheet: str,
    language: Language,
    last: LastEntry,
    choices: Sequence[LayerChoices] = (),
    announceable: tuple[Announce, ...] = (),
) -> SheetView:
    written = last.cells if last.seat == seat else frozenset()
    layers = written_layers(match.record, seat) if match.rules.has_layers else ()
    return SheetView(
        match.rules,
        match.state.sheets[seat],
        of_sheet,
        language,
        tuple(choices),
        written,
        layers,
        announceable,
    )


def written_layers(record: Record, seat: int) -> tuple[tuple[int, str], ...]:
    """Which dice a player has written in which cell: players take turns, and a turn ends with a score."""
    rules, players = record.rules, len(record.header.players)
    scores = [move for move in record.moves if isinstance(move, Score)]
    first = (seat - record.beginning.player) % players
    return tuple(
        (cell_of(rules, placed.box, placed.column), layer)
        for move in scores[first::players]
        for placed, layer in zip(move.placements, rules.scored, strict=True)
    )


def turn_view(
    live: LiveMatch,
    match: Match,
    seats: frozenset[int],
    choices: list[LayerChoices],
    picked: Mapping[str, Placement],
    language: Language,
) -> TurnView:
    rules, state = match.rules, match.state
    typed = match.record.header.origin.kind == "typed"
    yours, bot = state.player in seats, live.bot_is_next()
    filled = sum(points is not None for points in state.sheet.cells)
    must_announce = bool(state.dice) and not state.throw_due and announcement_missing(rules, state)
    types = typed and state.throw_due and (yours or (bot and bool(seats)))
    _, last, _ = next(match.record.backwards(), (None, None, None)) if typed else (None, None, None)
    return TurnView(
        name=player_name(match.player, language),
        yours=yours,
        bot=bot,
        left=state.player in live.open_seats,
        number=filled // len(rules.scored) + 1,
        of=rules.turns,
        throw=rolls_made(rules, state),
        final=isinstance(last, Throw) and last.final,
        throws=rules.throws + state.sheet.saved,
        saved=state.sheet.saved,
        dice=dice_views(live, match),
        rolled=rolls_made(rules, state) > 0,
        count=rules.dice.count,
        may_keep=yours and not state.throw_due and state.throws_left > 0 and not must_announce,
        may_throw=yours and not typed and not must_announce and (state.throw_due or state.throws_left > 0),
        may_announce=yours and bool(announcements(rules, state)),
        must_announce=must_announce,
        announced=name(rules, cell_names(rules, state.announced)[0], language.code)
        if state.announced is not None
        else "",
        counts_rolls=rules.counts_rolls,
        must_type=dice_to_throw(rules, state) if types else 0,
        picks=pick_views(match, choices, language) if rules.has_layers else [],
        picked=picked_text(picked),
        complete=rules.has_layers and bool(choices) and all(layer.chosen for layer in choices),
        may_score=yours and bool(choices),
        may_strike=any(choice.strike for layer in choices for choice in layer.choices),
    )


def pick_views(match: Match, choices: list[LayerChoices], language: Language) -> list[PickView]:
    """The layers in the order in which they are written, each with its box once that is picked."""
    rules = match.rules
    return [
        PickView(
            layer.layer,
            name(rules, layer.layer, language.code),
            line_names(rules, language)[layer.chosen.box][0] if layer.chosen else "",
            number(layer.points),
        )
        for layer in choices
    ]


def dice_views(live: LiveMatch, match: Match) -> list[DieView]:
    """The dice in their slots, with the marks of the player whose turn it is."""
    draft = live.draft
    marked = draft.marked if draft.version == match.version else None
    return [die_view(slot, marked, at) for at, slot in enumerate(slots_of(live.id, match.record, draft.kept))]


def die_view(slot: Slot, marked: frozenset[int] | None, at: int) -> DieView:
    faces = faces_of(slot.die)
    kept = slot.state == "kept" if marked is None else at in marked
    return DieView(faces, "-".join(map(str, faces)), slot.state, kept)
