"""House rules as somebody edits them: a form over a base game, and the tables of the rules file it makes.

What the form does not show (columns, jokers, boxes that wait for others) stays as the base or file has it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from dicecup.rules.build import MOST_BOXES
from dicecup.rules.house import is_house, pack_tables, unpack_tables
from dicecup.rules.loader import builtin_ids, load_without_files, read_rules
from dicecup.rules.model import Alike, AnyDice, Box, Needs, OfFace, Points, Ruleset, Run, TheseFaces
from dicecup.rules.removed import without_removed

UNNAMED = {"en": "House rules", "fr": "Règles maison", "de": "Hausregeln", "sv": "Husregler"}
NeedKind = Literal["any", "alike", "different", "run", "around", "faces", "at_least"]
NEEDS: tuple[NeedKind, ...] = ("any", "alike", "different", "run", "around", "faces", "at_least")
PointKind = Literal["matching", "all", "fixed", "plus", "plus_matching", "less"]
POINTS: tuple[PointKind, ...] = ("matching", "all", "fixed", "plus", "plus_matching", "less")
MOST_TIERS = 4
SHOWN = {"dice", "throws", "strike", "upper", "box", "order"}  # by the form
ORDER = ("format", "id", "base", "options", "throws", "strike", "dice", "upper", "order", "box")
UPPER = {1: "ones", 2: "twos", 3: "threes", 4: "fours", 5: "fives", 6: "sixes"}


@dataclass(frozen=True, slots=True)
class BoxDraft:
    """A box below the upper section, as the form shows it."""

    id: str
    name: str = ""  # empty: as the base calls it
    need: NeedKind = "any"
    detail: str = ""  # numbers: the groups, the length of a run, the faces, the sum
    points: PointKind = "all"
    amount: str = ""  # of fixed points


@dataclass(frozen=True, slots=True)
class HouseDraft:
    """Everything the form shows. Texts are as they were typed: the loader reports errors."""

    source: str  # the game or house rules that the form began with
    name: str = ""
    dice: str = "5"
    faces: str = "6"
    throws: str = "3"
    strike: str = "free"
    upper: tuple[str, ...] = ()  # the numbers that have a box
    tiers: tuple[tuple[str, str], ...] = ()  # bonus steps: from which sum, how many points
    boxes: tuple[BoxDraft, ...] = field(default_factory=tuple)

    @property
    def base(self) -> str:
        """The built-in game behind it; empty if a file stands on its own."""
        return builtin_base(self.source)


def builtin_base(source: str) -> str:
    if not is_house(source):
        return source if source in builtin_ids() else ""
    base = unpack_tables(source).get("base", "")
    return base if isinstance(base, str) else ""


def draft_of(source: str, language: str) -> HouseDraft:
    """Return the draft that shows a game as it is."""
    rules = load_without_files(source)
    names = own_names(source, language)
    faces = sorted(box.needs.face for box in rules.boxes if isinstance(box.needs, OfFace))
    return HouseDraft(
        source=source,
        name="" if (called := names.get("game", "")) in UNNAMED.values() else called,
        dice=str(rules.dice.count),
        faces=str(rules.dice.faces),
        throws=str(rules.throws),
        strike=rules.strike,
        upper=tuple(map(str, faces)),
        tiers=tuple((str(tier.at), str(tier.points)) for tier in rules.bonus),
        boxes=tuple(box_draft(box, names) for box in rules.boxes if box.section != "upper"),
    )


def own_names(source: str, language: str) -> dict[str, str]:
    """Return the names that house rules give themselves."""
    tables = unpack_tables(source) if is_house(source) else {}
    names = tables.get("names", {})
    words: Mapping[str, Any] = names.get(language) or next(iter(names.values()), {})
    return {key: value for key, value in words.items() if isinstance(value, str)}


def box_draft(box: Box, names: Mapping[str, str]) -> BoxDraft:
    need, detail = need_draft(box.needs)
    points, amount = points_draft(box.points)
    return BoxDraft(box.id, names.get(box.id, ""), need, detail, points, amount)


def need_draft(needs: Needs) -> tuple[NeedKind, str]:
    match needs:
        case Alike(groups, different):
            return "different" if different else "alike", " ".join(map(str, groups))
        case Run(length, around):
            return "around" if around else "run", str(length)
        case TheseFaces(faces):
            return "faces", " ".join(map(str, faces))
        case AnyDice(at_least) if at_least:
            return "at_least", str(at_least)
        case _:
            return "any", ""


def points_draft(points: Points) -> tuple[PointKind, str]:
    base = str(points.base)
    if points.all < 0:
        return "less", base
    if points.all:
        return ("plus", base) if points.base else ("all", "")
    if points.matching:
        return ("plus_matching", base) if points.base else ("matching", "")
    return "fixed", base


def changed_draft(draft: HouseDraft, action: str) -> HouseDraft:
    """`add-box`, `add-tier`, `remove-2`, `up-2`, `down-2`, `drop-tier-1`."""
    what, _, which = action.rpartition("-")
    boxes = draft.boxes
    if action == "add-box" and len(boxes) < MOST_BOXES:
        return replace(draft, boxes=(*boxes, BoxDraft(new_id(draft))))
    if action == "add-tier" and len(draft.tiers) < MOST_TIERS:
        return replace(draft, tiers=(*draft.tiers, ("", "")))
    place = int(which) if which.isascii() and which.isdigit() and len(which) < 3 else -1
    if what == "drop-tier" and 0 <= place < len(draft.tiers):
        return replace(draft, tiers=draft.tiers[:place] + draft.tiers[place + 1 :])
    if not 0 <= place < len(boxes):
        return draft
    if what == "remove":
        return replace(draft, boxes=boxes[:place] + boxes[place + 1 :])
    other = place + {"up": -1, "down": 1}.get(what, 0)
    if 0 <= other < len(boxes):
        moved = list(boxes)
        moved[place], moved[other] = moved[other], moved[place]
        return replace(draft, boxes=tuple(moved))
    return draft


def new_id(draft: HouseDraft) -> str:
    taken = {box.id for box in draft.boxes} | {box.id for box in load_without_files(draft.source).boxes}
    return next(name for number in range(1, 200) if (name := f"box_{number}") not in taken)


def whole(text: str) -> Any:
    """Return a number if the text is one; else the text, which the loader then refuses with its key."""
    found = text.strip()
    return int(found) if re.fullmatch("-?[0-9]{1,6}", found) else found


def wholes(text: str) -> list[Any]:
    return [whole(word) for word in re.split(r"[\s,;+-]+", text.strip()) if word][:20]


def reference_of(draft: HouseDraft) -> str:
    """Return the reference that carries the rules of a draft; an error says what is wrong with them."""
    reference = pack_tables(draft_tables(draft))
    load_without_files(reference)
    return reference


def draft_tables(draft: HouseDraft) -> dict[str, Any]:
    """Return the tables of the rules file that a draft makes: the differences from its base."""
    tables = deepcopy(unpack_tables(draft.source)) if is_house(draft.source) else plain_tables(draft.base)
    base = load_without_files(pack_tables(without_options(draft.base)))
    tables |= {"format": 1, "id": slug(draft.name), "base": draft.base}
    plain = {"throws": whole(draft.throws), "strike": draft.strike}
    for key, value in plain.items():
        put(tables, key, value, getattr(base, key))
    dice = tables.setdefault("dice", {})
    put(dice, "count", whole(draft.dice), base.dice.count)
    put(dice, "faces", whole(draft.faces), base.dice.faces)
    tables["upper"] = upper_tables(draft, base)
    kept = {*(box.id for box in draft.boxes), *upper_ids(draft, base)}
    gone = {box.id: False for box in base.boxes if box.section != "upper" and box.id not in kept}
    removed = {"box": gone, "upper": tables["upper"]}
    raw = without_removed(read_rules(draft.base).tables, removed)  # as the loader will see the base
    tables["box"] = box_tables(draft, base, raw, tables.get("box", {}), kept)
    order = [box.id for box in draft.boxes]
    usual = [box.id for box in base.boxes if box.id in order]
    put(tables, "order", order, usual + [name for name in order if name not in usual])
    tables["names"] = names_of(draft, tables.get("names", {}))
    tables |= without_references(tables, raw, kept)
    order_of_keys = [*(key for key in ORDER if key in tables), *(key for key in tables if key not in ORDER)]
    return {key: tables[key] for key in order_of_keys if tables[key] not in ({}, None)}


def without_options(game: str) -> dict[str, Any]:
    """Return the tables of a game without options, also without what the default ones change."""
    return {
        "format": 1,
        "id": "house",
        "base": game,
        "options": dict.fromkeys(load_without_files(game).choices, False),
    }


def plain_tables(game: str) -> dict[str, Any]:
    """Return the same with the changes of the default options, as far as the form does not show them."""
    patches = read_rules(game).tables.get("option", {})
    tables = without_options(game)
    for option, values in load_without_files(game).choices.items():
        patch = patches.get(option, {}).get(values[0], {})
        tables |= {key: value for key, value in patch.items() if key not in SHOWN}
    return tables


def put(table: dict[str, Any], key: str, value: object, usual: object) -> None:
    """Set a value, unless the base has it too."""
    table.pop(key, None)
    if value != usual:
        table[key] = value


def slug(name: str) -> str:
    """Return an id derived from a name."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub("[^a-z0-9]+", "-", plain).strip("-")[:30].strip("-") or "house"


