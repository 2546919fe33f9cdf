"""`dicecup play`: a whole game in a plain terminal or through a pipe, kept line by line as it is played."""

from __future__ import annotations

import datetime
import os
import secrets
import sys
from pathlib import Path

import click

from dicecup.bots import bot_of_player
from dicecup.cli.common import Command, _, language_option, option, read_ruleset, rules_options, speech, talk
from dicecup.cli.conversation import Conversation, InputEnded, say
from dicecup.cli.drawing import fitting
from dicecup.engine.record import DiceOrigin, Header
from dicecup.engine.record_text import MOST_NAME, MOST_PLAYERS, good_name
from dicecup.errors import DicecupError, UsageError
from dicecup.i18n.names import game_name, summary
from dicecup.match import Match, new_secret, verifiable_origin
from dicecup.messages import N_
from dicecup.rules.loader import builtin_ids, load_ruleset
from dicecup.storage.record_file import RecordFile, read_record

MOST_SEARCHED = 50


@click.command(
    "play",
    cls=Command,
    help=N_(
        "Play a game in the terminal. It is kept in a record from the first throw: after Ctrl-C or a power "
        "cut the same command with --record goes on where it stopped."
    ),
    example="dicecup play yatzy --players Ann,Bo,bot:greedy\n"
    "dicecup play dice-in-dice --dice typed --record sunday.record\n"
    "dicecup play --record sunday.record",
)
@click.argument("game", required=False)
@rules_options
@option(
    "--players", metavar="NAMES", help=N_("Names with commas between; bot:random and bot:greedy play alone.")
)
@option(
    "--dice",
    type=click.Choice(["screen", "typed"]),
    help=N_("Dice thrown on the screen, or dice on the table that you type in."),
)
@option(
    "--seed",
    type=click.IntRange(min=0, max=10**18),
    help=N_("Make the game repeatable: same seed, same dice."),
)
@option(
    "--player-seed",
    "player_seeds",
    multiple=True,
    metavar="TEXT",
    help=N_("A player's own share in the dice, once for each player in order; drawn at random if not given."),
)
@option("--record", "path", type=click.Path(path_type=Path), help=N_("The file that keeps the game."))
@language_option
def command(
    game: str | None,
    options: tuple[str, ...],
    players: str | None,
    dice: str | None,
    seed: int | None,
    player_seeds: tuple[str, ...],
    path: Path | None,
) -> int:
    if path is not None and path.exists():
        if game or options or players or dice or player_seeds:
            check_same_game(path, game, options, players)
        return go_on(path, seed)
    if game is None:
        return choose_and_play(path)
    rules = read_ruleset(game, options)
    names = read_players(players)
    secret = None
    if dice == "typed":
        origin = DiceOrigin("typed")
    elif seed is not None:
        origin = DiceOrigin("seed", seed=seed)
    else:
        secret = new_secret()
        origin = verifiable_origin(secret, read_player_seeds(player_seeds, len(names)))
    header = Header(game, rules, names, origin, datetime.date.today().isoformat())
    file = RecordFile.create(path or new_path(rules.id), header, secret)
    say(
        _("{game}. The game is kept in {file}.").format(
            game=game_name(rules, speech.language.code), file=file.path
        )
    )
    if secret is not None:
        say(_("Promise for the dice (SHA-256 of the secret): {promise}").format(promise=origin.commitment))
    return converse(file, secret, seed)


def read_players(text: str | None) -> tuple[str, ...]:
    if text is None:
        return (_("You"),)
    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if not good_name(name):
            raise UsageError("name_wrong", name=name[:80], most=MOST_NAME)
    if len(names) > MOST_PLAYERS:
        raise UsageError("players_too_many", most=MOST_PLAYERS)
    persons = [name for name in names if bot_of_player(name) is None]
    if len(set(persons)) < len(persons):
        raise UsageError("name_twice")
    return names


def read_player_seeds(given: tuple[str, ...], players: int) -> tuple[str, ...]:
    if not given:
        return tuple(secrets.token_hex(8) for _player in range(players))
    if len(given) != players or not all(map(good_name, given)):
        raise UsageError("player_seeds_wrong", players=players, most=MOST_NAME)
    return given


