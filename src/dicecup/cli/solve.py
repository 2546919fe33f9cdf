"""`dicecup solve` and `dicecup chance`: the value of a game, saved as a table; how a game may end."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from dicecup.cli.common import (
    Command,
    _,
    check_writable,
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
    table_text,
    write_file,
)
from dicecup.cli.solving import (
    SolveProgress,
    compilation_announced,
    learned_notes,
    position_option,
    read_moment,
    show_warning,
    values_of,
)
from dicecup.coach.advice import Choice
from dicecup.engine.serialize import move_to_data
from dicecup.i18n.language import game_name
from dicecup.i18n.sentences import move_text, number_text, percent_text
from dicecup.installation import need
from dicecup.messages import N_
from dicecup.rules.model import Ruleset
from dicecup.solver.solution import FinalScores, Play


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
    from dicecup.solver.components import check_rules

    check_rules(rules)
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


SHOWN = 8  # choices


@click.command(
    "chance",
    cls=Command,
    help=N_(
        "Show how a game may end: the chance of every final score, or of at least the points you name. "
        "With --play target, the best possible chance of each."
    ),
    example="dicecup chance yatzy-sv --at-least 300\ndicecup chance yatzy-sv --position position.json --json",
)
@click.argument("game")
@rules_options
@position_option
@option(
    "--at-least",
    type=click.IntRange(min=-(10**6), max=10**6),
    help=N_("The final score to reach."),
)
@option(
    "--play",
    type=click.Choice(["points", "target"]),
    default="points",
    show_default=True,
    help=N_("Play for as many points as possible, or only to reach the target."),
)
@option(
    "--plot", type=click.Path(path_type=Path), help=N_("Also draw the chances as an SVG image in this file.")
)
@json_option
@language_option
def chance(
    game: str,
    options: tuple[str, ...],
    position: Path | None,
    at_least: int | None,
    play: Play,
    plot: Path | None,
    as_json: bool,
) -> None:
    rules, state = read_moment(game, options, position)
    if plot is not None:
        check_writable(plot)
    values = values_of(rules)
    from dicecup.coach.goals import best_chance, final_scores

    choices: tuple[Choice, ...] = ()
    progress = SolveProgress()
    target = None if play == "points" or state.sheet.full else at_least
    try:
        with compilation_announced():
            if target is not None and rules.has_layers and plot is None:
                best = best_chance(values, state, target)  # in the last turn, and of this target alone
                scores = FinalScores(target - 1, (1.0, best.expected), None)
                choices = best.choices
            else:
                scores = final_scores(values, state, play, on_progress=progress)
                if target is not None:
                    choices = best_chance(values, state, target).choices
    finally:
        progress.end()
    if as_json:
        options_data = [
            {"move": move_to_data(rules, choice.move), "chance": choice.expected} for choice in choices
        ]
        print_json(answer(scores, at_least, play) | ({"options": options_data} if choices else {}))
    else:
        lines = [*text(rules, scores, at_least, play), *choices_text(rules, choices)]
        echo("\n".join([*lines, *learned_notes(values)]))
    if plot is not None:
        write_file(plot, drawn(rules, scores, play).encode())


def answer(scores: FinalScores, at_least: int | None, play: Play) -> dict[str, Any]:
    sampled = {} if scores.exact else {"games": scores.games}
    if at_least is not None:
        chance = {"at_least": at_least, "play": play, "chance": scores.at_least(at_least)}
        off = {} if scores.exact else {"standard_error": scores.standard_error(at_least)}
        return chance | {"exact": scores.exact} | off | sampled
    # In `target` play each chance has its own decisions: together they have no mean.
    by_points = play == "points"
    whole = {"mean": scores.mean if by_points else None, "sd": scores.spread if by_points else None}
    curve = [scores.at_least(score) for score in range(max(scores.least + len(scores.curve), 1))]
    return {"play": play, "curve": curve} | whole | {"bonus": scores.bonus, "exact": scores.exact} | sampled


def text(rules: Ruleset, scores: FinalScores, at_least: int | None, play: Play) -> list[str]:
    language = speech.language
    if at_least is not None:
        chance = percent_text(scores.at_least(at_least), language, 2)
        if play == "target":
            said = language.ngettext(
                "Best chance of at least {points} point: {chance}",
                "Best chance of at least {points} points: {chance}",
                abs(at_least),
            )
        else:
            said = language.ngettext(
                "Chance of at least {points} point: {chance}",
                "Chance of at least {points} points: {chance}",
                abs(at_least),
            )
        lines = [said.format(points=at_least, chance=chance)]
        return lines if scores.exact else [*lines, _("Estimated from simulated games.")]
    lines = [game_name(rules, language.code)]
    if play == "points":
        mean, spread = number_text(scores.mean, language), number_text(scores.spread, language)
        lines.append(
            _("Mean final score {mean}, standard deviation {spread}").format(mean=mean, spread=spread)
        )
    if scores.bonus is not None and rules.bonus:
        by_points, best = _("Chance of the bonus: {chance}"), _("Best chance of the bonus: {chance}")
        said = by_points if play == "points" else best
        lines.append(said.format(chance=percent_text(scores.bonus, language, 1)))
    if not scores.exact:
        lines.append(_("Estimated from simulated games."))
    rows = [(str(score), percent_text(scores.at_least(score), language, 1)) for score in shown(scores)]
    head = (_("At least"), _("Chance") if play == "points" else _("Best chance"))
    return [*lines, "", table_text(head, rows, right=(0, 1))]


def choices_text(rules: Ruleset, choices: tuple[Choice, ...]) -> list[str]:
    """Return the best choices with the chance that each leaves."""
    if not choices:
        return []
    language = speech.language
    rows = [
        (move_text(rules, choice.move, language), percent_text(choice.expected, language, 2))
        for choice in choices[:SHOWN]
    ]
    return ["", table_text((_("Choice"), _("Chance")), rows, right=(1,))]


def shown(scores: FinalScores) -> list[int]:
    """Return round scores whose chances range from nearly certain to nearly impossible."""
    places = range(scores.least, scores.least + len(scores.curve))
    bounds = [score for score in places if 0.001 <= scores.at_least(score) <= 0.999]
    if not bounds:
        return [scores.least]
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500) if len(bounds) <= 20 * step)
    return [score for score in bounds if score % step == 0] or [scores.least]


def drawn(rules: Ruleset, scores: FinalScores, play: Play) -> str:
    from dicecup.charts import histogram, line_chart

    name = game_name(rules, speech.language.code)
    if play == "points":
        counts = {
            score: round(chance * 10**9)
            for score, chance in enumerate(scores.chances, start=scores.least)
            if chance >= 1e-6
        }
        title = _("Final scores of {game}, share of all games in per cent").format(game=name)
        return histogram(title, _("points"), {name: counts})
    title = _("{game}: best chance of at least so many points, in per cent").format(game=name)
    curve = [100 * chance for chance in scores.curve if chance >= 1e-6]
    return line_chart(title, _("points"), {name: curve}, first=scores.least)
