"""`dicecup train`: puzzles, today's five, and your own mistakes, asked again until they are known."""

from __future__ import annotations

import datetime
from pathlib import Path
from random import Random
from typing import Any

import click

from dicecup.bots import is_bot
from dicecup.cli.common import (
    CALLED,
    Command,
    _,
    color_option,
    echo_stderr,
    json_option,
    language_option,
    option,
    paint,
    print_json,
    read_json,
    seed_option,
    speech,
)
from dicecup.cli.conversation import say
from dicecup.cli.play import ask, data_folder
from dicecup.cli.terminal import (
    ASIDES,
    draw_dice,
    draw_turn_sheet,
    fitting,
    read_keep,
    read_placement,
    understand,
)
from dicecup.coach.puzzles import Graded, Puzzle, daily_puzzles, load_puzzles, puzzle_games
from dicecup.engine.legality import layer_offers
from dicecup.engine.record import Record
from dicecup.engine.serialize import move_to_data
from dicecup.engine.state import Keep, Score
from dicecup.errors import DicecupError, UsageError
from dicecup.i18n.language import game_name, name
from dicecup.i18n.sentences import date_text, number_text, said_text
from dicecup.installation import data_folder as all_data_folder
from dicecup.messages import N_
from dicecup.storage.record_file import read_record
from dicecup.storage.training import TrainingFile

CLOSE_BY = 20  # puzzles nearest to one's rating, of which one is drawn
CLOSE = 0.02  # share of a perfect turn: an answer that loses less is right
MOST = 100


@click.command(
    "train",
    cls=Command,
    help=N_(
        "Train with puzzles: positions with one clearly best choice. Every answer is saved at once, so "
        "you can stop at any time and continue later."
    ),
    example="dicecup train yatzy-sv\n"
    "dicecup train yatzy --today\n"
    "dicecup train --mistakes --from sunday.record --player Ann\n"
    "dicecup train yatzy --today --json\n"
    "dicecup train --answer yatzy-17 '{\"keep\": [6, 6]}' --json",
)
@click.argument("game", required=False)
@option("--today", is_flag=True, help=N_("Today’s five, the same for everyone."))
@option(
    "--mistakes",
    is_flag=True,
    help=N_("Your own mistakes that are due, from games you played in the terminal and from --from."),
)
@option(
    "--from",
    "records",
    type=click.Path(path_type=Path),
    multiple=True,
    help=N_("A game file whose mistakes are added; may be given several times."),
)
@option("--player", metavar="NAME", help=N_("Whose mistakes; by default those of the only person."))
@option(
    "--count",
    type=click.IntRange(min=1, max=MOST),
    default=5,
    show_default=True,
    help=N_("How many are asked."),
)
@seed_option(N_("Make the choice of puzzles repeatable."))
@option(
    "--answer",
    nargs=2,
    metavar="ID MOVE",
    help=N_("Answer one puzzle, with a move in JSON, and show what the answer is worth."),
)
@json_option
@color_option
@language_option
def command(
    game: str | None,
    today: bool,
    mistakes: bool,
    records: tuple[Path, ...],
    player: str | None,
    count: int,
    seed: int | None,
    answer: tuple[str, str] | None,
    as_json: bool,
) -> int:
    if game is not None:
        load_puzzles(game)
    if today and (mistakes or records):
        raise UsageError("train_one_kind")
    if seed is not None and (today or mistakes or records):
        raise UsageError("train_seed_useless")
    file = TrainingFile(all_data_folder() / "training.jsonl")
    if answer:
        return answer_one(file, *answer, as_json=as_json)
    if mistakes or records:
        add_mistakes(file, records, player)
        chosen = [one.puzzle for one in file.training.due(day()) if of_game(one.puzzle, game)][:count]
    elif today:
        found = daily_puzzles(game or puzzle_games()[0], day())
        chosen = [puzzle for puzzle in found if puzzle.id not in file.training.answered]
    else:
        chosen = draw_puzzles(file, game or puzzle_games()[0], count, Random(seed))
    if as_json:
        print_json(training_data(file, chosen))
        return 0
    if not chosen and (mistakes or records):
        return say_when_to_come_back(file, game)
    kinds = (("--today", today), ("--mistakes", mistakes or bool(records)))
    words = [CALLED, "train", game, *(kind for kind, wanted in kinds if wanted)]
    return train(file, chosen, " ".join(word for word in words if word))


