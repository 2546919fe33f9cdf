"""The virtual environment of a clone: when a part of it is ready, and what is installed otherwise."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import setup_texts
from environment import EXTRAS, PARTS, Environment, SetUpError, locked, requirement


class Dry(Environment):
    """An environment that notes what it would run, and does the rest."""

    def __init__(self, root: Path) -> None:
        super().__init__(root, "dicecup")
        self.commands: list[list[str]] = []
        self.environments: list[dict[str, str]] = []
        self.configuration = ""  # of pip

    def logged(self, command: list[str], environment: dict[str, str] | None = None) -> None:
        self.commands.append(command)
        self.environments.append(environment or {})
        self.folder.mkdir(exist_ok=True)
        self.log.write_text(self.configuration if "config" in command else "", encoding="utf-8")
        if "venv" in command:
            self.python.parent.mkdir(parents=True, exist_ok=True)
            self.python.touch(mode=0o755)

    def link_source(self) -> None:
        pass

    @property
    def installed(self) -> list[str]:
        """The lock files that were installed, in order, and "new" for each time .venv was made."""
        found: list[str] = []
        for command in self.commands:
            found += ["new"] * ("venv" in command)
            found += [Path(word).stem for word in command if word.endswith(".txt")]
        return found


@pytest.fixture
def environment(clone: Path) -> Dry:
    return Dry(clone)


def test_playing_needs_only_its_own_lock(environment: Dry, capfd: pytest.CaptureFixture[str]) -> None:
    assert not environment.is_ready("run")
    environment.set_up("run")
    assert environment.installed == ["new", "run"]
    assert environment.is_ready("run")
    assert not any(environment.is_ready(part) for part in PARTS if part != "run")
    environment.set_up("run")
    assert environment.installed == ["new", "run"]
    said = capfd.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra_is_added_to_what_is_there(
    environment: Dry, extra: str, capfd: pytest.CaptureFixture[str]
) -> None:
    environment.set_up("run")
    environment.set_up(extra)
    assert environment.installed == ["new", "run", extra]
    assert environment.is_ready(extra)
    assert environment.is_ready("run")
    assert extra in capfd.readouterr().err


def test_an_extra_alone_brings_what_playing_needs(environment: Dry) -> None:
    environment.set_up("pdf")
    assert environment.installed == ["new", "pdf", "run"]
    assert environment.is_ready("run")


def test_check_holds_every_part(environment: Dry) -> None:
    environment.set_up("run")
    assert not environment.is_ready("check")
    environment.set_up("check")
    assert environment.installed == ["new", "run", "uv", "check"]
    for part in PARTS:
        environment.set_up(part)
    assert environment.installed == ["new", "run", "uv", "check"]


def test_everything_is_installed_by_uv_of_its_lock(environment: Dry) -> None:
    environment.configuration = (
        ":env:.extra-index-url='https://one.example/a https://two.example/b'\n"
        ":env:.no-input='1'\n"
        "freeze.index-url='https://wrong.example/'\n"
        "global.find-links='\\n/wheels\\n/more'\n"
        "global.index-url='https://wrong.example/'\n"
        "install.index-url='https://right.example/'\n"
    )
    environment.set_up("check")
    *_, uv, everything = environment.commands
    assert uv[1:4] == ["-I", "-m", "pip"]
    assert everything[1:4] == ["-I", "-m", "uv"]
    assert everything[-1] == str(environment.lock_file("check"))
    assert {"--require-hashes", "--no-deps", "--only-binary"} <= {*uv} & {*everything}
    settings = environment.environments[-1]
    assert settings["UV_DEFAULT_INDEX"] == "https://right.example/"
    assert settings["UV_INDEX"] == "https://one.example/a https://two.example/b"
    assert settings["UV_FIND_LINKS"] == "/wheels,/more"


def test_the_lock_holds_the_hashes_of_uv(root: Path) -> None:
    lines = requirement("uv", (root / "requirements/check.txt").read_text(encoding="utf-8")).splitlines()
    assert lines[0].startswith("uv==")
    assert len(lines) > 10
    assert all(line.startswith("    --hash=sha256:") for line in lines[1:])


@pytest.mark.parametrize(("failing", "tried"), [("uv", 2), ("uv.txt", 1), ("config", 0), ("", 0)])
def test_pip_installs_everything_where_uv_does_not(
    environment: Dry, failing: str, tried: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment.configuration = "" if failing else "global.no-index='true'\n"

    def fail(command: list[str], settings: dict[str, str] | None = None) -> None:
        Dry.logged(environment, command, settings)
        if failing in (*command, Path(command[-1]).name):
            raise subprocess.CalledProcessError(1, command)

    monkeypatch.setattr(environment, "logged", fail)
    environment.set_up("check")
    assert environment.installed == ["new", *["uv", "check"][:tried], "check"]
    assert environment.commands[-1][1:4] == ["-I", "-m", "pip"]
    assert environment.is_ready("check")


def test_a_new_lock_is_set_up_again_with_all_that_was_there(environment: Dry) -> None:
    environment.set_up("solver")
    environment.commands.clear()
    with environment.lock_file("run").open("a", encoding="utf-8") as lock:
        lock.write("# more\n")
    assert not environment.is_ready("run")
    assert not environment.is_ready("solver")
    environment.set_up("run")
    assert environment.installed == ["new", "run", "solver"]
    assert environment.is_ready("solver")


def test_a_new_lock_of_an_extra_adds_it_again(environment: Dry) -> None:
    environment.set_up("solver")
    environment.commands.clear()
    with environment.lock_file("solver").open("a", encoding="utf-8") as lock:
        lock.write("# more\n")
    assert environment.is_ready("run")
    environment.set_up("solver")
    assert environment.installed == ["solver"]


def test_a_moved_clone_is_set_up_again(environment: Dry) -> None:
    environment.set_up("run")
    moved = Dry(environment.root.rename(environment.root.with_name("moved")))
    assert not moved.is_ready("run")
    moved.set_up("run")
    assert moved.installed == ["new", "run"]


def test_an_environment_whose_python_is_gone_is_not_ready(environment: Dry) -> None:
    environment.set_up("run")
    environment.python.unlink()
    assert not environment.is_ready("run")


@pytest.mark.parametrize("failing", ["venv", "pip"])
def test_what_fails_leaves_nothing_that_counts_as_ready(
    environment: Dry, failing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment.set_up("solver")

    def fail(command: list[str], settings: dict[str, str] | None = None) -> None:
        Dry.logged(environment, command, settings)
        if failing in command:
            raise subprocess.CalledProcessError(1, command)

    monkeypatch.setattr(environment, "logged", fail)
    with environment.lock_file("run").open("a", encoding="utf-8") as lock:
        lock.write("# more\n")
    with pytest.raises(SetUpError) as failed:
        environment.set_up("run")
    assert not any(environment.is_ready(part) for part in PARTS)
    assert failed.value.sentence == {"venv": "broken_venv", "pip": "no_packages"}[failing]
    assert failed.value.values == {"log": environment.log}


def test_pip_is_led_astray_by_no_setting(environment: Dry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_TARGET", "/elsewhere")
    monkeypatch.setenv("PIP_USER", "1")
    environment.set_up("run")
    settings = environment.environments[-1]
    assert "PIP_TARGET" not in settings
    assert settings["PIP_USER"] == "0"
    assert Path(settings["TMPDIR"]).is_relative_to(environment.folder)


def test_the_parts_are_the_extras_of_the_package(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(EXTRAS) == set(project["optional-dependencies"])


@pytest.fixture
def holder(tmp_path: Path, root: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock until its stdin is closed."""
    code = (
        f"import sys; sys.path.insert(0, {str(root / 'tools')!r})\n"
        "from pathlib import Path; from environment import locked\n"
        f"with locked(Path({str(tmp_path / 'lock')!r})):\n"
        "    print('held', flush=True); sys.stdin.read()\n"
        f"    Path({str(tmp_path / 'made')!r}).touch()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process


def test_one_process_at_a_time(holder: subprocess.Popen[str], tmp_path: Path) -> None:
    assert holder.stdin
    assert holder.stdout
    assert holder.stdout.readline() == "held\n"
    holder.stdin.close()
    with locked(tmp_path / "lock"):
        assert (tmp_path / "made").exists()  # the other one had finished


def test_every_language_has_every_sentence() -> None:
    english = setup_texts.SENTENCES["en"]
    for sentences in setup_texts.SENTENCES.values():
        assert sentences.keys() == english.keys()
        for name, sentence in sentences.items():
            assert sentence.count("{") == english[name].count("{")
            for placeholder in ("{part}", "{folder}", "{log}"):
                assert (placeholder in sentence) == (placeholder in english[name])
    texts = [text for sentences in setup_texts.SENTENCES.values() for text in sentences.values()]
    assert len(set(texts)) == 4 * len(english)


@pytest.mark.parametrize(
    ("variables", "language"),
    [
        ({}, "en"),
        ({"LANG": "sv_SE.UTF-8"}, "sv"),
        ({"LANG": "sv_SE", "LC_ALL": "C"}, "en"),
        ({"LANG": "sv_SE", "LANGUAGE": "de:fr"}, "de"),
        ({"LANG": "nl_NL"}, "en"),
    ],
)
def test_the_language(variables: dict[str, str], language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert setup_texts.language() == language


def test_the_package_is_found_in_its_clone(clone: Path) -> None:
    """The .pth file leads from the packages of .venv to the source."""
    environment = Environment(clone, "dicecup")
    site = (
        "Lib/site-packages" if os.name == "nt" else "lib/python{}.{}/site-packages".format(*sys.version_info)
    )
    (environment.folder / site).mkdir(parents=True)
    environment.link_source()
    path = (environment.folder / site / "dicecup.pth").read_text(encoding="utf-8").strip()
    assert (environment.folder / site / path).resolve() == clone / "src"