def upper_ids(draft: HouseDraft, base: Ruleset) -> dict[str, int]:
    """Return the upper boxes of a draft by id: those it began with, and new ones for other numbers."""
    boxes = (*base.boxes, *load_without_files(draft.source).boxes)
    known = {box.needs.face: box.id for box in boxes if isinstance(box.needs, OfFace)}
    faces = [int(face) for face in draft.upper if re.fullmatch("[1-9]|10", face)]
    return {known.get(face) or UPPER.get(face) or f"face{face}": face for face in faces}


def upper_tables(draft: HouseDraft, base: Ruleset) -> dict[str, Any]:
    wanted = upper_ids(draft, base)
    known = {box.id: box.needs.face for box in base.boxes if isinstance(box.needs, OfFace)}
    boxes: dict[str, Any] = {name: face for name, face in wanted.items() if name not in known}
    boxes |= {name: False for name in known if name not in wanted}
    steps = [{"at": whole(at), "points": whole(points)} for at, points in draft.tiers if at or points]
    usual = [{"at": tier.at, "points": tier.points} for tier in base.bonus]
    found: dict[str, Any] = {"boxes": boxes} if boxes else {}
    if steps != usual:
        found["bonus"] = steps or False
    return found


def box_tables(
    draft: HouseDraft, base: Ruleset, raw: Mapping[str, Any], before: Mapping[str, Any], kept_ids: set[str]
) -> dict[str, Any]:
    known = {box.id: box for box in base.boxes if box.section != "upper"}
    found: dict[str, Any] = {name: False for name in known if name not in {box.id for box in draft.boxes}}
    for box in draft.boxes:
        usual = known.get(box.id)
        file = before.get(box.id)
        more = file.items() if isinstance(file, dict) else ()
        table = {key: value for key, value in more if key not in ("needs", "points")}
        table |= broken_links(raw.get("box", {}).get(box.id, {}), kept_ids)
        if usual is None or need_draft(usual.needs) != (box.need, box.detail):
            needs = needs_table(box)
            if needs or (usual and usual.needs != AnyDice()):
                table["needs"] = needs or False
        if usual is None or points_draft(usual.points) != (box.points, box.amount):
            table["points"] = points_value(box)
        if table:
            found[box.id] = table
    return found


