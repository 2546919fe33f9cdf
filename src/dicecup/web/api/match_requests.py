"""Create, join, leave and watch matches, and play them: rolls, keeps, boxes, undo."""

from __future__ import annotations

import json

from fastapi import Request
from fastapi.responses import PlainTextResponse, StreamingResponse

from dicecup.coach.review_data import choice_data, reason_data, win_hint_data
from dicecup.engine.record_dice import verify
from dicecup.engine.serialize import move_from_data, move_to_data
from dicecup.engine.state import Throw, Write
from dicecup.errors import UsageError
from dicecup.web.api.models import (
    AgreeRequest,
    GoalAnswer,
    GoalOption,
    HintAnswer,
    HintOption,
    Joined,
    JoinRequest,
    Link,
    LinkRequest,
    MatchRequest,
    MoveRequest,
    Opened,
    PlayerRequest,
    Promise,
    ProofAnswer,
    ReactionRequest,
    ReplayRequest,
    RevokeRequest,
    RoundsAnswer,
    SeatChoice,
    StateAnswer,
    Undone,
    UndoRequest,
    ValuesAnswer,
    VersionRequest,
    WinHintAnswer,
    answer,
    new_router,
)
from dicecup.web.api.reviews import proof_of
from dicecup.web.service import joining, opening, playing_apart, undoing
from dicecup.web.service.advising import check_on, in_time
from dicecup.web.service.identity import key_hash, new_key
from dicecup.web.service.live_match import LiveMatch
from dicecup.web.service.opening import game_rules
from dicecup.web.service.reviewing import rounds_data, rounds_of
from dicecup.web.service.snapshot import Drawing, Seen, box_values, state_data
from dicecup.web.service.subscribers import EventStream
from dicecup.web.viewer import Asked, Key, MatchesNow, ReviewsNow, Seats

router = new_router("matches")


@router.post("/promises", status_code=201)
async def promise(matches: MatchesNow) -> Promise:
    """A promise for dice: see the commitment first, then choose seeds and open a match with it."""
    made = await opening.new_promise(matches)
    return Promise(promise=made.name, commitment=made.commitment)


@router.post("/matches", status_code=201)
async def open_match(matches: MatchesNow, key: Key, body: MatchRequest) -> Opened:
    """Open a match. It begins at once when no seat is open."""
    holder = key or new_key()
    seats = [opening.NewSeat(seat.kind, seat.name, seat.seed) for seat in body.seats]
    live = await opening.open_match(
        matches,
        opening.NewMatch(
            body.game,
            seats,
            body.options,
            body.dice,
            body.promise,
            body.coach,
            body.evening,
            body.same_dice or "",
        ),
        holder,
    )
    return Opened(key=holder, state=answer(live, live.seats_of(key_hash(holder))))


@router.get("/matches/{match}")
async def look(live: Asked, seats: Seats) -> StateAnswer:
    return answer(live, seats)


@router.post("/matches/{match}/join")
async def join(live: Asked, key: Key, body: JoinRequest) -> Joined:
    """Take an open seat. The match begins when the last one is taken."""
    holder = key or new_key()
    seat = await joining.join(live, holder, body.name, body.seat, body.seed)
    state = answer(live, live.seats_of(key_hash(holder)))
    return Joined(key=holder, state=state, seat=seat)


@router.post("/matches/{match}/players", status_code=201)
async def add_player(live: Asked, key: Key, body: PlayerRequest) -> StateAnswer:
    """Give another player an empty sheet on a score pad, also in the middle of a game."""
    await joining.add_player(live, key, body.name)
    return answer(live, live.seats_of(key_hash(key)))


@router.post("/matches/{match}/leave")
async def leave(live: Asked, key: Key, body: SeatChoice) -> StateAnswer:
    await joining.leave(live, key, body.seat)
    return answer(live, live.seats_of(key_hash(key)))


@router.post("/matches/{match}/begin")
async def begin(matches: MatchesNow, live: Asked, key: Key) -> StateAnswer:
    """Begin without waiting for the seats that are still open.

    With the same dice for all: show the result without those who have not finished.
    """
    await opening.begin(matches, live, key)
    return answer(live, live.seats_of(key_hash(key)))  # seats may have moved up


