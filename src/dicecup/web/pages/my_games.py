"""My games and their statistics: mean, best, luck and skill, charts of the scores, points per box."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from markupsafe import Markup, escape

from dicecup.charts import WIDTH, line_chart
from dicecup.i18n.language import Language, game_name, option_name, option_text
from dicecup.i18n.sentences import rating_text
from dicecup.rules.model import Ruleset
from dicecup.storage.stored import Ended, MatchLine, ResultPage
from dicecup.web.pages.coach_view import figure
from dicecup.web.pages.sheet_view import number
from dicecup.web.service.opening import game_rules
from dicecup.web.service.statistics import Statistics, statistics
from dicecup.web.texts import line_names, player_name


def lines(
    series: Mapping[str, Sequence[float]],
    title: str,
    across: str,
    level: float | None = None,
    first: int = 0,
    under_way: Mapping[str, float | None] | None = None,
) -> Markup:
    """Several lines over the same steps."""
    chart = line_chart(title, across, series, first=first, level=level, under_way=under_way, styled=False)
    return Markup(chart)


def course(points: Sequence[float], title: str, across: str) -> Markup:
    """Game after game, with the mean."""
    return lines({title: points}, title, across, fmean(points) if len(points) > 1 else None, first=1)


def bars(values: Sequence[tuple[str, float, str]], title: str) -> Markup:
    """One bar a line: its name, its value, and the value as it is written."""
    step, label = 38, 290
    most = max((abs(value) for _, value, _ in values), default=1) or 1
    parts = []
    for place, (name, value, written) in enumerate(values):
        top = place * step + 4
        length = (WIDTH - label - 90) * abs(value) / most
        parts.append(text(label - 10, top + 23, name, "end"))
        parts.append(
            f'<rect class="bar" x="{label}" y="{top}" width="{length:.1f}" height="{step - 8}" rx="4"/>'
        )
        parts.append(text(label + length + 8, top + 23, written, "start"))
    height = len(values) * step + 8
    opening = f'<svg class="chart" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(title)}">'
    return Markup(opening + "".join(parts) + "</svg>")


def text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


@dataclass(frozen=True, slots=True)
class GameLine:
    id: str
    game: str
    names: str
    day: str
    begun: bool
    finished: bool
    tried: bool
    undone: bool
    points: str  # of one's own seat, once the game is over
    won_by: str  # where several play
    luck: str = ""  # of the viewer's only seat, once the game is reviewed
    skill: str = ""


@dataclass(frozen=True, slots=True)
class LuckAndSkill:
    """What the coach found in the reviewed games."""

    count: int
    luck: str
    skill: str
    error_rate: str
    rating: str
    rating_name: str
    chart: Markup | None  # of several games


@dataclass(frozen=True, slots=True)
class StatisticsView:
    """One player's results in one game."""

    game: str
    name: str
    count: int
    undone: int  # games in which rolls were undone
    mean: str
    best: int
    worst: int
    wins: int
    against: int  # how many of the games had other players
    course: Markup
    boxes: Markup
    coach: LuckAndSkill | None


def game_line(line: MatchLine, language: Language) -> GameLine:
    own = own_ends(line)
    found = own[0].verdict if len(own) == 1 else None
    return GameLine(
        id=line.id,
        game=game_name(game_rules(line.ruleset), language.code),
        names=names_text(line, language),
        day=line.created[:10],
        begun=line.begun,
        finished=line.finished is not None,
        tried=line.tried,
        undone=line.undone,
        points=own_points(line, language),
        won_by=winners(line, language),
        luck=figure(found.luck, language, sign=True) if found else "",
        skill=figure(found.skill, language, sign=True) if found else "",
    )


def names_text(line: MatchLine, language: Language) -> str:
    """The players. Somebody who held several seats sees their points beside the names."""
    own = own_ends(line)
    points = {end.seat: f" {number(end.points)}" for end in line.ended} if len(own) > 1 else {}
    names = [player_name(name, language) or "…" for name in line.names]
    return ", ".join(name + points.get(seat, "") for seat, name in enumerate(names))


def own_points(line: MatchLine, language: Language) -> str:
    """The viewer's points, if they held a single seat."""
    own = own_ends(line)
    if len(own) != 1:
        return ""
    text = language.ngettext("{points} point", "{points} points", own[0].points)
    return text.format(points=number(own[0].points))


def own_ends(line: MatchLine) -> list[Ended]:
    return [end for end in line.ended if end.mine]


def winners(line: MatchLine, language: Language) -> str:
    if len(line.ended) < 2:
        return ""
    names = [player_name(line.names[end.seat], language) for end in line.ended if end.place == 1]
    return language.gettext("won by {players}").format(players=language.join(names))


def statistics_views(page: ResultPage, language: Language) -> list[StatisticsView]:
    """The most played first."""
    return [statistics_view(one, language) for one in statistics(page.results, page.verdicts, page.undone)]


def statistics_view(one: Statistics, language: Language) -> StatisticsView:
    rules, results = one.rules, one.results
    points = [result.points for result in results]
    return StatisticsView(
        game=" · ".join([game_name(rules, language.code), *unusual_options(rules, language)]),
        name=one.name,
        count=len(results),
        undone=one.undone,
        mean=figure(one.mean, language),
        best=max(points),
        worst=min(points),
        wins=one.wins,
        against=one.against,
        course=course(points, language.gettext("Points, game by game"), language.gettext("games")),
        boxes=bars(named_boxes(one, language), language.gettext("Mean points per box")),
        coach=luck_and_skill(one, language) if one.verdicts else None,
    )


def unusual_options(rules: Ruleset, language: Language) -> list[str]:
    """The options that differ from the default, by the part of their texts before the colon."""
    found = []
    for option, values in rules.choices.items():
        chosen = rules.options[option]
        if chosen != values[0]:
            text = option_text(rules, option, chosen, language.code) or chosen
            found.append(f"{option_name(rules, option, language.code)}: {text.partition(':')[0].strip()}")
    return found


def luck_and_skill(one: Statistics, language: Language) -> LuckAndSkill:
    _ = language.gettext
    title = _("Luck and skill, game by game")
    series = {
        _("Luck"): [verdict.luck for verdict in one.verdicts],
        _("Skill"): [verdict.skill for verdict in one.verdicts],
    }
    return LuckAndSkill(
        count=len(one.verdicts),
        luck=figure(one.mean_luck, language, sign=True),
        skill=figure(one.mean_skill, language, sign=True),
        error_rate=figure(one.error_rate, language, 2),
        rating=one.rating,
        rating_name=rating_text(one.rating, language),
        chart=lines(series, title, _("games"), level=0.0, first=1) if len(one.verdicts) > 1 else None,
    )


def named_boxes(one: Statistics, language: Language) -> list[tuple[str, float, str]]:
    names = line_names(one.rules, language)
    return [(names[box][0], mean, figure(mean, language)) for box, mean in one.boxes.items()]
