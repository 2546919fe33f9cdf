"""What all commands share: texts in the user's language, options, reading files, writing answers."""

from __future__ import annotations

import errno
import gettext
import json
import os
import sys
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from dicecup.engine.fairness import MOST_SEED
from dicecup.engine.record import Record
from dicecup.engine.record_text import MOST_BYTES, record_from_text
from dicecup.errors import Phrase, StorageError, UsageError, problem_of
from dicecup.i18n.language import DOMAIN, LANGUAGES, LOCALE_FOLDER, Language, language, printable
from dicecup.messages import N_
from dicecup.rules.loader import load_ruleset
from dicecup.rules.model import Ruleset
from dicecup.storage.record_file import read_record

if TYPE_CHECKING:
    from concurrent.futures import Executor

MOST_JSON_BYTES = 1_000_000
CALLED = os.environ.get("DICECUP_CALLED", "dicecup")  # how the user called the program
Function = TypeVar("Function", bound=Callable[..., Any])


class Speech:
    """The language of this run, and its rules, so that error messages can name boxes as the sheet does."""

    def __init__(self) -> None:
        self.language: Language = language("en")
        self.rules: Ruleset | None = None
        self.color: bool | None = None  # None: as the terminal has it

    def choose(self, code: str) -> None:
        """Use this language from now on, also for click, which uses gettext's default translation."""
        self.language = language(code)
        gettext.bindtextdomain(DOMAIN, str(LOCALE_FOLDER))
        gettext.textdomain(DOMAIN)
        os.environ["LANGUAGE"] = code


speech = Speech()


def _(text: str) -> str:
    return speech.language.gettext(text)


def echo(text: str = "", *, nl: bool = True, painted: bool = False) -> None:
    """Write to stdout, with control characters from files escaped; those of `paint` only where expected."""
    keep = "\n\t\x1b" if painted else "\n\t"
    click.echo(printable(text, keep=keep), nl=nl, color=True if painted and has_color() else None)


def has_color() -> bool:
    """Whether to write in colour: not into a file or a pipe, and not if the user does not want it."""
    if speech.color is not None:
        return speech.color
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()


def paint(text: str, **style: Any) -> str:
    """Return the text in a colour or weight, as `click.style` names them; as it is without colours."""
    return click.style(text, **style) if has_color() else text


def color_option(function: Function) -> Function:
    def choose(_context: click.Context, _option: click.Parameter, off: bool) -> None:
        speech.color = False if off else None

    return option(
        "--no-color",
        is_flag=True,
        expose_value=False,
        callback=choose,
        help=N_("Write without colours, as with NO_COLOR=1."),
    )(function)


def echo_stderr(text: str = "") -> None:
    """Write a message that is not part of the answer to stderr."""
    click.echo(printable(text, keep="\n\t"), err=True)


