"""`dicecup review`: luck and skill of every player of a record, and every decision, as text or as one
self-contained HTML page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

import click

from dicecup.charts import key, line_chart
from dicecup.cli.common import (
    Command,
    _,
    check_writable,
    echo,
    echo_stderr,
    given_record,
    json_option,
    language_option,
    option,
    print_json,
    speech,
    table_text,
    write_file,
)
from dicecup.cli.solving import (
    ShareProgress,
    chances_to_win,
    compilation_announced,
    hint_values,
    learned_notes,
)
from dicecup.cli.terminal import fitting
from dicecup.coach.review import Decision, PlayerReview, Review, RollLuck, WinChances, review
from dicecup.coach.review_data import review_data
from dicecup.dice import format_dice
from dicecup.engine.record import Record
from dicecup.engine.record_dice import rounds_of
from dicecup.engine.state import Keep, Score
from dicecup.errors import UsageError
from dicecup.i18n.language import game_name
from dicecup.i18n.sentences import (
    MARKS,
    SIGNS,
    chances_text,
    date_text,
    lesson_text,
    move_text,
    number_text,
    percent_text,
    rating_text,
    rolls_unknown_text,
    said_text,
    signed_text,
    unfinished_text,
)
from dicecup.messages import N_
from dicecup.rules.model import Ruleset


def signed(value: float) -> str:
    return signed_text(value, speech.language)


def summary_head() -> tuple[str, ...]:
    return (_("Player"), _("Final score"), _("Expected"), _("Luck"), _("Skill"), _("Error rate"), _("Class"))


def summary_row(player: PlayerReview) -> tuple[str, ...]:
    language = speech.language
    final = number_text(player.final, language, 0 if player.finished else 2)
    expected = number_text(player.expected_at_start, language)
    if not player.rolls_known:
        return (player.name, final, expected, "–", "–", "–", _("rolls unknown"))
    return (
        player.name,
        final,
        expected,
        signed(player.luck),
        signed(player.skill),
        number_text(player.error_rate, language, 3),
        rating_text(player.rating, language),
    )


def title(record: Record) -> str:
    name = game_name(record.rules, speech.language.code)
    date = record.header.date
    return f"{name}, {date_text(date, speech.language)}" if date else name


def notes(record: Record, result: Review, wins: WinChances | None) -> list[str]:
    """Return the notes that explain the figures."""
    found = rolls_unknown_text([one.name for one in result.players if not one.rolls_known], speech.language)
    if not record.state.finished:
        found.append(unfinished_text(speech.language))
        if wins:
            chances = [
                (player.name, percent_text(chance, speech.language))
                for player, chance in zip(result.players, wins.chances, strict=True)
            ]
            found.append(chances_text(chances, wins.standard_error, wins.games, speech.language))
    return found


def luck_text(said: str, luck: RollLuck) -> str:
    """Describe a roll's gain and the dice it was rolled for: luck is measured against the kept dice."""
    dice = format_dice(luck.dice)
    if luck.kept:
        dice = _("{kept} kept, then {dice}").format(kept=format_dice(luck.kept), dice=dice)
    return said.format(turn=luck.turn, dice=dice, points=signed(luck.gain))


def said_move(record: Record, decision: Decision, move: Keep | Score) -> str:
    return said_text(record.rules, record.states[decision.moves], move, speech.language)


def lessons(rules: Ruleset, player: PlayerReview) -> list[str]:
    """What the player can learn from this game, at most three sentences."""
    return [
        lesson_text(rules, one.habit.kind, one.habit.box, one.loss, speech.language) for one in player.lessons
    ]


def highlights(record: Record, player: PlayerReview) -> list[str]:
    found = lessons(record.rules, player)
    if player.luckiest:
        found.append(luck_text(_("Luckiest roll: turn {turn}, {dice} ({points})"), player.luckiest))
    if player.unluckiest:
        found.append(luck_text(_("Unluckiest roll: turn {turn}, {dice} ({points})"), player.unluckiest))
    if costliest := player.costliest:
        found.append(
            _("Biggest mistake: turn {turn}, {dice}: {move} ({points}), better: {best}").format(
                turn=costliest.turn,
                dice=format_dice(costliest.dice),
                move=said_move(record, costliest, costliest.taken.move),
                best=said_move(record, costliest, costliest.best.move),
                points=signed(-costliest.loss),
            )
        )
    return found


def decision_head() -> tuple[str, ...]:
    return ("", _("Turn"), _("Dice"), _("Choice"), _("Best"), _("Loss"))


def decision_row(record: Record, decision: Decision) -> tuple[str, ...]:
    return (
        SIGNS[decision.mark],
        str(decision.turn),
        format_dice(decision.dice),
        said_move(record, decision, decision.taken.move),
        said_move(record, decision, decision.best.move),
        number_text(-decision.loss, speech.language),
    )


