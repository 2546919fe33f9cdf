"""Let pages get live events, or answers to requests, later than the server sends them.

`tools/busy.py --late-events 500` sets the milliseconds. A test that fails then acts on a page without having
waited for what the page must know, or the page's scripts depend on which of the two comes first.
"""

from __future__ import annotations

import os

from playwright.sync_api import BrowserContext

EVENTS, ANSWERS = (int(os.environ.get(name) or 0) for name in ("DICECUP_LATE_EVENTS", "DICECUP_LATE_ANSWERS"))
LATE_EVENTS = f"""
EventSource.prototype.addEventListener = function (type, listener, ...more) {{
  const late = (event) => setTimeout(() => listener.call(this, event), {EVENTS});
  EventTarget.prototype.addEventListener.call(this, type, late, ...more);
}};
"""
LATE_ANSWERS = f"""
const {{ get, set }} = Object.getOwnPropertyDescriptor(XMLHttpRequestEventTarget.prototype, "onload");
Object.defineProperty(XMLHttpRequest.prototype, "onload", {{
  get,
  set(listener) {{
    set.call(this, (event) => setTimeout(() => listener.call(this, event), {ANSWERS}));
  }},
}});
"""


def delay(context: BrowserContext) -> None:
    """Delay what the pages of a context get, if that was asked for."""
    for script, milliseconds in ((LATE_EVENTS, EVENTS), (LATE_ANSWERS, ANSWERS)):
        if milliseconds:
            context.add_init_script(script)