@router.post("/matches/{match}/again", status_code=201)
async def again(matches: MatchesNow, live: Asked, key: Key) -> Opened:
    """The next match of the same players, or the one that another player has opened already."""
    following = await joining.play_again(matches, live, key)
    return Opened(key=key, state=answer(following, following.seats_of(key_hash(key))))


@router.post("/matches/{match}/part", status_code=201)
async def part(matches: MatchesNow, live: Asked, key: Key) -> Opened:
    """With the same dice for all: the match in which you play your seat alone. Nobody else can see it."""
    own = await playing_apart.own_part(matches, live, key)
    return Opened(key=key, state=answer(own, own.seats_of(key_hash(key))))


@router.get("/matches/{match}/rounds")
async def rounds(reviews: ReviewsNow, live: Asked) -> RoundsAnswer:
    """With the same dice for all: everyone's decisions in the visible turns, and where they first differ."""
    return RoundsAnswer(**rounds_data(await rounds_of(reviews, live), live))


@router.post("/matches/{match}/replay", status_code=201)
async def replay(matches: MatchesNow, live: Asked, key: Key, body: ReplayRequest) -> Opened:
    """Play the dice that a seat of a finished game had, against what was done with them."""
    holder = key or new_key()
    whole = await playing_apart.play_dice_again(matches, live, body.seat, holder, body.name)
    return Opened(key=holder, state=answer(whole, whole.seats_of(key_hash(holder))))


@router.post("/matches/{match}/links", status_code=201)
async def link(matches: MatchesNow, live: Asked, key: Key, body: SeatChoice) -> Link:
    """A private token that brings your seat to another device of yours. It expires."""
    hours = matches.settings.link_hours
    return Link(token=await joining.seat_link(live, key, body.seat, hours), hours=hours)


@router.post("/matches/{match}/links/revoke")
async def revoke(live: Asked, key: Key, body: RevokeRequest) -> StateAnswer:
    """Make the private tokens of your seat invalid; with `devices`, other devices lose the seat, too."""
    await joining.revoke_links(live, key, body.seat, devices=body.devices)
    return answer(live, live.seats_of(key_hash(key)))


@router.post("/matches/{match}/claim")
async def claim(live: Asked, key: Key, body: LinkRequest) -> Joined:
    """Come back to a seat on this device with the token of its private link."""
    holder = key or new_key()
    seat = await joining.follow_link(live, holder, body.token)
    state = answer(live, live.seats_of(key_hash(holder)))
    return Joined(key=holder, state=state, seat=seat)


@router.get("/matches/{match}/record", response_class=PlainTextResponse)
async def record(matches: MatchesNow, live: Asked) -> PlainTextResponse:
    """The record so far, as a file that `dicecup verify` reads."""
    name = f"{game_rules(live.stored.opening.ruleset).id}-{live.id}.record"
    text = await matches.record_text(live)
    return PlainTextResponse(text, headers={"Content-Disposition": f'attachment; filename="{name}"'})


@router.get("/matches/{match}/proof")
async def proof(matches: MatchesNow, live: Asked) -> ProofAnswer:
    record = live.playing().record
    return proof_of(record, await matches.work_on_record(len(record.entries), verify, record))


@router.get("/matches/{match}/events", response_class=StreamingResponse)
async def events(request: Request, matches: MatchesNow, live: Asked, key: Key) -> EventStream:
    """Server-sent events: the state now, and again after every change."""
    holder = key_hash(key)

    def draw(now: LiveMatch, _before: Seen | None) -> Drawing:
        return Drawing(json.dumps(state_data(now, now.seats_of(holder))))

    player = holder if live.seats_of(holder) else ""
    return EventStream(
        request, matches, live, player, "state", lambda now: ("state", now.seats_of(holder)), draw
    )


moves_router = new_router("playing", "/api/matches/{match}")


@moves_router.post("/moves")
async def move(live: Asked, seats: Seats, body: MoveRequest) -> StateAnswer:
    """Play a move. It is stored before the response; a rejected move returns a code and the current state."""
    await play(live, seats, body)
    return answer(live, seats)


