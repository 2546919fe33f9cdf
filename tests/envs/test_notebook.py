"""The notebook of the documentation runs, in a short form, and its text is what a run of it gave."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.kernels

NOTEBOOK = Path(__file__).resolve().parents[2] / "docs" / "notebooks" / "regret.ipynb"


def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"SHORT": True}
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    for cell in cells:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
    assert len(names["reinforcement_curve"]) >= 3
    assert all(0 < lost < 260 for curve in names["curves"].values() for lost in curve)
    assert "imitation: regret" in capsys.readouterr().out
    assert len(list(tmp_path.glob("*.parquet"))) == 3


def test_its_results_are_in_it() -> None:
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    assert any("image/svg+xml" in output.get("data", {}) for output in outputs)
    assert any("reinforcement: regret" in "".join(output.get("text", ())) for output in outputs)
