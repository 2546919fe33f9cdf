"""`dicecup data`: the games of a bot as a Parquet file, with exact values and losses."""

from __future__ import annotations

import time
from pathlib import Path

import click

from dicecup.cli.common import (
    Command,
    _,
    check_writable,
    cluster_option,
    echo,
    executor_of,
    games_options,
    json_option,
    language_option,
    option,
    print_json,
    read_ruleset,
    rules_options,
    speech,
)
from dicecup.cli.solving import ShareProgress, compilation_announced, hint_values, show_warning
from dicecup.i18n.sentences import number_text
from dicecup.installation import need
from dicecup.messages import N_

MOST_GAMES = 10_000_000


@click.command(
    "data",
    cls=Command,
    help=N_(
        "Write games of a bot into a Parquet file, a row for each decision. "
        "Where the game is solved, every row has the exact value of every choice and what was lost."
    ),
    example="dicecup data yatzy-sv --bot greedy --games 1000 --seed 1 --output games.parquet",
)
@click.argument("game")
@rules_options
@option(
    "--bot",
    default="optimal",
    show_default=True,
    help=N_(
        "Who plays: random, greedy, careless, steady, optimal, winner, or a bot of your own as "
        "package.module:Class."
    ),
)
@games_options(MOST_GAMES)
@option("--output", type=click.Path(path_type=Path), required=True, help=N_("The file to write."))
@option("--no-values", is_flag=True, help=N_("Write no values: faster, and without solving the game."))
@cluster_option
@json_option
@language_option
def command(
    game: str,
    options: tuple[str, ...],
    bot: str,
    games: int,
    seed: int | None,
    output: Path,
    no_values: bool,
    cluster: str | None,
    as_json: bool,
) -> None:
    rules = read_ruleset(game, options)
    need("data")
    need("solver")
    from dicecup.bots.dataset import write_data
    from dicecup.bots.registry import current_folder_searched, find_bot

    with current_folder_searched():
        find_bot(bot)
    check_writable(output)
    if not no_values:
        hint_values(rules)  # says how far a solve is, if one is needed
    progress, began = ShareProgress(), time.monotonic()
    with compilation_announced(), current_folder_searched(), executor_of(cluster) as executor:
        found = write_data(
            output,
            rules,
            bot,
            games,
            seed,
            values=not no_values,
            executor=executor,
            on_progress=progress,
            on_warning=show_warning,
        )
    progress.end()
    if as_json:
        data: dict[str, object] = {
            "file": str(output),
            "bot": bot,
            "games": found.games,
            "decisions": found.decisions,
        }
        data |= {"mean": found.mean, "standard_error": found.standard_error}
        data |= {"loss": found.loss, "loss_standard_error": found.loss_standard_error}
        data |= {"exact": found.exact, "seed": found.seed}
        print_json(data | {"seconds": time.monotonic() - began})
        return
    said = _("{decisions} decisions of {games} games in {file}. Mean score: {mean}.").format(
        decisions=found.decisions,
        games=found.games,
        file=output,
        mean=number_text(found.mean, speech.language),
    )
    if found.loss is not None:
        lost = number_text(found.loss, speech.language)
        said += " " + _("Decisions lost {loss} points a game on average.").format(loss=lost)
    echo(said)
