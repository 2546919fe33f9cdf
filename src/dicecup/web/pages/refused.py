"""The page of an error: one sentence, its code, and the way back."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import HTMLResponse, Response

from dicecup.errors import DicecupError
from dicecup.web.pages.render import is_fragment, path_to_get, render
from dicecup.web.viewer import viewer_of

# Whatever place and part of the answer the form wanted: this sentence goes where problems are shown.
INTO_THE_PAGE = {"HX-Retarget": "#problem", "HX-Reswap": "innerHTML", "HX-Reselect": ".problem"}


def refused_page(request: Request, error: DicecupError, status: int) -> Response:
    viewer = viewer_of(request)
    sentence = viewer.language.sentence(error)
    template = "refused_fragment.html" if is_fragment(request) else "refused.html"
    text = render(viewer, template, path=path_to_get(request), sentence=sentence, code=error.code)
    return HTMLResponse(text, status, headers=INTO_THE_PAGE if is_fragment(request) else None)