def day() -> datetime.date:
    """Today. A day begins at midnight UTC, so that today's five are the same for everybody."""
    return datetime.datetime.now(datetime.UTC).date()


def played_on(record: Record) -> datetime.date:
    """The day of a game, if its file says it."""
    try:
        return min(datetime.date.fromisoformat(record.header.date), day())
    except ValueError:
        return day()


def of_game(puzzle: Puzzle, game: str | None) -> bool:
    return game is None or puzzle.position.reference == game


def draw_puzzles(file: TrainingFile, game: str, count: int, chance: Random) -> list[Puzzle]:
    """Draw puzzles that were not asked yet, about as hard as one's rating."""
    rating = file.training.rating
    left = [puzzle for puzzle in load_puzzles(game) if puzzle.id not in file.training.answered]
    nearest = sorted(left, key=lambda puzzle: abs(puzzle.rating - rating))[: max(CLOSE_BY, count)]
    return chance.sample(nearest, min(count, len(nearest)))


def add_mistakes(file: TrainingFile, records: tuple[Path, ...], player: str | None) -> None:
    """Review games that were not looked at yet, and remember what lost most in them."""
    own = sorted(data_folder().glob("*.record")) if not records and data_folder().is_dir() else []
    for path in (*records, *own):
        try:
            add_mistakes_of(file, path, player)
        except DicecupError:
            if path in records:
                raise


def add_mistakes_of(file: TrainingFile, path: Path, player: str | None) -> None:
    record = read_record(path)
    people = [name for name in record.header.players if not is_bot(name)]
    if player is None and len(people) != 1:
        raise UsageError("train_whose", players=", ".join(record.header.players))
    wanted = people[0] if player is None else player
    if wanted not in record.header.players:
        raise UsageError("train_whose", players=", ".join(record.header.players))
    if not record.state.finished:
        raise UsageError("game_not_over")
    content = path.read_bytes() + wanted.encode()
    if file.was_reviewed(content):
        return
    from dicecup.cli.solving import compilation_announced, hint_values
    from dicecup.coach.lessons import mistakes_of
    from dicecup.coach.review import review

    values = hint_values(record.rules)
    with compilation_announced(values):
        found = review(record, values)
    decisions = found.players[record.header.players.index(wanted)].decisions
    for _decision, puzzle in mistakes_of(record, decisions, CLOSE * found.perfect_turn):
        file.add_mistake(puzzle, played_on(record))
    file.set_reviewed(content)


def training_data(file: TrainingFile, chosen: list[Puzzle]) -> dict[str, Any]:
    """The questions as data, without the solutions."""
    return {
        "rating": round(file.training.rating),
        "answered": len(file.training.answered),
        "puzzles": [
            {
                "id": puzzle.id,
                "position": puzzle.position.to_data(),
                "offered": [puzzle.moves[place] for place in puzzle.offered],
                "rating": puzzle.rating,
            }
            for puzzle in chosen
        ],
    }


def answer_one(file: TrainingFile, puzzle_id: str, move: str, *, as_json: bool) -> int:
    puzzle = file.training.find(puzzle_id)
    speech.rules = puzzle.position.rules
    graded = puzzle.grade_data(read_json(move, "MOVE"))
    file.answer(puzzle, graded, day())
    if as_json:
        best = move_to_data(puzzle.position.rules, puzzle.best)
        data = {"puzzle": puzzle.id, "right": graded.right, "loss": graded.loss, "at_least": graded.at_least}
        print_json(data | {"best": best, "rating": round(file.training.rating)})
    else:
        show_grade(puzzle, graded)
    return 0 if graded.right else 1


def say_when_to_come_back(file: TrainingFile, game: str | None) -> int:
    waiting = [one for one in file.training.mistakes.values() if not one.known and of_game(one.puzzle, game)]
    if waiting:
        text = _("Nothing to solve today. The next one comes on {date}.")
        following = min(one.due for one in waiting)
        say(text.format(date=date_text(following.isoformat(), speech.language)))
    else:
        say(_("Nothing to ask now. Come back tomorrow, or train with other puzzles."))
    return 0


