"""`dicecup value`: the expected final score of a game or a position with perfect play."""

from __future__ import annotations

from pathlib import Path

import click

from dicecup.cli.common import (
    Command,
    echo,
    json_option,
    language_option,
    print_json,
    rules_options,
)
from dicecup.cli.solving import compilation_announced, expected_lines, position_option, read_moment, values_of
from dicecup.coach.advice import advise
from dicecup.messages import N_


@click.command(
    "value",
    cls=Command,
    help=N_("Show the expected final score with perfect play: of a whole game, or from a position."),
    example="dicecup value yahtzee -o joker=forced\ndicecup value yatzy --position position.json --json",
)
@click.argument("game")
@rules_options
@position_option
@json_option
@language_option
def command(game: str, options: tuple[str, ...], position: Path | None, as_json: bool) -> None:
    rules, state = read_moment(game, options, position)
    values = values_of(rules)
    with compilation_announced():
        advice = advise(values, state)
    if as_json:
        print_json({"expected": advice.expected, "exact": advice.exact})
        return
    echo("\n".join(expected_lines(values, advice, 4 if advice.exact else 1)))
