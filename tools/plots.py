"""Small SVG plots, bars and lines, without a library. The colours work on light and dark pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

COLOURS = ("#3b82c4", "#d97706", "#4d9f5b", "#b0506f")
WIDTH, MARGIN = 720, 190
INK = "#7a7a7a"


def text(x: float, y: float, words: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def line(points: Sequence[tuple[float, float]], colour: str, width: float = 1) -> str:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"/>'


def picture(height: float, title: str, parts: Sequence[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" role="img" '
        f'font-family="sans-serif" font-size="13" fill="{INK}"><title>{escape(title)}</title>'
    )
    return "\n".join([head, *parts, "</svg>", ""])


def bars(
    title: str, groups: Mapping[str, Mapping[str, float]], *, start: float = 0, form: str = "{:.1f}"
) -> str:
    """Return horizontal bars in named groups; equal names have the same colour in each group."""
    names = list(dict.fromkeys(name for group in groups.values() for name in group))
    most = max(value for group in groups.values() for value in group.values())
    scale = (WIDTH - MARGIN - 80) / (most - start)
    parts, y = [], 10.0
    for place, name in enumerate(names):
        x = MARGIN + place * 170
        parts += [f'<rect x="{x}" y="{y}" width="12" height="12" fill="{COLOURS[place]}"/>']
        parts += [text(x + 18, y + 11, name)]
    y += 28
    for group, values in groups.items():
        parts.append(text(MARGIN - 10, y + 9 * len(values) + 4, group, "end"))
        for name, value in values.items():
            width = (value - start) * scale
            colour = COLOURS[names.index(name)]
            parts.append(f'<rect x="{MARGIN}" y="{y}" width="{width:.1f}" height="15" fill="{colour}"/>')
            parts.append(text(MARGIN + width + 6, y + 12, form.format(value)))
            y += 18
        y += 10
    return picture(y + 4, title, parts)


def lines(title: str, across: str, series: Mapping[str, Sequence[tuple[float, float]]]) -> str:
    """Return lines over a common axis, each labelled at its end."""
    height, bottom, right = 380, 40, 190
    xs = [x for points in series.values() for x, _ in points]
    ys = [y for points in series.values() for _, y in points]
    low, high = min(ys) // 10 * 10, -(-max(ys) // 10) * 10

    def place(x: float, y: float) -> tuple[float, float]:
        wide = WIDTH - 60 - right
        return 50 + wide * (x - min(xs)) / (max(xs) - min(xs)), height - bottom - (height - bottom - 20) * (
            y - low
        ) / (high - low)

    parts = []
    step = max(10, (high - low) // 6 // 10 * 10)
    for mark in range(int(low), int(high) + 1, int(step)):
        parts.append(line([place(min(xs), mark), place(max(xs), mark)], "#bbbbbb", 0.5))
        parts.append(text(44, place(0, mark)[1] + 4, str(mark), "end"))
    for mark in range(0, int(max(xs)) + 1, 5):
        parts.append(text(place(mark, low)[0], height - bottom + 18, str(mark), "middle"))
    parts.append(text(place((min(xs) + max(xs)) / 2, low)[0], height - 6, across, "middle"))
    for number, (name, points) in enumerate(series.items()):
        parts.append(line([place(*point) for point in points], COLOURS[number], 2))
        end = place(*points[-1])
        parts.append(text(end[0] + 8, end[1] + 4, name))
    return picture(height, title, parts)
