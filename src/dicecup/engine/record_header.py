"""The header of a record as text: its game and options, its players, and where the dice come from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dicecup.engine.fairness import SAME_DICE, trimmed
from dicecup.engine.record import Borrowed, DiceOrigin, Header
from dicecup.engine.state import check_rules
from dicecup.errors import Phrase, RecordError, check_argument
from dicecup.rules.loader import FindRules, load_without_files

VERSION = 1
TITLE = "dicecup record"
MOST_PLAYERS_READ = 100
MOST_NAME = 60
MOST_DATE = 100
COMMITMENT = re.compile(r"[0-9a-f]{64}")
TURNS = re.compile(r"[1-9][0-9]{0,5}")  # numbers of turns of another game
# Control characters, line breaks, and the surrogates that undecodable bytes become.
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a record without its checksum, and its location."""

    number: int
    text: str

    def error(self, expected: str, **values: object) -> RecordError:
        return RecordError("record_line_wrong", line=self.number, expected=Phrase(expected, **values))

    def after(self, word: str) -> str:
        """Return the rest of a line that begins with this word."""
        first, _, rest = self.text.partition(" ")
        if first != word or not rest:
            raise self.error("expected_record_word", word=word)
        return rest


@dataclass(frozen=True, slots=True)
class WrittenHeader:
    """A header as text: complete and in order, before the rules it names are loaded."""

    reference: str
    options: tuple[tuple[str, str], ...]
    identity: str
    players: tuple[str, ...]
    origin: DiceOrigin
    date: str = ""

    def lines(self) -> Iterator[str]:
        yield f"{TITLE} {VERSION}"
        yield f"game {self.reference}"
        for name, value in self.options:
            yield f"option {name}={value}"
        yield f"identity {self.identity}"
        if self.date:
            yield f"date {self.date}"
        for player in self.players:
            yield f"player {player}"
        match self.origin.kind:
            case "seed":
                yield f"dice seed {self.origin.seed}{' same' if self.origin.same_dice else ''}"
            case "verifiable" if self.origin.statement == 1:
                yield f"dice verifiable {self.origin.commitment}"
                for seed in self.origin.player_seeds:
                    yield f"seed {seed}"
            case "verifiable":
                numbers = "".join(f" {number}" for number in self.origin.borrowed or ())
                yield f"dice verifiable {self.origin.statement} {self.origin.commitment}{numbers}"
                for seat, seed in enumerate(self.origin.player_seeds, start=1):
                    if seed:
                        yield f"seed {seat} {seed}"
            case kind:
                yield f"dice {kind}"
        yield "begin"

    def compare(self, lines: list[Line]) -> None:
        """Reject lines that differ from these."""
        for line, text in zip(lines, self.lines(), strict=False):
            if line.text != text:
                raise RecordError("record_line_other", line=line.number, expected=text)


def written(header: Header) -> WrittenHeader:
    rules = header.rules
    options = tuple(rules.options.items())
    return WrittenHeader(
        header.reference, options, rules.identity, header.players, header.origin, header.date
    )


def read_header(lines: list[Line], find_rules: FindRules = load_without_files) -> tuple[Header, int]:
    """Return the header, and the index of the first line after it. Rules are loaded once it is complete."""
    found, first_entry = parse_header(lines)
    rules = find_rules(found.reference, dict(found.options))
    if found.identity != rules.identity:
        expected = rules.identity[:12]
        raise RecordError(
            "record_of_other_rules", ruleset=found.reference, found=found.identity[:12], expected=expected
        )
    header = Header(found.reference, rules, found.players, found.origin, found.date)
    written(header).compare(lines)  # with every option of the rules, in their order
    return header, first_entry


def parse_header(lines: list[Line]) -> tuple[WrittenHeader, int]:
    """Parse and check a header without loading its rules; return the index of the first line after it."""
    end = next((place for place, line in enumerate(lines) if line.text == "begin"), None)
    if end is None:
        raise RecordError("record_cut")
    by_word = lines_by_word(lines[: end + 1])
    players = tuple(read_name(line) for line in by_word["player"])
    if len(players) > MOST_PLAYERS_READ:
        raise by_word["player"][MOST_PLAYERS_READ].error("expected_at_most", most=MOST_PLAYERS_READ)
    found = WrittenHeader(
        reference=by_word["game"][0].after("game"),
        options=tuple(read_option(line) for line in by_word.get("option", [])),
        identity=by_word["identity"][0].after("identity"),
        players=players,
        origin=read_origin(by_word["dice"][0], by_word.get("seed", []), len(players)),
        date=by_word["date"][0].after("date") if "date" in by_word else "",
    )
    for line in lines[:end]:
        if CONTROL.search(line.text):
            raise line.error("expected_text")
    found.compare(lines)
    return found, end + 1


