"""Small charts as SVG, drawn on the server. Colours come from the style sheet."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from markupsafe import Markup, escape

WIDTH, HEIGHT, EDGE = 600, 200, 30


def course(points: Sequence[float], title: str) -> Markup:
    """A line through the points with their mean."""
    return lines([("", points)], title, mean=fmean(points) if len(points) > 1 else None)


def lines(series: Sequence[tuple[str, Sequence[float]]], title: str, mean: float | None = None) -> Markup:
    """Several lines over the same steps."""
    everything = [value for _, values in series for value in values] or [0.0]
    low, high = min(*everything, *everything), max(*everything, *everything)
    low, high = (low - 1, high + 1) if low == high else (low, high)
    longest = max(len(values) for _, values in series)

    def across(place: int) -> float:
        return EDGE + (WIDTH - 2 * EDGE) * (place / (longest - 1) if longest > 1 else 0.5)

    def up(value: float) -> float:
        return HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * (value - low) / (high - low)

    parts = [
        text(EDGE - 4, up(high) + 4, f"{high:.0f}", "end"),
        text(EDGE - 4, up(low) + 4, f"{low:.0f}", "end"),
        f'<line class="axis" x1="{EDGE}" y1="{HEIGHT - EDGE}" x2="{WIDTH - EDGE}" y2="{HEIGHT - EDGE}"/>',
    ]
    if mean is not None:
        parts.append(
            f'<line class="mean" x1="{EDGE}" y1="{up(mean):.1f}" x2="{WIDTH - EDGE}" y2="{up(mean):.1f}"/>'
        )
        parts.append(text(WIDTH - EDGE + 3, up(mean) + 4, f"{mean:.0f}", "start"))
    for number, (_label, values) in enumerate(series):
        marks = [f"{across(place):.1f},{up(value):.1f}" for place, value in enumerate(values)]
        parts.append(f'<polyline class="series series-{number % 6}" points="{" ".join(marks)}"/>')
        if longest <= 60:
            dot = f'<circle class="dot series-{number % 6}" r="3"'
            parts += [
                f'{dot} cx="{across(place):.1f}" cy="{up(value):.1f}"/>' for place, value in enumerate(values)
            ]
    return svg(HEIGHT, title, parts)


def bars(values: Sequence[tuple[str, float]], title: str) -> Markup:
    """One bar a line, with its name and number."""
    step, label = 20, 190
    most = max((abs(value) for _, value in values), default=1) or 1
    parts = []
    for place, (name, value) in enumerate(values):
        top = place * step + 4
        length = (WIDTH - label - 60) * abs(value) / most
        parts.append(text(label - 8, top + 12, name, "end"))
        parts.append(
            f'<rect class="bar" x="{label}" y="{top}" width="{length:.1f}" height="{step - 6}" rx="3"/>'
        )
        parts.append(text(label + length + 6, top + 12, f"{value:.1f}", "start"))
    return svg(len(values) * step + 8, title, parts)


def text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def svg(height: int, title: str, parts: Sequence[str]) -> Markup:
    opening = f'<svg class="chart" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(title)}">'
    return Markup(opening + "".join(parts) + "</svg>")
