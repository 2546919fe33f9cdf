"""View model of the turn: dice in their slots, what may be done; and the guide through somebody's first turn.

A cookie remembers, for each way to play, in which match the guide was shown, or that it was skipped: it
stays on the page of that match until the first turn is over, and other matches do not show it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from dicecup.dice import die_faces
from dicecup.engine.legality import cell_names
from dicecup.engine.play import announcement_missing
from dicecup.engine.state import Placement, State, Throw, dice_to_throw, rolls_made
from dicecup.errors import DicecupError
from dicecup.i18n.language import Language, name
from dicecup.match import Match
from dicecup.messages import N_
from dicecup.web.pages.sheet_view import number, picked_text
from dicecup.web.service.live_match import LiveMatch
from dicecup.web.service.presence import Slot, slots_of
from dicecup.web.service.snapshot import LayerChoices, announcements, layer_choices
from dicecup.web.texts import line_names, player_name
from dicecup.web.viewer import GUIDE_COOKIE, Viewer, set_cookie


@dataclass(frozen=True, slots=True)
class DieView:
    faces: tuple[int, ...]
    text: str
    state: str  # of its slot
    marked: bool  # to be kept


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


def safe_choices(
    match: Match, picked: Mapping[str, Placement]
) -> tuple[list[LayerChoices], Mapping[str, Placement]]:
    """Return the choices; boxes that were picked for earlier dice are dropped."""
    known = {layer: place for layer, place in picked.items() if layer in match.rules.scored}
    try:
        return layer_choices(match.rules, match.state, known), known
    except DicecupError:
        return layer_choices(match.rules, match.state), {}


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
    faces = die_faces(slot.die)
    kept = slot.state == "kept" if marked is None else at in marked
    return DieView(faces, "-".join(map(str, faces)), slot.state, kept)


SKIPPED = "-"

# By the way to play: what is said before the first roll, while dice can be kept, and when a box is due. A pad
# needs one sentence for its two taps.
STEPS: Mapping[str, tuple[str, ...]] = {
    "screen": (
        N_("Roll the dice."),
        N_("Tap dice to keep, then roll again."),
        N_("Tap a number to fill that box."),
    ),
    "double": (
        N_("Roll the dice."),
        N_("Tap dice to keep, then roll again."),
        N_("Tap a red and a blue number."),
    ),
    "typed": (
        N_("Roll real dice and tap them in."),
        N_("Tap dice to keep, then roll again."),
        N_("Tap a number to fill that box."),
    ),
    "points": (N_("Tap a box, then its points."),),
}


@dataclass(frozen=True, slots=True)
class GuideStep:
    number: int
    of: int
    text: str


def read_guide(cookie: str) -> dict[str, str]:
    """The matches in which the guide was shown, by the way to play: `screen=abc&typed=-`."""
    pairs = (part.partition("=") for part in cookie.split("&"))
    return {way: match for way, _, match in pairs if way in STEPS and match}


def guide_cookie(shown: Mapping[str, str]) -> str:
    return "&".join(f"{way}={match}" for way, match in shown.items())


def way_to_play(live: LiveMatch) -> str:
    match = live.playing()
    kind = match.record.header.origin.kind
    if kind in ("typed", "points"):
        return kind
    return "double" if match.rules.has_layers else "screen"


def guide_step(live: LiveMatch, viewer: Viewer) -> GuideStep | None:
    """The step that somebody is to take who plays this way for the first time; None after the first turn."""
    match, seats = live.match, live.seats_of(viewer.holder)
    if match is None or not seats or match.state.finished or live.stored.opening.tried:
        return None
    way, state = way_to_play(live), match.state
    skipped = viewer.holder in live.company.unguided
    if skipped or read_guide(viewer.guide).get(way, live.id) != live.id:
        return None
    sheets = state.sheets if way == "points" else (state.sheet,)
    if any(points is not None for sheet in sheets for points in sheet.cells):
        return None
    at = step_due(state) if way != "points" else 0
    if at is None or (way != "points" and state.player not in seats):
        return None
    steps = STEPS[way]
    return GuideStep(at + 1, len(steps), viewer.language.gettext(steps[at]))


def step_due(state: State) -> int | None:
    if not state.dice:
        return 0
    if state.throw_due:
        return None  # the others are to be rolled on a real table: the page asks for them
    return 1 if state.throws_left else 2


def remember_guide(request: Request, response: Response, viewer: Viewer, live: LiveMatch) -> Response:
    """The first match of its kind that somebody plays is the one with the guide."""
    if live.match is None or not live.seats_of(viewer.holder):
        return response
    shown = read_guide(viewer.guide)
    way = way_to_play(live)
    if way not in shown:
        set_cookie(request, response, GUIDE_COOKIE, guide_cookie(shown | {way: live.id}))
    return response


def skip_guide(request: Request, response: Response, viewer: Viewer, live: LiveMatch) -> Response:
    shown = read_guide(viewer.guide) | {way_to_play(live): SKIPPED}
    set_cookie(request, response, GUIDE_COOKIE, guide_cookie(shown))
    return response
