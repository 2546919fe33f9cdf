"""The menu of games that `dicecup` without a command shows, with those that were left unfinished."""

from __future__ import annotations

import re
from pathlib import Path

from dicecup.cli.common import CALLED, _, speech
from dicecup.cli.conversation import say
from dicecup.cli.drawing import fitting
from dicecup.cli.play import ask, command, data_folder, go_on, read_players
from dicecup.errors import DicecupError
from dicecup.i18n.names import game_name, summary
from dicecup.rules.loader import builtin_ids, load_ruleset
from dicecup.storage.record_file import read_record

MOST_SEARCHED = 50
MOST_OFFERED = 5


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


def choose_and_play() -> int:
    """A menu of games, and of those that were left unfinished."""
    code = speech.language.code
    games = builtin_ids()
    unfinished = unfinished_games()[:MOST_OFFERED]
    say(_("Choose a game:"))
    for number, game in enumerate(games, start=1):
        rules = load_ruleset(game)
        say(f"  {number}  {game_name(rules, code)} – {summary(rules, code)}")
    for number, (_path, title) in enumerate(unfinished, start=len(games) + 1):
        say(f"  {number}  " + _("go on with {game}").format(game=title))
    say(_("Options, dice on the table and more: {command} play --help").format(command=CALLED))
    chosen = ask_number(len(games) + len(unfinished))
    if chosen is None:
        return 0
    if chosen > len(games):
        return go_on(unfinished[chosen - len(games) - 1][0], None)
    while True:
        who = ask(fitting(_("Players, with commas between (Enter: you alone): ")))
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
    """A choice from the menu, or None to leave."""
    while True:
        answer = ask(fitting(_("Number: ")))
        if answer is None or answer.strip() == "q":
            return None
        if re.fullmatch(r"[0-9]{1,3}", answer.strip()) and 1 <= int(answer) <= most:
            return int(answer)
        say(_("Type a number from 1 to {most}, or q to leave.").format(most=most))
