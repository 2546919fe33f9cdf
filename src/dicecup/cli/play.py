"""`dicecup play`: a whole game in a plain terminal or through a pipe, saved line by line as it is played."""

from __future__ import annotations

import datetime
import os
import re
import sys
from pathlib import Path

import click

from dicecup.bots import BOT_PREFIX, BOTS, Bot, is_bot
from dicecup.bots.registry import current_folder_searched, find_bot, known_bot
from dicecup.cli.common import (
    CALLED,
    Command,
    _,
    color_option,
    echo,
    echo_stderr,
    language_option,
    option,
    read_ruleset,
    rules_options,
    seed_option,
    speech,
)
from dicecup.cli.conversation import Conversation, InputEnded, say
from dicecup.cli.terminal import fitting
from dicecup.engine.fairness import SAME_DICE, commitment
from dicecup.engine.record import DiceOrigin, Header
from dicecup.engine.record_header import MOST_NAME, good_name
from dicecup.engine.state import MOST_PLAYERS
from dicecup.errors import DicecupError, UsageError
from dicecup.i18n.language import game_name, printable, summary
from dicecup.installation import data_folder as all_data_folder
from dicecup.match import Match, new_secret, verifiable_origin
from dicecup.messages import N_
from dicecup.rules.house import is_house
from dicecup.rules.loader import builtin_ids, load_ruleset
from dicecup.storage.record_file import RecordFile, read_record

MOST_SEARCHED = 50
MOST_OFFERED = 5


def unfinished_games() -> list[tuple[Path, str]]:
    """Return the newest unfinished games of the data folder: file and title."""
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


def choose_and_play() -> int:
    """Show a menu of new and unfinished games, and play the chosen one."""
    code = speech.language.code
    games = builtin_ids()
    unfinished = unfinished_games()[:MOST_OFFERED]
    say(_("Choose a game:"))
    for number, game in enumerate(games, start=1):
        rules = load_ruleset(game)
        say(f"  {number}  {game_name(rules, code)} – {summary(rules, code)}")
    for number, (_path, title) in enumerate(unfinished, start=len(games) + 1):
        say(f"  {number}  " + _("continue {game}").format(game=title))
    say(_("For options, your own dice and more: {command} play --help").format(command=CALLED))
    chosen = ask_number(len(games) + len(unfinished))
    if chosen is None:
        return 0
    if chosen > len(games):
        return resume_game(unfinished[chosen - len(games) - 1][0], None)
    while True:
        who = ask(fitting(_("Players, separated by commas (Enter: just you): ")))
        if who is None:
            return 0
        try:
            read_players(who.strip() or None)
        except DicecupError as error:
            say(speech.language.sentence(error))
        else:
            break
    arguments = [games[chosen - 1], *(["--players", who.strip()] if who.strip() else [])]
    return int(command.main(arguments, standalone_mode=False) or 0)


def ask_number(most: int) -> int | None:
    """Return a choice from the menu, or None to quit."""
    while True:
        answer = ask(fitting(_("Number: ")))
        if answer is None or answer.strip() == "q":
            return None
        if re.fullmatch(r"[0-9]{1,3}", answer.strip()) and 1 <= int(answer) <= most:
            return int(answer)
        say(_("Type a number from 1 to {most}, or q to leave.").format(most=most))


