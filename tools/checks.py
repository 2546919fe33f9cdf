"""All checks of this clone, each even if an earlier one has failed."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from setup_texts import tell

LINT_IMPORTS = "from importlinter.cli import lint_imports_command as lint; lint()"
# Each worker gets one half of the tests, in their order, and takes over some of the other's when it is done:
# tests that share a server, a browser or a solved game stay together.
PYTEST = ("-m", "pytest", "-n", "2", "--dist", "worksteal")
# These reach every branch of the engine and the rules. The others are not measured, which would make them
# twice as slow.
MEASURED = ("engine", "rules_files", "golden")
# These need no compiled kernels: they run while the kernels are compiled.
PLAIN = ("counts", "properties", "rulebook", "i18n", "match", "storage", "storage_databases", "cli")
# The half with the kernels comes first, the half with the servers and browsers last; others are in between.
FIRST, LAST = ("solver", "double", "learned", "coach"), ("web", "browser")
QUICK = ("-m", "not slow and not kernels")


class Checks:
    def __init__(self, root: Path, python: str) -> None:
        self.root = root
        self.python = python
        self.failed: list[str] = []

    def run(self, heading: str, *arguments: str) -> None:
        """Run Python with these arguments."""
        print(f"\n== {heading}", flush=True)
        if subprocess.run([self.python, *arguments], cwd=self.root, check=False).returncode:
            self.failed.append(heading)

    @contextmanager
    def beside(self, *arguments: str) -> Iterator[subprocess.Popen[str]]:
        """Run Python with these arguments beside what follows."""
        command = [self.python, *arguments]
        with subprocess.Popen(
            command, cwd=self.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as process:
            try:
                yield process
            finally:
                process.kill()

    def wait(self, heading: str, process: subprocess.Popen[str]) -> None:
        """Wait for what runs beside, and show what it printed."""
        print(f"\n== {heading}", flush=True)
        print(process.communicate()[0], end="", flush=True)
        if process.returncode:
            self.failed.append(heading)

    def tests(self, *names: str) -> list[str]:
        """The folders of these tests that exist; without names all others, in the order to run them."""
        found = {path.name for path in self.root.glob("tests/[a-z]*/")}
        others = sorted(found.difference(MEASURED, PLAIN, FIRST, LAST))
        return [f"tests/{name}" for name in names or (*FIRST, *others, *LAST) if name in found]


def run_all(root: Path, python: str, arguments: list[str]) -> int:
    checks = Checks(root, python)
    if arguments[:1] == ["--quick"]:
        run_static_checks(checks)
        run_quick_tests(checks, arguments[1:])
    elif arguments:
        run_static_checks(checks)
        find_browser(checks)
        checks.run("pytest", *PYTEST, *arguments)
    else:
        with checks.beside("tools/kernels.py") as kernels:
            run_static_checks(checks)
            find_browser(checks)
            run_measured_tests(checks)
            checks.run("pytest without kernels", *PYTEST, *checks.tests(*PLAIN))
            checks.wait("kernels", kernels)
        checks.run("pytest with kernels", *PYTEST, *checks.tests())
    print(f"\n== failed: {', '.join(checks.failed)}" if checks.failed else "\n== all checks passed")
    return 1 if checks.failed else 0


def run_static_checks(checks: Checks) -> None:
    checks.run("ruff check", "-m", "ruff", "check")
    checks.run("ruff format", "-m", "ruff", "format", "--check")
    checks.run("mypy", "-m", "mypy")
    checks.run("import-linter", "-c", LINT_IMPORTS, "--no-logo")
    checks.run("catalogues", "tools/catalogues.py", "extract", "--check")
    checks.run("documentation", "tools/documentation.py")


def find_browser(checks: Checks) -> None:
    checks.run("browser", "tools/browser.py")
    if "browser" in checks.failed:
        # The browser tests are never skipped: where there is no browser, they fail and this says why.
        tell("check", "no_browser")


def run_measured_tests(checks: Checks) -> None:
    measured = ("--cov", "--cov-report=", "--cov-fail-under=0")
    checks.run("pytest of engine and rules", *PYTEST, *measured, *checks.tests(*MEASURED))
    checks.run("coverage of dicecup.engine and dicecup.rules", "-m", "coverage", "report")


def run_quick_tests(checks: Checks, arguments: list[str]) -> None:
    if arguments:
        checks.run("pytest", *PYTEST, *QUICK, *arguments)
        return
    run_measured_tests(checks)
    checks.run("pytest without kernels", *PYTEST, *QUICK, *checks.tests(*PLAIN, "web"))