class Option(click.Option):
    """An option whose help is a message id."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        said = self.help
        try:
            self.help = _(said) if said else said
            return super().get_help_record(ctx)
        finally:
            self.help = said


class Command(click.Command):
    """A command whose help is a message id, followed by an example that needs no translation."""

    def __init__(self, *args: Any, example: str = "", **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.example = example

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(_(self.help) if self.help else "")
        if self.example:
            with formatter.section(_("Example")):
                for line in self.example.splitlines():
                    formatter.write(f"{'':>{formatter.current_indent}}{line}\n")

    def get_short_help_str(self, limit: int = 45) -> str:  # noqa: ARG002
        return (_(self.help) if self.help else "").split(".", maxsplit=1)[0]


def option(*names: str, **settings: Any) -> Callable[[Function], Function]:
    return click.option(*names, cls=Option, **settings)


def language_option(function: Function) -> Function:
    # The value is read before click starts (see `main`): this option only documents and checks it.
    return option(
        "--lang", type=click.Choice(LANGUAGES), expose_value=False, help=N_("The language of all texts.")
    )(function)


def json_option(function: Function) -> Function:
    return option("--json", "as_json", is_flag=True, help=N_("Answer as JSON on stdout."))(function)


def seed_option(meaning: str) -> Callable[[Function], Function]:
    return option("--seed", type=click.IntRange(min=0, max=MOST_SEED), help=meaning)


def games_options(most: int) -> Callable[[Function], Function]:
    """How many games, and the seed that makes them repeatable."""

    def add(function: Function) -> Function:
        seed = seed_option(
            N_("Make the result repeatable: same seed, same games, whatever the number of cores.")
        )
        games = option(
            "--games",
            type=click.IntRange(min=1, max=most),
            default=1000,
            show_default=True,
            help=N_("Number of games each bot plays."),
        )
        return games(seed(function))

    return add


def cluster_option(function: Function) -> Function:
    return option(
        "--cluster",
        metavar="ADDRESS",
        help=N_("The address of a Dask scheduler, such as tcp://192.168.1.5:8786: its workers do the work."),
    )(function)


def executor_of(cluster: str | None) -> AbstractContextManager[Executor | None]:
    """The executor of the cluster at this address; without one, this machine does the work."""
    if cluster is None:
        return nullcontext()
    from dicecup.executors import cluster as connected

    return connected(cluster)


def database_option(function: Function) -> Function:
    return option(
        "--database",
        metavar="URL",
        help=N_("A PostgreSQL address or the path of an SQLite file; by default a file in your data folder."),
    )(function)


def chosen_database(given: str | None) -> str:
    """Return the database of the option, else of the environment, else the file in the data folder."""
    from dicecup.installation import data_folder

    return given or os.environ.get("DICECUP_DATABASE") or str(data_folder() / "games.db")


def rules_options(function: Function) -> Function:
    return option(
        "-o",
        "--option",
        "options",
        multiple=True,
        metavar="NAME=VALUE",
        help=N_("Choose an option of the rules; may be given several times."),
    )(function)


def read_ruleset(reference: str, options: tuple[str, ...]) -> Ruleset:
    """Return the ruleset of an id or path with options given as `name=value`."""
    chosen: dict[str, str] = {}
    for text in options:
        name, sign, value = text.partition("=")
        if not (name and sign and value):
            raise UsageError("option_unreadable", text=text)
        if chosen.get(name, value) != value:
            raise UsageError("option_twice", option=name)
        chosen[name] = value
    speech.rules = load_ruleset(reference, chosen)
    return speech.rules


def read_json(text: str, source: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        line, column = getattr(error, "lineno", 1), getattr(error, "colno", 1)
        raise UsageError("json_wrong", file=source, line=line, column=column) from None


def read_text_file(path: Path) -> str:
    """Return the text of a small file that is not empty, or of stdin for `-`."""
    try:
        stream = sys.stdin.buffer if is_stdin(path) else path.open("rb")
        with stream:
            data = stream.read(MOST_JSON_BYTES + 1)
    except OSError as error:
        raise StorageError("file_unreadable", file=path, problem=problem_of(error)) from None
    if len(data) > MOST_JSON_BYTES:
        raise StorageError("file_too_large", file=path, most=MOST_JSON_BYTES)
    try:
        text = data.decode("utf-8-sig")  # editors of some systems begin a file with a mark
    except UnicodeDecodeError:
        raise StorageError("file_not_text", file=path) from None
    if "\0" in text:  # probably UTF-16
        raise StorageError("file_not_text", file=path)
    if not text.strip():
        raise StorageError("file_empty", file=path)
    return text


def is_stdin(path: Path) -> bool:
    return str(path) == "-"


def print_json(data: Any) -> None:
    echo(json.dumps(data, ensure_ascii=False, indent=2))


def width(text: str) -> int:
    """Return how many columns a text takes in a terminal."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def pad(text: str, columns: int, *, right: bool = False) -> str:
    space = " " * max(0, columns - width(text))
    return space + text if right else text + space


def shorten(text: str, columns: int) -> str:
    """Return the text, cut with an ellipsis if it is too wide."""
    if width(text) <= columns:
        return text
    while width(text) > columns - 1:
        text = text[:-1]
    return text.rstrip() + "…"


def table_text(
    head: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int] = (), indent: str = ""
) -> str:
    """Return aligned columns with a head and a line below it."""
    lines = [list(head), *map(list, rows)]
    widths = [max(width(line[place]) for line in lines) for place in range(len(head))]
    texts = [
        indent
        + "  ".join(
            pad(cell, widths[place], right=place in right) for place, cell in enumerate(line)
        ).rstrip()
        for line in lines
    ]
    texts.insert(1, indent + "  ".join("─" * columns for columns in widths))
    return "\n".join(texts)


def check_writable(path: Path) -> None:
    """Raise an error if a file cannot be written, before long work whose result would be lost."""
    try:
        if path.is_dir():  # also a path without a name: “.”, “/” or nothing
            raise IsADirectoryError(errno.EISDIR, "")
        if path.exists() and not path.is_file():  # a device, for example
            return
        aside = temporary_path(path)
        try:
            aside.touch()
        finally:
            aside.unlink(missing_ok=True)
    except OSError as error:
        raise unwritable(path, error) from None


def write_file(path: Path, content: bytes) -> None:
    """Replace a file atomically: a full disk or a kill leaves the old content."""
    try:
        if path.exists() and not path.is_file():  # a device, for example
            path.write_bytes(content)
            return
        aside = temporary_path(path)
        try:
            aside.write_bytes(content)
            aside.replace(path)
        finally:
            aside.unlink(missing_ok=True)
    except OSError as error:
        raise unwritable(path, error) from None


def temporary_path(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}")


def unwritable(path: Path, error: OSError) -> StorageError:
    missing = isinstance(error, FileNotFoundError)  # the file need not exist, so the folder is missing
    problem = Phrase("system_folder_missing") if missing else problem_of(error)
    return StorageError("file_unwritable", file=path, problem=problem)


def given_record(path: Path) -> Record:
    """Return the record in a file, or on stdin for `-`."""
    if not is_stdin(path):
        return read_record(path)
    record, _ = record_from_text(sys.stdin.buffer.read(MOST_BYTES + 1), load_ruleset)
    return record
