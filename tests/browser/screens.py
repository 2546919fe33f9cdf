"""Counts of what can be seen and pressed on a game page, for the tests and for bench/web_page.py."""

from __future__ import annotations

from playwright.sync_api import Page, ViewportSize

LOW_PHONE: ViewportSize = {"width": 360, "height": 640}
PHONE_390: ViewportSize = {"width": 390, "height": 844}

# A box counts if its whole cell is inside the window and nothing lies over its corners or its middle.
UNCOVERED = """
const uncovered = (cell) => {
  const { left, right, top, bottom } = cell.getBoundingClientRect();
  if (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight) return false;
  const places = [[(left + right) / 2, (top + bottom) / 2]];
  for (const x of [left + 3, right - 3]) for (const y of [top + 3, bottom - 3]) places.push([x, y]);
  return places.every(([x, y]) => cell.contains(document.elementFromPoint(x, y)));
};
const cells = [...document.querySelectorAll("#sheet tr.box td")];
"""
VISIBLE = f"() => {{ {UNCOVERED} scrollTo(0, 0); return cells.filter(uncovered).length; }}"
# Scrolled to as a browser does it for the keyboard; then every button in it is where it seems to be.
REACHABLE = f"""() => {{ {UNCOVERED}
  const pressable = (button) => {{
    button.scrollIntoView({{ block: "center" }});
    const {{ left, top, width, height }} = button.getBoundingClientRect();
    const there = document.elementFromPoint(left + width / 2, top + height / 2);
    return width >= 24 && height >= 24 && button.contains(there);
  }};
  return cells.filter((cell) => {{
    const buttons = [...cell.querySelectorAll("button")];
    return buttons.length > 0 && buttons.every(pressable);
  }}).length;
}}"""
# Texts that are wider than their element, unless it shows dots or can be scrolled; and what leaves its block.
CLIPPED = """() => {
  const unseen = ".unseen, .in-words, .kept-mark, svg, legend";
  const isText = (node) => node.nodeType === Node.TEXT_NODE && node.data.trim();
  const hasText = (element) => [...element.childNodes].some(isText);
  const cut = (element) => {
    if (!element.checkVisibility() || element.closest(unseen)) return false;
    const right = element.closest(".block")?.getBoundingClientRect().right ?? innerWidth;
    if (element.closest("#sheet") && element.getBoundingClientRect().right > right + 1) return true;
    const { overflowX, textOverflow, display } = getComputedStyle(element);
    const cued = overflowX === "auto" || textOverflow === "ellipsis" || display === "inline";
    return !cued && hasText(element) && element.scrollWidth > element.clientWidth + 1;
  };
  const words = (element) => `${element.tagName} ${element.className}: ${element.textContent.trim()}`;
  return [...document.querySelectorAll("#match *")].filter(cut).map(words);
}"""

# Bubbles with what somebody says stay until the page is closed; otherwise for some seconds.
KEEP_BUBBLES = """
const wait = window.setTimeout;
window.setTimeout = (call, time, ...more) => (time === 5000 ? 0 : wait(call, time, ...more));
"""

# What is tapped from the first page on until dice lie there: alone, against a bot, or in an open game.
WAYS_TO_ROLL = {
    "alone": ("a[href='/new/yatzy']", "#play", "#throw"),
    "bot": ("a[href='/new/yatzy']", "#play-bot", "#throw"),
    "continue": ("#go-on", "#throw"),
}


def loaded(page: Page) -> None:
    """Wait until scripts know that the match is painted, where there are scripts."""
    if page.evaluate("matchMedia('(scripting: enabled)').matches"):
        on_screen(page)


def on_screen(page: Page) -> None:
    """Wait until the match is painted: a key that is pressed earlier does nothing."""
    page.wait_for_selector("#match[data-on-screen]")


def taps_to_first_roll(page: Page, way: str) -> int:
    """Play from the first page until dice lie there, and count the taps."""
    page.goto("/")
    for target in WAYS_TO_ROLL[way]:
        if target == "#throw":
            page.wait_for_url("**/t/*")
            loaded(page)
        page.click(target)
    page.wait_for_selector(".die-box.thrown")
    return len(WAYS_TO_ROLL[way])


def visible_boxes(page: Page) -> int:
    """How many boxes are seen as a whole without scrolling."""
    return int(page.evaluate(VISIBLE))


def reachable_boxes(page: Page) -> int:
    """How many boxes can be scrolled to and pressed."""
    return int(page.evaluate(REACHABLE))


def clipped(page: Page) -> list[str]:
    return list(page.evaluate(CLIPPED))


def show_in(page: Page, code: str) -> None:
    """Load the page again, for somebody who has chosen this language."""
    page.context.add_cookies([{"name": "language", "value": code, "url": page.url}])
    page.reload()
    page.wait_for_selector(f"html[lang={code}]", state="attached")


def open_pad(page: Page, game: str, people: int = 2) -> None:
    """Open a score pad for so many people on this device."""
    page.goto(f"/new/{game}")
    for seat in range(1, people):
        page.click("#add-person")
        page.locator(".seats li").nth(seat).wait_for()
    page.check("input[value=points]")
    page.click("#play")
    page.wait_for_url("**/t/*")
    loaded(page)


def taps_for_pad_turn(page: Page, at: str, points: int) -> int:
    """Write points on a score pad, and count the taps."""
    page.locator("#match[data-on-screen]").wait_for(state="attached")
    version = page.locator("#match").get_attribute("data-version")
    targets = (f"[id='at-{at}']", f"#chooser[data-on-screen] [data-at='{at}'] [value='{points}']")
    for target in targets:
        page.click(target)
    page.locator(f"#match:not([data-version='{version}'])").wait_for(state="attached")
    page.locator("#chooser:empty").wait_for(state="attached")
    return len(targets)


def visible_pad_boxes(page: Page) -> int:
    """How many boxes of a score pad are seen as a whole without scrolling."""
    return int(page.evaluate(VISIBLE.replace("#sheet", "#pad")))