def train(file: TrainingFile, chosen: list[Puzzle], command: str) -> int:
    """Ask one after the other; every answer is saved before the next question."""
    if not chosen:
        say(_("Nothing to ask now. Come back tomorrow, or train with other puzzles."))
        return 0
    right = 0
    for number, puzzle in enumerate(chosen, start=1):
        show_puzzle(puzzle, number, len(chosen))
        try:
            graded = ask_answer(puzzle)
        except KeyboardInterrupt:
            say()
            graded = None
        if graded is None:
            echo_stderr(_("Your answers are saved. Continue with: {command}").format(command=command))
            return 0
        file.answer(puzzle, graded, day())
        show_grade(puzzle, graded)
        right += graded.right
    said = _("{right} of {asked} right. Your rating: {rating}")
    say(said.format(right=right, asked=len(chosen), rating=round(file.training.rating)))
    return 0


def show_puzzle(puzzle: Puzzle, number: int, of: int) -> None:
    rules, state, language = puzzle.position.rules, puzzle.position.state, speech.language
    given = [offers for _layer, _faces, offers in layer_offers(rules, state.sheet, state.dice)]
    say()
    say(draw_turn_sheet(rules, state, ("",), given), painted=True)
    left = language.ngettext("{count} roll left", "{count} rolls left", state.throws_left)
    title = _("{number} of {of}: {game}, {left}. What is best?").format(
        number=number, of=of, game=game_name(rules, language.code), left=left.format(count=state.throws_left)
    )
    say(paint(title, fg="cyan", bold=True), painted=True)
    say(draw_dice(state.dice))
    if rules.has_layers:
        labels = [name(rules, layer, language.code) for layer in rules.scored]
        say(_("In brackets: {layers}.").format(layers=" / ".join(labels)))
    for place, offered in enumerate(puzzle.offered, start=1):
        say(f"  {place}  {said_move(puzzle, puzzle.choices[offered])}")


def ask_answer(puzzle: Puzzle) -> Graded | None:
    """Ask until there is a legal answer; None to stop."""
    while True:
        line = ask(fitting(_("Number, dice to keep, or a box (q to stop): ")))
        typed = understand(line.strip()).command if line is not None else "quit"
        if line is None or typed == "quit":
            return None
        if typed in ASIDES:
            say(fitting(help_text()))
            continue
        try:
            return puzzle.grade(read_answer(puzzle, line.strip()))
        except DicecupError as error:
            sentence = speech.language.sentence(error, puzzle.position.rules)
            say(paint(sentence, fg="red"), painted=True)


def help_text() -> str:
    return _(
        "Type the number of an answer, the dice to keep (“{keep} 5” for a single one), a box to fill, or "
        "“{cross}” and a box to cross it out. “{quit}” stops; your answers are saved."
    ).format(keep=_("keep"), cross=_("cross"), quit=_("quit"))


def read_answer(puzzle: Puzzle, text: str) -> Keep | Score:
    """A single number is one of the answers offered; anything else is typed as in a game."""
    rules = puzzle.position.rules
    if text.isascii() and text.isdigit() and len(text) == 1 and 1 <= int(text) <= len(puzzle.offered):
        return puzzle.choices[puzzle.offered[int(text) - 1]]
    typed = understand(text)
    if typed.command == "keep":
        return read_keep(rules, typed.rest)
    strike = typed.command == "strike"
    if not typed.rest:
        raise UsageError("strike_what" if strike else "answer_empty")
    pieces = [piece.strip() for piece in typed.rest.split(",")]
    return Score(tuple(read_placement(rules, piece, strike=strike) for piece in pieces))


def show_grade(puzzle: Puzzle, graded: Graded) -> None:
    if graded.right:
        say(paint(_("Right!"), fg="green", bold=True), painted=True)
        return
    loss = number_text(graded.loss, speech.language)
    said = _("That loses at least {loss} points.") if graded.at_least else _("That loses {loss} points.")
    say(paint(said.format(loss=loss), fg="red"), painted=True)
    said = _("Best: {move}").format(move=said_move(puzzle, puzzle.best))
    say(paint(said, fg="green"), painted=True)


def said_move(puzzle: Puzzle, move: Keep | Score) -> str:
    return said_text(puzzle.position.rules, puzzle.position.state, move, speech.language)