def text(record: Record, result: Review, said: list[str]) -> str:
    """Return the review as text, with the notes `said` below the figures."""
    blocks = [title(record)]
    rows = [summary_row(player) for player in result.players]
    blocks.append(table_text(summary_head(), rows, right=(1, 2, 3, 4, 5)))
    blocks += ["\n".join(said)] if said else []
    for player in result.players:
        lines = [player.name, *(f"  {line}" for line in highlights(record, player))]
        marked = [decision for decision in player.decisions if decision.mark]
        if marked:
            table = [decision_row(record, decision) for decision in marked]
            lines += ["", table_text(decision_head(), table, right=(1, 5), indent="  ")]
        blocks.append("\n".join(lines))
    if record.header.origin.same_dice and len(result.players) > 1:
        blocks.append(partings(record, result))
    return "\n\n".join(blocks)


def partings(record: Record, result: Review) -> str:
    """Return where players with the same dice chose differently, and what the turn cost each of them."""
    rows = []
    for turn, one in enumerate(rounds_of(record), start=1):
        if one.parted is None:
            continue
        for player, played in zip(result.players, one.turns, strict=True):
            decided = played.decisions[one.parted]
            lost = sum(decision.loss for decision in player.decisions if decision.turn == turn)
            choice = move_text(record.rules, decided.move, speech.language)
            cost = signed(-lost) if lost > 5e-3 else ""
            rows.append((str(turn), format_dice(decided.dice), player.name, choice, str(played.points), cost))
    head = (_("Turn"), _("Dice"), _("Player"), _("Choice"), _("Points"), _("Cost"))
    table = table_text(head, rows, right=(0, 4, 5), indent="  ")
    return _("Where players with the same dice parted") + "\n\n" + table


SHOWN_CHOICES = 5
STYLE = """
:root{color-scheme:light dark;--ground:#fff;--ink:#1c1c1e;--faint:#6b6b70;--line:#d9d9de;--soft:#f4f4f6}
@media(prefers-color-scheme:dark)
{:root{--ground:#16171a;--ink:#e8e8ea;--faint:#9b9ba1;
--line:#36373c;--soft:#222327}}
body{font:16px/1.5 system-ui,sans-serif;background:var(--ground);color:var(--ink);margin:0 auto;
max-width:60rem;
padding:1rem}
h1{font-size:1.5rem}h2{font-size:1.2rem;margin-top:2.5rem}.chart svg{width:100%;height:auto}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:.35rem .6rem;border-bottom:1px solid var(--line)}
th{color:var(--faint);font-weight:600}td.number,th.number{text-align:right;white-space:nowrap}
.blunder{color:#d55e00;font-weight:700}.inaccuracy{color:#b07800;font-weight:700}
.key{width:30px;height:12px;margin-right:.4em}.key .series{stroke-width:4}.line-number{stroke:var(--ground)}
details{background:var(--soft);border-radius:6px;padding:.4rem .8rem;margin:.5rem 0}summary{cursor:pointer}
h1,h2,p,li,summary,.cards td:first-child,details td:not(.number){overflow-wrap:anywhere}
details td:not(.number){width:100%}
details details{padding:.4rem 0}details td,details th{padding:.35rem .3rem}
p.note{color:var(--faint)}.dice{white-space:nowrap}
@media(max-width:40rem){.chart svg{font-size:20px}.chart polyline{stroke-width:4}
.cards,.cards tbody,.cards tr,.cards td{display:block}.cards tr:first-child{display:none}
.cards tr{padding:.5rem 0;border-bottom:1px solid var(--line)}
.cards td,.cards td.number{border:0;padding:.1rem 0;text-align:left}
.cards td:empty{display:none}
.cards td[data-label]::before{content:attr(data-label) "\\a0 \\a0 ";color:var(--faint)}
.cards td:first-child{display:inline-block;margin-right:.6em;font-weight:600}}
"""
DICE = re.compile(r"[1-9](?:-[1-9])?(?: [1-9](?:-[1-9])?)+")
DOUBLE_DIE = re.compile(r"[1-9]-[1-9]")


def page(record: Record, result: Review, said: list[str]) -> str:
    heading = title(record)
    body = [f"<h1>{escape(heading)}</h1>"]
    players = dict(zip(called(result), result.players, strict=True))
    rows = [
        (key(number) + escape(name), *map(escape, summary_row(player)[1:]))
        for number, (name, player) in enumerate(players.items())
    ]
    body.append(table(summary_head(), rows, numbers=(1, 2, 3, 4, 5), cards=True))
    body += [f'<p class="note">{escape(note)}</p>' for note in said]
    body.append(f"<h2>{escape(_('Expected final score through the game'))}</h2>")
    chart = line_chart(
        _("Expected final score through the game"),
        _("turns played"),
        {name: player.course for name, player in players.items()},
        under_way={name: player.under_way for name, player in players.items()},
        numbered=True,
    )
    body.append(f'<div class="chart">{chart}</div>')
    for number, (name, player) in enumerate(players.items()):
        body.append(f"<h2>{key(number)}{escape(name)}</h2>")
        body += player_part(record, player)
    code = speech.language.code
    return (
        f'<!doctype html>\n<html lang="{code}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(heading)}</title><style>{STYLE}</style></head>\n<body>\n"
        + "\n".join(body)
        + "\n</body></html>\n"
    )