@click.command(
    "play",
    cls=Command,
    help=N_(
        "Play a game in the terminal. It’s saved in a game file from the first roll: after Ctrl-C or "
        "a power cut, continue with the same command and --record."
    ),
    example="dicecup play yatzy --players Ann,Bo,bot:greedy\n"
    "dicecup play dice-in-dice --dice typed --record sunday.record\n"
    "dicecup play --record sunday.record",
)
@click.argument("game", required=False)
@rules_options
@option(
    "--players",
    metavar="NAMES",
    help=N_(
        "Up to 24 names, separated by commas; bot:greedy, bot:steady and bot:optimal are bots, "
        "bot:package.module:Class is a bot of your own."
    ),
)
@option(
    "--bot",
    "bots",
    metavar="NAME",
    multiple=True,
    help=N_(
        "One more player: a bot, or a bot of your own as package.module:Class; may be given several times."
    ),
)
@option(
    "--dice",
    type=click.Choice(["screen", "typed"]),
    help=N_("Dice rolled on the screen, or your own dice that you type in."),
)
@seed_option(N_("Make the game repeatable: same seed, same dice."))
@option(
    "--own-seeds",
    is_flag=True,
    help=N_("Ask each player for a word of their own that is mixed into the dice."),
)
@option(
    "--same-dice",
    is_flag=True,
    help=N_("Give you and the bots the same dice in every turn and roll: only decisions differ."),
)
@option(
    "--record", "path", type=click.Path(path_type=Path), help=N_("The game file to save to or continue from.")
)
@color_option
@language_option
def command(
    game: str | None,
    options: tuple[str, ...],
    players: str | None,
    bots: tuple[str, ...],
    dice: str | None,
    seed: int | None,
    own_seeds: bool,
    same_dice: bool,
    path: Path | None,
) -> int:
    players = with_bots(players, bots)
    if path is not None and path.exists():
        header = read_record(path).header
        if header.origin.kind == "points":
            raise UsageError("pad_in_terminal")
        check_same_game(header, path, game, options, players, dice, seed)
        return resume_game(path, seed, read_players(players)[1] if players else None)
    if game is None:
        if path is not None:
            raise UsageError("record_missing", file=path)
        return choose_and_play()
    rules = read_ruleset(game, options)
    names, seats = read_players(players)
    if same_dice:
        check_same_dice(names, dice)
    if own_seeds and (dice == "typed" or seed is not None):
        raise UsageError("own_seeds_useless")
    path = path or new_path(rules.id)
    secret = None
    if dice == "typed":
        origin = DiceOrigin("typed")
    elif seed is not None:
        origin = DiceOrigin("seed", seed=seed, statement=SAME_DICE if same_dice else 1)
    else:
        secret = new_secret()
        promise = commitment(secret)
        say(_("Fingerprint of the dice (SHA-256 of the secret): {promise}").format(promise=promise))
        seeds = ask_player_seeds(names) if own_seeds else ("",) * len(names)
        origin = verifiable_origin(secret, seeds, same_dice=same_dice)
    today = datetime.date.today().isoformat()
    header = Header(reference_in_record(game, path), rules, names, origin, today)
    file = RecordFile.create(path, header, secret)
    title = game_name(rules, speech.language.code)
    say(_("{game}. The game is saved in {file}.").format(game=title, file=file.path))
    return play_match(file, secret, seed, seats)


def check_same_dice(players: tuple[str, ...], dice: str | None) -> None:
    """Refuse the same dice unless one person plays, and first: others would see them before their turn."""
    if dice is not None and dice != "screen":
        raise UsageError("same_dice_typed")
    if len(players) < 2 or is_bot(players[0]) or not all(map(is_bot, players[1:])):
        raise UsageError("same_dice_order")


def reference_in_record(game: str, path: Path) -> str:
    """Return the path of a rules file relative to the record, so that both can be moved together."""
    return game if game in builtin_ids() or is_house(game) else os.path.relpath(game, path.parent)


def with_bots(players: str | None, bots: tuple[str, ...]) -> str | None:
    """Return the players with these bots after them."""
    if not bots:
        return players
    for bot in bots:
        if "," in bot:  # it separates names
            raise UsageError("bot_unknown", bot=bot[:80], known=", ".join(BOTS))
    seats = (BOT_PREFIX + bot.removeprefix(BOT_PREFIX) for bot in bots)
    return ",".join((_("You") if players is None else players, *seats))


def read_players(text: str | None) -> tuple[tuple[str, ...], dict[int, Bot]]:
    """Return the names, and the bots by their seats. Custom bots are imported here."""
    if text is None:
        return (_("You"),), {}
    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if not good_name(name):
            raise UsageError("name_wrong", name=name[:80], most=MOST_NAME)
    if len(names) > MOST_PLAYERS:
        raise UsageError("players_too_many", most=MOST_PLAYERS)
    persons = [name for name in names if not is_bot(name)]
    if len(set(persons)) < len(persons):
        raise UsageError("name_twice")
    with current_folder_searched():
        return names, {
            seat: find_bot(name.removeprefix(BOT_PREFIX)) for seat, name in enumerate(names) if is_bot(name)
        }


