"""`dicecup value`: the expected final score of a game or a position with perfect play."""

from __future__ import annotations

from pathlib import Path

import click

from dicecup.cli.common import (
    Command,
    echo,
    json_option,
    language_option,
    option,
    print_json,
    read_json,
    read_ruleset,
    read_text_file,
    rules_options,
)
from dicecup.cli.solving import compilation_announced, expected_lines, values_of
from dicecup.coach.advice import advise
from dicecup.engine.serialize import position_from_data
from dicecup.engine.state import start
from dicecup.errors import UsageError
from dicecup.messages import N_


@click.command(
    "value",
    cls=Command,
    help=N_("Show the expected final score with perfect play: of a whole game, or from a position."),
    example="dicecup value yahtzee -o joker=forced\ndicecup value yatzy --position position.json --json",
)
@click.argument("game")
@rules_options
@option(
    "--position",
    type=click.Path(path_type=Path),
    help=N_("A file with a position as JSON, or - for stdin; its own options apply."),
)
@json_option
@language_option
def command(game: str, options: tuple[str, ...], position: Path | None, as_json: bool) -> None:
    rules = read_ruleset(game, options)
    state = start(rules)
    if position is not None:
        found = position_from_data(read_json(read_text_file(position), str(position)))
        if found.rules.id != rules.id:
            raise UsageError("position_of_other_game", found=found.rules.id, ruleset=rules.id)
        rules, state = found.rules, found.state
    values = values_of(rules)
    with compilation_announced():
        advice = advise(values, state)
    if as_json:
        print_json({"expected": advice.expected, "exact": advice.exact})
        return
    echo("\n".join(expected_lines(values, advice, 4 if advice.exact else 1)))
