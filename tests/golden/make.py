"""Generate missing golden games: a complete game of two bots for every game and every option value.

    .venv/bin/python tests/golden/make.py                 generate missing games
    .venv/bin/python tests/golden/make.py --overwrite     generate all of them again

Regenerate them only after an intended rule change: they prove that old records still replay.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from dicecup.engine import column_lines, standings
from dicecup.engine.record import DiceOrigin, Header, Record
from dicecup.engine.record_text import record_to_text
from dicecup.match import Match
from dicecup.rules import builtin_ids, load_ruleset

GAMES = Path(__file__).parent / "games"
PLAYERS = ("bot:random", "bot:greedy")
SEED = 1
# Found by search: games in which the option matters, five alike occur again, or a joker is scored.
SEEDS = {
    "yatzy-scoring=scandinavian": 18,
    "yatzy-yatzy=plus_sum": 5,
    "yatzy-sv-two_pairs=four_alike": 4,
    "dice-in-dice-scoring=scandinavian": 7,
    "dice-in-dice-yatzy=plus_sum": 2,
    "yum-plus": 384,
    "yum-plus-kinds=matching": 385,
    "yum-plus-joker_upper=none": 518,
    "triple-yum-plus-joker_upper=none": 278,
    "yahtzee": 39,
    "yahtzee-joker=forced": 39,
    "yahtzee-joker=none": 39,
}


def wanted() -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield (name, game, options): each game with its defaults, and with each other value of each option."""
    for game in builtin_ids():
        yield game, game, {}
        for option, values in load_ruleset(game).choices.items():
            for value in values[1:]:
                yield f"{game}-{option}={value}", game, {option: value}


def play(game: str, options: dict[str, str], seed: int) -> Record:
    header = Header(game, load_ruleset(game, options), PLAYERS, DiceOrigin("seed", seed=seed))
    match = Match(Record(header))
    while not match.state.finished:
        if match.state.throw_due:
            match.throw()
        else:
            match.let_bot_decide()
    return match.record


def expected(record: Record) -> dict[str, object]:
    """Return the standings, and all lines of every sheet, column by column."""
    rules, state, names = record.rules, record.state, record.header.players
    return {
        "standings": [[place, names[seat], score] for place, seat, score in standings(rules, state)],
        "lines": {
            name: [dict(column_lines(rules, sheet, column)) for column in range(len(rules.columns))]
            for name, sheet in zip(names, state.sheets, strict=True)
        },
    }


def as_text(ending: dict[str, object]) -> str:
    """Return JSON with one line per key, so that changes are easy to see in a diff."""
    rows = ",\n".join(f" {json.dumps(key)}: {json.dumps(value)}" for key, value in ending.items())
    return f"{{\n{rows}\n}}\n"


def make(overwrite: bool) -> None:
    GAMES.mkdir(exist_ok=True)
    for name, game, options in wanted():
        path = GAMES / f"{name}.record"
        if path.exists() and not overwrite:
            continue
        record = play(game, options, SEEDS.get(name, SEED))
        path.write_text(record_to_text(record), encoding="utf-8")
        path.with_suffix(".json").write_text(as_text(expected(record)), encoding="utf-8")
        print(f"made {path.name}")


if __name__ == "__main__":
    make(overwrite="--overwrite" in sys.argv[1:])