def bots_of_record(players: tuple[str, ...]) -> dict[int, Bot]:
    """Return the bots of a record by their seats. Code that only the record names is not imported."""
    found = {}
    for seat, player in enumerate(players):
        if is_bot(player):
            bot = known_bot(player)
            if bot is None and ":" in player.removeprefix(BOT_PREFIX):
                raise UsageError("bot_from_record", bot=player, players=",".join(players))
            found[seat] = bot or find_bot(player.removeprefix(BOT_PREFIX))
    return found


def ask_player_seeds(players: tuple[str, ...]) -> tuple[str, ...]:
    """Ask every person for a word that goes into the dice; it may be empty."""
    seeds = [""] * len(players)
    for number, player in enumerate(players):
        if is_bot(player):
            continue
        question = _("{player}, a word of your own (Enter: none): ").format(player=player)
        word = (ask(fitting(question)) or "").strip()
        if word and not good_name(word):
            raise UsageError("name_wrong", name=word[:80], most=MOST_NAME)
        seeds[number] = word
    return tuple(seeds)


def check_same_game(
    header: Header,
    path: Path,
    game: str | None,
    options: tuple[str, ...],
    players: str | None,
    dice: str | None,
    seed: int | None,
) -> None:
    """Raise an error if the arguments ask for another game than the existing record has."""
    kind = header.origin.kind
    same = [
        game is None or read_ruleset(game, options).identity == header.rules.identity,
        all(header.rules.options.get(text.partition("=")[0]) == text.partition("=")[2] for text in options),
        players is None or read_players(players)[0] == header.players,
        dice is None or (dice == "typed") == (kind == "typed"),
        seed is None or kind == "typed" or seed == header.origin.seed,
    ]
    if not all(same):
        raise UsageError("record_of_other_game", file=path)


def resume_game(path: Path, seed: int | None, bots: dict[int, Bot] | None = None) -> int:
    if bots is None:
        bots = bots_of_record(read_record(path).header.players)
    file = RecordFile.open(path)
    if not file.record.state.finished:
        said = _("Continuing {game} from {file}.")
        say(said.format(game=game_name(file.record.rules, speech.language.code), file=path))
    return play_match(file, file.secret(), seed, bots)


def play_match(file: RecordFile, secret: bytes | None, seed: int | None, bots: dict[int, Bot]) -> int:
    match = Match(file.record, file.save, secret, seed, bots)
    status = 0
    try:
        Conversation(match, ask).play()
    except InputEnded:
        show_how_to_resume(file.path)
    except KeyboardInterrupt:
        say()
        show_how_to_resume(file.path)
        status = 130
    else:
        if match.record.secret is not None:
            file.forget_secret()
            say(_("Verify the dice with: {command} verify {file}").format(command=CALLED, file=file.path))
    finally:
        file.close()
    return status


def show_how_to_resume(path: Path) -> None:
    echo_stderr(
        _("The game is saved. Continue with: {command} play --record {file}").format(
            command=CALLED, file=path
        )
    )


def ask(prompt: str) -> str | None:
    """Read a line from the terminal, or from a pipe and echo it; return None at the end of the input."""
    if sys.stdin.isatty():
        try:
            return input(printable(prompt, keep="\n\t"))
        except EOFError:
            return None
    echo(prompt, nl=False)
    line = sys.stdin.readline()
    echo(line.rstrip("\n"))
    return line if line else None


def data_folder() -> Path:
    """Return the folder for games without a given file."""
    return all_data_folder() / "games"


def new_path(game: str) -> Path:
    folder, day = data_folder(), datetime.date.today().isoformat()
    number = 1
    while (path := folder / f"{day}-{game}-{number}.record").exists():
        number += 1
    return path
