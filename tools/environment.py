"""The virtual environment of this clone, .venv, made and filled from the lock files in requirements/.

`run` is what playing needs and `check` is everything; the other parts are the extras of pyproject.toml,
each installed when a command first needs it. The file .venv/stamp-PART is written last and contains the
path of the clone and the lock file that was installed: a part is ready while its stamp is current. When
the stamp of `run` is out of date, .venv is created again with all parts it had.

This module uses only the standard library: it runs before any package is installed.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from ast import literal_eval
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from setup_texts import tell

if sys.platform == "win32":
    import msvcrt

    def lock(descriptor: int) -> None:
        while True:
            try:
                msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
            except OSError as error:
                if error.errno == errno.EDEADLK:  # held by another process for the last ten seconds
                    continue
            return

else:
    import fcntl

    def lock(descriptor: int) -> None:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)


WINDOWS = sys.platform == "win32"
EXTRAS = ("dask", "data", "env", "pdf", "postgresql", "site", "solver")
PARTS = ("run", *EXTRAS, "check")
LOCKED = ("--only-binary", ":all:", "--no-deps", "--require-hashes")
PIP = ("-I", "-m", "pip", "install", "--quiet", "--no-input", "--no-cache-dir", "--retries", "2", *LOCKED)
UV = ("-I", "-m", "uv", "pip", "install", "--quiet", "--no-config", "--system-certs", *LOCKED)
# Settings of pip, and the variables of uv for them.
SETTINGS = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "trusted-host": "UV_INSECURE_HOST",
    "cert": "SSL_CERT_FILE",
    "proxy": "ALL_PROXY",
}


class SetUpError(Exception):
    """The set-up failed: the name of a message in `setup_texts`, and its values."""

    def __init__(self, sentence: str, **values: object) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.values = values


class Environment:
    def __init__(self, root: Path, name: str) -> None:
        self.root = root
        self.name = name  # of the script that was called, for messages
        self.folder = root / ".venv"
        self.python = self.folder / ("Scripts/python.exe" if WINDOWS else "bin/python")
        self.log = self.folder / "setup.log"

    def set_up(self, part: str) -> None:
        """Ensure that a part is installed and the catalogues are compiled."""
        if not self.is_ready(part):
            if not os.access(self.root, os.W_OK):
                raise SetUpError("read_only", folder=self.root)
            with locked(self.root / ".venv.lock"):
                if not self.is_ready(part):  # another process may have installed it meanwhile
                    self.install(part)
        if not self.have_catalogues():
            self.compile_catalogues()

    def stamp(self, part: str) -> str:
        """The current stamp of a part."""
        return f"{self.root}\n{self.lock_file(part).read_text(encoding='utf-8')}"

    def lock_file(self, part: str) -> Path:
        return self.root / "requirements" / f"{part}.txt"

    def stamp_file(self, part: str) -> Path:
        return self.folder / f"stamp-{part}"

    def has(self, part: str) -> bool:
        """Return whether the stamp of the part, or of `check`, which includes it, is current."""
        if not os.access(self.python, os.X_OK):
            return False
        for stamped in {part, "check"}:
            try:
                if self.stamp_file(stamped).read_text(encoding="utf-8") == self.stamp(stamped):
                    return True
            except (OSError, UnicodeDecodeError):
                continue
        return False

    def is_ready(self, part: str) -> bool:
        return self.has("run") and self.has(part)

    def install(self, part: str) -> None:
        wanted = {part}
        if self.has("run"):
            tell(self.name, "building" if part == "check" else "adding", part=part)
        else:
            tell(self.name, "building")
            wanted |= {"run"} | {old for old in PARTS if self.stamp_file(old).exists()}
            self.create()
        if "check" in wanted:
            wanted = {"run", "check"}  # check.txt holds all the others
        for stamped in wanted:
            self.stamp_file(stamped).unlink(missing_ok=True)
        self.install_packages(["check"] if "check" in wanted else sorted(wanted))
        for stamped in wanted:
            self.write_stamp(stamped)

    def create(self) -> None:
        """Create .venv with the base interpreter of the running one."""
        base = getattr(sys, "_base_executable", sys.executable)
        try:
            if self.folder.exists():
                shutil.rmtree(self.folder)
            self.folder.mkdir()
            self.logged([base, "-I", "-m", "venv", str(self.folder)])
            self.link_source()
        except (OSError, subprocess.CalledProcessError):
            raise SetUpError("broken_venv", log=self.log) from None

    def install_packages(self, parts: list[str]) -> None:
        # /tmp may be small: keep temporary files in the clone.
        temporary = self.folder / "tmp"
        temporary.mkdir(exist_ok=True)
        unwanted = {"PIP_TARGET", "PIP_PREFIX", "PIP_ROOT"}
        kept = {name: value for name, value in os.environ.items() if name not in unwanted}
        settings = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_USER": "0"}
        settings = kept | settings | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary))
        try:
            if parts == ["check"]:
                self.install_everything(self.lock_file("check"), temporary, settings)
            else:
                self.pip_install([self.lock_file(part) for part in parts], settings)
        except (OSError, subprocess.CalledProcessError):
            raise SetUpError("no_packages", log=self.log) from None
        shutil.rmtree(temporary, ignore_errors=True)

    def install_everything(self, lock: Path, temporary: Path, settings: dict[str, str]) -> None:
        """Install a large lock file by uv, which is in it: in a third of pip's time, and on all cores.

        Where there is no uv for the machine, or it fails, pip does it. Neither compiles what it installs: all
        of it would be compiled, for the few modules that the checks import.
        """
        try:
            self.logged([str(self.python), "-I", "-m", "pip", "config", "list"], settings)
            translated = uv_settings(self.log.read_text(encoding="utf-8"))
            alone = temporary / "uv.txt"
            alone.write_text(requirement("uv", lock.read_text(encoding="utf-8")), encoding="utf-8")
            self.pip_install([alone], settings, "--no-compile")
            # Its cache is in the same file system, so that files are linked, not copied.
            options = ["--python", str(self.python), "--cache-dir", str(temporary / "uv")]
            self.logged([str(self.python), *UV, *options, "--requirement", str(lock)], settings | translated)
        except (OSError, ValueError, subprocess.CalledProcessError):
            self.pip_install([lock], settings, "--no-compile")

    def pip_install(self, locks: list[Path], settings: dict[str, str], *options: str) -> None:
        requirements = [option for lock in locks for option in ("--requirement", str(lock))]
        self.logged([str(self.python), *PIP, *options, *requirements], settings)

    def link_source(self) -> None:
        """Put src on the path, by a relative entry: special characters in the clone's path do not matter."""
        bases = {"base": str(self.folder), "platbase": str(self.folder)}
        site = Path(sysconfig.get_path("purelib", "venv", bases))
        (site / "dicecup.pth").write_text(os.path.relpath(self.root / "src", site) + "\n", encoding="utf-8")

    def write_stamp(self, part: str) -> None:
        new = self.folder / "stamp.new"
        new.write_text(self.stamp(part), encoding="utf-8")
        new.replace(self.stamp_file(part))

    def have_catalogues(self) -> bool:
        """Whether each .po file has an up-to-date .mo file."""
        for po in self.root.glob("src/dicecup/i18n/locale/*/LC_MESSAGES/dicecup.po"):
            mo = po.with_suffix(".mo")
            if not mo.exists() or mo.stat().st_mtime < po.stat().st_mtime:
                return False
        return True

    def compile_catalogues(self) -> None:
        try:
            self.logged([str(self.python), "-I", str(self.root / "tools" / "catalogues.py"), "compile"])
        except (OSError, subprocess.CalledProcessError):
            raise SetUpError("no_catalogues", log=self.log) from None

    def logged(self, command: list[str], environment: dict[str, str] | None = None) -> None:
        with self.log.open("wb") as log:
            subprocess.run(
                command,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                check=True,
                close_fds=False,  # for the lock
            )


def requirement(name: str, lock: str) -> str:
    """The lines of a lock file about one package: its version and its hashes."""
    found = re.search(rf"^{name}==(?:.*\\\n)*.*\n", lock, re.M)
    return found[0] if found else ""


def uv_settings(configuration: str) -> dict[str, str]:
    """Translate the output of `pip config list` into variables for uv, which does not read pip's settings.

    Raise ValueError for what uv has no variable for.
    """
    sections: dict[str, dict[str, str]] = {"global": {}, "install": {}, ":env:": {}}
    for line in configuration.splitlines():
        key, _, value = line.partition("=")
        section, _, name = key.partition(".")
        sections.get(section, {})[name] = literal_eval(value)
    merged = sections["global"] | sections["install"] | sections[":env:"]
    if "no-index" in merged:
        raise ValueError("no-index")
    variables = {variable: merged[name].split() for name, variable in SETTINGS.items() if name in merged}
    return {
        variable: ("," if variable == "UV_FIND_LINKS" else " ").join(words)
        for variable, words in variables.items()
    }


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock. Child processes inherit it: it is released when the last of them ends."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        os.set_inheritable(descriptor, True)
        lock(descriptor)
        yield
    finally:
        os.close(descriptor)
