"""Records with the same dice for all: verified, and reviewed with where the players parted."""

from __future__ import annotations

import json
from pathlib import Path

import dicecup
from dicecup.engine import Score


def test_verify_and_review(run, tmp_path: Path) -> None:
    game = dicecup.Game("yatzy-sv", ["Ann", "Bo"], seed=4, same_dice=True)
    while not game.finished:
        game.roll()
        boxes = [move for move in game.legal_moves() if isinstance(move, Score)]
        game.play(boxes[0] if game.player == "Ann" else boxes[-1])
    game.save(tmp_path / "a.record")
    assert "All players had the same dice" in run("verify", "a.record").stdout
    text = run("review", "a.record").stdout
    assert "Where players with the same dice parted" in text
    data = json.loads(run("review", "a.record", "--json").stdout)
    assert len(data["parted"]) == 15
    assert set(data["parted"]) <= {0, None}  # they never rolled again
