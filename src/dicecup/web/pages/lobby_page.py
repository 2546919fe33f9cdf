"""The first page: open games to continue, the last one again, and all games to choose from."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from fastapi import APIRouter, Request
from starlette.responses import Response

from dicecup.errors import DicecupError
from dicecup.i18n.language import Language, game_name, summary
from dicecup.storage.stored import MatchLine
from dicecup.web.assets import qr_svg
from dicecup.web.pages.my_games import names_text
from dicecup.web.pages.render import page
from dicecup.web.pages.setup_page import games, in_groups
from dicecup.web.service.live_match import LiveMatch
from dicecup.web.service.matches import Matches
from dicecup.web.service.opening import game_rules
from dicecup.web.service.playing_apart import is_done
from dicecup.web.texts import player_name
from dicecup.web.viewer import MatchesNow, Viewer, ViewerNow

router = APIRouter(include_in_schema=False)
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
