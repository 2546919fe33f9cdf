"""Fixtures shared by all tests."""

from __future__ import annotations

import atexit
import gc
import itertools
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from importlib import import_module
from pathlib import Path

import pytest
from filelock import FileLock
from tests.databases import Databases, delete_rows, drop_tables, quick_folder

from dicecup.errors import DicecupError
from postgres_server import PostgresServer

ROOT = Path(__file__).resolve().parents[1]
# Compiled kernels outlive a run, inside the clone; the solver reads this when it is first imported.
os.environ.setdefault("NUMBA_CACHE_DIR", str(ROOT / ".pytest_cache" / "kernels"))
# Solved games, too: those of the person who runs the tests are neither used nor changed.
os.environ["DICECUP_CACHE"] = str(ROOT / ".pytest_cache" / "coach")
# NumPy reads this when it is first imported. The tests use all cores already: more threads would compete.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Numba's threads wait for their next work in a loop unless told otherwise: on a busy machine that takes half
# as much processor time as the work itself.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
# Tests wait for the coach: on a busy machine processes of a low priority would hardly run.
os.environ.setdefault("DICECUP_NICE", "off")

# Hypothesis asks the collector who refers to its random numbers, and warns if nobody does. From Python 3.14
# on that is so once objects are frozen, which servers in tests do, too.
if sys.version_info >= (3, 14):
    gc.freeze = lambda: None

# Programs started in the background of a shell ignore Ctrl-C, and so would those that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

MOST_MEMORY = 8_000_000_000  # bytes of a process


def limit_memory() -> None:
    """Let a test that never stops taking memory fail alone, before it takes that of the machine.

    Programs that it starts have the same limit each. Addresses that are only reserved do not count: browsers
    and WebAssembly reserve many.
    """
    with suppress(ImportError, OSError, ValueError):  # Windows has no limits
        resource = import_module("resource")
        soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        if soft == resource.RLIM_INFINITY:
            resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, hard))


limit_memory()


def leave_at_once() -> None:
    """End a worker without freeing its memory object by object, which takes a second."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def is_worker(config: pytest.Config) -> bool:
    """Return whether this process runs tests for another; one that a test starts has its own exit status."""
    return hasattr(config, "workerinput")


def pytest_configure(config: pytest.Config) -> None:
    if is_worker(config):
        atexit.register(leave_at_once)  # after what later imports register; by then all results are sent


Refused = Callable[..., AbstractContextManager[None]]


@pytest.fixture(scope="session")
def refused() -> Refused:
    """with refused(code, name=value …): expect this error, with these values and a complete sentence."""

    @contextmanager
    def refused(code: str, **values: object) -> Iterator[None]:
        with pytest.raises(DicecupError) as caught:
            yield
        error = caught.value
        assert error.code == code, str(error)
        for name, value in values.items():
            found = error.values[name]
            assert getattr(found, "code", found) == value, str(error)
        assert "{" not in str(error).replace('{"', ""), "a place for a value was left open"

    return refused


numbers = itertools.count()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    with PostgresServer() as server:
        yield server


@pytest.fixture(scope="session")
def postgres_databases(postgres_server: PostgresServer) -> Databases:
    return Databases(lambda: postgres_server.new_database(f"games{next(numbers)}"), drop_tables)


@pytest.fixture
def postgres_database(postgres_databases: Databases) -> Iterator[str]:
    """The URL of an empty database on a real PostgreSQL server."""
    with postgres_databases.lent() as address:
        yield address


@pytest.fixture(scope="session")
def prepared_databases(postgres_server: PostgresServer) -> Databases:
    """Databases with tables and nothing in them."""

    from dicecup.storage.store import open_store

    def make() -> str:
        address = postgres_server.new_database(f"prepared{next(numbers)}")
        open_store(address).close()
        return address

    return Databases(make, delete_rows)


@pytest.fixture(scope="session")
def prepared_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same on SQLite: copying it takes a sixth of making the tables."""
    from dicecup.storage.store import open_store

    file = tmp_path_factory.mktemp("prepared") / "games.db"
    open_store(str(file)).close()
    return file


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let one worker at a time import a test file: what the first one compiles, the others only load."""
    if not (is_worker(collector.config) and isinstance(collector, pytest.Module)):
        return (yield)
    cache = ROOT / ".pytest_cache"
    cache.mkdir(exist_ok=True)
    with FileLock(cache / "import.lock", poll_interval=0.01):
        return (yield)


def pytest_collection_finish() -> None:
    """Keep the garbage collector from looking again and again at what the imports have made."""
    gc.collect()
    gc.freeze()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import files whose tests `./check --quick` leaves out: some import much."""
    left_out = {one for one in ("slow", "kernels") if f"not {one}" in config.option.markexpr}
    if not left_out or collection_path.suffix != ".py":
        return None
    text = collection_path.read_text(encoding="utf-8")
    return any(f"\npytestmark = pytest.mark.{one}\n" in text for one in left_out) or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # One worker gets the first tests and no other takes them over, so that the site is started only once.
    items.sort(key=lambda item: item.path.parts[-2:] != ("browser", "test_site.py"))
    for item in items:
        folder = item.path.parent.name
        if folder in ("coach", "double", "learned", "solver"):
            item.add_marker(pytest.mark.kernels)
        if folder == "browser" or "postgres_server" in item.fixturenames:  # type: ignore[attr-defined]
            item.add_marker(pytest.mark.slow)
        if os.name == "nt" and item.get_closest_marker("posix"):
            item.add_marker(pytest.mark.skip(reason="Windows has no such thing"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run tests that use a database on both kinds, unless marked as independent of the kind."""
    if "database" in metafunc.fixturenames:
        one = metafunc.definition.get_closest_marker("one_database")
        kinds = ["sqlite"] if one else ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)]
        metafunc.parametrize("database", kinds, indirect=True)


@pytest.fixture
def database(request: pytest.FixtureRequest) -> Iterator[str]:
    """An empty database."""
    if request.param == "sqlite":
        with quick_folder() as folder:
            yield str(folder / "games.db")
    else:
        yield request.getfixturevalue("postgres_database")
