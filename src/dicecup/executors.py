"""Work spread over any `concurrent.futures.Executor`: this machine's processes, MPI, or a Dask cluster.

A piece of work travels by itself, as a function of this package and its arguments, so that any worker can do
it, or retry it after another one died. Results are yielded in the order of the pieces, each exactly once.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import contextmanager
from threading import Lock
from typing import Any

from dicecup.errors import DicecupError, StorageError, UsageError, problem_of
from dicecup.installation import need

WAITING = 64  # pieces submitted but not yet collected
CONNECT_SECONDS = 10
ONE_AT_A_TIME = Lock()  # kernels use all cores and keep their work space: one piece at a time

Piece = tuple[Any, ...]


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def version() -> str:
    """Return the version of this package; its front door is above this module."""
    return str(sys.modules["dicecup"].__dict__["__version__"])


def spread(
    executor: Executor, function: Callable[..., Any], pieces: Iterable[Piece], *, waiting: int = WAITING
) -> Generator[Any]:
    """Yield `function(*piece)` for every piece, in their order.

    At most `waiting` pieces are in the executor at a time. When the iterator is closed early, the pending
    pieces are cancelled.
    """
    futures: deque[Future[Any]] = deque()
    following = iter(pieces)
    try:
        while True:
            while len(futures) < waiting and (piece := next(following, None)) is not None:
                futures.append(submit(executor, function, piece))
            if not futures:
                return
            yield collected(futures.popleft())
    finally:
        for future in futures:
            future.cancel()


def submit(executor: Executor, function: Callable[..., Any], piece: Piece) -> Future[Any]:
    try:
        return executor.submit(run_piece, version(), pickle.dumps((function, piece)))
    except BrokenExecutor:
        raise StorageError("workers_lost") from None
    except RuntimeError as error:  # it was shut down
        raise StorageError("work_failed", problem=described(error)) from None


def collected(future: Future[Any]) -> Any:
    """Return the result of a piece; raise any failure as a `DicecupError`."""
    try:
        return pickle.loads(future.result())
    except DicecupError:
        raise
    except (BrokenExecutor, CancelledError):
        raise StorageError("workers_lost") from None
    except Exception as error:
        if type(error).__name__ in ("KilledWorker", "FutureCancelledError", "CommClosedError"):
            raise StorageError("workers_lost") from None
        raise StorageError("work_failed", problem=described(error)) from None


def described(error: BaseException) -> str:
    """Describe an error of another library in one line."""
    text = " ".join(str(error).split())[:200]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def run_piece(expected: str, packed: bytes) -> bytes:
    """Run a piece in a worker process, after checking that it has the same version."""
    if version() != expected:
        raise UsageError("worker_version", here=expected, there=version())
    with ONE_AT_A_TIME:
        function, piece = pickle.loads(packed)
        return pickle.dumps(function(*piece))


@contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """The executor of the Dask scheduler at an address such as `tcp://192.168.1.5:8786`.

    Dask gives the pieces of a worker that dies to another one; after three workers that died of the same
    piece it gives up, and the error `workers_lost` says so.
    """
    need("dask")
    import logging

    from distributed import Client
    from distributed.comm.addressing import resolve_address

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        resolve_address(address)  # a client that cannot read its address takes long to close
        client: Any = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, RuntimeError, ImportError) as error:
        problem = problem_of(error) if isinstance(error, OSError) and error.errno else described(error)
        raise UsageError("cluster_unreachable", address=address, problem=problem) from None
    try:
        if not client.scheduler_info(n_workers=1)["workers"]:
            raise UsageError("cluster_empty", address=address)
        # Not pure: Dask would cache a failure and return it when the same piece is submitted again.
        with client.get_executor(pure=False) as executor:
            try:
                yield executor
            except BaseException:
                executor.shutdown(wait=False)
                raise
    finally:
        client.close(timeout=CONNECT_SECONDS)
