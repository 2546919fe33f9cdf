"""The page of an error: one sentence, its code, and the way back."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import HTMLResponse, Response

from dicecup.errors import DicecupError
from dicecup.web.pages.render import is_fragment, render
from dicecup.web.viewer import viewer_of


def refused_page(request: Request, error: DicecupError, status: int) -> Response:
    viewer = viewer_of(request)
    sentence = viewer.language.sentence(error)
    template = "refused_fragment.html" if is_fragment(request) else "refused.html"
    text = render(viewer, template, path=request.url.path, sentence=sentence, code=error.code)
    headers = {"HX-Retarget": "#problem", "HX-Reswap": "innerHTML"} if is_fragment(request) else None
    return HTMLResponse(text, status, headers=headers)
