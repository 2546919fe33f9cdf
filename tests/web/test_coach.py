"""The real coach in a match: what it says, to whom, and that no move waits for it."""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.waiting import READY, eventually
from tests.web.conftest import Player, best_score

from dicecup.coach.advice import advise, known_values
from dicecup.engine.serialize import position_from_data
from dicecup.engine.state import State
from dicecup.errors import StorageError
from dicecup.rules.loader import house_reference, load_ruleset, main_ids
from dicecup.web.service import advising
from dicecup.web.service.advising import Advising
from dicecup.web.service.worker import Worker

pytestmark = pytest.mark.kernels
ANN = {"kind": "person", "name": "Ann"}
BO = {"kind": "person", "name": "Bo"}
PERFECT = {"kind": "bot", "name": "optimal"}


@pytest.fixture
def client(coached_client: TestClient) -> TestClient:
    return coached_client


def text_of(page: str) -> str:
    return re.sub(r"[ \n]+", " ", re.sub(r"<[^>]+>", " ", page))


def ask(client: TestClient, path: str, wanted: str = "", **headers: str) -> str:
    """Retry until the coach is ready and the page has what is wanted, as the page does."""

    def look() -> str:
        answer = client.get(path, headers={"HX-Request": "true"} | headers)
        assert answer.status_code == 200, answer.text
        return answer.text

    return eventually(look, lambda page: 'class="preparing"' not in page and wanted in page, READY)


@pytest.mark.parametrize("game", main_ids())
def test_it_describes_every_game(client: TestClient, ann: Player, game: str) -> None:
    state = ann.play(ann.open(game, ANN, BO, coach=True), {"throw": True})
    path = f"/t/{state['id']}"
    hint = text_of(ask(client, f"{path}/hint"))
    assert "Expected final score" in hint
    told = ann.get(f"/matches/{state['id']}/hint").json()
    assert ("near-perfect, but not exact" in hint) == (not told["exact"])
    if game != "yum-plus":  # may already be solved on this machine
        assert told["exact"] == (game != "triple-yum-plus")
    assert told["options"][0]["loss"] == 0
    losses = [option["loss"] for option in told["options"]]
    assert losses == sorted(losses)
    why = ask(client, f"{path}/why", wanted='class="reason"')  # the reasons may come later than the hint
    assert why.count('class="reason"') >= 3
    assert re.search(r"\d%", why)
    worst = next(option for option in reversed(told["options"]) if "keep" not in option["move"])
    state = ann.play(state, worst["move"])
    so_far = text_of(ask(client, f"{path}/so-far"))
    assert re.search(r"Ann .*−\d+\.\d · better: ", so_far)
    assert "Win chances ± " in so_far
    chances = [int(found) for found in re.findall(r"(\d+)%", so_far)[:2]]
    assert 99 <= sum(chances) <= 101
    assert chances[0] < chances[1]
    page = client.get(path).text
    assert "Win chances ± " in page  # rendered with the match until there is something newer


def test_its_values_are_those_of_the_game(client: TestClient, ann: Player) -> None:
    state = ann.play(ann.open("yatzy-sv", coach=True), {"throw": True})
    ask(client, f"/t/{state['id']}/hint")
    told = ann.get(f"/matches/{state['id']}/hint").json()
    data = {"ruleset": "yatzy-sv", "sheet": {}, "dice": state["turn"]["dice"], "throws_left": 2}
    advice = advise(known_values(load_ruleset("yatzy-sv")), position_from_data(data).state)
    assert told["expected"] == pytest.approx(advice.expected)
    assert len(told["options"]) == len(advice.choices)


def test_off_unless_the_table_has_it_on(client: TestClient, ann: Player) -> None:
    state = ann.play(ann.open("yatzy", ANN, BO), {"throw": True})
    assert not state["coach"]
    assert "so-far" not in client.get(f"/t/{state['id']}").text
    for asking in (ann, Player(client)):
        refused = asking.get(f"/matches/{state['id']}/hint")
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "coach_off")
    for part in ("hint", "why", "so-far"):
        for headers in ({}, {"HX-Request": "true"}):
            answer = client.get(f"/t/{state['id']}/{part}", headers=headers)
            assert answer.status_code == 409
            assert 'data-code="coach_off"' in answer.text
            assert "Expected" not in answer.text


