"""What a patch removes: `false` takes away a value, together with everything that refers to it."""

from __future__ import annotations

from dicecup.rules.reader import Tables

Removed = dict[str, list[str]]  # boxes that are removed, each with those that had to be filled before it


def without_removed(tables: Tables, patch: Tables) -> Tables:
    """Return the tables without anything that refers to boxes, options and values removed by the patch."""
    boxes, options = removed_boxes(tables, patch), taken_away(patch, "options")
    gone = {name for name in ("difference", "win") if boxes.keys() & texts_in(tables.get(name))}
    patches = {
        option: {
            value: without_values(without_boxes(change, boxes, gone), patch)
            for value, change in values.items()
        }
        for option, values in tables.get("option", {}).items()
        if option not in options
    }
    names = names_without(tables, patch)
    return without_boxes(tables, boxes, gone) | {"option": patches, "names": names}


def names_without(tables: Tables, patch: Tables) -> Tables:
    """Return the names without the texts of option values that lose a rule: they would still describe it."""
    lost = {
        (option, value)
        for option, values in tables.get("option", {}).items()
        for value, change in values.items()
        if loses_rule(change, patch)
    }
    names = {}
    for language, words in tables.get("names", {}).items():
        texts = {
            option: {value: text for value, text in values.items() if (option, value) not in lost}
            for option, values in words.get("options", {}).items()
        }
        names[language] = words | {"options": texts}
    return names


def loses_rule(change: Tables, patch: Tables) -> bool:
    """Whether `patch` removes something that an option value sets; a whole box does not count."""
    removed = {
        key for key, value in change.items() if patch.get(key) is False and not isinstance(value, bool)
    }
    below = [(key, change[key], patch[key]) for key in change if isinstance(patch.get(key), dict)]
    return bool(removed) or any(
        loses_rule(value, {box: given for box, given in kept.items() if key != "box" or given is not False})
        for key, value, kept in below
        if isinstance(value, dict)
    )


def texts_in(table: object) -> set[str]:
    values = table.values() if isinstance(table, dict) else ()
    return {value for value in values if isinstance(value, str)}


def removed_boxes(tables: Tables, patch: Tables) -> Removed:
    """Return the boxes that the patch removes, each with the boxes after which it would have been filled."""
    upper = patch.get("upper")
    names = taken_away(patch, "box") | (taken_away(upper, "boxes") if isinstance(upper, dict) else set())
    below = tables.get("box", {})
    return {name: list(below.get(name, {}).get("after", ())) for name in names}


def without_boxes(tables: Tables, boxes: Removed, gone: set[str]) -> Tables:
    """Return the tables without the keys that are gone, and without what names these boxes."""
    found = {key: value for key, value in joker_without(tables, boxes).items() if key not in gone}
    if isinstance(repeat := found.get("repeat"), dict) and repeat.get("box") in boxes:
        del found["repeat"]
    if isinstance(found.get("across"), dict):
        found["across"] = {box: given for box, given in found["across"].items() if box not in boxes}
    if isinstance(found.get("order"), list):
        found["order"] = remaining(found["order"], boxes)
    if isinstance(found.get("box"), dict):
        found["box"] = {box: links_without(given, boxes) for box, given in found["box"].items()}
    return found


def links_without(box: object, boxes: Removed) -> object:
    """Return a box that waits for others, and is above others, only if they are still there."""
    if not isinstance(box, dict):
        return box
    found = dict(box)
    if isinstance(box.get("after"), list):  # what came before a removed box still comes before this one
        found["after"] = [*dict.fromkeys(before for name in box["after"] for before in kept(name, boxes))]
    if isinstance(box.get("once"), list):
        found["once"] = remaining(box["once"], boxes)
    if box.get("above") in boxes:
        del found["above"]
    return {key: value for key, value in found.items() if value != [] or key not in ("after", "once")}


def kept(name: str, boxes: Removed) -> list[str]:
    """Return the box, or if it is removed those before it that are not."""
    if name not in boxes:
        return [name]
    return [before for other in boxes[name] if other != name for before in kept(other, boxes)]


def remaining(names: list[str], boxes: Removed) -> list[str]:
    return [name for name in names if name not in boxes]


def taken_away(patch: Tables, name: str) -> set[str]:
    table = patch.get(name, {})
    return {key for key, value in table.items() if value is False} if isinstance(table, dict) else set()


def without_values(change: Tables, patch: Tables) -> Tables:
    """Return an option's patch without the values removed by `patch`."""
    return {
        key: without_values(value, patch[key])
        if isinstance(value, dict) and isinstance(patch.get(key), dict)
        else value
        for key, value in change.items()
        if patch.get(key) is not False or value is True
    }


def joker_without(tables: Tables, boxes: Removed) -> Tables:
    """Return the tables with a joker that does not name these boxes; without any where it would name none."""
    if not isinstance(tables.get("joker"), dict):
        return tables
    joker = {
        name: remaining(value, boxes) if isinstance(value, list) else value
        for name, value in tables["joker"].items()
    }
    if any(tables["joker"][name] and value == [] for name, value in joker.items()):
        return {key: value for key, value in tables.items() if key != "joker"}
    return tables | {"joker": joker}