async def play(live: LiveMatch, seats: frozenset[int], body: MoveRequest) -> None:
    if body.move == {"throw": True}:
        await live.throw(seats, body.version)
        return
    read = move_from_data(live.playing().rules, body.move)
    if isinstance(read, Throw):
        await live.throw(seats, body.version, read.dice, final=read.final)
    elif isinstance(read, Write):
        await live.write(seats, read)
    else:
        await live.decide(seats, body.version, read)


@moves_router.get("/values")
async def values(live: Asked, seat: int, box: str, column: str = "") -> ValuesAnswer:
    """The points that can be written in a box of a score pad, lowest first, and the likely ones."""
    match = live.playing()
    if not 0 <= seat < len(match.state.sheets):
        raise UsageError("seat_unknown")
    found = box_values(match.rules, match.state.sheets[seat], box, column)
    return ValuesAnswer(values=list(found.values), likely=list(found.likely), was=found.was)


@moves_router.post("/reactions", status_code=204)
async def react(matches: MatchesNow, live: Asked, seats: Seats, body: ReactionRequest) -> None:
    """Send a short reaction from your seat to everybody who has the match open; it is not stored."""
    matches.react(live, seats, body.reaction, body.seat)


@moves_router.get("/hint")
async def hint(matches: MatchesNow, live: Asked, reasons: bool = False, winning: bool = False) -> HintAnswer:
    """What the choice that is due is worth, best first; only in a match with the coach on.

    With `winning`, near the end of a game of several players, also the chance to win that each choice leaves.
    """
    check_on(live)
    rules = live.playing().rules
    advice = await in_time(matches.advising.advice(live))
    if advice is None:
        raise UsageError("coach_preparing")
    options = [HintOption(**choice_data(rules, choice)) for choice in advice.choices]
    if reasons and options:
        why = await in_time(matches.advising.reasons(live))
        if why is None:
            raise UsageError("coach_preparing")
        for option, choice, reason in zip(options, advice.choices, why, strict=False):
            option.reason = reason_data(choice, reason)
    found = HintAnswer(expected=advice.expected, exact=advice.exact, options=options)
    if winning:
        won = await in_time(matches.advising.to_win(live))
        if won is None:
            raise UsageError("coach_preparing")
        for to_win in won:
            found.to_win = WinHintAnswer(**win_hint_data(rules, to_win))
            for option, choice in zip(options, advice.choices, strict=True):
                option.win_chance = to_win.chance_of(choice.move)
    return found


@moves_router.get("/goal")
async def goal(matches: MatchesNow, live: Asked, points: int, seat: int | None = None) -> GoalAnswer:
    """The chance of a seat, by default that of the player whose turn it is, to end with so many points."""
    check_on(live)
    match = live.playing()
    seat = match.state.player if seat is None else seat
    found = await in_time(matches.advising.goal(live, seat, points))
    if found is None:
        raise UsageError("coach_preparing")
    options = [
        GoalOption(move=move_to_data(match.rules, choice.move), chance=min(choice.expected, 1.0))
        for choice in found.choices
    ]
    return GoalAnswer(
        at_least=found.target,
        play="target" if found.best else "points",
        chance=found.chance,
        exact=found.exact,
        standard_error=found.standard_error,
        options=options,
    )


@moves_router.post("/undo", operation_id="take_back_api_matches__match__undo_post")
async def undo(live: Asked, seats: Seats, body: UndoRequest) -> Undone:
    """Take back alone what may be taken back alone; more steps are proposed to the others."""
    done = await undoing.undo(live, seats, body.version, body.steps)
    return Undone(done=done, state=answer(live, seats))


@moves_router.post("/undo/agree")
async def agree(live: Asked, seats: Seats, body: AgreeRequest) -> Undone:
    """Agree to the steps that somebody proposed to take back; `undo_other` if that is not the proposal."""
    done = await undoing.agree(live, seats, body.version, body.steps)
    return Undone(done=done, state=answer(live, seats))


@moves_router.post("/undo/refuse")
async def refuse(live: Asked, seats: Seats, body: VersionRequest) -> StateAnswer:
    """Refuse what somebody proposed to take back."""
    await undoing.refuse(live, seats, body.version)
    return answer(live, seats)
