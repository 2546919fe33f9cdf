"""Draw the plots of docs/research.md from the tables in docs/coach.md and docs/learned.md.

python tools/research_plots.py
"""

from __future__ import annotations

import re
from pathlib import Path

from plots import bars

ROOT = Path(__file__).resolve().parent.parent
BOTS = ("greedy", "careless", "steady")


def rows(page: str) -> list[list[str]]:
    """The cells of every row of every table of a page, without emphasis."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    found = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip(" `*") for cell in row] for row in found]


def number(cell: str) -> float:
    found = re.match(r"[\d,.]+", cell)
    assert found, cell
    return float(found[0].replace(",", ""))


def bots() -> str:
    """How much of the perfect player's mean the other bots reach."""
    heading = ["game", "random", *BOTS, "optimal"]
    tables = rows("coach.md")
    games = {}
    for game, _random, *means, optimal in tables[tables.index(heading) + 2 :][:6]:
        games[game] = {
            bot: 100 * number(mean) / number(optimal) for bot, mean in zip(BOTS, means, strict=True)
        }
    return bars("Mean final score of the bots, in percent of perfect play", games, form="{:.0f}%")


def triple_yum_plus() -> str:
    """The learned player of Triple Yum Plus beside simpler ones."""
    found = {row[0]: number(row[1]) for row in rows("learned.md") if len(row) == 3 and row[1][:1].isdigit()}
    names = {
        "learned": "learned",
        "maximises points plus the sum of the columns' exact values in each turn": "exact columns, added",
        "fills one column after the other: 6 × the exact value of Yum Plus": "one column at a time",
        "maximises points in each turn": "points of the turn",
    }
    shown = {label: {"mean final score": found[name]} for name, label in names.items()}
    return bars("Triple Yum Plus: mean final score of four players", shown, start=2000, form="{:,.0f}")


PLOTS = {"bots.svg": bots, "triple-yum-plus-players.svg": triple_yum_plus}

if __name__ == "__main__":
    for file, draw in PLOTS.items():
        (ROOT / "docs" / "images" / file).write_text(draw(), encoding="utf-8")
