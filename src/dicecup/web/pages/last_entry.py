"""What was written last, and whether it deserves a flourish."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dicecup.bots import is_bot
from dicecup.engine.legality import cell_of
from dicecup.engine.state import Score, State, column_lines, standings
from dicecup.i18n.language import Language
from dicecup.i18n.names import name
from dicecup.match import Match
from dicecup.rules.model import Alike, Ruleset
from dicecup.web.pages.sheet_view import number
from dicecup.web.texts import player_name


@dataclass(frozen=True, slots=True)
class BoxEntry:
    box: str
    points: str


@dataclass(frozen=True, slots=True)
class LastEntry:
    """The boxes that were filled last, by whom; `move` tells one entry from the next."""

    seat: int = -1
    name: str = ""
    boxes: tuple[BoxEntry, ...] = ()
    cells: frozenset[int] = frozenset()
    flourish: str = ""  # win, alike or bonus, while nothing has happened since
    move: int = 0


NO_ENTRY = LastEntry()


def last_entry(match: Match, language: Language) -> LastEntry:
    record, rules = match.record, match.rules
    if record.header.origin.kind == "points":  # on a pad there are no turns
        return NO_ENTRY
    for back, (before, move, after) in enumerate(record.backwards()):
        if not isinstance(move, Score):
            continue
        seat = before.player
        cells = [cell_of(rules, place.box, place.column) for place in move.placements]
        points = [after.sheets[seat].cells[cell] or 0 for cell in cells]
        boxes = []
        for place, given in zip(move.placements, points, strict=True):
            column = f" {name(rules, place.column, language.code)}" if place.column else ""
            boxes.append(BoxEntry(name(rules, place.box, language.code) + column, number(given)))
        entry = LastEntry(
            seat,
            player_name(record.header.players[seat], language),
            tuple(boxes),
            frozenset(cells),
            flourish_of(match, before, after, cells) if not back else "",
            record.moves_made - back,
        )
        break
    else:
        entry = NO_ENTRY
    winner = match.state.winner
    if winner is None or is_bot(record.header.players[winner]):
        return entry
    return replace(entry, flourish="win", move=record.moves_made)


def flourish_of(match: Match, before: State, after: State, cells: list[int]) -> str:
    """What to celebrate about a move: that a person has won, all dice alike, or the bonus."""
    rules, players = match.rules, match.record.header.players
    if after.finished:
        winners = [seat for place, seat, _ in standings(rules, after) if place == 1]
        return "" if all(is_bot(players[seat]) for seat in winners) else "win"
    old, new = before.sheets[before.player], after.sheets[before.player]
    if any(new.cells[cell] and needs_all_alike(rules, cell) for cell in cells):
        return "alike"
    columns = range(len(rules.columns))
    bonus = [sum(column_lines(rules, sheet, at)["bonus"] for at in columns) for sheet in (old, new)]
    return "bonus" if bonus[1] > bonus[0] else ""


def needs_all_alike(rules: Ruleset, cell: int) -> bool:
    needs = rules.boxes[cell % len(rules.boxes)].needs
    return isinstance(needs, Alike) and needs.groups == (rules.dice.counted,)
