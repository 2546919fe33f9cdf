"""Compiling functions once, and caching the result in the user's cache folder.

To decide whether a cached result is still valid, Numba checks only the file of the function itself, not the
files of the functions it calls. So results are cached in a folder named after a hash of all source files of
this package and of those built on it: an outdated kernel is never used.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import numba
from numba.core.event import Event, Listener, install_listener

from dicecup.installation import kernels_folder

Function = TypeVar("Function", bound=Callable[..., Any])

PACKAGES = ("solver", "playout", "envs")  # that contain kernels
PARTS = 4  # of the work for each thread: one that is done takes over a part of the others'
POOL = Lock()


def sources_hash() -> str:
    digest = hashlib.sha256()
    package = Path(__file__).parents[1]
    for path in sorted(path for name in PACKAGES for path in (package / name).rglob("*.py")):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def choose_folder() -> bool:
    """Set Numba's cache folder; return False if nothing can be cached, so that every run has to compile."""
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
    """Return a decorator that compiles a function as part of the kernels that call it.

    Python cannot call it: the wrappers for that, which unpack dozens of arrays, would take a quarter of the
    compile time. It is not cached, because the kernels that call it contain it.
    """
    settings |= {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    decorator: Callable[[Function], Function] = numba.njit(**settings)
    return decorator


def entry_kernel(**settings: Any) -> Callable[[Function], Function]:
    """Return a decorator for a function that Python calls: compiled on its first call, and cached."""
    decorator: Callable[[Function], Function] = numba.njit(cache=KEPT, **settings)
    return decorator


def shared_kernel(together: int = 1) -> Callable[[Function], Callable[..., None]]:
    """Return a decorator for a function that Python calls, whose work is shared by threads.

    Its first two parameters are where a part of the work begins and ends. It is called with the size of the
    whole instead; all parts but the last are multiples of `together`. With Numba's own parallel loops large
    kernels took twice as long to compile: it optimises the same code for the loop, for its wrapper and for
    the function around it.
    """

    def decorate(function: Function) -> Callable[..., None]:
        compiled = entry_kernel(nogil=True)(function)

        @wraps(compiled)
        def shared(size: int, *arguments: Any) -> None:
            pieces = -(-size // together)
            threads = min(numba.get_num_threads(), pieces)
            step = together * -(-pieces // max(threads * PARTS, 1))
            begins = iter(range(0, size, max(step, 1)))

            def work() -> None:
                for begin in begins:  # the threads share one iterator: each part is done once
                    compiled(begin, min(begin + step, size), *arguments)

            if threads < 2:
                work()
                return
            with ThreadPoolExecutor(threads - 1) as pool:
                others = [pool.submit(work) for _ in range(threads - 1)]
                work()
            for other in others:
                other.result()

        return shared

    return decorate


def parallel_kernel(**settings: Any) -> Callable[[Function], Function]:
    """Return a decorator for a small function with parallel loops, which use all cores.

    Only Python calls it, and one thread at a time: Numba's default thread pool ends the process when two
    threads enter it.
    """

    def decorate(function: Function) -> Function:
        compiled = entry_kernel(parallel=True, **settings)(function)

        @wraps(compiled)
        def alone(*arguments: Any) -> Any:
            with POOL:
                return compiled(*arguments)

        return alone  # type: ignore[return-value]

    return decorate


def is_compiled(function: Any, *arguments: Any) -> bool:
    """Return whether a call of a parallel or shared kernel with such arguments starts without compiling."""
    function = function.__wrapped__
    types = tuple(numba.typeof(argument) for argument in arguments)
    if types in function.overloads:
        return True
    if not KEPT:
        return False
    # The cache has no method to ask; loading it answers, and the result is used.
    return function._cache.load_overload(types, function.targetctx) is not None


class FirstCompile(Listener):
    """Calls back before the first kernel that has to be compiled; not for those loaded from the cache."""

    def __init__(self, callback: Callable[[], None]) -> None:
        self.callback = callback
        self.called = False

    def on_start(self, event: Event) -> None:  # noqa: ARG002
        if not self.called:
            self.called = True
            self.callback()

    def on_end(self, event: Event) -> None:
        """Do nothing when it is over."""


@contextmanager
def before_compiling(callback: Callable[[], None]) -> Iterator[None]:
    """Call `callback` once if anything inside has to be compiled, before that begins."""
    with install_listener("numba:compile", FirstCompile(callback)):
        yield
