"""tools/busy.py: rounds of tests beside busy loops, which always end with it."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.waiting import PATIENCE

import busy

TOOLS = Path(__file__).parents[2] / "tools"
ROUNDS = ["--rounds", "3", "--loops", "1", "--late-events", "300"]
HOLDER = """
import threading
from busy import busy_loops

with busy_loops(2):
    print("busy", flush=True)
    threading.Event().wait()
"""


def test_every_round_is_counted(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    results = [(0, ""), (1, "FAILED tests/web/test_a.py::test_b - assert"), (0, "")]
    asked: list[list[str]] = []

    def run_tests(arguments: list[str], late: dict[str, str]) -> tuple[int, str]:
        assert late == {"DICECUP_LATE_EVENTS": "300", "DICECUP_LATE_ANSWERS": "0"}
        asked.append(arguments)
        return results[len(asked) - 1]

    monkeypatch.setattr(busy, "run_tests", run_tests)
    monkeypatch.setattr(sys, "argv", ["busy.py", *ROUNDS, "--", "-k", "keyboard"])
    before = signal.getsignal(signal.SIGTERM)
    try:
        assert busy.main() == 1
    finally:
        signal.signal(signal.SIGTERM, before)
    assert asked == [[*busy.TESTS, "-k", "keyboard"]] * 3
    output = capsys.readouterr().out
    assert "round 2: failed with status 1" in output
    assert "1 times: tests/web/test_a.py::test_b\n2 of 3 rounds passed beside 1 busy loops" in output


@pytest.mark.posix
@pytest.mark.parametrize("name", ["SIGINT", "SIGKILL"])  # by name: Windows lacks the second
def test_the_loops_end_with_it(name: str) -> None:
    """They hold its output open: who reads it to the end has seen them end."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER],
        cwd=TOOLS,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "busy\n"
        process.send_signal(signal.Signals[name])
        process.communicate(timeout=PATIENCE)
    assert process.returncode
