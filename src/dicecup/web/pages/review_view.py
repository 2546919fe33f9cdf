"""A record looked at again: the course of the game, every turn, the sheets at the end.

The coach's numbers (expected score, losses, luck) have their place here as soon as there is a coach.
"""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from dicecup.engine.moves import Score
from dicecup.engine.play import score_sheet
from dicecup.engine.record import Record, verify
from dicecup.engine.totals import final_score, standings
from dicecup.i18n.language import Language
from dicecup.i18n.names import game_name, name
from dicecup.web.pages.charts import lines
from dicecup.web.pages.names import dice_text, player_name


@dataclass(frozen=True, slots=True)
class TurnLine:
    number: int
    player: str
    throws: list[str]
    boxes: str
    points: int
    total: int
    moves: int  # how many moves stood before the turn


@dataclass(frozen=True, slots=True)
class ReviewView:
    game_name: str
    players: list[str]
    date: str
    finished: bool
    standings: list[tuple[int, str, int]]
    chart: Markup
    turns: list[TurnLine]
    proved: bool
    dice: str
    throws: int


def review_view(record: Record, language: Language) -> ReviewView:
    rules, players = record.rules, [player_name(player, language) for player in record.header.players]
    proof = verify(record)
    turns, totals = read_turns(record, players, language)
    series = [(player, [0.0, *totals[seat]]) for seat, player in enumerate(players)]
    return ReviewView(
        game_name=game_name(rules, language.code),
        players=players,
        date=record.header.date,
        finished=record.state.finished,
        standings=[(place, players[seat], points) for place, seat, points in standings(rules, record.state)],
        chart=lines(series, language.gettext("Points, turn after turn")),
        turns=turns,
        proved=proof.proved,
        dice=proof.kind,
        throws=proof.throws,
    )


def read_turns(
    record: Record, players: list[str], language: Language
) -> tuple[list[TurnLine], dict[int, list[float]]]:
    """Every turn that stands, and each player's total after it."""
    rules = record.rules
    turns: list[TurnLine] = []
    totals: dict[int, list[float]] = {seat: [] for seat in range(len(players))}
    thrown: list[str] = []
    begun = 0
    steps = zip(record.moves, record.states, record.states[1:], strict=False)
    for number, (move, before, after) in enumerate(steps):
        if after.dice != before.dice and after.dice:
            thrown.append(dice_text(after.dice))
        if not isinstance(move, Score):
            continue
        seat = before.player
        _, written = score_sheet(rules, before.sheet, before.dice, move.placements)
        boxes = [
            " ".join(name(rules, part, language.code) for part in (place.box, place.column) if part)
            + f" {scored.points}"
            for place, scored in zip(move.placements, written, strict=True)
        ]
        total = final_score(rules, after.sheets[seat])
        points = sum(scored.points for scored in written)
        totals[seat].append(float(total))
        turns.append(
            TurnLine(len(totals[seat]), players[seat], thrown, language.join(boxes), points, total, begun)
        )
        thrown, begun = [], number + 1
    return turns, totals
