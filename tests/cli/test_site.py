"""`dicecup site`: what it refuses, and how it gets its parts; tests/browser/test_site.py plays on a site."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from tests.conftest import ROOT, Refused

from dicecup import installation
from dicecup.rules import load_ruleset
from dicecup.site import builder, runtime
from dicecup.site.runtime import SitePart
from dicecup.solver.ready import double_table_name

CONTENT = b"a package"
PART = SitePart("thing", "1.0", "thing-1.0.tgz", "sha512", hashlib.sha512(CONTENT).hexdigest())


class Registry(SimpleHTTPRequestHandler):
    def do_GET(self) -> None:
        found = self.path == f"/npm/thing/-/{PART.file}"
        self.send_response(200 if found else 404)
        self.end_headers()
        self.wfile.write(CONTENT if found else b"")

    def log_message(self, format: str, *values: object) -> None:
        pass


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Registry) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        address = f"http://127.0.0.1:{server.server_port}/npm/"
        monkeypatch.setenv("npm_config_registry", address)
        yield address
        server.shutdown()
        thread.join()


def test_other_files_are_not_touched(tmp_path: Path, refused: Refused) -> None:
    (tmp_path / "thesis.txt").write_text("x", encoding="utf-8")
    with refused("site_folder_used", folder=tmp_path):
        builder.build_site(tmp_path)
    with refused("file_unwritable", file=tmp_path / "thesis.txt"):
        builder.build_site(tmp_path / "thesis.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_the_start_page_has_the_colours_of_the_app() -> None:
    page = builder.start_page().decode()
    used = set(re.findall(r"var\(--([a-z-]+)\)", page))
    assert used
    assert all(page.count(f"--{name}: light-dark(") == 1 for name in used)
    assert not re.findall(r"(?:background|color): #", page)


def test_a_full_disk_leaves_an_earlier_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Refused
) -> None:
    earlier = {"index.html": b"1", "service-worker.js": b"1", "site-1/start.html": b"1"}
    builder.write_all(tmp_path, earlier)
    write = Path.write_bytes

    def full(path: Path, data: bytes) -> int:
        if path.name == "index.html":
            raise OSError(28, "No space left on device")
        return write(path, data)

    monkeypatch.setattr(builder, "fetched_parts", dict)
    later = {"site-2/start.html": b"2", "service-worker.js": b"2", "index.html": b"2"}
    monkeypatch.setattr(builder, "site_files", lambda _parts: later)
    monkeypatch.setattr(Path, "write_bytes", full)
    with refused("file_unwritable"):
        builder.build_site(tmp_path)
    assert {path: (tmp_path / path).read_bytes() for path in earlier} == earlier
    monkeypatch.undo()
    builder.write_all(tmp_path, later)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["index.html", "service-worker.js", "site-2"]


def test_a_part_comes_from_the_configured_registry(
    registry: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime.fetch(PART, tmp_path / "parts")
    assert (tmp_path / "parts" / PART.file).read_bytes() == CONTENT
    monkeypatch.delenv("npm_config_registry")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    (tmp_path / ".npmrc").write_text(f"fund=false\nregistry = {registry}\n", encoding="utf-8")
    assert runtime.configured_registry() == registry


def test_a_part_with_another_hash_is_refused(registry: str, tmp_path: Path, refused: Refused) -> None:
    wrong = SitePart(PART.name, PART.version, PART.file, "sha512", hashlib.sha512(b"").hexdigest())
    with refused("site_part_missing", part=PART.file, folder=tmp_path):
        runtime.fetch(wrong, tmp_path)
    other = SitePart("nothing", "1.0", "nothing-1.0.tgz", "sha512", PART.digest)
    with refused("site_part_missing", part="nothing-1.0.tgz"):
        runtime.fetch(other, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, refused: Refused) -> None:
    (tmp_path / "parts").touch()
    with refused("file_unwritable", file=tmp_path / "parts"):
        runtime.fetch(PART, tmp_path / "parts")


def test_what_fetches_a_part_is_named_if_it_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Refused
) -> None:
    monkeypatch.setitem(sys.modules, "pip", None)
    wheel = SitePart("thing", "1.0", "thing-1.0.whl", "sha256", "")
    with refused("site_tool_missing", tool="pip", part=wheel.file):
        runtime.fetch(wheel, tmp_path)
    monkeypatch.setattr(runtime, "configured_registry", lambda: None)
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    monkeypatch.setattr(installation, "is_clone", lambda: False)
    monkeypatch.setitem(installation.MODULES, "site", ("no_such_module",))
    with refused("npm_missing"):
        runtime.fetch(PART, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_without_npm_that_of_the_extra_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    done = subprocess.run([*runtime.npm_command(), "--version"], capture_output=True, text=True, check=True)
    assert re.fullmatch(r"\d+\.\d+\.\d+", done.stdout.strip())


def test_a_pydantic_that_does_not_fit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Refused
) -> None:
    runtime.check_pydantic()
    monkeypatch.setattr(runtime, "requires", lambda _name: ["annotated-types>=0.6", "pydantic-core==2.41.5"])
    monkeypatch.setattr(runtime, "version", lambda _name: "2.12.5")
    needed = runtime.pinned()["pydantic-core"]["pydantic"]
    with refused("site_pydantic", needed=needed, found="2.12.5"):
        builder.build_site(tmp_path / "site")
    assert list(tmp_path.iterdir()) == []


def test_values_are_fetched_with_the_site_or_when_they_are_needed() -> None:
    """With it those of every game as it is played usually, of its other options whatever comes along."""
    first, further = (
        [path.name for path in paths()] for paths in (builder.coach_values, builder.further_values)
    )
    assert not set(first) & set(further)
    for options in ({"extra": "negative"}, {"strike": "last_resort"}):
        assert double_table_name(load_ruleset("dice-in-dice", options)) in further
    assert double_table_name(load_ruleset("dice-in-dice")) in first
    files = builder.value_files(builder.further_values()[:1])
    assert [*files] == [f"values/solver/double/data/{further[0]}"]


def test_the_lock_names_versions_and_hashes() -> None:
    found = runtime.parts()
    locked = (ROOT / "requirements" / "run.txt").read_text(encoding="utf-8")
    assert re.search(rf"^pydantic-core=={re.escape(found['pydantic-core'].version)} ", locked, re.MULTILINE)
    assert f"\npydantic=={runtime.pinned()['pydantic-core']['pydantic']} " in locked
    assert found["pydantic-core"].file.endswith(f"{runtime.PLATFORM}.whl")
    assert found["pyodide"].version.startswith("314.")
    assert {part.algorithm: len(part.digest) for part in found.values()} == {"sha256": 64, "sha512": 128}
    assert "http" not in runtime.LOCK.read_text(encoding="utf-8")
