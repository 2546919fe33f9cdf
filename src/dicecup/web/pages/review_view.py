"""A record looked at again, as the template needs it: what happened, and what the coach found about it."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from dicecup.bots import BOT_PREFIX
from dicecup.engine.moves import Score
from dicecup.engine.record import Record, verify
from dicecup.engine.totals import final_score, standings
from dicecup.i18n.language import Language
from dicecup.i18n.moves import percent_text
from dicecup.i18n.names import game_name
from dicecup.i18n.reviews import chances_text, learned_text, rating_text, unfinished_text
from dicecup.web.pages.charts import lines
from dicecup.web.pages.names import house_rules, player_name
from dicecup.web.pages.review_turns import SeatView, figure, seat_view
from dicecup.web.service.reviewing import Reviewed


@dataclass(frozen=True, slots=True)
class PlayerCard:
    """One player's game in a few figures; without a coach only the points."""

    seat: int
    name: str
    bot: bool
    place: int
    points: int
    expected: str = ""
    final: str = ""  # of an unfinished game: what is expected where it stopped
    luck: str = ""
    skill: str = ""
    luck_share: float = 0.0  # from -100 to 100, the most of all players
    skill_share: float = 0.0
    error_rate: str = ""
    rating: str = ""
    rating_name: str = ""
    blunders: int = 0
    inaccuracies: int = 0


@dataclass(frozen=True, slots=True)
class ReviewView:
    game_name: str
    house_rules: list[str]
    date: str
    finished: bool
    players: list[PlayerCard]  # the best first
    names: list[str]  # by seat
    layers: int
    chart: Markup
    notes: list[str]
    seat: SeatView  # the one whose turns are shown
    coached: bool
    proved: bool
    dice: str
    throws: int


def review_view(record: Record, language: Language, seat: int, found: Reviewed | None) -> ReviewView:
    rules, proof = record.rules, verify(record)
    names = names_of(record, language)
    return ReviewView(
        game_name=game_name(rules, language.code),
        house_rules=house_rules(rules, language),
        date=record.header.date,
        finished=record.state.finished,
        players=cards(record, names, language, found),
        names=names,
        layers=len(rules.dice.layers),
        chart=chart(record, names, language, found),
        notes=notes(record, names, language, found),
        seat=seat_view(record, names[seat], seat, language, found),
        coached=found is not None,
        proved=proof.proved,
        dice=proof.kind,
        throws=proof.throws,
    )


def names_of(record: Record, language: Language) -> list[str]:
    """The players by seat; a number tells equal ones apart."""
    names = [player_name(player, language) for player in record.header.players]
    return [
        name if names.count(name) == 1 else f"{name} {number}" for number, name in enumerate(names, start=1)
    ]


def cards(record: Record, names: list[str], language: Language, found: Reviewed | None) -> list[PlayerCard]:
    placed = standings(record.rules, record.state)
    bots = [player.startswith(BOT_PREFIX) for player in record.header.players]
    if found is None:
        return [PlayerCard(seat, names[seat], bots[seat], place, points) for place, seat, points in placed]
    reviews = found.review.players
    most = max(max(abs(one.luck), abs(one.skill)) for one in reviews) or 1.0
    made = []
    for place, seat, points in placed:
        one = reviews[seat]
        made.append(
            PlayerCard(
                seat=seat,
                name=names[seat],
                bot=bots[seat],
                place=place,
                points=points,
                expected=figure(one.expected_at_start, language),
                final=str(points) if one.finished else figure(one.final, language),
                luck=figure(one.luck, language, sign=True),
                skill=figure(one.skill, language, sign=True),
                luck_share=round(100 * one.luck / most, 1),
                skill_share=round(100 * one.skill / most, 1),
                error_rate=figure(one.error_rate, language, 2),
                rating=one.rating or "",
                rating_name=rating_text(one.rating, language),
                blunders=one.count("blunder"),
                inaccuracies=one.count("inaccuracy"),
            )
        )
    return made


def chart(record: Record, names: list[str], language: Language, found: Reviewed | None) -> Markup:
    """The expected final score through the game; without a coach the points."""
    _ = language.gettext
    across = _("turns played")
    if found is not None:
        players = dict(zip(names, found.review.players, strict=True))
        return lines(
            {name: player.course for name, player in players.items()},
            _("Expected final score through the game"),
            across,
            level=found.review.players[0].expected_at_start,
            under_way={name: player.under_way for name, player in players.items()},
        )
    totals = points_by_turn(record)
    return lines(dict(zip(names, totals, strict=True)), _("Points, turn after turn"), across)


def points_by_turn(record: Record) -> list[list[float]]:
    """Each player's points, at the start and after each turn."""
    totals = [[0.0] for _ in record.header.players]
    for move, before, after in zip(record.moves, record.states, record.states[1:], strict=False):
        if isinstance(move, Score):
            totals[before.player].append(float(final_score(record.rules, after.sheets[before.player])))
    return totals


def notes(record: Record, names: list[str], language: Language, found: Reviewed | None) -> list[str]:
    """What must be known to read the figures."""
    if found is None:
        return []
    said = [] if found.review.exact else [learned_text(language)]
    if not record.state.finished:
        said.append(unfinished_text(language))
        if found.wins:
            chances = zip(names, map(percent_text, found.wins.chances), strict=True)
            said.append(chances_text(list(chances), found.wins.standard_error, found.wins.games, language))
    return said
