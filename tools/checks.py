"""Run all checks of this clone, each one even if an earlier one failed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any

from setup_texts import tell

LINT_IMPORTS = "from importlinter.cli import lint_imports_command as lint; lint()"
# One more worker than cores, because many tests wait for servers and browsers. Each gets its share of the
# tests, in their order, and takes over some of the others' when it is done: tests that share a server, a
# browser or a solved game stay together.
CORES = min(os.cpu_count() or 2, 4)
PYTEST = ("-m", "pytest", "-n", str(CORES + 1), "--dist", "worksteal")
# In the whole check a worker for each core is enough: each starts servers and browsers and solves games for
# itself, and there is always something that runs beside tests which wait.
PER_CORE = ("-n", str(CORES))
# The tests of the web app take longest. What runs beside them and beside the compiler leaves them the cores
# they can use, and takes the rest.
LOW = 10  # the niceness
# These reach every branch of the engine and the rules. The others are not measured, which would make them
# two to four times as slow; nor are these files, which try many cases of what the rest of their folder shows.
MEASURED = ("engine", "rules_files")
UNMEASURED = (
    "tests/engine/test_pad_values.py",
    "tests/engine/test_whole_games.py",
    "tests/rules_files/test_house_rubbish.py",
)
WEB = ("web", "browser")
# Of the others those with the longest tests come first.
FIRST = ("solver", "double", "learned", "coach")
# These need no kernels, and run while those are compiled.
WITHOUT_KERNELS = ("golden", "rulebook", "i18n", "match", "storage", "storage_databases", "cli")
EVERY_CASE = ("counts", "properties")
# The quick check leaves out what counts or tries every case of what other tests show by examples.
QUICK = ("-m", "not slow and not kernels")
QUICK_TESTS = (*MEASURED, *WITHOUT_KERNELS, "web")

STATIC = (
    ("ruff check", "-m", "ruff", "check"),
    ("ruff format", "-m", "ruff", "format", "--check"),
    ("mypy", "-m", "mypy"),
    ("import-linter", "-c", LINT_IMPORTS, "--no-logo"),
    ("catalogues", "tools/catalogues.py", "extract", "--check"),
    ("documentation", "tools/documentation.py"),
)
KERNELS = (("kernels", "tools/kernels.py"),)
Step = tuple[str, ...]  # its heading, and the arguments of Python


def be_nice(process: subprocess.Popen[Any], niceness: int) -> None:
    """Lower the priority of a process and of those that it will start, where there are priorities."""
    if niceness and sys.platform != "win32":
        with suppress(OSError):  # it has ended already
            os.setpriority(os.PRIO_PROCESS, process.pid, niceness)


class Beside(Thread):
    """Steps that run one after another while something else runs; their output is shown afterwards."""

    def __init__(self, checks: Checks, steps: tuple[Step, ...], after: Beside | None, niceness: int) -> None:
        super().__init__()
        self.checks = checks
        self.steps = steps
        self.after = after
        self.niceness = niceness
        self.done: list[tuple[str, str, int]] = []  # heading, output, exit status
        self.running: subprocess.Popen[str] | None = None
        self.stopped = False

    def run(self) -> None:
        if self.after:
            self.after.join()
        for heading, *arguments in self.steps:
            if self.stopped:
                return
            with subprocess.Popen(
                [self.checks.python, *arguments],
                cwd=self.checks.root,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            ) as self.running:
                be_nice(self.running, self.niceness)
                output = self.running.communicate()[0]
            self.done.append((heading, output, self.running.returncode))

    def stop(self) -> None:
        self.stopped = True
        if self.running:
            self.running.kill()

    def wait(self) -> None:
        """Wait for the steps, and show what they printed."""
        self.join()
        for heading, output, status in self.done:
            print(f"\n== {heading}\n{output}", end="", flush=True)
            if status:
                self.checks.failed.append(heading)


class Checks:
    def __init__(self, root: Path, python: str) -> None:
        self.root = root
        self.python = python
        self.failed: list[str] = []

    def run(self, heading: str, *arguments: str, niceness: int = 0) -> None:
        """Run Python with these arguments."""
        print(f"\n== {heading}", flush=True)
        with subprocess.Popen([self.python, *arguments], cwd=self.root) as process:
            be_nice(process, niceness)
        if process.returncode:
            self.failed.append(heading)

    @contextmanager
    def beside(
        self, steps: tuple[Step, ...], *, after: Beside | None = None, niceness: int = 0
    ) -> Iterator[Beside]:
        """Run steps in parallel with the block, after other steps; stop them if the block is interrupted."""
        beside = Beside(self, steps, after, niceness)
        beside.start()
        try:
            yield beside
        finally:
            beside.stop()

    def tests(self, *names: str) -> list[str]:
        """The folders of these tests that exist; without names all others, in the order to run them."""
        found = {path.name for path in self.root.glob("tests/[a-z]*/")}
        others = sorted(found.difference(MEASURED, WITHOUT_KERNELS, EVERY_CASE, WEB, FIRST))
        return [f"tests/{name}" for name in names or (*FIRST, *others) if name in found]


def run_all(root: Path, python: str, arguments: list[str]) -> int:
    # Hundreds of processes import the same modules: each would compile them again.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    checks = Checks(root, python)
    if arguments[:1] == ["--quick"]:
        with checks.beside(tuple(step for step in STATIC if step[0] != "documentation")) as static:
            run_quick_tests(checks, arguments[1:])
            static.wait()
    elif arguments:
        with checks.beside(STATIC) as static:
            find_browser(checks)
            fetch_site_parts(checks)
            checks.run("pytest", *PYTEST, *arguments)
            static.wait()
    else:
        with checks.beside(KERNELS) as kernels, checks.beside(STATIC, niceness=LOW) as static:
            find_browser(checks)
            fetch_site_parts(checks)
            web_tests = ("pytest of the web app", *PYTEST, *PER_CORE, *checks.tests(*WEB))
            with checks.beside((web_tests,), after=kernels) as web:
                run_measured_tests(checks)
                early = (*checks.tests(*EVERY_CASE, *WITHOUT_KERNELS), *UNMEASURED)
                checks.run("pytest without kernels", *PYTEST, *PER_CORE, *early, niceness=LOW)
                kernels.wait()
                checks.run("pytest of the rest", *PYTEST, *PER_CORE, *checks.tests(), niceness=LOW)
                static.wait()
                web.wait()
    print(f"\n== failed: {', '.join(checks.failed)}" if checks.failed else "\n== all checks passed")
    return 1 if checks.failed else 0


def find_browser(checks: Checks) -> None:
    checks.run("browser", "tools/browser.py")
    if "browser" in checks.failed:
        # The browser tests are never skipped: where there is no browser, they fail and this says why.
        tell("check", "no_browser")


def fetch_site_parts(checks: Checks) -> None:
    """Fetch what the tests of the site need, once; if that fails, print what is missing."""
    checks.run("parts of the site", "-m", "dicecup.site.runtime")


def run_measured_tests(checks: Checks) -> None:
    ignored = [option for path in UNMEASURED for option in ("--ignore", path)]
    measured = ("--cov", "--cov-report=", "--cov-fail-under=0", *ignored)
    tests = checks.tests(*MEASURED)
    checks.run("pytest of engine and rules", *PYTEST, *PER_CORE, *measured, *tests, niceness=LOW)
    checks.run("coverage of dicecup.engine and dicecup.rules", "-m", "coverage", "report")


def run_quick_tests(checks: Checks, arguments: list[str]) -> None:
    """Run the fast tests in one go; measuring coverage would take as long again."""
    checks.run("pytest", *PYTEST, *QUICK, *(arguments or checks.tests(*QUICK_TESTS)))
