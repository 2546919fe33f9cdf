"""Compiling functions once, and keeping the result in the user's cache.

Numba looks only at a function's own file to see whether a kept result is still good, not at the files of the
functions it calls. So results are kept in a folder named after the contents of all files of this package
and of those built on it: a changed kernel is never answered by an old one.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import numba
from numba.core.event import Event, Listener, install_listener

from dicecup.folders import kernels_folder

Function = TypeVar("Function", bound=Callable[..., Any])

PACKAGES = ("solver", "playout")  # where kernels are
POOL = Lock()


def sources_hash() -> str:
    digest = hashlib.sha256()
    package = Path(__file__).parents[1]
    for path in sorted(path for name in PACKAGES for path in (package / name).rglob("*.py")):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def choose_folder() -> bool:
    """Point Numba to the folder; False if nothing can be kept there, and every run has to compile."""
    base = os.environ.get("NUMBA_CACHE_DIR")
    folder = (Path(base) if base else kernels_folder()) / sources_hash()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    numba.config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]
    return os.access(folder, os.W_OK)


KEPT = choose_folder()


def kernel(**settings: Any) -> Callable[[Function], Function]:
    """A decorator: compile this function on its first call."""
    decorator: Callable[[Function], Function] = numba.njit(cache=KEPT, **settings)
    return decorator


def parallel_kernel(**settings: Any) -> Callable[[Function], Function]:
    """The same for a function that uses all cores. Only Python calls it, and one thread at a time: the pool
    of threads that Numba has where no better one is installed ends the process when two threads enter it."""

    def decorate(function: Function) -> Function:
        compiled = kernel(parallel=True, **settings)(function)

        @wraps(compiled)
        def alone(*arguments: Any) -> Any:
            with POOL:
                return compiled(*arguments)

        return alone  # type: ignore[return-value]

    return decorate


def is_compiled(function: Any, *arguments: Any) -> bool:
    """Whether a call of a parallel kernel with such arguments starts at once, compiled in this run or an
    earlier one."""
    function = function.__wrapped__
    types = tuple(numba.typeof(argument) for argument in arguments)
    if types in function.overloads:
        return True
    if not KEPT:
        return False
    # The cache has no question for this; loading is the question, and not wasted.
    return function._cache.load_overload(types, function.targetctx) is not None


class FirstCompile(Listener):
    """Tells of the first kernel that has to be compiled; what is loaded from the cache is not told of."""

    def __init__(self, tell: Callable[[], None]) -> None:
        self.tell = tell
        self.told = False

    def on_start(self, event: Event) -> None:  # noqa: ARG002
        if not self.told:
            self.told = True
            self.tell()

    def on_end(self, event: Event) -> None:
        """Nothing is said when it is over."""


@contextmanager
def before_compiling(tell: Callable[[], None]) -> Iterator[None]:
    """Call `tell` once if anything in here has to be compiled, before that begins."""
    with install_listener("numba:compile", FirstCompile(tell)):
        yield
