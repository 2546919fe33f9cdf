"""Moves of people: checked against seat, version and turn, then played by the match."""

from __future__ import annotations

from dicecup.dice import Dice
from dicecup.engine.moves import Keep, Score
from dicecup.errors import MoveError
from dicecup.match import Match
from dicecup.web.service.table import Table
from dicecup.web.service.tables import Tables


def check_version(match: Match, version: int) -> None:
    if version != match.version:
        raise MoveError("version_stale", found=version, version=match.version)


def check_turn(table: Table, seats: frozenset[int], version: int, *, typing: bool = False) -> Match:
    """The match, if one of these seats may act now. Anybody at the table may type a bot's dice."""
    if not seats:
        raise MoveError("seat_not_yours")
    match = table.playing()
    check_version(match, version)
    if match.state.finished:
        raise MoveError("game_over")
    if match.state.player not in seats and not (typing and table.bot_is_next()):
        raise MoveError("not_your_turn")
    return match


async def decide(
    tables: Tables, table: Table, seats: frozenset[int], version: int, move: Keep | Score
) -> None:
    """Keep dice or fill a box. Dice that the server throws follow a keep at once."""

    def play(match: Match) -> None:
        match.decide(move)
        if isinstance(move, Keep) and match.record.header.origin.kind != "typed":
            match.throw()

    async with tables.changing(table, version):
        check_turn(table, seats, version)
        await tables.play(table, play)


async def throw(
    tables: Tables, table: Table, seats: frozenset[int], version: int, typed: Dice | None = None
) -> None:
    """Throw the dice that are due, or type what they show."""
    async with tables.changing(table, version):
        check_turn(table, seats, version, typing=typed is not None)
        await tables.play(table, lambda match: match.throw(typed))
