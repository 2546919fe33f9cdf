"""`dicecup solve`: the exact value of a game, saved as a table in the user's cache."""

from __future__ import annotations

import time

import click

from dicecup.cli.common import (
    Command,
    _,
    cluster_option,
    echo,
    echo_stderr,
    executor_of,
    json_option,
    language_option,
    option,
    print_json,
    read_ruleset,
    rules_options,
    speech,
)
from dicecup.cli.solving import SolveProgress, show_warning
from dicecup.i18n.sentences import number_text
from dicecup.installation import need
from dicecup.messages import N_


@click.command(
    "solve",
    cls=Command,
    help=N_("Solve a game exactly and save the result as a table in your cache folder."),
    example="dicecup solve yatzy-sv\ndicecup solve yum-plus -o kinds=matching --precision 32\n"
    "dicecup solve dice-in-dice -o strike=last_resort --cluster tcp://192.168.1.5:8786",
)
@click.argument("game")
@rules_options
@option(
    "--precision",
    type=click.Choice(["32", "64"]),
    default="64",
    show_default=True,
    help=N_("Bits per number; 32 takes half the time and space."),
)
@option(
    "--backend",
    type=click.Choice(["cpu", "cuda"]),
    default="cpu",
    show_default=True,
    help=N_("Where to solve: on the processor, or on an NVIDIA graphics card."),
)
@option("--again", is_flag=True, help=N_("Solve again even if there’s already a table."))
@cluster_option
@json_option
@language_option
def command(
    game: str,
    options: tuple[str, ...],
    precision: str,
    backend: str,
    again: bool,
    cluster: str | None,
    as_json: bool,
) -> None:
    rules = read_ruleset(game, options)
    need("solver")
    from dicecup.installation import tables_folder
    from dicecup.solver.find import estimate_seconds, find_table, solve

    began = time.monotonic()
    table = None if again else find_table(rules, int(precision), tables_folder(), show_warning)
    if table is None:
        if (
            backend == "cpu"
            and not cluster
            and (minutes := round(estimate_seconds(rules, int(precision)) / 60))
        ):
            said = speech.language.ngettext(
                "This takes about {minutes} minute on this machine.",
                "This takes about {minutes} minutes on this machine.",
                minutes,
            )
            echo_stderr(said.format(minutes=minutes))
        progress = SolveProgress()
        try:
            with executor_of(cluster) as executor:
                table = solve(
                    rules, precision=int(precision), backend=backend, on_progress=progress, executor=executor
                )
        except KeyboardInterrupt:
            echo_stderr("\n" + _("Progress is saved: run the same command to continue."))
            raise
        finally:
            progress.end()
    header = table.header
    if as_json:
        print_json(
            {
                "expected": header.expected,
                "states": header.states,
                "seconds": round(time.monotonic() - began, 3),
                "backend": header.backend,
                "precision": header.precision,
            }
        )
    else:
        echo(
            _("Expected score with perfect play: {points}").format(
                points=number_text(header.expected, speech.language, 4)
            )
        )
        echo(_("Table: {file}").format(file=table.path))
