"""Charts as SVG, without a library: readable on light and dark backgrounds, from a phone to a poster.

A standalone chart carries its own style. On the server's pages the style sheet provides it, because the
content security policy allows no inline styles; so everything drawn here is styled by class names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

Point = tuple[float, float]  # x, y
WIDTH, HEIGHT = 720, 320
LEFT, RIGHT, TOP, BOTTOM = 76, 24, 16, 60  # margins, wide enough for the larger text on phones
# Distinguishable with colour blindness (Okabe and Ito), and on light and dark backgrounds.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#999999")
STYLE = (
    "svg{font:13px system-ui,sans-serif;color:#222}"
    "@media(prefers-color-scheme:dark){svg{color:#ddd}}"
    "text{fill:currentColor}.grid{stroke:currentColor;stroke-opacity:.18}.series{fill:none;stroke-width:2.5}"
    ".share{fill-opacity:.25}.dashed{stroke-dasharray:6 4}"
    ".line-number{font-weight:600;paint-order:stroke;stroke:Canvas;stroke-width:5px;stroke-linejoin:round}"
) + "".join(
    f".series-{number}{{stroke:{colour}}}.share.series-{number},.key.series-{number}{{fill:{colour}}}"
    for number, colour in enumerate(COLOURS)
)


class Plot:
    """A rectangle with two axes."""

    def __init__(self, across: tuple[float, float], up: tuple[float, float]) -> None:
        self.step = nice_step((up[1] - up[0]) / 5)
        self.low = floor(up[0] / self.step) * self.step
        self.high = max(ceil(up[1] / self.step) * self.step, self.low + self.step)
        self.first, self.last = across[0], max(across[1], across[0] + 1e-9)
        self.parts: list[str] = []

    def x(self, value: float) -> float:
        return round(LEFT + (value - self.first) / (self.last - self.first) * (WIDTH - LEFT - RIGHT), 1)

    def y(self, value: float) -> float:
        return round(TOP + (self.high - value) / (self.high - self.low) * (HEIGHT - TOP - BOTTOM), 1)

    def grid(self, decimals: int = 0) -> None:
        """Draw horizontal grid lines with their numbers."""
        for number in range(round((self.high - self.low) / self.step) + 1):
            value = self.low + number * self.step
            y = self.y(value)
            self.parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}"/>')
            self.text(LEFT - 8, y + 5, f"{value:.{decimals}f}".replace("-", "−"), "end")

    def text(self, x: float, y: float, words: str, anchor: str = "middle", kind: str = "") -> None:
        named = f' class="{kind}"' if kind else ""
        self.parts.append(f'<text{named} x="{x}" y="{y}" text-anchor="{anchor}">{escape(words)}</text>')

    def line(self, line: Sequence[Point], kind: str, name: str) -> None:
        points = " ".join(f"{self.x(place)},{self.y(value)}" for place, value in line)
        self.parts.append(
            f'<polyline class="series {kind}" points="{points}"><title>{escape(name)}</title></polyline>'
        )

    def number(self, line: Sequence[Point], words: str, share: float) -> None:
        """Draw a number on a line at this share of its length: late, where the lines have diverged."""
        wanted = line[-1][0] * share
        after = next(place for place, point in enumerate(line) if point[0] >= wanted)
        (left, low), (right, high) = line[max(after - 1, 0)], line[after]
        part = (wanted - left) / (right - left) if right > left else 0.0
        self.text(self.x(wanted), round(self.y(low + part * (high - low)) + 5, 1), words, kind="line-number")

    def svg(self, title: str, styled: bool) -> str:
        style = f"<style>{STYLE}</style>" if styled else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
            f' aria-label="{escape(title)}"><title>{escape(title)}</title>{style}{"".join(self.parts)}</svg>'
        )


def series(number: int) -> str:
    """Return the CSS classes of a line: after the last colour they repeat from the first, dashed."""
    return f"series-{number % len(COLOURS)}" + (" dashed" if number >= len(COLOURS) else "")


def nice_step(rough: float) -> float:
    """Round up to 1, 2 or 5 times a power of ten."""
    power: float = 10.0 ** floor(log10(max(rough, 1e-6)))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * 0.999)


def line_chart(
    title: str,
    across: str,
    lines: Mapping[str, Sequence[float]],
    *,
    under_way: Mapping[str, float | None] | None = None,
    numbered: bool = False,
    first: int = 0,
    level: float | None = None,
    styled: bool = True,
) -> str:
    """Draw one line per name, starting at `first`; `level` draws a horizontal line, such as a mean or zero.

    `under_way` holds the values within an unfinished step, drawn half a step further. `numbered` lines can be
    distinguished without colours: each has its number, at a different position.
    """
    points = {name: points_of(line, (under_way or {}).get(name)) for name, line in lines.items()}
    values = [value for line in points.values() for _, value in line] + ([] if level is None else [level])
    longest = max(line[-1][0] for line in points.values())
    plot = Plot((0, longest), (min(values), max(values)))
    plot.grid()
    for number in range(0, floor(longest) + 1, max(1, ceil(longest / 12))):
        plot.text(plot.x(number), HEIGHT - BOTTOM + 24, str(first + number))
    plot.text(WIDTH - RIGHT, HEIGHT - 6, across, "end")
    if level is not None:
        y = plot.y(level)
        plot.parts.append(f'<line class="level" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}"/>')
    for number, (name, line) in enumerate(points.items()):
        plot.line(line, series(number), name)
    if numbered and len(points) > 1:
        for number, line in enumerate(points.values()):
            plot.number(line, str(number + 1), 1 - 0.7 * (len(points) - number) / (len(points) + 1))
    return plot.svg(title, styled)


def points_of(line: Sequence[float], under_way: float | None) -> list[Point]:
    points: list[Point] = [(float(place), value) for place, value in enumerate(line)]
    return points + ([] if under_way is None else [(len(line) - 0.5, under_way)])


def key(number: int) -> str:
    """Draw a sample of a line as used in the chart, to be placed before a name."""
    return (
        '<svg class="key" viewBox="0 0 30 12" aria-hidden="true">'
        f'<line class="series {series(number)}" x1="0" x2="30" y1="6" y2="6"/></svg>'
    )


MOST_BARS = 60


def histogram(title: str, across: str, counts: Mapping[str, Mapping[int, int]]) -> str:
    """Draw the distribution of scores in per cent of the games; one outline per name."""
    scores = [score for one in counts.values() for score in one]
    width = max(1, ceil((max(scores) - min(scores) + 1) / MOST_BARS))
    low = min(scores) // width * width
    shares = {name: binned(one, low, width) for name, one in counts.items()}
    high = max(share for one in shares.values() for share in one)
    length = max(map(len, shares.values()))
    plot = Plot((low, low + length * width), (0, high))
    plot.grid(1 if plot.step < 1 else 0)
    step = nice_step(length * width / 8)
    mark = ceil(low / step) * step
    while mark <= low + length * width:
        plot.text(plot.x(mark), HEIGHT - BOTTOM + 24, f"{mark:.0f}")
        mark += step
    plot.text(WIDTH - RIGHT, HEIGHT - 6, across, "end")
    for number, (name, one) in enumerate(shares.items()):
        path = f"M{plot.x(low)},{plot.y(0)}"
        for place, share in enumerate(one):
            path += f"H{plot.x(low + place * width)}V{plot.y(share)}H{plot.x(low + (place + 1) * width)}"
        path += f"V{plot.y(0)}Z"
        plot.parts.append(
            f'<path class="share {series(number)}" d="{path}"><title>{escape(name)}</title></path>'
        )
        plot.parts.append(
            f'<rect class="key {series(number)}" x="{LEFT + 8}" y="{TOP + 18 * number}" '
            'width="11" height="11"/>'
        )
        plot.text(LEFT + 25, TOP + 18 * number + 10, name, "start")
    return plot.svg(title, styled=True)


def binned(counts: Mapping[int, int], low: int, width: int) -> list[float]:
    games = sum(counts.values())
    shares = [0.0] * ((max(counts) - low) // width + 1)
    for score, count in counts.items():
        shares[(score - low) // width] += 100 * count / games
    return shares


@dataclass(frozen=True, slots=True)
class CardRow:
    """A player on a score card: the place, and what is written beside the name."""

    place: int
    name: str
    cells: tuple[str, ...]


CARD_WIDTH, CARD_MARGIN, CARD_ROW = 1080, 60, 104
CARD_COLUMN = 190  # width of a column of cells
FONT = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
MEDALS = ("#f2c230", "#c3c9cc", "#cd8b52")  # for the first three places
CROWN = "M-30 16 L-36 -16 L-16 0 L0 -24 L16 0 L36 -16 L30 16 Z"
PIPS = {
    1: ((50, 50),),
    2: ((27, 27), (73, 73)),
    3: ((25, 25), (50, 50), (75, 75)),
    4: ((27, 27), (73, 27), (27, 73), (73, 73)),
    5: ((26, 26), (74, 26), (50, 50), (26, 74), (74, 74)),
    6: ((28, 24), (72, 24), (28, 50), (72, 50), (28, 76), (72, 76)),
}


class Card:
    """A picture to share: it carries its colours in attributes, since style sheets do not travel with it."""

    def __init__(self) -> None:
        self.parts: list[str] = []

    def text(
        self, x: float, y: float, words: str, size: int, *, anchor: str = "start", colour: str, bold: bool
    ) -> None:
        weight = 700 if bold else 400
        self.parts.append(
            f'<text x="{x}" y="{y}" font-size="{size}" font-weight="{weight}" fill="{colour}" '
            f'text-anchor="{anchor}">{escape(words)}</text>'
        )

    def box(self, x: float, y: float, width: float, height: float, radius: int, colour: str) -> None:
        self.parts.append(
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius}" fill="{colour}"/>'
        )

    def row(self, row: CardRow, y: float) -> None:
        """Draw a player: a medal with the place, the name, and the cells; a crown for whoever is first."""
        first, middle = row.place == 1, y + CARD_ROW / 2
        inside = CARD_WIDTH - 2 * CARD_MARGIN
        self.box(CARD_MARGIN, y + 5, inside, CARD_ROW - 10, 24, "#fff4cf" if first else "#fffdf8")
        colour = MEDALS[row.place - 1] if row.place <= len(MEDALS) else "#e4dfd2"
        at = CARD_MARGIN + 60
        self.parts.append(f'<circle cx="{at}" cy="{middle}" r="34" fill="{colour}"/>')
        self.text(at, middle + 13, str(row.place), 38, anchor="middle", colour="#23201a", bold=True)
        left = at + 60
        if first:
            self.parts.append(
                f'<path transform="translate({left + 36} {middle})" d="{CROWN}" fill="#d9a300"/>'
            )
            left += 90
        room = CARD_WIDTH - CARD_MARGIN - 30 - CARD_COLUMN * len(row.cells) - left
        self.text(
            left, middle + 15, shortened(row.name, room, 44, bold=first), 44, colour="#23201a", bold=first
        )
        for number, words in enumerate(reversed(row.cells)):
            x = CARD_WIDTH - CARD_MARGIN - 30 - number * CARD_COLUMN
            self.text(x, middle + 15, words, 44, anchor="end", colour="#23201a", bold=True)

    def die(self, face: int, x: float, y: float, size: float) -> None:
        scale = size / 100
        dots = "".join(f'<circle cx="{at}" cy="{down}" r="9.5"/>' for at, down in PIPS.get(face, ()))
        self.parts.append(
            f'<g transform="translate({x} {y}) scale({scale:.3f})" fill="#1d1a16">'
            f'<rect y="3" width="100" height="100" rx="20" fill="#a79f8c"/>'
            f'<rect width="100" height="100" rx="20" fill="#fffdf8"/>{dots}</g>'
        )

    def svg(self, title: str, height: float) -> str:
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{CARD_WIDTH}" height="{height:.0f}" '
            f'viewBox="0 0 {CARD_WIDTH} {height:.0f}" role="img" font-family="{FONT}">'
            f"<title>{escape(title)}</title>"
            f'<rect width="{CARD_WIDTH}" height="{height:.0f}" fill="#17543b"/>{"".join(self.parts)}</svg>'
        )


def score_card(
    title: str,
    below: str,
    heads: Sequence[str],
    rows: Sequence[CardRow],
    roll: tuple[str, Sequence[int]] | None = None,
) -> str:
    """Draw a tally as a picture of its own: a title, a table of players, and the dice of the best roll."""
    card, light = Card(), "#d7efe2"
    inside = CARD_WIDTH - 2 * CARD_MARGIN
    size = next((size for size in (76, 64, 54, 46, 40) if text_width(title, size, bold=True) <= inside), 40)
    words = shortened(title, inside, size, bold=True)
    card.text(CARD_MARGIN, 130, words, size, colour="#ffffff", bold=True)
    card.text(CARD_MARGIN, 190, shortened(below, inside, 38), 38, colour=light, bold=False)
    for number, words in enumerate(reversed(heads)):
        x = CARD_WIDTH - CARD_MARGIN - 30 - number * CARD_COLUMN
        card.text(x, 262, shortened(words, CARD_COLUMN - 10, 30), 30, anchor="end", colour=light, bold=False)
    y = 275.0
    for row in rows:
        card.row(row, y)
        y += CARD_ROW
    if roll:
        words, faces = roll
        card.text(
            CARD_MARGIN, y + 70, shortened(words, inside, 38, bold=True), 38, colour="#ffffff", bold=True
        )
        for number, face in enumerate(faces):
            card.die(face, CARD_MARGIN + number * 136, y + 100, 116)
        y += 236
    card.text(CARD_WIDTH - CARD_MARGIN, y + 62, "Dicecup", 34, anchor="end", colour=light, bold=True)
    return card.svg(title, y + 100)


def text_width(words: str, size: int, *, bold: bool = False) -> float:
    """Estimate the width of a text in a wide font: most letters take less than their size, some all of it."""
    letter = 0.68 if bold else 0.58
    return sum(size * (1.0 if ord(one) > 0x1100 or one in "MWmw@%" else letter) for one in words)


def shortened(words: str, room: float, size: int, *, bold: bool = False) -> str:
    """Cut a text where it would not fit."""
    if text_width(words, size, bold=bold) <= room:
        return words
    while len(words) > 1 and text_width(words + "…", size, bold=bold) > room:
        words = words[:-1]
    return words.rstrip() + "…"
