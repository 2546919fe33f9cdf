"""The meaning of rules as plain data, of which their identity is a hash."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dicecup.rules.model import Box, Joker, Ruleset


def identity_of(rules: Ruleset) -> str:
    """Return a hash of what rules mean: names, printed totals, and the options chosen do not affect it."""
    meaning = {
        "dice": asdict(rules.dice),
        "throws": rules.throws,
        "scored": rules.scored,
        "boxes": [box_meaning(box) for box in rules.boxes],
        "bonus": [asdict(tier) for tier in rules.bonus],
        "columns": [used(asdict(column)) for column in rules.columns],
        "joker": joker_meaning(rules.joker) if rules.joker else None,
        "repeat": asdict(rules.repeat) if rules.repeat else None,
        "strike": rules.strike,
    } | further_meaning(rules)
    text = json.dumps(meaning, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def further_meaning(rules: Ruleset) -> dict[str, Any]:
    """Return what few games use: it is part of the identity only where it is used."""
    further = {
        "across": sorted((asdict(across) for across in rules.across), key=str),
        "total_points": [asdict(tier) for tier in rules.total_points],
        "saved_throws": rules.saved_throws,
        "win": asdict(rules.win) if rules.win else None,
        "difference": asdict(rules.difference) if rules.difference else None,
    }
    return {name: meaning for name, meaning in further.items() if meaning}


def box_meaning(box: Box) -> dict[str, Any]:
    """Return a box as plain data, including the kind of need, since two kinds can have equal fields."""
    return used(asdict(box)) | {
        "needs": [type(box.needs).__name__, used(asdict(box.needs))],
        "after": sorted(box.after),
    }


# Fields that came later, with the value that changes nothing: identities from before must stay as they are.
LATER = {"once": (), "early": (), "order": "free", "announced": False, "around": 0}


def used(meaning: dict[str, Any]) -> dict[str, Any]:
    """Return data without fields that came later and change nothing."""
    return {name: value for name, value in meaning.items() if name not in LATER or value != LATER[name]}


def joker_meaning(joker: Joker) -> dict[str, Any]:
    """Return a joker as plain data; the order of its boxes is irrelevant."""
    return asdict(joker) | {"filled": sorted(joker.filled), "boxes": sorted(joker.boxes)}
