"""A score pad to print, in any of the four languages: its data, and the PDF that typst makes of them."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from dicecup.i18n.describe import describe_game
from dicecup.i18n.describe_sheet import describe_box, describe_line
from dicecup.i18n.language import Language
from dicecup.i18n.names import game_name, name, option_name, option_text
from dicecup.rules.model import Ruleset

PAPERS = {"a4": "a4", "letter": "us-letter"}
# As many columns as leave room for a pencil; with more the pad turns sideways, then takes a second page.
COLUMNS_UPRIGHT = 6
COLUMNS_SIDEWAYS = 12


def pad_data(rules: Ruleset, players: int, paper: str, language: Language) -> dict[str, Any]:
    """Return the data for the template."""
    code = language.code
    lines = [line_data(rules, line, language) for line in rules.lines]
    columns = [name(rules, column.id, code) for column in rules.columns]
    landscape = players * len(columns) > COLUMNS_UPRIGHT and len(lines) <= 24
    per_page = max(1, (COLUMNS_SIDEWAYS if landscape else COLUMNS_UPRIGHT) // len(columns))
    seats = [""] * players
    return {
        "title": game_name(rules, code),
        "subtitle": "Dicecup",
        "language": code,
        "paper": PAPERS[paper],
        "landscape": landscape,
        "name-label": language.gettext("Name"),
        "columns": columns,
        "lines": lines,
        "row-height": row_height(len(lines), landscape=landscape),
        "label-share": 3.2 if per_page * len(columns) <= COLUMNS_UPRIGHT else 4.5,
        "groups": [seats[first : first + per_page] for first in range(0, players, per_page)],
        "notes": [*describe_game(rules, language), *options_chosen(rules, language)],
    }


def options_chosen(rules: Ruleset, language: Language) -> list[str]:
    """Return the meaning of each chosen option, defaults included: players at a table cannot look them up."""
    code = language.code
    chosen = [(option, option_text(rules, option, value, code)) for option, value in rules.options.items()]
    return [f"{option_name(rules, option, code)} – {text}" for option, text in chosen if text]


def line_data(rules: Ruleset, line: str, language: Language) -> dict[str, Any]:
    index = rules.box_index.get(line)
    if index is None:
        text = describe_line(rules, line, language)
    else:
        text = describe_box(rules, rules.boxes[index], language)
    return {
        "name": name(rules, line, language.code),
        "text": text,
        "computed": index is None,
        "overall": line in rules.overall_lines,
    }


def row_height(lines: int, *, landscape: bool) -> float:
    """Return the height of a row in millimetres, so that lines and small print fill one page."""
    room = 130 if landscape else 212
    return min(9.5, room / lines)


def pdf_of(data: dict[str, Any]) -> bytes:
    """Return the PDF; the caller has made sure that typst is installed."""
    import typst

    template = resources.files("dicecup.i18n").joinpath("printed_pad.typ").read_bytes()
    pdf: bytes = typst.compile(template, sys_inputs={"data": json.dumps(data)}, ignore_system_fonts=True)
    return pdf
