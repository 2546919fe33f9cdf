"""Bots of every strength in every game."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.web.conftest import ANN, Player, best_score
from tests.web.direct_client import DirectClient

from dicecup.bots import BOTS
from dicecup.bots.registry import MEANS, NAMES, usual_score
from dicecup.coach.advice import known_values
from dicecup.engine.record import DiceOrigin, Header, Record
from dicecup.engine.state import Sheet, State, empty_sheet
from dicecup.i18n.language import LANGUAGES
from dicecup.match import Match
from dicecup.rules.loader import load_ruleset, main_ids
from dicecup.web.pages.announcements import flourish_of
from dicecup.web.service import runner
from dicecup.web.service.subscribers import Subscribers

PAGE = Path(__file__).parents[2] / "docs" / "coach.md"


@pytest.fixture
def client(coached_client: DirectClient) -> DirectClient:
    return coached_client


@pytest.mark.kernels
@pytest.mark.parametrize("game", main_ids())
def test_all_of_them_play_a_whole_game(ann: Player, client: DirectClient, game: str) -> None:
    """The one that plays for the win takes its time for each opponent: in two games it plays without them."""
    together = game not in ("yatzy", "yahtzee")
    points = whole_game(ann, client, game, *(bot for bot in BOTS if together or bot != "winner"))
    assert points["bot:random"] < points["bot:steady"]
    assert points["bot:random"] < points["bot:optimal"]
    if not together:
        whole_game(ann, client, game, "winner")


def whole_game(ann: Player, client: DirectClient, game: str, *bots: str) -> dict[str, int]:
    """Play a game against bots, while somebody else plays another one; return everybody's points."""
    state = ann.open(game, ANN, *({"kind": "bot", "name": bot} for bot in bots))
    other = Player(client)
    meanwhile = other.open("yatzy")
    while state["status"] != "finished":
        if state["turn"]["yours"]:
            state = ann.play(state, {"throw": True} if state["turn"]["throw_due"] else best_score(state))
            continue
        for _move in range(2):  # others play on while bots compute
            if meanwhile["status"] != "finished":
                due = meanwhile["turn"]["throw_due"]
                meanwhile = other.play(meanwhile, {"throw": True} if due else best_score(meanwhile))
        client.wait_for_match(state["id"], lambda now: now.finished or now.player == 0)
        state = ann.look(state)
    return {seat["name"]: seat["points"] for seat in state["seats"]}


def test_a_bot_does_not_rest_between_quick_turns(
    ann: Player, client: DirectClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It rests only after something went wrong, also while people look at the match."""
    monkeypatch.setattr(runner, "RETRY", 10_000)
    monkeypatch.setattr(Subscribers, "has", lambda _self, _match: True)
    state = ann.open("yatzy", ANN, {"kind": "bot", "name": "greedy"})
    for turn in range(1, 4):
        for _move in ("throw", "score"):
            state = ann.play(state, {"throw": True} if state["turn"]["throw_due"] else best_score(state))
        client.wait_for_match(state["id"], lambda now: now.player == 0)
        state = ann.look(state)
        assert [len(seat["sheet"]) for seat in state["seats"]] == [turn, turn]


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("game", main_ids())
def test_each_can_be_chosen_by_one_line(client: TestClient, game: str, code: str) -> None:
    client.cookies.set("language", code)
    token = re.search(r'name="csrf" value="(\w+)"', client.get(f"/new/{game}").text)
    assert token
    form = {"csrf": token[1], "kind": "person", "name": "Ann", "action": "add-bot"}
    page = client.post(f"/new/{game}", data=form).text
    lines = dict(re.findall(r'<option value="(\w+)"[^>]*>([^<]+ · [^<]+)</option>', page))
    assert list(lines) == list(BOTS)
    described = re.findall(r"<li><strong>([^<]+)</strong> [^<]+</li>", page)
    assert described == [line.split(" · ")[0] for line in lines.values()]
    for bot, line in lines.items():
        usual = usual_score(load_ruleset(game), bot)
        assert (usual is None) == (bot == "winner")
        assert usual is None or str(usual) in line
    client.cookies.clear()


def test_bot_strengths_match_the_documentation() -> None:
    found = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip(" `") for cell in line.strip("|").split("|")]
        if cells[0] in MEANS and len(cells) == len(NAMES) + 1:
            found[cells[0]] = tuple(round(float(cell.replace(",", "").split()[0])) for cell in cells[1:])
    assert found == MEANS


@pytest.mark.kernels
@pytest.mark.parametrize("game", ["yatzy", "yatzy-sv", "yahtzee", "dice-in-dice"])
def test_the_best_is_as_strong_as_the_game_is_worth(game: str) -> None:
    rules = load_ruleset(game)
    worth = known_values(rules).turn(empty_sheet(rules)).value
    assert usual_score(rules, "optimal") == round(worth)


@pytest.mark.parametrize(("ann", "bot", "flourish"), [(5, 1, "win"), (5, 5, "win"), (1, 5, "")])
def test_a_win_of_bots_alone_is_not_celebrated(ann: int, bot: int, flourish: str) -> None:
    rules = load_ruleset("yatzy")
    match = Match(Record(Header("yatzy", rules, ("Ann", "bot:greedy"), DiceOrigin("seed", seed=1))))
    sheets = tuple(Sheet((points, *[0] * (rules.cells - 1))) for points in (ann, bot))
    after = State(sheets, 0, (), (), 3)
    assert flourish_of(match, replace(after, player=1), after, [0]) == flourish
