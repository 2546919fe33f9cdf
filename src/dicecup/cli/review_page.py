"""A review as one self-contained HTML page: no script, no font, no picture from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from dicecup.charts import key, line_chart
from dicecup.cli.common import _, speech
from dicecup.cli.review_text import (
    decision_head,
    decision_row,
    highlights,
    summary_head,
    summary_row,
    title,
)
from dicecup.coach.review import Decision, PlayerReview, Review
from dicecup.engine.record import Record
from dicecup.i18n.moves import move_text, number_text
from dicecup.i18n.reviews import MARKS
from dicecup.rules.model import Ruleset

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
        body += player_part(record.rules, player)
    code = speech.language.code
    return (
        f'<!doctype html>\n<html lang="{code}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(heading)}</title><style>{STYLE}</style></head>\n<body>\n"
        + "\n".join(body)
        + "\n</body></html>\n"
    )


def called(result: Review) -> list[str]:
    """The players, each with the number that stands on their line."""
    names = [player.name for player in result.players]
    return names if len(names) == 1 else [f"{number}. {name}" for number, name in enumerate(names, start=1)]


def player_part(rules: Ruleset, player: PlayerReview) -> list[str]:
    found = []
    points = "".join(f"<li>{together(escape(line))}</li>" for line in highlights(rules, player))
    found.append(f"<ul>{points}</ul>" if points else "")
    costly = [decision for decision in player.decisions if decision.mark]
    if costly:
        rows = [marked_row(rules, decision) for decision in costly]
        found.append(table(decision_head(), rows, numbers=(1, 5), cards=True))
    said = _("All decisions ({count})").format(count=len(player.decisions))
    every = "".join(decision_part(rules, decision) for decision in player.decisions)
    found.append(f"<details><summary>{escape(said)}</summary>{every}</details>")
    return found


def together(text: str, what: re.Pattern[str] = DICE) -> str:
    """Dice are not torn apart at the end of a line; where room is short, no die is."""
    return what.sub(r'<span class="dice">\g<0></span>', text)


def marked_row(rules: Ruleset, decision: Decision) -> tuple[str, ...]:
    sign, turn, dice, move, best, loss = map(escape, decision_row(rules, decision))
    word = escape(_(MARKS[decision.mark]))
    mark = f'<span class="{decision.mark}" title="{word}">{sign}</span>'
    return (mark, turn, together(dice), together(move, DOUBLE_DIE), together(best, DOUBLE_DIE), loss)


def decision_part(rules: Ruleset, decision: Decision) -> str:
    """The best choices of one decision and the one that was taken."""
    _sign, turn, dice, move, _best, loss = map(escape, decision_row(rules, decision))
    shown = list(decision.choices[:SHOWN_CHOICES])
    if decision.taken not in shown:
        shown.append(decision.taken)
    rows = []
    for choice in shown:
        words = together(escape(move_text(rules, choice.move, speech.language)), DOUBLE_DIE)
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
    """A table of cells that are HTML already. On a narrow screen it scrolls by itself, or each row becomes a
    card whose lines say what they are."""

    def cell(place: int, content: str, tag: str) -> str:
        kind = ' class="number"' if place in numbers else ""
        label = f' data-label="{escape(head[place])}"' if cards and place and tag == "td" else ""
        return f"<{tag}{kind}{label}>{content}</{tag}>"

    def line(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(cell(place, content, tag) for place, content in enumerate(cells)) + "</tr>"

    lines = line([escape(title) for title in head], "th") + "".join(line(row, "td") for row in rows)
    return f'<div class="scroll"><table{" class=cards" if cards else ""}>{lines}</table></div>'