def lines_by_word(lines: list[Line]) -> dict[str, list[Line]]:
    """Group the lines between the first and the last of a header by their first word."""
    version, *rest, begin = lines
    if version.text != f"{TITLE} {VERSION}":
        found = version.text.removeprefix(TITLE).strip()
        raise RecordError("record_version_unknown", found=found, known=VERSION)
    by_word: dict[str, list[Line]] = {}
    for line in rest:
        word = line.text.partition(" ")[0]
        if word not in ("game", "option", "identity", "date", "player", "dice", "seed"):
            raise line.error("expected_header_word")
        by_word.setdefault(word, []).append(line)
    for word in ("game", "identity", "player", "dice"):
        if word not in by_word:
            raise begin.error("expected_record_word", word=word)
    return by_word


def read_option(line: Line) -> tuple[str, str]:
    name, sign, value = line.after("option").partition("=")
    if not sign:
        raise line.error("expected_option")
    return name, value


def read_name(line: Line) -> str:
    name = line.after("player")
    if not good_name(name):
        raise line.error("expected_name", most=MOST_NAME)
    return name


def good_name(name: object) -> bool:
    """Return whether a player's name is valid: one line, no outer spaces, no comma (it separates names)."""
    if not isinstance(name, str):
        return False
    whole = bool(name) and name == name.strip() and not CONTROL.search(name)
    return whole and len(name) <= MOST_NAME and "," not in name


def good_date(date: object) -> bool:
    """Return whether a date can be written: nothing, or one line of any form without outer spaces."""
    if not isinstance(date, str) or date != date.strip():
        return False
    return len(date) <= MOST_DATE and not CONTROL.search(date)


def check_header(header: Header) -> None:
    """Refuse a header that a program has made of other things than those of a game."""
    check_rules(header.rules)
    players, origin = header.players, header.origin
    found: object = players  # whatever its type says
    named = isinstance(found, tuple) and len(found) > 0 and all(map(good_name, found))
    check_argument("players", named, "expected_players")
    check_argument("origin", isinstance(origin, DiceOrigin), "expected_origin")
    check_argument("date", good_date(header.date), "expected_text")


def read_origin(line: Line, seeds: list[Line], players: int) -> DiceOrigin:
    match line.after("dice").split(" "):
        case ["typed" | "system" | "points" as kind]:
            return DiceOrigin(kind)
        case ["seed", number] if re.fullmatch(r"[0-9]{1,30}", number):
            return DiceOrigin("seed", seed=int(number))
        case ["verifiable", commitment] if COMMITMENT.fullmatch(commitment) and len(seeds) == players:
            return DiceOrigin(
                "verifiable", commitment=commitment, player_seeds=tuple(seed.after("seed") for seed in seeds)
            )
        case ["seed", number, "same"] if re.fullmatch(r"[0-9]{1,30}", number):
            return DiceOrigin("seed", seed=int(number), statement=SAME_DICE)
        case ["verifiable", "2" | "3" as statement, commitment] if COMMITMENT.fullmatch(commitment):
            return DiceOrigin(
                "verifiable",
                commitment=commitment,
                player_seeds=seeds_by_seat(seeds, players),
                statement=int(statement),
            )
        case ["verifiable", "3", commitment, *numbers] if COMMITMENT.fullmatch(commitment):
            return DiceOrigin(
                "verifiable",
                commitment=commitment,
                player_seeds=trimmed(seeds_by_seat(seeds, MOST_PLAYERS_READ)),
                statement=SAME_DICE,
                borrowed=read_borrowed(line, numbers),
            )
        case _:
            raise line.error("expected_origin")


def seeds_by_seat(seeds: list[Line], players: int) -> tuple[str, ...]:
    """The seed of every seat, empty where there is none."""
    by_seat = dict(read_seed(seed, players) for seed in seeds)
    return tuple(by_seat.get(seat, "") for seat in range(1, players + 1))


def read_borrowed(line: Line, numbers: list[str]) -> Borrowed:
    """Read which turns of another game the dice are from: the first, and the step to the next."""
    match numbers:
        case [first, step] if TURNS.fullmatch(first) and TURNS.fullmatch(step):
            return int(first), int(step)
        case _:
            raise line.error("expected_origin")


def read_seed(line: Line, players: int) -> tuple[int, str]:
    """Read `seed 2 tulip`: the seat, and what its player contributed to the dice."""
    seat, _, seed = line.after("seed").partition(" ")
    if not re.fullmatch(r"[0-9]{1,3}", seat) or not 1 <= int(seat) <= players or not seed:
        raise line.error("expected_seed", most=players)
    return int(seat), seed
