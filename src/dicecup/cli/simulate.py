"""`dicecup simulate` and `dicecup data`: many games of bots, as figures and as a Parquet file."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    table_text,
    write_file,
)
from dicecup.cli.solving import (
    ShareProgress,
    SolveProgress,
    compilation_announced,
    hint_values,
    learned_notes,
    show_warning,
    values_of,
)
from dicecup.cli.terminal import fitting
from dicecup.errors import UsageError
from dicecup.i18n.language import game_name
from dicecup.i18n.sentences import cell_text, number_text, percent_text, signed_text
from dicecup.installation import need
from dicecup.messages import N_
from dicecup.rules.model import Ruleset

if TYPE_CHECKING:
    from dicecup.bots.registry import Bot
    from dicecup.bots.summary import BotResult, Simulation
    from dicecup.coach.advice import Values

MOST_GAMES = 100_000_000


@click.command(
    "simulate",
    cls=Command,
    help=N_("Play many games with bots and show their scores. Several bots play against each other."),
    example="dicecup simulate yatzy-sv --bot optimal --games 100000 --seed 1\n"
    "dicecup simulate yatzy-sv --bot winner --bot optimal --games 200000 --seed 1\n"
    "dicecup simulate yatzy --bot steady --bot greedy --games 1000 --plot scores.svg",
)
@click.argument("game")
@rules_options
@option(
    "--bot",
    "bots",
    multiple=True,
    default=("optimal",),
    show_default=True,
    help=N_(
        "Who plays: random, greedy, careless, steady, optimal, winner, or a bot of your own as "
        "package.module:Class; "
        "may be given several times."
    ),
)
@games_options(MOST_GAMES)
@option(
    "--plot", type=click.Path(path_type=Path), help=N_("Also draw the scores as an SVG image in this file.")
)
@option(
    "--same-dice",
    is_flag=True,
    help=N_("Give all bots the same dice in every turn and roll: differences show with fewer games."),
)
@cluster_option
@json_option
@language_option
def command(
    game: str,
    options: tuple[str, ...],
    bots: tuple[str, ...],
    games: int,
    seed: int | None,
    plot: Path | None,
    same_dice: bool,
    cluster: str | None,
    as_json: bool,
) -> None:
    rules = read_ruleset(game, options)
    need("dask" if cluster else "solver")
    from dicecup.bots.registry import current_folder_searched, find_bot
    from dicecup.bots.simulation import simulate

    with current_folder_searched():
        for name in bots:
            find_bot(name)
    if plot is not None:
        check_writable(plot)
    # Reports the progress of a solve, which the simulation does not.
    values = values_of(rules) if {"optimal", "winner"} & {*bots} else None
    to_win = values if "winner" in bots and len(bots) > 1 else None
    whole_game = False
    if to_win is not None and not same_dice:  # the same dice are played on the engine
        whole_game = make_tables(to_win, [find_bot(name) for name in bots], games)
    progress = ShareProgress()
    began = time.monotonic()
    with compilation_announced(), current_folder_searched(), executor_of(cluster) as executor:
        found = simulate(
            rules,
            bots,
            games,
            seed,
            executor=executor,
            same_dice=same_dice,
            on_progress=progress,
            on_warning=show_warning,
        )
    seconds = time.monotonic() - began
    progress.end()
    if as_json:
        exact = {} if values is None else {"exact": values.exact}
        turns = {"turns_to_win": turns_to_win(to_win, whole_game)} if to_win else {}
        print_json(answer(rules, found, seconds) | exact | turns)
    else:
        said = [
            *(learned_notes(values) if values else ()),
            *(to_win_notes(to_win, whole_game) if to_win else ()),
        ]
        echo(fitting("\n\n".join([text(rules, found, seconds), *said])))
    if plot is not None:  # last, so that a full disk does not lose an hour's results
        draw(plot, rules, found)


def make_tables(values: Values, bots: Sequence[Bot], games: int) -> bool:
    """Work out the chances that the bot `winner` reads if the bots play by them; return whether they do."""
    from dicecup.bots.head_to_head import needs_tables, win_tables

    if not needs_tables(values.rules, bots, games):
        return False
    progress = SolveProgress()
    try:
        with compilation_announced():
            win_tables(values, progress)
    finally:
        progress.end()
    return True


def to_win_notes(values: Values, whole_game: bool) -> list[str]:
    """Say how the bot `winner` plays where it does not play for the win from the beginning."""
    turns = turns_to_win(values, whole_game)
    if turns >= values.rules.cells // len(values.rules.scored):
        return []
    said = speech.language.ngettext(
        "The bot winner plays for the win in its last turn, before that for points.",
        "The bot winner plays for the win in its last {turns} turns, before that for points.",
        turns,
    )
    return [said.format(turns=turns)]


def turns_to_win(values: Values, whole_game: bool) -> int:
    from dicecup.coach.goals import turns_to_win

    return values.rules.cells if whole_game else turns_to_win(values)


def labels(found: Sequence[BotResult]) -> list[str]:
    """Return the names of the bots, numbered where they are equal."""
    names = [result.bot for result in found]
    return [
        name if names.count(name) == 1 else f"{number}. {name}" for number, name in enumerate(names, start=1)
    ]


def draw(path: Path, rules: Ruleset, found: Sequence[BotResult]) -> None:
    from dicecup.charts import histogram

    title = _("Final scores: {game}").format(game=game_name(rules, speech.language.code))
    counts = {label: result.histogram for label, result in zip(labels(found), found, strict=True)}
    write_file(path, histogram(title, _("final score"), counts).encode())


def answer(rules: Ruleset, found: Simulation, seconds: float) -> dict[str, Any]:
    """Return the results as data: a single bot's at the top level, several bots' in a list."""
    if len(found) == 1:
        return result_data(rules, found[0]) | {"seconds": seconds}
    bots = [result_data(rules, result) for result in found]
    for data, gain in zip(bots[1:], found.differences[1:], strict=False):
        data["difference"] = {"mean": gain.mean, "standard_error": gain.standard_error}
    return {"games": found[0].games, "bots": bots, "seconds": seconds}


def result_data(rules: Ruleset, result: BotResult) -> dict[str, Any]:
    boxes: dict[str, Any] = {}
    for (box, column), points in result.boxes.items():
        place = boxes.setdefault(column, {}) if rules.has_columns else boxes
        place[box] = points
    data: dict[str, Any] = {
        "bot": result.bot,
        "games": result.games,
        "mean": result.mean,
        "standard_error": result.standard_error,
        "sd": result.sd,
        "lowest": result.lowest,
        "highest": result.highest,
        "percentiles": {str(percent): score for percent, score in result.percentiles.items()},
        "bonus_share": result.bonus_share,
        "boxes": boxes,
    }
    return data | ({"won": result.wins, "wins": result.wins} if result.wins is not None else {})


def text(rules: Ruleset, found: Simulation, seconds: float) -> str:
    language = speech.language
    games = f"{found[0].games:,}".replace(",", "\u00a0")
    said = language.ngettext(
        "{game}: {games} game in {seconds} s", "{game}: {games} games in {seconds} s", found[0].games
    )
    title = said.format(
        game=game_name(rules, language.code), games=games, seconds=number_text(seconds, language, 1)
    )
    head = ["", *labels(found)]
    rows = [
        [
            _("Mean"),
            *(f"{number_text(one.mean, language)} ± {spread_text(one.standard_error)}" for one in found),
        ],
        [_("Standard deviation"), *(spread_text(one.sd) for one in found)],
        [_("Lowest"), *(str(one.lowest) for one in found)],
        *(
            [
                _("{percent} of games: at most").format(percent=percent_text(percent / 100, language)),
                *(str(one.percentiles[percent]) for one in found),
            ]
            for percent in found[0].percentiles
        ),
        [_("Highest"), *(str(one.highest) for one in found)],
    ]
    if rules.bonus:
        said = _("Columns with the bonus") if rules.has_columns else _("Games with the bonus")
        rows.append([said, *(percent_text(one.bonus_share or 0.0, speech.language) for one in found)])
    if found[0].wins is not None:
        rows.append([_("Games won"), *(percent_text(one.wins or 0.0, speech.language) for one in found)])
    if found.differences and len(found) > 1:
        gains = (
            f"{signed_text(gain.mean, language)} ± {spread_text(gain.standard_error)}"
            for gain in found.differences[1:]
        )
        rows.append([_("Better than the first, same dice"), "", *gains])
    right = range(1, len(head))
    boxes = [
        [
            cell_text(rules, box, column, language),
            *(number_text(one.boxes[box, column], language) for one in found),
        ]
        for box, column in found[0].boxes
    ]
    points = table_text([_("Points per box"), *labels(found)], boxes, right=right)
    return "\n\n".join([title, table_text(head, rows, right=right), points])


def spread_text(value: float | None) -> str:
    """Return the standard deviation, or a dash for a single game."""
    return "–" if value is None else number_text(value, speech.language)


MOST_GAMES_WRITTEN = 10_000_000


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
@games_options(MOST_GAMES_WRITTEN)
@option("--output", type=click.Path(path_type=Path), required=True, help=N_("The file to write."))
@option("--no-values", is_flag=True, help=N_("Write no values: faster, and without solving the game."))
@cluster_option
@json_option
@language_option
def data(
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
    from dicecup.bots.dataset import UNSOLVED, write_data
    from dicecup.bots.registry import current_folder_searched, find_bot

    with current_folder_searched():
        find_bot(bot)
    check_writable(output)
    if not no_values:
        try:
            hint_values(rules)  # reports the progress of a solve, if one is needed
        except UsageError as error:
            if error.code not in UNSOLVED:
                raise
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
        answered: dict[str, object] = {
            "file": str(output),
            "bot": bot,
            "games": found.games,
            "decisions": found.decisions,
        }
        answered |= {"mean": found.mean, "standard_error": found.standard_error}
        answered |= {"loss": found.loss, "loss_standard_error": found.loss_standard_error}
        answered |= {"exact": found.exact, "seed": found.seed}
        print_json(answered | {"seconds": time.monotonic() - began})
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