def test_without_scripts_a_hint_is_a_page(client: TestClient, ann: Player) -> None:
    state = ann.play(ann.open("yatzy", coach=True), {"throw": True})
    ask(client, f"/t/{state['id']}/hint")
    page = client.get(f"/t/{state['id']}/hint").text
    assert "<main" in page
    assert "Expected final score" in page
    before = ann.open("yatzy", coach=True)
    assert "Roll first." in ask(client, f"/t/{before['id']}/hint")


@pytest.fixture
def without_packages(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(advising, "is_available", lambda _extra: False)
    advising.has_solver.cache_clear()
    yield
    monkeypatch.undo()
    advising.has_solver.cache_clear()


def test_without_packages_only_games_whose_values_came_with_the_package_have_a_coach(
    client: TestClient, ann: Player, without_packages: None
) -> None:
    page = client.get("/new/yatzy").text
    assert 'name="coach"' in page
    assert "win chances" not in page
    match = ann.open("yatzy", coach=True)
    assert "Win chances and goals need a server" in client.get(f"/t/{match['id']}").text
    four_rolls = house_reference('format = 1\nid = "ours"\nbase = "yatzy"\nthrows = 4\n')
    other = client.get(f"/new/{four_rolls}").text
    assert 'name="coach"' not in other
    assert "coach needs a server" in other
    bots = {bot["id"] for bot in ann.get("/bots").json()}
    assert "optimal" in bots
    assert "winner" not in bots
    last_resort = {"game": "yatzy", "options": {"scoring": "international", "strike": "last_resort"}}
    for more in ({"coach": True}, {"seats": [ANN, PERFECT]}):
        refused = ann.post("/matches", last_resort | {"seats": [ANN]} | more)
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "coach_missing")
    winner = {"kind": "bot", "name": "winner"}
    refused = ann.post("/matches", {"game": "yatzy", "seats": [ANN, winner]})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "chances_missing")


def test_in_a_clone_its_packages_are_installed_before_the_first_question(
    ann: Player, monkeypatch: pytest.MonkeyPatch, patient: None
) -> None:
    done: list[str] = []

    def fail(extra: str) -> None:
        raise StorageError("packages_not_installed", file="setup.log")

    unusual = {"scoring": "international", "strike": "last_resort"}
    really = Worker.ask

    async def answer(self: Worker, thought: str, *arguments: Any, **more: Any) -> Any:
        if any(getattr(one, "options", {}).get("strike") == unusual["strike"] for one in arguments):
            done.append(thought)
        elif thought != "check":  # something that the games of other tests still wait for
            return await really(self, thought, *arguments, **more)
        return True

    # The server is shared with other tests, and remembers what it has installed and checked.
    answers: OrderedDict[tuple[object, ...], asyncio.Task[Any]] = OrderedDict()
    monkeypatch.setattr(ann.client.app.state.matches.advising, "answers", answers)  # type: ignore[attr-defined]
    monkeypatch.setattr(Worker, "ask", answer)
    monkeypatch.setattr(advising, "ensure", fail)
    asked = {"game": "yatzy", "seats": [ANN], "coach": True}
    refused = ann.post("/matches", asked | {"options": unusual})
    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "packages_not_installed")
    assert done == []
    assert ann.post("/matches", asked).status_code == 201  # its values came with the package
    eventually(lambda: ("install",) not in answers)  # it has failed for this game, too
    done.clear()
    monkeypatch.setattr(advising, "ensure", done.append)
    for number in range(2):
        ann.open("yatzy", coach=True, options=unusual | {"yatzy": ("flat", "plus_sum")[number]})
    assert done[:2] == ["solver", "check"]
    assert done.count("solver") == 1


