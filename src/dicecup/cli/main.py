"""The entry point: choose language and command; every error becomes one sentence and an exit status."""

from __future__ import annotations

import importlib
import io
import os
import sys
from pathlib import Path
from traceback import walk_tb

import click

from dicecup import __version__
from dicecup.cli.common import CALLED, Command, Option, _, echo_stderr, language_option, speech
from dicecup.errors import DicecupError, StorageError, problem_of
from dicecup.i18n.language import LANGUAGES, language_of_environment
from dicecup.messages import N_, ngettext

CLICK_MESSAGES = [
    N_("Usage:"),
    N_("Options"),
    N_("Commands"),
    N_("Show this message and exit."),
    N_("default: {default}"),
    N_("required"),
    N_("Missing command."),
    N_("Missing argument"),
    N_("Missing option"),
    N_("Missing parameter"),
    N_("No such option {name!r}."),
    N_("No such command {name!r}."),
    N_("Invalid value: {message}"),
    N_("Invalid value for {param_hint}: {message}"),
    N_("{value!r} is not a valid {number_type}."),
    N_("{value} is not in the range {range}."),
    N_("Option {name!r} does not take a value."),
    N_("Choose from:\n\t{choices}"),
    ngettext("Option {name!r} requires an argument.", "Option {name!r} requires {nargs} arguments."),
    ngettext("Got unexpected extra argument ({args})", "Got unexpected extra arguments ({args})"),
    ngettext("{value!r} is not {choice}.", "{value!r} is not one of {choices}."),
    ngettext("Did you mean {possibility}?", "(Did you mean one of: {possibilities}?)"),
]

# Every command is in a module of the same name in this folder, unless it shares one with another.
COMMANDS = (
    *("rules", "score", "play", "sheet", "verify", "solve", "value"),
    *("chance", "hint", "review", "train", "simulate", "data", "serve", "site", "backup", "restore"),
)
SHARED_MODULES = {
    "backup": "serve",
    "chance": "solve",
    "data": "simulate",
    "restore": "serve",
    "score": "rules",
    "sheet": "rules",
    "site": "serve",
    "value": "hint",
}
INTERRUPTED = 130


class Commands(click.Group):
    """A group that imports a command only when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"dicecup.cli.{SHARED_MODULES.get(cmd_name, cmd_name)}")
        commands = (found for found in vars(module).values() if isinstance(found, Command))
        return next(command for command in commands if command.name == cmd_name)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        Command.format_help_text(self, ctx, formatter)  # type: ignore[arg-type]

    example = "dicecup score yatzy 3 3 3 6 6"


@click.group(
    cls=Commands,
    invoke_without_command=True,
    help=N_(
        "Play, score and master every game of the Yatzy family. Without a command, it opens in the browser."
    ),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@language_option
@click.version_option(
    __version__,
    prog_name="dicecup",
    message="%(prog)s %(version)s",
    cls=Option,
    help=N_("Show the version and exit."),
)
@click.pass_context
def dicecup(context: click.Context) -> None:
    if context.invoked_subcommand is None:
        from dicecup.cli.serve import serve

        serve()


def wanted_language(arguments: list[str]) -> str:
    """Return the value of --lang, wherever it is among the arguments, else the environment's language."""
    for place, argument in enumerate(arguments):
        following = arguments[place + 1] if place + 1 < len(arguments) else ""
        value = following if argument == "--lang" else argument.removeprefix("--lang=")
        if argument.startswith("--lang") and value in LANGUAGES:
            return value
    return language_of_environment(os.environ)


def prepare_streams() -> None:
    """Open the standard streams that are closed, and let no character be one that they cannot write.

    Redirected output is UTF-8 on Windows too, where it would be in an older encoding.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - to the end
        elif isinstance(stream, io.TextIOWrapper):
            if sys.platform == "win32":
                stream.reconfigure(encoding="utf-8")
            elif name == "stdout" and stream.encoding.lower() != "utf-8":
                stream.reconfigure(errors="replace")


def is_about_output(error: OSError) -> bool:
    """Return whether stdout could not be written: everything is written by `click.echo`."""
    return any(frame.f_code is click.echo.__code__ for frame, _line in walk_tb(error.__traceback__))


def main(arguments: list[str] | None = None) -> int:
    arguments = sys.argv[1:] if arguments is None else arguments
    prepare_streams()
    speech.choose(wanted_language(arguments))
    try:
        status = dicecup.main(arguments, prog_name=CALLED, standalone_mode=False)
        click.echo(nl=False)  # flush
    except DicecupError as error:
        echo_stderr(f"dicecup: {speech.language.sentence(error, speech.rules)} [{error.code}]")
        return error.exit_status
    except click.ClickException as error:
        echo_stderr(f"dicecup: {error.format_message()} [usage]")
        if isinstance(error, click.UsageError) and error.ctx:
            echo_stderr(_("Run “{command} --help” for help.").format(command=error.ctx.command_path))
        return 2
    except (KeyboardInterrupt, click.Abort):
        echo_stderr()
        return INTERRUPTED
    except BrokenPipeError:
        # The reader closed the pipe (quit a pager): not an error, and nothing more can be written.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except MemoryError:
        short = StorageError("memory_out")
        echo_stderr(f"dicecup: {speech.language.sentence(short)} [{short.code}]")
        return short.exit_status
    except OSError as error:
        # Errors of files are handled elsewhere: this is a redirection to a full disk, or too many open files.
        code = "output_unwritable" if is_about_output(error) else "system_failed"
        failed = StorageError(code, problem=problem_of(error))
        echo_stderr(f"dicecup: {speech.language.sentence(failed)} [{failed.code}]")
        if is_about_output(error):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return failed.exit_status
    return status if isinstance(status, int) else 0
