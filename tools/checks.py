"""Run all checks of this clone in sequence; continue after a failure."""

from __future__ import annotations

import subprocess
from pathlib import Path

from setup_texts import tell

LINT_IMPORTS = "from importlinter.cli import lint_imports_command as lint; lint()"
# Coverage is measured for the tests of the rules and the engine only: it would make compiling kernels several
# times slower.
GROUND = ("engine", "rules_files", "properties", "rulebook", "counts", "golden")


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


def run_all(root: Path, python: str, arguments: list[str]) -> int:
    checks = Checks(root, python)
    checks.run("ruff check", "-m", "ruff", "check")
    checks.run("ruff format", "-m", "ruff", "format", "--check")
    checks.run("mypy", "-m", "mypy")
    checks.run("import-linter", "-c", LINT_IMPORTS, "--no-logo")
    checks.run("catalogues", "tools/catalogues.py", "extract", "--check")
    checks.run("browser", "tools/browser.py")
    if "browser" in checks.failed:
        # The browser tests are never skipped: without a browser they fail, and this message says why.
        tell("check", "no_browser")
    if arguments:
        checks.run("pytest", "-m", "pytest", "-n", "2", "--dist", "loadgroup", *arguments)
    else:
        run_all_tests(checks)
    print(f"\n== failed: {', '.join(checks.failed)}" if checks.failed else "\n== all checks passed")
    return 1 if checks.failed else 0


def run_all_tests(checks: Checks) -> None:
    folders = sorted(path.name for path in checks.root.glob("tests/[a-z]*/"))
    ground = [f"tests/{name}" for name in GROUND]
    rest = [f"tests/{name}" for name in folders if name not in GROUND]
    measured = ("--cov", "--cov-report=", "--cov-fail-under=0")
    checks.run("pytest of the ground", "-m", "pytest", "-n", "2", *measured, *ground)
    checks.run("coverage of dicecup.engine and dicecup.rules", "-m", "coverage", "report")
    checks.run("kernels", "tools/kernels.py")
    checks.run("pytest of the rest", "-m", "pytest", "-n", "2", "--dist", "loadgroup", *rest)