def test_rules_without_values_are_refused_in_one_sentence(
    client: TestClient, ann: Player, monkeypatch: pytest.MonkeyPatch, patient: None
) -> None:
    from dicecup.errors import UsageError

    async def unknown(self: Worker, thought: str, *arguments: object, urgency: int = 0) -> Any:
        raise UsageError("solve_takes_long", ruleset="yatzy", minutes=90, command="dicecup solve yatzy")

    # The server is shared with other tests, and another may have found these rules solved already.
    monkeypatch.setattr(ann.client.app.state.matches.advising, "answers", OrderedDict())  # type: ignore[attr-defined]
    monkeypatch.setattr(Worker, "ask", unknown)
    wish = {"game": "yatzy", "seats": [ANN], "coach": True, "options": {"scoring": "scandinavian"}}
    refused = ann.post("/matches", wish)
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "solve_takes_long")


@pytest.fixture
def never_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    def prepare(self: Advising, rules: object) -> asyncio.Task[None]:
        return self.remembered(("never",), never())

    async def never() -> None:
        await asyncio.Event().wait()

    async def check(self: Advising, rules: object) -> None:
        """Report no problem."""

    async def until_values(self: Advising, rules: object) -> None:
        await never()

    monkeypatch.setattr(Advising, "prepare", prepare)
    monkeypatch.setattr(Advising, "check", check)
    monkeypatch.setattr(Advising, "until_values", until_values)
    monkeypatch.setattr(advising, "PATIENCE", 0.05)


def test_during_preparation_the_page_says_so_and_play_continues(
    client: TestClient, ann: Player, never_ready: None
) -> None:
    state = ann.play(
        ann.open("yahtzee", ANN, {"kind": "bot", "name": "optimal"}, coach=True), {"throw": True}
    )
    for part in ("hint", "why", "so-far"):
        page = client.get(f"/t/{state['id']}/{part}", headers={"HX-Request": "true"}).text
        assert "The coach is getting ready" in page
        assert f'hx-get="/t/{state["id"]}/{part}"' in page
    busy = ann.get(f"/matches/{state['id']}/hint")
    assert (busy.status_code, busy.json()["error"]["code"]) == (503, "coach_preparing")
    state = ann.play(state, best_score(state))
    assert state["turn"]["seat"] == 1
    # The bot throws, then computes.
    state = eventually(partial(ann.look, state), lambda state: state["turn"]["dice"])
    undone = ann.post(f"/matches/{state['id']}/undo", {"version": state["version"]})
    assert undone.json()["state"]["turn"]["seat"] == 0


def test_a_state_is_computed_once(client: TestClient, ann: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    state = ann.play(ann.open("yatzy", ANN, coach=True), {"throw": True})
    ask(client, f"/t/{state['id']}/hint")
    asked: list[tuple[str, State]] = []
    really = Worker.ask

    async def count(self: Worker, thought: str, *arguments: object, urgency: int = 0) -> Any:
        asked.extend((thought, argument) for argument in arguments if isinstance(argument, State))
        return await really(self, thought, *arguments, urgency=urgency)

    monkeypatch.setattr(Worker, "ask", count)
    state = ann.play(state, {"keep": state["turn"]["dice"][:2]})
    for _request in range(30):
        ask(client, f"/t/{state['id']}/hint")
        ann.get(f"/matches/{state['id']}/hint")
    # Other games of this server may have questions of their own.
    now = client.app.state.matches.live[state["id"]].playing().state  # type: ignore[attr-defined]
    assert sorted(thought for thought, about in asked if about == now) == ["advice", "reasons"]


def test_an_optimal_bot_retries_after_a_failed_request(
    client: TestClient, ann: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dicecup.errors import UsageError

    really = Advising.decide
    failures: list[str] = []

    async def fail_first(self: Advising, bot: str, rules: Any, state: Any, owner: str) -> Any:
        if not failures:
            failures.append(bot)
            raise UsageError("coach_failed")
        return await really(self, bot, rules, state, owner)

    monkeypatch.setattr(Advising, "decide", fail_first)
    state = ann.play(ann.open("yatzy", ANN, PERFECT), {"throw": True})
    state = ann.play(state, best_score(state))
    state = eventually(partial(ann.look, state), lambda state: state["turn"]["seat"] == 0, READY)
    assert failures == ["optimal"]
    assert len(state["seats"][1]["sheet"]) == 1
