"""The resources of this machine (memory, disk, backends), and errors before work that it cannot finish."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from typing import Any

import psutil

from dicecup.errors import StorageError, UsageError
from dicecup.rules.model import Ruleset


def command_line(command: str, rules: Ruleset, arguments: str) -> str:
    """Return the command that does something of these rules once, for errors that say what to run."""
    options = "".join(f" -o {name}={value}" for name, value in rules.non_default_options.items())
    return f"dicecup {command} {shlex.quote(rules.reference)}{options} {arguments}"


def check_memory(needed: int) -> None:
    """Raise an error if less memory than this is free."""
    free = free_memory()
    if free is not None and free < needed:
        raise StorageError("memory_short", needed=size_text(needed), found=size_text(free))


def check_disk(folder: Path, needed: int) -> None:
    """Raise an error if the disk of a folder, which need not exist yet, has less room than this."""
    found = folder
    while not found.exists():
        found = found.parent
    free = shutil.disk_usage(found).free
    if free < needed:
        raise StorageError("disk_short", folder=folder, needed=size_text(needed), found=size_text(free))


def free_memory() -> int | None:
    """Memory available without swapping; None if the system does not report it."""
    found = [free for free in (system_memory(), group_memory(), process_memory()) if free is not None]
    return min(found, default=None)


def system_memory() -> int | None:
    try:
        return int(psutil.virtual_memory().available)
    except (OSError, psutil.Error):
        return None


def group_memory() -> int | None:
    """The memory left under a container's limit."""
    folder = Path("/sys/fs/cgroup")
    try:
        most = int((folder / "memory.max").read_text(encoding="ascii"))
        return most - int((folder / "memory.current").read_text(encoding="ascii"))
    except (OSError, ValueError):  # no such limit
        return None


def process_memory() -> int | None:
    """The memory left under `ulimit -v`, on Linux."""
    process = psutil.Process()
    if not hasattr(process, "rlimit"):
        return None
    most, _ = process.rlimit(psutil.RLIMIT_AS)
    if most == psutil.RLIM_INFINITY:
        return None
    return int(most - process.memory_info().vms)


def size_text(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{max(count, 0) / 1e6:.1f} MB"


BACKENDS = ("cpu", "cuda")
PRECISIONS = (64, 32)


def unknown_backend(name: object) -> UsageError:
    return UsageError("backend_unknown", backend=name, known=", ".join(BACKENDS))


def check_backend(name: object) -> None:
    if not isinstance(name, str) or name not in BACKENDS:
        raise unknown_backend(name)


def load_cupy() -> Any:
    """Return CuPy with a GPU behind it, or raise an error that says what is missing."""
    try:
        import cupy
    except ImportError:
        raise UsageError("cupy_missing") from None
    try:
        devices = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError:  # no driver, or one that is too old
        devices = 0
    if not devices:
        raise UsageError("cuda_missing")
    return cupy
