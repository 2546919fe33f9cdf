"""./dicecup and ./check on machines with something missing, and in a clone that is set up."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from checks import EVERY_CASE, PYTEST, WITHOUT_KERNELS
from environment import Environment

pytestmark = pytest.mark.posix

Launch = Callable[..., subprocess.CompletedProcess[str]]

NO_PYTHON = {
    "en_GB.UTF-8": "Python 3.11 or newer is needed but wasn’t found",
    "fr_FR.UTF-8": "Python 3.11 ou plus récent est nécessaire mais introuvable",
    "de_DE.UTF-8": "Python 3.11 oder neuer wird gebraucht, wurde aber nicht gefunden",
    "sv_SE.UTF-8": "Python 3.11 eller nyare behövs men hittades inte",
}


def executable(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


def only_sentence(result: subprocess.CompletedProcess[str]) -> str:
    assert result.returncode == 2, result
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1, result.stderr
    return result.stderr


def python_with(machine: Path, name: str, change: str) -> None:
    """Put a Python on the PATH that runs a statement before everything else."""
    code = f"import sys; {change}; exec(sys.argv[1])"
    executable(
        machine / name,
        f'#!/bin/sh\n[ "$1 $2 $3" = "-E -s -c" ] && exec "{sys.executable}" -c "{code}" "$4"\n',
    )


def python_that(clone: Path, says: str) -> Path:
    """The Python of .venv: the launcher itself runs as usual, everything else is only told to a shell."""
    launching = f'case "$*" in "-I -S "*) exec "{sys.executable}" "$@" ;; esac'
    return executable(clone / ".venv/bin/python", f"#!/bin/sh\n{launching}\n{says}\n")


def ready(clone: Path, part: str = "run") -> None:
    """Make the clone look set up, with a Python that prints its arguments."""
    python_that(clone, 'printf "%s|" "$PWD" "$@"')
    lock = (clone / f"requirements/{part}.txt").read_text(encoding="utf-8")
    (clone / f".venv/stamp-{part}").write_text(f"{clone}\n{lock}", encoding="utf-8")


@pytest.mark.parametrize("script", ["dicecup", "check"])
@pytest.mark.parametrize("locale", NO_PYTHON)
def test_without_python_one_sentence_says_so(clone: Path, launch: Launch, script: str, locale: str) -> None:
    sentence = only_sentence(launch(clone / script, LANG="C", LC_ALL=locale))
    assert sentence.startswith(f"{script}: {NO_PYTHON[locale]}")


@pytest.mark.parametrize("variable", ["LANG", "LC_MESSAGES", "LC_ALL"])
def test_the_language_comes_from_the_locale(clone: Path, launch: Launch, variable: str) -> None:
    assert NO_PYTHON["sv_SE.UTF-8"] in only_sentence(launch(clone / "dicecup", **{variable: "sv_SE"}))


def test_the_more_special_variable_wins(clone: Path, launch: Launch) -> None:
    result = launch(clone / "dicecup", LANG="sv_SE", LC_MESSAGES="de_DE", LC_ALL="")
    assert NO_PYTHON["de_DE.UTF-8"] in only_sentence(result)


def test_an_old_python_is_named(clone: Path, machine: Path, launch: Launch) -> None:
    python_with(machine, "python3", "sys.version_info = (3, 9, 18)")
    assert "only Python 3.9 was found" in only_sentence(launch(clone / "dicecup"))


def test_a_python_that_does_not_start_is_passed_over(clone: Path, machine: Path, launch: Launch) -> None:
    executable(machine / "python3", "#!/bin/sh\necho no such version >&2\nexit 127\n")
    assert NO_PYTHON["en_GB.UTF-8"] in only_sentence(launch(clone / "dicecup"))


def test_a_python_without_ensurepip_names_the_package(clone: Path, machine: Path, launch: Launch) -> None:
    python_with(machine, "python3", "sys.modules['ensurepip'] = None")
    version = "{}.{}".format(*sys.version_info[:2])
    assert f"the package python{version}-venv " in only_sentence(launch(clone / "dicecup"))


SLOW = "import sysconfig; sysconfig.get_config_var = lambda name: '--prefix=/x'; sys.base_prefix = '/x'"
FAST = "sys.base_prefix = '/usr'"


@pytest.mark.parametrize(("other", "taken"), [(SLOW, "first"), (FAST, "second")])
@pytest.mark.parametrize("folder", ["bin", "of the system"])
def test_a_python_without_optimisation_is_taken_if_there_is_no_better_one(
    clone: Path, machine: Path, launch: Launch, folder: str, other: str, taken: str
) -> None:
    """Whether the other one has another name, or is in another folder of the PATH."""
    path = f"{machine}::{machine.parent / folder}"
    second = "python3.11" if folder == machine.name else "python3"
    for name, to, change in (
        (machine / "python3", "first", SLOW),
        (machine.parent / folder / second, "second", other),
    ):
        python_with(name.parent, name.name, f"{change}; sys._base_executable = '{machine}/{to}'")
        executable(machine / to, f"#!/bin/sh\necho {to}\n")
    assert launch(clone / "dicecup", PATH=path).stdout == f"{taken}\n"
    named = {"DICECUP_PYTHON": str(machine / "python3")}
    assert launch(clone / "dicecup", PATH=path, **named).stdout == "first\n"


@pytest.mark.skipif(os.access("/", os.W_OK), reason="root may write anywhere")
def test_a_clone_that_cannot_be_written_to(clone: Path, launch: Launch) -> None:
    clone.chmod(0o555)
    assert f"can’t write to {clone}" in only_sentence(launch(clone / "dicecup"))


@pytest.mark.slow
def test_a_failed_download_leaves_no_ready_marker(clone: Path, machine: Path, launch: Launch) -> None:
    """So the next launch sets it up again, as tests/project/test_environment.py shows."""
    (machine / "python3.11").symlink_to(sys.executable)
    result = launch(clone / "dicecup", LANG="de_DE", PIP_NO_INDEX="1")
    assert result.returncode == 2
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    start, sentence = result.stderr.splitlines()
    assert "Einrichtung in .venv" in start
    assert "konnten nicht heruntergeladen und installiert werden" in sentence
    assert not list(clone.glob(".venv/stamp*"))
    environment = Environment(clone, "dicecup")
    assert environment.python.exists()
    assert not environment.is_ready("run")
    assert not list((clone.parent / "home").iterdir())


def test_a_ready_clone_runs_the_package_where_it_is_called(
    clone: Path, launch: Launch, tmp_path: Path
) -> None:
    ready(clone)
    elsewhere = tmp_path / "else where"
    elsewhere.mkdir()
    result = launch("../à clone/dicecup", "score", "a b", "", cwd=elsewhere)
    assert result.stdout == f"{elsewhere}|-P|-m|dicecup|score|a b||"
    assert result.stderr == ""
    assert result.returncode == 0


def test_a_launcher_may_be_called_through_links(clone: Path, launch: Launch, tmp_path: Path) -> None:
    ready(clone)
    (tmp_path / "first").symlink_to(Path("à clone") / "dicecup")
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "second").symlink_to(tmp_path / "first")
    result = launch(tmp_path / "links" / "second", "x")
    assert result.stdout == f"{tmp_path}|-P|-m|dicecup|x|"


def test_the_status_of_the_program_is_handed_on(clone: Path, launch: Launch) -> None:
    ready(clone)
    python_that(clone, "exit 7")
    assert launch(clone / "dicecup").returncode == 7


def test_a_ready_clone_starts_python_twice(clone: Path, launch: Launch) -> None:
    """Once to see that all is ready, once for the program."""
    ready(clone)
    python = clone / ".venv/bin/python"
    counted = python.read_text(encoding="utf-8").replace(
        "#!/bin/sh\n", f'#!/bin/sh\necho >>"{clone}/count"\n'
    )
    python.write_text(counted, encoding="utf-8")
    assert launch(clone / "dicecup").returncode == 0
    assert (clone / "count").read_text() == "\n\n"


def test_an_environment_whose_python_is_gone_is_set_up_again(clone: Path, launch: Launch) -> None:
    ready(clone)
    (clone / ".venv/bin/python").unlink()
    only_sentence(launch(clone / "dicecup"))


def test_check_goes_on_after_a_failure_and_then_fails(clone: Path, launch: Launch) -> None:
    ready(clone, "check")
    python_that(clone, 'echo "$2"\n[ "$2" != mypy ]')
    result = launch(clone / "check")
    assert result.returncode == 1
    for tests in ("of engine and rules", "without kernels", "of the rest", "of the web app"):
        assert f"== pytest {tests}\npytest\n" in result.stdout
    assert result.stdout.endswith("\n== failed: mypy\n")


def test_check_hands_arguments_to_pytest(clone: Path, launch: Launch) -> None:
    ready(clone, "check")
    result = launch(clone / "check", "-k", "some name")
    assert "|".join(("", *PYTEST, "-k", "some name", "")) in result.stdout
    assert "coverage" not in result.stdout
    assert result.stdout.endswith("\n== all checks passed\n")
    assert result.returncode == 0


def test_a_quick_check_needs_neither_browser_nor_kernels(clone: Path, launch: Launch) -> None:
    ready(clone, "check")
    for folder in ("engine", "web", "counts", "browser"):
        (clone / "tests" / folder).mkdir(parents=True)
    result = launch(clone / "check", "--quick")
    for step in ("|-m|ruff|check|", "|-m|mypy|", "|-m|not slow and not kernels|"):
        assert step in result.stdout
    for step in ("tools/browser.py", "tools/kernels.py", "tools/documentation.py", "|--cov|"):
        assert step not in result.stdout
    assert result.stdout.endswith("\n== all checks passed\n")
    for folder, wanted in (("engine", True), ("web", True), ("counts", False), ("browser", False)):
        assert (f"|tests/{folder}|" in result.stdout) is wanted
    result = launch(clone / "check", "--quick", "-k", "some name")
    assert "|-m|not slow and not kernels|-k|some name|" in result.stdout


def test_tests_that_run_before_kernels_are_compiled_need_none(root: Path) -> None:
    for folder in (*EVERY_CASE, *WITHOUT_KERNELS):
        texts = [path.read_text(encoding="utf-8") for path in (root / "tests" / folder).glob("*.py")]
        assert texts
        assert not any("mark.kernels" in text for text in texts), folder


def test_kernels_that_do_not_compile_fail_the_check(clone: Path, launch: Launch) -> None:
    ready(clone, "check")
    python_that(clone, 'echo "$1"\n[ "$1" != tools/kernels.py ]')
    result = launch(clone / "check")
    assert "\n== kernels\ntools/kernels.py\n" in result.stdout
    assert result.stdout.endswith("\n== failed: kernels\n")
    assert result.returncode == 1


def test_check_explains_itself_without_any_set_up(clone: Path, launch: Launch) -> None:
    result = launch(clone / "check", "--help")
    assert result.stdout.startswith("Usage: ./check")
    assert result.returncode == 0


def test_catalogues_are_compiled_when_they_are_newer(clone: Path, launch: Launch) -> None:
    ready(clone)
    folder = clone / "src/dicecup/i18n/locale/fr/LC_MESSAGES"
    folder.mkdir(parents=True)
    (folder / "dicecup.po").touch()
    python_that(
        clone, f'case $* in *catalogues.py*) echo >>"{clone}/count"; : >"{folder}/dicecup.mo" ;; esac'
    )
    for _ in range(2):
        assert launch(clone / "dicecup").returncode == 0
    assert (clone / "count").read_text() == "\n"
    os.utime(folder / "dicecup.mo", (1, 1))
    assert launch(clone / "dicecup").returncode == 0
    assert (clone / "count").read_text() == "\n\n"

    python_that(clone, "echo Traceback >&2\nexit 1")
    (folder / "dicecup.mo").unlink()
    assert "couldn’t be compiled" in only_sentence(launch(clone / "dicecup"))


def test_every_language_has_every_sentence(root: Path) -> None:
    text = (root / "tools/python.sh").read_text(encoding="utf-8")
    languages = [re.findall(r"^        (\w+)='(.*)'$", part, re.M) for part in text.split(";;")[:4]]
    english = {name: sentence.count("%s") for name, sentence in languages[-1]}
    assert len(english) == 3
    for sentences in languages:
        assert {name: sentence.count("%s") for name, sentence in sentences} == english
    assert len({sentence for sentences in languages for _, sentence in sentences}) == 4 * len(english)


def test_the_scripts_are_plain_shell(root: Path) -> None:
    shell = shutil.which("dash") or "sh"
    for script in [root / "dicecup", root / "check", *sorted((root / "tools").glob("*.sh"))]:
        subprocess.run([shell, "-n", script], check=True)
    for script in [root / "dicecup", root / "check", root / ".ci/run"]:
        assert os.access(script, os.X_OK), script


@pytest.mark.parametrize("name", ["dicecup", "check"])
def test_windows_has_the_same_scripts(root: Path, name: str) -> None:
    """They cannot run here; what they start is the same, and cmd.exe wants its own line ends."""
    shell = (root / name).read_text(encoding="utf-8")
    batch = (root / f"{name}.cmd").read_bytes().decode("ascii")
    assert re.search(rf'"\$python" -I -S "\$root/tools/launch.py" {name} "\$@"', shell)
    assert f'%python% -I -S "%~dp0tools\\launch.py" {name} %*\r\nexit /b %errorlevel%\r\n' in batch
    assert f'call "%~dp0tools\\python.cmd" {name} || exit /b 2\r\n' in batch
    for path in [root / f"{name}.cmd", root / "tools/python.cmd"]:
        assert path.read_bytes().count(b"\n") == path.read_bytes().count(b"\r\n")


def test_windows_says_in_four_languages_that_python_is_missing(root: Path) -> None:
    text = (root / "tools/python.cmd").read_text(encoding="utf-8")
    for sentence in NO_PYTHON.values():
        assert f">&2 echo %~1: {sentence}" in text
