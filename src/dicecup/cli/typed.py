"""What a player types in a game in the terminal: commands, dice and boxes, in English or their language."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from dicecup.cli.common import _, speech
from dicecup.dice import parse_dice
from dicecup.engine.state import Keep, Placement
from dicecup.errors import UsageError
from dicecup.i18n.names import name
from dicecup.messages import N_
from dicecup.rules.model import Ruleset

# Each command with its short form; the words are translated, and the English ones always work.
WORDS = {
    "keep": (N_("keep"), "k"),
    "strike": (N_("cross"), "x"),
    "announce": (N_("announce"), "a"),
    "undo": (N_("undo"), "u"),
    "sheet": (N_("sheet"), ""),
    "hint": (N_("hint"), "h"),
    "help": (N_("help"), "?"),
    "quit": (N_("quit"), "q"),
}
FORMER_WORDS = {"behall": "keep", "strike": "strike", "zuruck": "undo"}  # still understood
ASIDES = ("undo", "help", "quit", "sheet", "hint")  # commands that decide nothing
DICE_TEXT = re.compile(r"[0-9][0-9\s,._/-]*")


@dataclass(frozen=True, slots=True)
class Typed:
    """A command that a player typed, and its arguments."""

    command: str  # a key of WORDS, or "score"
    rest: str = ""


def understand(text: str) -> Typed:
    """Parse a line: bare dice mean keep, a command word is that command, anything else should be a box."""
    if DICE_TEXT.fullmatch(text):
        return Typed("keep", text)
    first, _space, rest = text.partition(" ")
    for command, (word, short) in WORDS.items():
        if plain(first) in (plain(word), plain(speech.language.gettext(word))) or (short and first == short):
            return Typed(command, rest.strip())
    if plain(first) in FORMER_WORDS:
        return Typed(FORMER_WORDS[plain(first)], rest.strip())
    return Typed("score", text)


def read_keep(rules: Ruleset, text: str) -> Keep:
    return Keep(parse_dice(text.replace(",", " ").split(), rules.dice.faces, len(rules.dice.layers)))


def read_placement(rules: Ruleset, text: str, *, strike: bool = False) -> Placement:
    """Parse a box, given by id, name or the beginning of either, with the column before or after it."""
    typed = understand(text)
    if typed.command == "strike":
        strike, text = True, typed.rest
    if strike and not text:
        raise UsageError("strike_what")
    words = text.split()
    column = ""
    if rules.has_columns:
        called = column_words(rules)
        for place in (0, -1):
            if words and (found := called.get(words[place]) or called.get(plain(words[place]))):
                words.pop(place)
                column = found
                break
    return Placement(find_box(rules, " ".join(words)), column, strike)


def column_words(rules: Ruleset) -> dict[str, str]:
    """Return the columns by what a player may type: their ids, and their names unless those are numbers."""
    names = {plain(name(rules, column.id, speech.language.code)): column.id for column in rules.columns}
    words = {word: column for word, column in names.items() if not word.isdigit()}
    return words | {column.id: column.id for column in rules.columns}


def columns_alike(rules: Ruleset) -> bool:
    """Return whether it makes no difference in which column a box is filled."""
    linked = any(box.after or box.above or box.once for box in rules.boxes)
    kinds = {(column.multiplier, column.order, column.announced) for column in rules.columns}
    return len(kinds) == 1 and not (linked or rules.bonus or rules.difference)


def find_box(rules: Ruleset, text: str) -> str:
    wanted = plain(text)
    called = {
        box.id: {
            plain(box.id),
            plain(name(rules, box.id, speech.language.code)),
            plain(name(rules, box.id, "en")),
        }
        for box in rules.boxes
    }
    exact = [box for box, names in called.items() if wanted in names]
    begun = [
        box for box, names in called.items() if wanted and any(word.startswith(wanted) for word in names)
    ]
    found = exact or begun
    if len(found) == 1:
        return found[0]
    known = [name(rules, box, speech.language.code) for box in (found or called)]
    raise UsageError("box_ambiguous" if found else "box_not_found", text=text[:40], known=", ".join(known))


def plain(text: str) -> str:
    """Return lowercase letters and digits without accents, spaces and signs, to compare what people type."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in decomposed if char.isalnum())


def help_text(rules: Ruleset, *, typed: bool) -> str:
    local = {command: _(word) for command, (word, _short) in WORDS.items()}
    last = name(rules, rules.boxes[-1].id, speech.language.code).casefold()
    box = _("chance") if "chance" in rules.box_index else last
    lines = [
        ("6 6 5", _("keep these dice and roll the others again")),
        (local["keep"], _("keep nothing: roll all dice again")),
        (box, _("fill this box (its name, or the start of it)")),
        (f"{local['strike']} {box}", _("cross out this box for 0 points")),
        (local["undo"], _("undo the last decision")),
        (local["sheet"], _("show all score sheets")),
        (local["hint"], _("ask the coach what is best")),
        (local["quit"], _("leave; the game is saved and can be continued")),
    ]
    if "announced" in rules.extensions:
        lines.insert(3, (f"{local['announce']} {box}", _("announce this box after the first roll")))
    if rules.has_layers:
        meaning = _("fill two boxes: first for the inner dice, then for the outer dice")
        lines.insert(3, (_("chance, yatzy"), meaning))
    if typed:
        lines.insert(0, ("1 2 3 4 5", _("when asked: what your dice show")))
    width = max(len(said) for said, _meaning in lines)
    return "\n".join(f"  {said:{width}}  {meaning}" for said, meaning in lines)
