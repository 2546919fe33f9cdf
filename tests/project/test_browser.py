"""The browser for the tests: an installed one, a downloaded one, or a clear message and a failed check."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.project.test_launchers import executable, python_that, ready

import browser

pytestmark = pytest.mark.posix

Launch = Callable[..., subprocess.CompletedProcess[str]]
BROWSER = "#!/bin/sh\necho Chromium 1.0\n"
BROKEN = "#!/bin/sh\necho libnss3.so is missing >&2\nexit 127\n"


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without any browser: the folder of its PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "sh").symlink_to("/bin/sh")
    (folder / "mkdir").symlink_to("/bin/mkdir")
    (folder / "cp").symlink_to("/bin/cp")
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("DICECUP_BROWSER", raising=False)
    monkeypatch.setattr(browser, "PLACES", ())
    monkeypatch.setattr(browser, "FOLDER", tmp_path / "browsers")
    monkeypatch.setattr(sys, "executable", str(executable(tmp_path / "python", "#!/bin/sh\nexit 1\n")))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    return folder


@pytest.mark.parametrize("name", browser.NAMES)
def test_one_that_is_installed(bare: Path, name: str, capfd: pytest.CaptureFixture[str]) -> None:
    installed = executable(bare / name, BROWSER)
    assert browser.main() == 0
    assert capfd.readouterr().out == f"{installed}\n"


def test_one_that_is_named(bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    executable(bare / "chromium", BROWSER)
    mine = executable(tmp_path / "my browser", BROWSER)
    monkeypatch.setenv("DICECUP_BROWSER", str(mine))
    assert browser.find_browser() == str(mine)
    monkeypatch.setenv("DICECUP_BROWSER", str(tmp_path / "nothing"))
    assert browser.find_browser() is None


def test_a_browser_that_does_not_start_is_skipped(bare: Path) -> None:
    executable(bare / "chromium", BROKEN)
    assert browser.find_browser() is None
    good = executable(bare / "google-chrome", BROWSER)
    assert browser.find_browser() == str(good)


def test_one_that_is_downloaded(bare: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Playwright downloads it into the given folder."""
    source = executable(tmp_path / "downloaded", BROWSER)
    folder = "chromium_headless_shell-1/chrome-headless-shell-linux64"
    executable(
        Path(sys.executable),
        '#!/bin/sh\n[ "$*" = "-m playwright install --only-shell chromium" ] || exit 1\n'
        f'mkdir -p "$PLAYWRIGHT_BROWSERS_PATH/{folder}"\n'
        f'cp "{source}" "$PLAYWRIGHT_BROWSERS_PATH/{folder}/chrome-headless-shell"\n',
    )
    assert browser.main() == 0
    found = tmp_path / "browsers" / folder / "chrome-headless-shell"
    assert capfd.readouterr().out == f"{found}\n"
    assert browser.find_browser() == str(found)


@pytest.mark.parametrize("package", browser.PACKAGES)
def test_one_that_the_package_manager_has(
    bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    """The headless shell where it has one, else the whole browser."""
    source = executable(tmp_path / "packaged", BROWSER)
    executable(
        bare / "apt-get",
        f'#!/bin/sh\ncase "$*" in\nupdate) ;;\n"install -y --no-install-recommends {package}")\n'
        f'    cp "{source}" "{bare}/{package}" ;;\n*) exit 1 ;;\nesac\n',
    )
    assert browser.get_browser() is None  # requires root
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert browser.get_browser() == str(bare / package)


def test_a_download_that_does_not_run_is_ignored(bare: Path, tmp_path: Path) -> None:
    source = executable(tmp_path / "downloaded", BROKEN)
    executable(
        Path(sys.executable),
        '#!/bin/sh\nmkdir -p "$PLAYWRIGHT_BROWSERS_PATH/chromium-1/chrome-linux"\n'
        f'cp "{source}" "$PLAYWRIGHT_BROWSERS_PATH/chromium-1/chrome-linux/chrome"\n',
    )
    assert browser.get_browser() is None


def test_none_at_all(bare: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert browser.main() == 1
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize(
    ("locale", "sentence"),
    [
        ("en_GB.UTF-8", "no Chromium or Chrome was found and none could be installed"),
        ("de_DE.UTF-8", "kein Chromium oder Chrome wurde gefunden"),
    ],
)
def test_check_fails_with_one_sentence(clone: Path, launch: Launch, locale: str, sentence: str) -> None:
    """The tests still run, including those that need a browser: they fail and are not skipped."""
    ready(clone, "check")
    (clone / "tests/browser").mkdir(parents=True)
    python_that(clone, 'echo "$@"\n[ "$1" != tools/browser.py ]')
    result = launch(clone / "check", LC_ALL=locale)
    assert result.returncode == 1
    said = result.stderr.splitlines()
    assert len(said) == 1
    assert sentence in said[0]
    assert "apt install chromium" in said[0]
    assert "DICECUP_BROWSER" in said[0]
    assert "-m pytest" in result.stdout.partition("== browser")[2]
    assert "tests/browser" in result.stdout
    assert result.stdout.endswith("== failed: browser\n")


def test_without_a_browser_its_tests_fail(root: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/browser/test_games.py"]
    environment = os.environ | {"DICECUP_BROWSER": "/nothing"}
    result = subprocess.run(
        [*command, "-k", "dice_that_stay"],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert "no Chromium or Chrome was found" in result.stdout
    assert "skipped" not in result.stdout
