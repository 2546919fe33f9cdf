"""View model of the game page: for one match, one viewer's seats, one language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from dicecup.engine.legality import cell_of
from dicecup.engine.record import Record
from dicecup.engine.record_dice import is_repeatable
from dicecup.engine.state import Announce, Placement, Score, standings
from dicecup.i18n.language import Language, game_name, name
from dicecup.match import Match
from dicecup.rules.model import Ruleset
from dicecup.web.pages.announcements import (
    NO_ENTRY,
    LastEntry,
    announcement,
    departure,
    last_entry,
    notice,
    proposal,
)
from dicecup.web.pages.coach_view import SoFarView, so_far_view
from dicecup.web.pages.pad_view import PadView, pad_view
from dicecup.web.pages.render import OnePart, PartSource
from dicecup.web.pages.sheet_view import SheetView, number
from dicecup.web.pages.turn_view import GuideStep, TurnView, safe_choices, turn_view
from dicecup.web.service.advising import has_coach, has_solver
from dicecup.web.service.live_match import LiveMatch
from dicecup.web.service.opening import game_rules, may_begin
from dicecup.web.service.playing_apart import progress_of
from dicecup.web.service.snapshot import LayerChoices, announcements
from dicecup.web.service.undoing import NOTHING_TO_UNDO, UndoOptions, undo_options
from dicecup.web.texts import house_rules, line_names, player_name

if TYPE_CHECKING:
    from dicecup.web.service.worker_main import GameReport


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
        """The values that do not change with every move."""
        return self.seat, self.name, self.sheet is not None


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
    seat_shown = shown_seat(match, seats) if match else 0
    players = player_views(live, seats, seat_shown, language, last)
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


def player_views(
    live: LiveMatch, seats: frozenset[int], seat_shown: int, language: Language, last: LastEntry
) -> list[PlayerView]:
    """All players; whoever has a seat comes first, and that sheet is open already."""
    match = live.match
    placed = {
        seat: (place, points)
        for place, seat, points in (standings(match.rules, match.state) if match else ())
    }
    players = [
        player_view(live, seat, seats, language, last, *placed.get(seat, (0, 0)))
        for seat in range(len(live.stored.seats))
    ]
    if not seats:
        return players
    players[seat_shown] = replace(players[seat_shown], sheet=None)
    return players[seat_shown:] + players[:seat_shown]


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
