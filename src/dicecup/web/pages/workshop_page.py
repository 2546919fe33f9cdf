"""The workshop: turn a game into house rules, see the score sheet as you type; play, share and solve them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from starlette.datastructures import UploadFile
from starlette.responses import PlainTextResponse, Response

from dicecup.errors import DicecupError, Phrase, UsageError
from dicecup.i18n.describe import describe_turn
from dicecup.i18n.language import Language, game_name, name
from dicecup.i18n.sentences import number_text
from dicecup.rules.build import MOST_POINTS
from dicecup.rules.house import MOST_REFERENCE, MOST_TEXT, is_house, rules_text, unpack_tables
from dicecup.rules.loader import house_reference, load_without_files
from dicecup.rules.model import Ruleset
from dicecup.web.pages.render import base_address, go_to, page
from dicecup.web.pages.setup_page import games
from dicecup.web.refusals import status_of
from dicecup.web.service.advising import has_solver
from dicecup.web.service.house_draft import (
    MOST_TIERS,
    NEEDS,
    POINTS,
    BoxDraft,
    HouseDraft,
    builtin_base,
    changed_draft,
    draft_of,
    reference_of,
)
from dicecup.web.service.house_values import HouseJob, HouseValue, HouseValues
from dicecup.web.service.matches import Matches
from dicecup.web.texts import line_names
from dicecup.web.viewer import (
    Form,
    MatchesNow,
    Viewer,
    ViewerNow,
    matches_of,
    set_preferences,
    with_preferences,
)

router = APIRouter(include_in_schema=False)
Reference = Annotated[str, Query(max_length=MOST_REFERENCE)]


async def house_values_now(request: Request) -> HouseValues:
    found: HouseValues = request.app.state.house_values
    return found


HouseValuesNow = Annotated[HouseValues, Depends(house_values_now)]


@dataclass(frozen=True, slots=True)
class ValueView:
    """What house rules are worth, or how far the solve is."""

    running: bool = False
    share: int = 0  # percent
    text: str = ""
    problem: str = ""


@router.get("/workshop")
async def workshop(
    request: Request,
    viewer: ViewerNow,
    matches: MatchesNow,
    values: HouseValuesNow,
    rules: Reference = "",
    game: Reference = "",
) -> Response:
    """Begin with a game, or open house rules that a link carries."""
    draft = await matches.in_background(opened, rules or game or games()[0], viewer.language.code)
    return await show(request, viewer, values, draft)


@router.post("/workshop")
async def change(
    request: Request, viewer: ViewerNow, matches: MatchesNow, values: HouseValuesNow, form: Form
) -> Response:
    """Look at the rules of the form, or change its list of boxes, the language or the theme."""
    action = str(form.get("action", ""))
    draft = await matches.in_background(read_draft, form)
    if action == "preferences":
        chosen = with_preferences(viewer, form)
        return set_preferences(request, await show(request, chosen, values, draft), chosen)
    changed = changed_draft(draft, action)
    added = {box.id for box in changed.boxes} - {box.id for box in draft.boxes}
    return await show(request, viewer, values, changed, open_boxes=added)


@router.post("/workshop/file")
async def upload(
    request: Request, viewer: ViewerNow, matches: MatchesNow, values: HouseValuesNow, form: Form
) -> Response:
    """Open a rules file; it may name a built-in game as its base, and no file of this machine."""
    file = form.get("file")
    if not isinstance(file, UploadFile):
        raise UsageError("request_wrong", problem="file")
    try:
        data = await file.read(MOST_TEXT + 1)
        reference = await matches.in_background(house_reference, data.decode(errors="replace"))
    except DicecupError as error:
        draft = draft_of(games()[0], viewer.language.code)
        return await show(request, viewer, values, draft, error)
    return go_to(request, viewer, f"/workshop?rules={reference}")


@router.get("/workshop/rules.toml")
async def download(matches: MatchesNow, rules: Reference) -> Response:
    """House rules as a file, for the command line and for editors."""
    known = await house(matches, rules)
    headers = {"Content-Disposition": f'attachment; filename="{known.id}.toml"'}
    return PlainTextResponse(rules_text(unpack_tables(rules)), headers=headers)


@router.post("/workshop/value")
async def solve(
    request: Request, viewer: ViewerNow, matches: MatchesNow, values: HouseValuesNow, form: Form
) -> Response:
    """Begin to solve house rules."""
    reference = str(form.get("rules", ""))[:MOST_REFERENCE]
    values.start(await house(matches, reference))
    if request.headers.get("hx-request"):
        return await value(request, viewer, matches, values, reference)
    return go_to(request, viewer, f"/workshop?rules={reference}#worth")


@router.get("/workshop/value")
async def value(
    request: Request, viewer: ViewerNow, matches: MatchesNow, values: HouseValuesNow, rules: Reference
) -> Response:
    """What the rules are worth, or how far the solve is; asked again while it runs."""
    worth = value_view(values.find(await house(matches, rules)), rules, viewer.language)
    return page(request, viewer, "worth.html", reference=rules, worth=worth, can_solve=has_solver())


async def house(matches: Matches, reference: str) -> Ruleset:
    """The house rules of a reference: built in a thread, then cached."""
    if not is_house(reference):
        raise UsageError("not_found")
    return await matches.in_background(load_without_files, reference)


def opened(source: str, language: str) -> HouseDraft:
    load_without_files(source)
    if is_house(source) and not builtin_base(source):
        return HouseDraft(source)  # it stands on its own: shown, but not edited
    return draft_of(source, language)


def text_list(form: Form, name: str) -> list[str]:
    given = form.get(name, [])
    return [str(text)[:80] for text in (given if isinstance(given, list) else [given])]


def read_draft(form: Form) -> HouseDraft:
    """Read what was typed; what is missing or unknown is empty, and the loader says what is wrong."""
    source = str(form.get("source", ""))[:MOST_REFERENCE]
    load_without_files(source)
    columns = [text_list(form, name) for name in ("box", "box-name", "need", "detail", "points", "amount")]
    boxes = [
        BoxDraft(box, called, need, detail, points, amount)
        for box, called, need, detail, points, amount in zip(*columns, strict=False)
        if need in NEEDS and points in POINTS
    ]
    tiers = zip(text_list(form, "tier-at"), text_list(form, "tier-points"), strict=False)
    return HouseDraft(
        source=source,
        name=str(form.get("name", ""))[:60],
        dice=str(form.get("dice", ""))[:10],
        faces=str(form.get("faces", ""))[:10],
        throws=str(form.get("throws", ""))[:10],
        strike=str(form.get("strike", ""))[:20],
        upper=tuple(text_list(form, "upper")),
        tiers=tuple(tiers),
        boxes=tuple(boxes),
    )


async def show(
    request: Request,
    viewer: Viewer,
    values: HouseValues,
    draft: HouseDraft,
    problem: DicecupError | None = None,
    open_boxes: Collection[str] = (),
) -> Response:
    """Render the page in the background thread, through a fair queue: its cost depends on untrusted input."""
    drawn = partial(draw, request, viewer, values, draft, problem, open_boxes)
    return await matches_of(request).in_background(drawn)


def draw(
    request: Request,
    viewer: Viewer,
    values: HouseValues,
    draft: HouseDraft,
    problem: DicecupError | None,
    open_boxes: Collection[str],
) -> Response:
    spoken = viewer.language
    reference, error = draft.source, problem
    if draft.base:
        try:
            reference = reference_of(draft)
        except DicecupError as found:
            error = problem or found
    rules = load_without_files(reference if error is None or problem else draft.source)
    names = line_names(rules, spoken)
    base = load_without_files(draft.base) if draft.base else None
    is_own = error is None and is_house(reference)
    return page(
        request,
        viewer,
        "workshop.html",
        200 if error is None or not problem else status_of(problem),
        draft=draft,
        base=draft.base,
        base_name=game_name(base, spoken.code) if base else "",
        bases=[(game, game_name(load_without_files(game), spoken.code)) for game in games()],
        box_names={box.id: box_name(rules, base, box.id, spoken) for box in draft.boxes},
        box_words={box.id: names.get(box.id, ("", ""))[1] for box in draft.boxes},
        open_boxes=open_boxes,
        upper_names=upper_names(draft, base, spoken),
        needs=need_names(spoken),
        points=point_names(spoken),
        most_tiers=MOST_TIERS,
        problem=problem_text(error, draft, spoken) if error else "",
        code=error.code if error else "",
        reference=reference if is_own else "",
        address=f"{base_address(request)}/workshop?rules={reference}",
        game_name=game_name(rules, spoken.code),
        turn=describe_turn(rules, spoken),
        turns=rules.turns,
        lines=[(*names[line], line in rules.box_index) for line in rules.lines],
        worth=value_view(values.find(rules) if is_own else None, reference, spoken),
        can_solve=has_solver(),
        fields_go_with="workshop" if draft.base else "",
    )


def problem_text(error: DicecupError, draft: HouseDraft, language: Language) -> str:
    """Return what is wrong, named as the form names it."""
    if error.code != "rules_key_wrong":
        return language.sentence(error)
    _ = language.gettext
    key = str(error.values["key"])
    places = {
        "dice.count": _("Dice"),
        "dice.faces": _("Numbers on a die"),
        "throws": _("Rolls in a turn"),
        "strike": _("Crossing out"),
        "upper.bonus": _("Bonus"),
        "upper.boxes": _("Upper section"),
        "dice": _("Dice"),
        "box": _("Boxes"),
    }
    place = next((said for known, said in places.items() if key.startswith(known)), key)
    if key.startswith("box."):
        base = load_without_files(draft.base)
        called = next((box for box in draft.boxes if box.id == key.split(".")[1]), None)
        place = called.name or box_name(base, base, called.id, language) if called else key
    phrase = error.values["expected"]
    assert isinstance(phrase, Phrase)
    if phrase.code == "expected_points":  # which names the words of a rules file
        phrase = Phrase("expected_whole_number", low=0, high=MOST_POINTS)
    return _("{place}: expected {expected}.").format(place=place, expected=language.sentence(phrase))


def box_name(rules: Ruleset, base: Ruleset | None, box: str, language: Language) -> str:
    """The default name of a box."""
    known = base if base and box in base.box_index else rules
    return name(known, box, language.code) if box in known.box_index else language.gettext("New box")


def upper_names(draft: HouseDraft, base: Ruleset | None, language: Language) -> list[tuple[str, str, bool]]:
    """Every number that can have a box: the number, its name, and whether it has one."""
    faces = int(draft.faces) if draft.faces.isascii() and draft.faces.isdigit() else 6
    known = base.upper_box_of_face if base else {}
    found = []
    for face in range(1, min(faces, 10) + 1):
        index = known.get(face)
        called = name(base, base.boxes[index].id, language.code) if base and index is not None else str(face)
        found.append((str(face), called, str(face) in draft.upper))
    return found


def need_names(language: Language) -> dict[str, tuple[str, str]]:
    """Return the needs that a box can have, in words, with an example of the numbers to type."""
    _ = language.gettext
    return {
        "any": (_("any dice"), ""),
        "alike": (_("equal dice"), "3 2"),
        "different": (_("equal dice, different numbers"), "3 2"),
        "run": (_("numbers in a row"), "4"),
        "around": (_("numbers in a row, also 5-6-1"), "4"),
        "faces": (_("exactly these numbers"), "1 2 3"),
        "at_least": (_("a sum of at least"), "20"),
    }


def point_names(language: Language) -> dict[str, str]:
    _ = language.gettext
    return {
        "matching": _("these dice"),
        "all": _("all dice"),
        "fixed": _("fixed points"),
        "plus": _("fixed + all dice"),
        "plus_matching": _("fixed + these dice"),
        "less": _("fixed − all dice"),
    }


def value_view(job: HouseJob | None, reference: str, language: Language) -> ValueView:
    if job is None:
        return ValueView()
    try:
        found = job.value
    except DicecupError as error:
        return ValueView(problem=language.sentence(error))
    if found is None:
        return ValueView(running=True, share=round(100 * job.share))
    return ValueView(text=worth_text(found, reference, language))


def worth_text(found: HouseValue, reference: str, language: Language) -> str:
    """“Your bonus of 35 costs 9 points”: what the change is worth, named if it is one thing."""
    _ = language.gettext
    whole = _("With perfect play this game gives {points} points on average.").format(
        points=number_text(found.expected, language, 1)
    )
    base = builtin_base(reference)
    if found.base_expected is None or not base:
        return whole
    gain = round(found.expected - found.base_expected, 1)
    values: dict[str, Any] = {
        "points": number_text(abs(gain), language, 1),
        "base": game_name(load_without_files(base), language.code),
    }
    only = changed_bonus(load_without_files(reference), load_without_files(base))
    if gain == 0:
        said = _("Your changes cost nothing and bring nothing, compared with {base}.")
    elif only is not None:
        values["bonus"] = only
        said = (
            _("Your bonus of {bonus} brings {points} points, compared with {base}.")
            if gain > 0
            else _("Your bonus of {bonus} costs {points} points, compared with {base}.")
        )
    else:
        said = (
            _("Your changes bring {points} points, compared with {base}.")
            if gain > 0
            else _("Your changes cost {points} points, compared with {base}.")
        )
    return f"{said.format(**values)} {whole}"


def changed_bonus(rules: Ruleset, base: Ruleset) -> int | None:
    """Return the points of the bonus if it has one step and nothing else was changed."""
    if len(rules.bonus) != 1 or replace(rules, bonus=base.bonus) != base:
        return None
    return rules.bonus[0].points
