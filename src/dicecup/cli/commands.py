"""What a player types during a game, understood in the user's language and in English."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from dicecup.cli.common import speech
from dicecup.dice import parse_dice
from dicecup.engine.moves import Keep, Placement
from dicecup.errors import UsageError
from dicecup.i18n.names import name
from dicecup.messages import N_
from dicecup.rules.model import Ruleset

# Each command with its short form; the words are translated, and the English ones always work.
WORDS = {
    "keep": (N_("keep"), "k"),
    "strike": (N_("strike"), "x"),
    "undo": (N_("undo"), "u"),
    "sheet": (N_("sheet"), ""),
    "help": (N_("help"), "?"),
    "quit": (N_("quit"), "q"),
}
DICE_TEXT = re.compile(r"[0-9][0-9\s,._/-]*")


@dataclass(frozen=True, slots=True)
class Typed:
    """A command and what follows it."""

    command: str  # a key of WORDS, or "score"
    rest: str = ""


def understand(text: str) -> Typed:
    """Bare dice are a keep, a command word is that command, anything else should be a box."""
    if DICE_TEXT.fullmatch(text):
        return Typed("keep", text)
    first, _space, rest = text.partition(" ")
    for command, (word, short) in WORDS.items():
        if plain(first) in (plain(word), plain(speech.language.gettext(word))) or (short and first == short):
            return Typed(command, rest.strip())
    return Typed("score", text)


def read_keep(rules: Ruleset, text: str) -> Keep:
    return Keep(parse_dice(text.replace(",", " ").split(), rules.dice.faces, len(rules.dice.layers)))


def read_placement(rules: Ruleset, text: str, *, strike: bool = False) -> Placement:
    """A box by id, name or the beginning of either; with columns the column before or after it."""
    typed = understand(text)
    if typed.command == "strike":
        strike, text = True, typed.rest
    if strike and not text:
        raise UsageError("strike_what")
    words = text.split()
    column = ""
    if rules.has_columns:
        for place in (0, -1):
            if words and words[place] in rules.column_index:
                column = words.pop(place)
                break
    return Placement(find_box(rules, " ".join(words)), column, strike)


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
    """Small letters and digits without accents, spaces and signs, for comparing what people type."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in decomposed if char.isalnum())
