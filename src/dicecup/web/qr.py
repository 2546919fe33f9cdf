"""Codes that a phone's camera reads."""

from __future__ import annotations

import segno
from markupsafe import Markup


def qr_svg(address: str) -> Markup:
    """Dark on light whatever the theme, so that every camera reads it."""
    code = segno.make(address, error="m", micro=False)
    text: str = code.svg_inline(border=2, omitsize=True, svgclass="code", lineclass=None, light="#fff")
    return Markup(text)