def called(result: Review) -> list[str]:
    """Return the players' names, each with the number of its line in the chart."""
    names = [player.name for player in result.players]
    return names if len(names) == 1 else [f"{number}. {name}" for number, name in enumerate(names, start=1)]


def player_part(record: Record, player: PlayerReview) -> list[str]:
    found = []
    points = "".join(f"<li>{together(escape(line))}</li>" for line in highlights(record, player))
    found.append(f"<ul>{points}</ul>" if points else "")
    costly = [decision for decision in player.decisions if decision.mark]
    if costly:
        rows = [marked_row(record, decision) for decision in costly]
        found.append(table(decision_head(), rows, numbers=(1, 5), cards=True))
    said = _("All decisions ({count})").format(count=len(player.decisions))
    every = "".join(decision_part(record, decision) for decision in player.decisions)
    found.append(f"<details><summary>{escape(said)}</summary>{every}</details>")
    return found


def together(text: str, what: re.Pattern[str] = DICE) -> str:
    """Return HTML in which groups of dice break between lines only if they must, and never within a die."""
    return what.sub(r'<span class="dice">\g<0></span>', text)


def marked_row(record: Record, decision: Decision) -> tuple[str, ...]:
    sign, turn, dice, move, best, loss = map(escape, decision_row(record, decision))
    word = escape(_(MARKS[decision.mark]))
    mark = f'<span class="{decision.mark}" title="{word}">{sign}</span>'
    return (mark, turn, together(dice), together(move, DOUBLE_DIE), together(best, DOUBLE_DIE), loss)


def decision_part(record: Record, decision: Decision) -> str:
    """Return the best choices of one decision, and the one that was made."""
    _sign, turn, dice, move, _best, loss = map(escape, decision_row(record, decision))
    shown = list(decision.choices[:SHOWN_CHOICES])
    if decision.taken not in shown:
        shown.append(decision.taken)
    rows = []
    for choice in shown:
        words = together(escape(said_move(record, decision, choice.move)), DOUBLE_DIE)
        taken = choice == decision.taken
        rows.append(
            (
                f"<b>{words}</b>" if taken else words,
                number_text(choice.expected, speech.language),
                number_text(-choice.loss, speech.language) if choice.loss else "",
            )
        )
    head = together(f"{escape(_('Turn'))} {turn} · {dice} · {move} · {loss}", DOUBLE_DIE)
    mark = f' class="{decision.mark}"' if decision.mark else ""
    choices = table((_("Choice"), _("Expected"), _("Loss")), rows, numbers=(1, 2))
    return f"<details><summary{mark}>{head}</summary>{choices}</details>"


def table(
    head: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[int], *, cards: bool = False
) -> str:
    """Return a table of cells that are HTML already. On a narrow screen it scrolls, or each row becomes a
    card with labelled lines."""

    def cell(place: int, content: str, tag: str) -> str:
        kind = ' class="number"' if place in numbers else ""
        label = f' data-label="{escape(head[place])}"' if cards and place and tag == "td" else ""
        return f"<{tag}{kind}{label}>{content}</{tag}>"

    def line(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(cell(place, content, tag) for place, content in enumerate(cells)) + "</tr>"

    lines = line([escape(title) for title in head], "th") + "".join(line(row, "td") for row in rows)
    return f'<div class="scroll"><table{" class=cards" if cards else ""}>{lines}</table></div>'


@click.command(
    "review",
    cls=Command,
    help=N_(
        "Show whether luck or skill decided a game: what each roll gave, what each choice lost. The "
        "game file is a path, or - for stdin."
    ),
    example="dicecup review sunday.record\ndicecup review sunday.record --html sunday.html --lang fr",
)
@click.argument("record", type=click.Path(path_type=Path))
@option("--html", type=click.Path(path_type=Path), help=N_("Also write a page with a chart to this file."))
@json_option
@language_option
def command(record: Path, html: Path | None, as_json: bool) -> None:
    found = given_record(record)
    if found.header.origin.kind == "points":  # before anything is solved
        raise UsageError("coach_points_only")
    if html is not None:
        if html.exists() and record.exists() and html.samefile(record):
            raise UsageError("page_over_record", file=html)
        check_writable(html)
    values = hint_values(found.rules)
    wins = None
    bar = ShareProgress()
    with compilation_announced(values):
        try:
            result = review(found, values, bar)
        finally:
            bar.end()
    if len(result.players) > 1:
        wins = chances_to_win(found)
    said = learned_notes(values) + notes(found, result, wins)
    if as_json:
        print_json(review_data(found, result, wins))
    else:
        echo(fitting(text(found, result, said)))
    if html is not None:
        write_file(html, page(found, result, said).encode())
        echo_stderr(_("Page written to {file}.").format(file=html))
