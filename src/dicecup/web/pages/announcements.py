"""The last event in one sentence, shown and read out by screen readers; and the last boxes written."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dicecup.bots import is_bot
from dicecup.engine.legality import cell_of
from dicecup.engine.record import Undo
from dicecup.engine.state import (
    Announce,
    Keep,
    Score,
    State,
    Throw,
    Write,
    column_lines,
    rolls_made,
    standings,
)
from dicecup.i18n.language import Language, name
from dicecup.i18n.sentences import cell_text
from dicecup.match import Match
from dicecup.rules.model import Alike, Ruleset
from dicecup.web.pages.sheet_view import number
from dicecup.web.service.live_match import LiveMatch
from dicecup.web.service.undoing import UndoOptions
from dicecup.web.texts import dice_text, player_name


def announcement(live: LiveMatch, language: Language) -> str:
    _, match = language.gettext, live.playing()
    read = notice(live, language)
    if read:
        return read
    if match.state.finished:
        return ending(match, language)
    before, move, _after = next(match.record.backwards(), (None, None, None))
    if before is None or move is None:
        return ""
    player = player_name(match.record.header.players[before.player], language)
    if isinstance(move, Throw) and move.final:
        return _("{player}, final dice: {dice}.").format(player=player, dice=dice_text(match.state.dice))
    if isinstance(move, Throw):
        number = rolls_made(match.rules, match.state)
        return _("{player}, roll {number}: {dice}.").format(
            player=player, number=number, dice=dice_text(match.state.dice)
        )
    if isinstance(move, Keep):
        kept = dice_text(move.dice) or "–"
        return _("{player} keeps {dice}.").format(player=player, dice=kept)
    if isinstance(move, Announce):
        box = cell_text(match.rules, move.box, move.column, language)
        return _("{player} announces {box}.").format(player=player, box=box)
    if isinstance(move, Write):
        return write_announcement(match, move, language)
    return score_announcement(match, move, player, language)


def notice(live: LiveMatch, language: Language) -> str:
    """What happened, if neither dice nor sheets show it."""
    entries = live.playing().record.entries
    if live.refusals:
        return refusal(live, language)
    return language.gettext("Undone.") if entries and isinstance(entries[-1], Undo) else ""


def refusal(live: LiveMatch, language: Language) -> str:
    """Who refused to undo, for the player who proposed it."""
    names = [live.stored.seats[seat].name for seat in sorted(live.refusals)]
    text = language.ngettext("{players} said no.", "{players} said no.", len(names))
    return text.format(players=language.join(names))


def proposal(live: LiveMatch, back: UndoOptions, language: Language) -> str:
    """Who wants to undo, and how many steps: shown to those who are asked to agree."""
    names = [player_name(live.stored.seats[seat].name, language) for seat in sorted(back.agreed)]
    if not names:
        return ""
    if len(names) == 1:
        text = language.ngettext(
            "{player} asks to undo one step.", "{player} asks to undo {steps} steps.", back.proposed
        )
        return text.format(player=names[0], steps=back.proposed)
    text = language.ngettext(
        "{players} ask to undo one step.", "{players} ask to undo {steps} steps.", back.proposed
    )
    return text.format(players=language.join(names), steps=back.proposed)


def departure(live: LiveMatch, language: Language) -> str:
    """Who has left the match; a seat that nobody ever took has no name."""
    seats = [live.stored.seats[number] for number in live.open_seats]
    names = [seat.name for seat in seats if seat.name]
    if not names:
        return ""
    text = language.ngettext("{players} has left the game.", "{players} have left the game.", len(names))
    return text.format(players=language.join(names))


def score_announcement(match: Match, move: Score, player: str, language: Language) -> str:
    """The boxes that were filled, with the dice that counted."""
    _ = language.gettext
    rules, parts = match.rules, []
    for placement, scored in zip(move.placements, match.record.last_scored, strict=True):
        box = name(rules, placement.box, language.code)
        if placement.column:
            box = f"{box} {name(rules, placement.column, language.code)}"
        text = f"{box} {scored.points}".replace("-", "−")
        parts.append(f"{text} ({dice_text(scored.counted)})" if scored.counted else text)
    return _("{player} fills {boxes}.").format(player=player, boxes=language.join(parts))


def write_announcement(match: Match, move: Write, language: Language) -> str:
    """What was written on a pad, or corrected."""
    _ = language.gettext
    player = player_name(match.record.header.players[move.seat], language)
    box = cell_text(match.rules, move.box, move.column, language)
    if move.points is None:
        return _("{player}: {box} is empty again.").format(player=player, box=box)
    points = str(move.points).replace("-", "−")
    if move.was is None:
        return _("{player}: {box} {points}.").format(player=player, box=box, points=points)
    was = str(move.was).replace("-", "−")
    text = _("{player}: {box} {points} (was {before}).")
    return text.format(player=player, box=box, points=points, before=was)


def ending(match: Match, language: Language) -> str:
    placed = standings(match.rules, match.state)
    names = [
        player_name(match.record.header.players[seat], language)
        for place, seat, _points in placed
        if place == 1
    ]
    points = placed[0][2]
    if match.state.winner is not None:
        said = language.gettext("The game is over. {player} wins at once with {dice}.")
        return said.format(player=names[0], dice=dice_text(match.state.dice))
    if len(placed) == 1:
        said = language.ngettext(
            "The game is over: {points} point.", "The game is over: {points} points.", abs(points)
        )
        return said.format(points=points)
    if len(names) > 1:
        said = language.ngettext(
            "The game is over. {players} share first place with {points} point.",
            "The game is over. {players} share first place with {points} points.",
            abs(points),
        )
        return said.format(players=language.join(names), points=points)
    said = language.ngettext(
        "The game is over. {player} wins with {points} point.",
        "The game is over. {player} wins with {points} points.",
        abs(points),
    )
    return said.format(player=names[0], points=points)


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
