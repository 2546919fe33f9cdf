"""Charts of the pages. Colours and sizes of letters come from the style sheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from markupsafe import Markup, escape

from dicecup.charts import WIDTH, line_chart


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
