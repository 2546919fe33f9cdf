"""The first page, with all games to choose from, and the set-up page: one tap to a game."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from dicecup.bots.registry import usual_score
from dicecup.engine.state import MOST_PLAYERS
from dicecup.errors import DicecupError, UsageError
from dicecup.i18n.language import Language, game_name, option_name, option_text, summary
from dicecup.rules.house import is_house
from dicecup.rules.loader import builtin_ids, main_ids
from dicecup.rules.model import Ruleset
from dicecup.storage.stored import MatchLine
from dicecup.web.assets import qr_svg
from dicecup.web.pages.my_games import names_text
from dicecup.web.pages.render import base_address, go_to, only_here, page
from dicecup.web.refusals import status_of
from dicecup.web.service import opening
from dicecup.web.service.advising import bots_here, has_coach, has_solver, why_no_values
from dicecup.web.service.evening_tally import like_last_game
from dicecup.web.service.live_match import LiveMatch
from dicecup.web.service.matches import Matches
from dicecup.web.service.opening import NewMatch, NewSeat, game_rules
from dicecup.web.service.playing_apart import is_done
from dicecup.web.texts import BOT_NAMES, bot_text, player_name
from dicecup.web.viewer import (
    Form,
    MatchesNow,
    Viewer,
    ViewerNow,
    set_cookie,
    set_preferences,
    with_preferences,
)

router = APIRouter(include_in_schema=False)
DEFAULT_BOT = "steady"
QUICK = {"play-bot": "add-bot", "play-open": "add-open"}  # buttons that add a seat and play
ORDER = ("yatzy", "dice-in-dice", "yum-plus", "triple-yum-plus", "yahtzee", "yatzy-sv")


@dataclass(frozen=True, slots=True)
class SeatForm:
    kind: str
    name: str = ""


def games() -> list[str]:
    """The games in the order of the lobby: first the main ones, then their relatives."""
    return sorted(builtin_ids(), key=lambda game: ORDER.index(game) if game in ORDER else len(ORDER))


def in_groups(cards: Sequence[tuple[str, ...]]) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """Return the cards of the main games, and those of their relatives, which stand behind one tap."""
    main = [card for card in cards if card[0] in main_ids()]
    return main, [card for card in cards if card not in main]


async def known_game(matches: MatchesNow, game: str) -> str:
    """Return the game named in the path, or house rules that it carries; any other is not found."""
    if is_house(game):  # built in a thread, then cached: its cost depends on untrusted input
        await matches.in_background(opening.game_rules, game)
    elif game not in builtin_ids():
        raise UsageError("not_found")
    return game


GameAsked = Annotated[str, Depends(known_game)]


@router.get("/new/{game}")
async def new(
    request: Request,
    viewer: ViewerNow,
    matches: MatchesNow,
    game: GameAsked,
    evening: Annotated[str, Query(max_length=40)] = "",
) -> Response:
    """The set-up of a game; in an evening with the people and dice of the last one, the next player first."""
    seats = [SeatForm("person", viewer.name or default_name(viewer.language, 1))]
    form: dict[str, Any] = {"evening": evening}
    if evening and (like := await like_last_game(matches, evening, viewer.key)):
        seats = [SeatForm(seat.kind, seat.name) for seat in like.seats]
        form["dice"] = like.dice
    return setup_page(request, viewer, game, seats, form, await opening.new_promise(matches))


@router.post("/new/{game}")
async def change(
    request: Request, viewer: ViewerNow, matches: MatchesNow, game: GameAsked, form: Form
) -> Response:
    """Open the match, or change the seats, the language or the theme."""
    seats = read_seats(form)
    action = str(form.get("action", "play"))
    named = str(form.get("promise", ""))[:64]
    known = await opening.find_promise(matches, named) if named else None
    promise = known or await opening.new_promise(matches)
    unseen = known is None and bool(named or form.get("seed"))
    if unseen:
        form = {**form, "seed": ""}  # a word must not be known before the fingerprint is
    if action == "preferences":
        chosen = with_preferences(viewer, form)
        seats = renamed(seats, viewer.language, chosen.language)
        response = setup_page(request, chosen, game, seats, form, promise)
        return set_preferences(request, response, chosen)
    if action in QUICK:
        seats, action = changed_seats(seats, QUICK[action], viewer.language), "play"
    if action != "play":
        seats = changed_seats(seats, action, viewer.language)
        return setup_page(request, viewer, game, seats, form, promise)
    if unseen:
        error = UsageError("promise_used")
        problem = viewer.language.sentence(error)
        return setup_page(request, viewer, game, seats, form, promise, problem, status_of(error))
    options = options_in(form)
    wishes = seat_wishes(seats, str(form.get("seed", "")).strip())
    same = ("turn" if form.get("opens") == "turn" else "game") if form.get("dice") == "same" else ""
    dice = str(form.get("dice")) if form.get("dice") in ("table", "points") else "screen"
    wish = NewMatch(
        game,
        wishes,
        options,
        dice,  # type: ignore[arg-type]
        promise.name,
        coach=bool(form.get("coach")),
        same=same,  # type: ignore[arg-type]
        evening=str(form.get("evening", ""))[:40],
    )
    try:
        live = await opening.open_match(matches, wish, viewer.key)
    except DicecupError as error:
        problem = viewer.language.sentence(error)
        return setup_page(request, viewer, game, seats, form, promise, problem, status_of(error))
    response = go_to(request, viewer, f"/t/{live.id}")
    mine = next((seat.name for seat in seats if seat.kind == "person"), "")
    set_cookie(request, response, "name", quote(mine))
    return response


def options_in(form: Mapping[str, Any]) -> dict[str, str]:
    return {name[7:]: str(value) for name, value in form.items() if name.startswith("option-")}


def renamed(seats: list[SeatForm], before: Language, after: Language) -> list[SeatForm]:
    """Translate the names of numbered players."""
    names = {
        default_name(before, number): default_name(after, number) for number in range(1, MOST_PLAYERS + 1)
    }
    return [
        SeatForm("person", names.get(seat.name, seat.name)) if seat.kind == "person" else seat
        for seat in seats
    ]


def seat_wishes(seats: list[SeatForm], seed: str) -> list[NewSeat]:
    """The seats as they are asked for; the host's seed goes to the first person's seat."""
    own = next((place for place, seat in enumerate(seats) if seat.kind == "person"), None)
    return [
        NewSeat(seat.kind, seat.name, seed if place == own else "")  # type: ignore[arg-type]
        for place, seat in enumerate(seats)
    ]


def default_name(language: Language, number: int) -> str:
    return language.gettext("Player {number}").format(number=number)


def new_name(seats: list[SeatForm], language: Language) -> str:
    """Name the next player by a number that no name uses yet."""
    taken = {seat.name for seat in seats}
    number = sum(seat.kind == "person" for seat in seats) + 1
    while default_name(language, number) in taken:
        number += 1
    return default_name(language, number)


def read_seats(form: Form) -> list[SeatForm]:
    """Read the seats of the form: one kind and one name each, in order."""
    kinds, names = form.get("kind", []), form.get("name", [])
    kinds = kinds if isinstance(kinds, list) else [kinds]
    names = names if isinstance(names, list) else [names]
    pairs = zip(kinds, names, strict=False)
    known = ("person", "bot", "open")
    return [
        SeatForm(str(kind), name.strip()[:80] if isinstance(name, str) else "")
        for kind, name in pairs
        if kind in known
    ][: MOST_PLAYERS + 1]


def changed_seats(seats: list[SeatForm], action: str, language: Language) -> list[SeatForm]:
    """`add-person`, `add-bot`, `add-open`, `remove-2`, `up-2`."""
    what, _, which = action.partition("-")
    if what == "add" and len(seats) < MOST_PLAYERS:
        if which == "person":
            return [*seats, SeatForm("person", new_name(seats, language))]
        if which == "bot":
            return [*seats, SeatForm("bot", DEFAULT_BOT)]
        if which == "open":
            return [*seats, SeatForm("open")]
    if not (which.isascii() and which.isdigit()) or int(which[:3]) >= len(seats):
        return seats
    place = int(which[:3])
    if what == "remove" and len(seats) > 1:
        return seats[:place] + seats[place + 1 :]
    if what == "up" and place:
        return [*seats[: place - 1], seats[place], seats[place - 1], *seats[place + 1 :]]
    return seats


def setup_page(
    request: Request,
    viewer: Viewer,
    game: str,
    seats: list[SeatForm],
    form: dict[str, Any],
    promise: opening.DicePromise,
    problem: str = "",
    status: int = 200,
) -> Response:
    rules = opening.game_rules(game)
    language, problem_of_coach = viewer.language, why_no_values(rules)
    if not problem_of_coach and not has_coach(rules):
        problem_of_coach = UsageError("coach_missing")
    return page(
        request,
        viewer,
        "setup.html",
        status,
        game=game,
        house=is_house(game),
        game_name=game_name(rules, language.code),
        summary=summary(rules, language.code),
        seats=seats,
        most_seats=MOST_PLAYERS,
        bots=bots(rules, language),
        options=options_view(rules, options_in(form), language),
        dice=form.get("dice", "screen"),
        opens=form.get("opens", ""),
        seed=form.get("seed", ""),
        has_coach=not problem_of_coach,
        no_coach=language.sentence(problem_of_coach, rules) if problem_of_coach else "",
        has_chances=has_solver(),
        coach=bool(form.get("coach")),
        evening=str(form.get("evening", ""))[:40],
        promise=promise.name,
        commitment=promise.commitment,
        problem=problem,
        focus_lost=button_gone(str(form.get("action", "")), len(seats)),
        fields_go_with="setup",
        only_here=only_here(base_address(request)),
    )


def button_gone(action: str, seats: int) -> bool:
    """Whether the pressed button no longer exists or is disabled now."""
    return action == f"remove-{seats}" or (action.startswith("remove-") and seats == 1)


@dataclass(frozen=True, slots=True)
class BotView:
    id: str
    name: str
    line: str  # its name and how strong it is: short, since a choice on a phone never wraps
    text: str  # how it plays


def bots(rules: Ruleset, language: Language) -> list[BotView]:
    """Every bot that can play this game here."""
    return [bot_view(rules, bot, language) for bot in bots_here(rules)]


def bot_view(rules: Ruleset, bot: str, language: Language) -> BotView:
    name = language.gettext(BOT_NAMES.get(bot, bot))
    points = usual_score(rules, bot)
    said = language.ngettext("about {points} point", "about {points} points", points or 0)
    strength = said.format(points=points) if points else bot_text(bot, language)
    return BotView(bot, name, f"{name} · {strength}" if strength else name, bot_text(bot, language))


def options_view(rules: Ruleset, given: Mapping[str, Any], language: Language) -> list[dict[str, Any]]:
    """Every option of the rules with what each value means, and which one is chosen."""
    found = []
    for option, values in rules.choices.items():
        chosen = str(given.get(option, values[0]))
        found.append(
            {
                "id": option,
                "changed": chosen != values[0],
                "name": option_name(rules, option, language.code),
                "values": [
                    (value, option_text(rules, option, value, language.code) or value, value == chosen)
                    for value in values
                ],
            }
        )
    return found


MOST_LOOKED_AT = 20  # of the newest games of a browser
MOST_TO_CONTINUE = 4


@dataclass(frozen=True, slots=True)
class OpenGame:
    """A game to continue."""

    id: str
    game: str
    names: str
    state: str  # whose turn it is, or what it waits for
    yours: bool


@dataclass(frozen=True, slots=True)
class LastGame:
    """The last game that is over, to be played again."""

    id: str
    game: str
    names: str


@router.get("/")
async def lobby(request: Request, viewer: ViewerNow, matches: MatchesNow) -> Response:
    code = viewer.language.code
    rules = [(game, game_rules(game)) for game in games()]
    lines = [] if viewer.new else await newest_games(matches, viewer)
    cards, family = in_groups([(game, game_name(found, code), summary(found, code)) for game, found in rules])
    address = matches.settings.address
    return page(
        request,
        viewer,
        "lobby.html",
        cards=cards,
        family=family,
        open_games=await open_games(matches, viewer, lines),
        last=last_game(lines, viewer.language),
        address=address,
        code=qr_svg(address) if address else None,
    )


async def newest_games(matches: Matches, viewer: Viewer) -> list[MatchLine]:
    """The newest games of this browser, without positions that were tried again."""
    found = await asyncio.to_thread(matches.store.matches_of, viewer.holder, "", MOST_LOOKED_AT)
    return [line for line in found.lines if not line.tried]


async def open_games(matches: Matches, viewer: Viewer, lines: list[MatchLine]) -> list[OpenGame]:
    """The games that are not over: first those where it is the viewer's turn, then the newest."""
    found = []
    for line in [line for line in lines if line.finished is None][:MOST_TO_CONTINUE]:
        try:
            live = await matches.get(line.id)
        except DicecupError:  # removed meanwhile
            continue
        found.append(open_game(live, line, viewer))
    return sorted(found, key=lambda game: not game.yours)


def open_game(live: LiveMatch, line: MatchLine, viewer: Viewer) -> OpenGame:
    language, match = viewer.language, live.match
    _ = language.gettext
    yours = bool(match and match.state.player in live.seats_of(viewer.holder))
    if live.apart:
        mine = live.seats_of(viewer.holder)
        yours = not all(is_done(live, seat) for seat in mine)
        state = _("Same dice for all")
    elif match is None:
        count = len(live.open_seats)
        state = language.ngettext("One seat is still open.", "{count} seats are still open.", count)
        state = state.format(count=count)
    elif yours:
        state = _("Your turn")
    else:
        state = _("Waiting for {player}").format(player=player_name(match.player, language))
    return OpenGame(
        live.id, game_name(game_rules(line.ruleset), language.code), names_text(line, language), state, yours
    )


def last_game(lines: list[MatchLine], language: Language) -> LastGame | None:
    """The last finished game, which can be played again by the same people; the next one begins."""
    line = next((line for line in lines if line.finished is not None), None)
    if line is None:
        return None
    names = ", ".join(player_name(name, language) for name in line.names)
    return LastGame(line.id, game_name(game_rules(line.ruleset), language.code), names)