def check_same_game(path: Path, game: str | None, options: tuple[str, ...], players: str | None) -> None:
    """A record is gone on with as it is; asking for another game in the same file is a mistake."""
    header = read_record(path).header
    same_rules = game is None or read_ruleset(game, options).identity == header.rules.identity
    if not same_rules or (players is not None and read_players(players) != header.players):
        raise UsageError("record_of_other_game", file=path)


def go_on(path: Path, seed: int | None) -> int:
    file = RecordFile.open(path)
    if not file.record.state.finished:
        said = _("Going on with {game} from {file}.")
        say(said.format(game=game_name(file.record.rules, speech.language.code), file=path))
    return converse(file, file.secret(), seed)


def converse(file: RecordFile, secret: bytes | None, seed: int | None) -> int:
    match = Match(file.record, file.save, secret, seed)
    interactive = sys.stdin.isatty()
    status = 0
    try:
        Conversation(match, ask_terminal if interactive else ask_pipe).play()
    except InputEnded:
        tell_how_to_go_on(file.path)
    except KeyboardInterrupt:
        say()
        tell_how_to_go_on(file.path)
        status = 130
    else:
        if match.record.secret is not None:
            file.forget_secret()
            say(_("Check the dice with: dicecup verify {file}").format(file=file.path))
    finally:
        file.close()
    return status


def tell_how_to_go_on(path: Path) -> None:
    talk(_("The game is kept. To go on: dicecup play --record {file}").format(file=path))


def ask_terminal(prompt: str) -> str | None:
    try:
        return input(prompt)
    except EOFError:
        return None


def ask_pipe(prompt: str) -> str | None:
    click.echo(prompt, nl=False)
    line = sys.stdin.readline()
    click.echo(line.rstrip("\n"))
    return line if line else None


def data_folder() -> Path:
    """Where games are kept that were given no file."""
    if folder := os.environ.get("DICECUP_DATA"):
        return Path(folder) / "games"
    home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(home) / "dicecup" / "games"


def new_path(game: str) -> Path:
    folder, day = data_folder(), datetime.date.today().isoformat()
    number = 1
    while (path := folder / f"{day}-{game}-{number}.record").exists():
        number += 1
    return path


def unfinished_games() -> list[tuple[Path, str]]:
    """The newest games of the data folder that can go on: file and title."""
    try:
        found = sorted(data_folder().glob("*.record"), key=lambda path: path.stat().st_mtime, reverse=True)
    except OSError:
        return []
    games = []
    for path in found[:MOST_SEARCHED]:
        try:
            record = read_record(path)
        except DicecupError:
            continue
        if not record.state.finished:
            players = ", ".join(record.header.players)
            games.append((path, f"{game_name(record.rules, speech.language.code)}: {players}"))
    return games


def choose_and_play(path: Path | None = None) -> int:
    """A menu of games, and of those that were left unfinished."""
    code = speech.language.code
    games = builtin_ids()
    unfinished = unfinished_games() if path is None else []
    say(_("Choose a game:"))
    for number, game in enumerate(games, start=1):
        rules = load_ruleset(game)
        say(f"  {number}  {game_name(rules, code)} – {summary(rules, code)}")
    for number, (_path, title) in enumerate(unfinished[:5], start=len(games) + 1):
        say(f"  {number}  " + _("go on with {game}").format(game=title))
    ask = ask_terminal if sys.stdin.isatty() else ask_pipe
    choices = len(games) + len(unfinished[:5])
    while True:
        answer = ask(fitting(_("Number: ")))
        if answer is None or answer.strip() == "q":
            return 0
        if answer.strip().isdigit() and 1 <= int(answer) <= choices:
            break
        say(_("Type a number from 1 to {most}, or q to leave.").format(most=choices))
    number = int(answer)
    if number > len(games):
        return go_on(unfinished[number - len(games) - 1][0], None)
    who = ask(fitting(_("Players, with commas between (Enter: you alone): "))) or ""
    arguments = [games[number - 1], *(["--players", who.strip()] if who.strip() else [])]
    arguments += ["--record", str(path)] if path else []
    return int(command.main(arguments, standalone_mode=False) or 0)