def needs_table(box: BoxDraft) -> dict[str, Any]:
    numbers = wholes(box.detail)
    match box.need:
        case "alike":
            return {"alike": numbers}
        case "different":
            return {"alike": numbers, "different": True}
        case "faces":
            return {"faces": numbers}
        case "run" | "at_least":
            return {box.need: whole(box.detail)}
        case "around":
            return {"run": whole(box.detail), "around": True}
        case _:
            return {}


def points_value(box: BoxDraft) -> object:
    match box.points:
        case "fixed":
            return whole(box.amount)
        case "plus":
            return f"{whole(box.amount)} + all"
        case "plus_matching":
            return f"{whole(box.amount)} + matching"
        case "less":
            return f"{whole(box.amount)} - all" if whole(box.amount) else "-all"
        case _:
            return box.points


def names_of(draft: HouseDraft, before: Mapping[str, Any]) -> dict[str, Any]:
    """Return the names: a game and a box are called the same in every language, by those who named them."""
    own = {"game": draft.name.strip()} | {box.id: box.name.strip() for box in draft.boxes}
    own |= {f"face{face}": str(face) for face in draft.upper if face.isdigit() and int(face) not in UPPER}
    given = {key: text for key, text in own.items() if text}
    found = {}
    for language in dict.fromkeys([*UNNAMED, *before]):
        others = {key: text for key, text in before.get(language, {}).items() if key not in own}
        found[language] = {"game": UNNAMED.get(language, UNNAMED["en"])} | others | given
    return {language: words for language, words in found.items() if words}


REFERRING = {  # rules about several boxes, and where they name them
    "joker": ("filled", "boxes"),
    "repeat": ("box",),
    "win": ("box",),
    "difference": ("high", "low", "times"),
}


def without_references(tables: Mapping[str, Any], raw: Mapping[str, Any], kept: set[str]) -> dict[str, Any]:
    """Return the rules about several boxes without removed boxes; `False` removes a rule of the base.

    `raw` are the tables of the base.
    """
    found: dict[str, Any] = {}
    for key, places in REFERRING.items():
        rule = tables.get(key, raw.get(key))
        if not isinstance(rule, dict):
            continue
        named = {place: kept_of(rule.get(place), kept) for place in places}
        if not all(named.values()) or (key == "joker" and not {*raw["upper"]["boxes"]} <= kept):
            found[key] = False if key in raw else None
        elif key in tables:
            found[key] = rule | named
    across = {box: False for box in raw.get("across", {}) if box not in kept}
    return found | ({"across": across} if across else {})


def kept_of(named: object, kept: set[str]) -> object:
    """Return a list without removed boxes, or a box unless it was removed; else nothing."""
    if isinstance(named, list):
        return [box for box in named if box in kept]
    return named if named in kept else None


def broken_links(box: Mapping[str, Any], kept: set[str]) -> dict[str, Any]:
    """Return what changes in a box whose `after`, `once` or `above` names removed boxes."""
    found: dict[str, Any] = {}
    for key in ("after", "once", "above"):
        if key in box and box[key] and (left := kept_of(box[key], kept)) != box[key]:
            found[key] = left or False
    return found
