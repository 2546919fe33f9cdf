"""The workshop: house rules in a form, as a link, as a file; played, recorded, reviewed and solved."""

from __future__ import annotations

import html
import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.waiting import READY, eventually
from tests.web.coaching import KEPT
from tests.web.conftest import ANN, FRIEND, Player, Visitor, best_score, code, page_of

from dicecup import rules as rules_package
from dicecup.bots.registry import usual_score
from dicecup.cli.main import main
from dicecup.engine.serialize import Position
from dicecup.engine.state import start
from dicecup.errors import UsageError
from dicecup.i18n.language import language
from dicecup.rules import builtin_ids
from dicecup.rules.loader import house_reference, load_without_files
from dicecup.web.pages.workshop_page import worth_text
from dicecup.web.service import house_values
from dicecup.web.service.house_draft import changed_draft, draft_of, draft_tables, reference_of
from dicecup.web.service.worker_main import forget_unfinished, house_value

pytestmark = pytest.mark.one_database

SMALL = """
format = 1
id = "small"
throws = 2
dice = { count = 2, faces = 3 }
upper = { boxes = { ones = 1, twos = 2 }, bonus = [{ at = 4, points = 5 }] }
[box.chance]
points = "all"
"""
OURS = """
format = 1
id = "ours"
base = "yatzy"
upper.bonus = [{ at = 63, points = 35 }]
options = { scoring = false, yatzy = false, strike = false }
"""


def fields(page: str) -> dict[str, Any]:
    """Everything the form sends as it stands."""
    form = page[page.index('<form id="workshop"') : page.index("</form>", page.index('<form id="workshop"'))]
    found: dict[str, list[str]] = {}
    for tag in re.findall(
        r"<(?:input|select)[^>]*>(?:(?:\s*<option[^>]*>[^<]*</option>)*\s*</select>)?", form
    ):
        name = re.search(r' name="([^"]+)"', tag)
        if not name or name[1] == "csrf" or ('type="checkbox"' in tag and " checked" not in tag):
            continue
        value = re.search(r'<option value="([^"]*)" selected', tag) or re.search(r' value="([^"]*)"', tag)
        found.setdefault(name[1], []).append(html.unescape(value[1]) if value else "")
    return {name: values if len(values) > 1 else values[0] for name, values in found.items()}


def reference_in(page: str) -> str:
    found = re.search(r'href="/new/(house:[\w-]+)"', page)
    assert found, page
    return found[1]


@pytest.mark.parametrize("game", builtin_ids())
def test_an_unchanged_form_is_the_game_itself(game: str) -> None:
    draft = draft_of(game, "en")
    reference = reference_of(draft)
    assert load_without_files(reference) == load_without_files(game)
    assert draft_of(reference, "sv") == replace(draft, source=reference)


STEPS = ", ".join(f"{{ at = {at}, points = 5 }}" for at in (50, 55, 60, 65, 70))


@pytest.mark.parametrize(
    "text",
    [
        'base = "yatzy-sv"\nbox.pair.points = "10 + matching"',
        'base = "yahtzee"\nbox.small_straight.needs = { run = 4, around = true }',
        'base = "yatzy-sv"\nupper.boxes = { ones = false, aces = 1 }\nnames.en.aces = "Aces"',
        f'base = "yatzy-sv"\nupper.bonus = [{STEPS}]',
    ],
)
def test_a_file_that_is_opened_stays_the_same_game(visitor: Visitor, text: str) -> None:
    reference = house_reference(f'format = 1\nid = "ours"\n{text}\n')
    page = visitor.go(f"/workshop?rules={reference}")
    assert load_without_files(reference_in(page)) == load_without_files(reference)
    page = visitor.send("/workshop", action="check", **fields(page))
    assert load_without_files(reference_in(page)) == load_without_files(reference)


@pytest.mark.parametrize("game", builtin_ids())
def test_any_box_of_any_game_can_be_removed_and_moved(game: str) -> None:
    draft = draft_of(game, "en")
    for place, box in enumerate(draft.boxes):
        fewer = changed_draft(draft, f"remove-{place}")
        more = changed_draft(fewer, "add-box") if load_without_files(game).has_layers else fewer
        rules = load_without_files(reference_of(more))
        assert box.id not in rules.box_index
    for face in draft.upper:
        without = replace(draft, upper=tuple(one for one in draft.upper if one != face))
        more = changed_draft(without, "add-box") if load_without_files(game).has_layers else without
        assert int(face) not in load_without_files(reference_of(more)).upper_box_of_face
    moved = changed_draft(draft, "down-0")
    assert [box.id for box in moved.boxes][:2] == [draft.boxes[1].id, draft.boxes[0].id]
    assert changed_draft(draft, "up-0") == changed_draft(draft, "remove-99") == draft


def test_the_form_without_scripts(client: TestClient, visitor: Visitor) -> None:
    page = visitor.go("/workshop?game=yatzy")
    assert len(page) < 80_000
    asked = fields(page)
    assert asked["tier-points"] == "50"
    page = visitor.send("/workshop", **asked | {"tier-points": "35", "name": "Oma <b>", "throws": "4"})
    rules = load_without_files(reference_in(page))
    assert (rules.id, rules.throws, rules.bonus[0].points) == ("oma-b", 4, 35)
    assert "Oma &lt;b&gt;" in page
    assert "<b>" not in page
    page = visitor.send("/workshop", **fields(page) | {"action": "remove-0"})
    assert "pair" not in load_without_files(reference_in(page)).box_index
    page = visitor.send("/workshop", **fields(page) | {"action": "add-box"})
    asked = fields(page)
    asked["box-name"][-1], asked["need"][-1], asked["detail"][-1] = "Villa", "different", "2, 2"
    asked["points"][-1], asked["amount"][-1] = "plus", "10"
    page = visitor.send("/workshop", **asked)
    rules = load_without_files(reference_in(page))
    assert rules.names["sv"]["box_1"] == "Villa"
    assert draft_tables(draft_of(rules.reference, "en"))["box"]["box_1"] == {
        "needs": {"alike": [2, 2], "different": True},
        "points": "10 + all",
    }
    page = visitor.send("/workshop", **fields(page) | {"action": "drop-tier-0"})
    assert load_without_files(reference_in(page)).bonus == ()
    page = visitor.send("/workshop", **fields(page) | {"action": "add-tier"})
    page = visitor.send("/workshop", **fields(page) | {"tier-at": "50", "tier-points": "20"})
    assert [(tier.at, tier.points) for tier in load_without_files(reference_in(page)).bonus] == [(50, 20)]
    page = visitor.send("/workshop", **fields(page) | {"action": "preferences", "language": "de"})
    assert "Werkstatt für Hausregeln" in page


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"dice": "nine"}, "Dice: expected a whole number from 1 to 8."),
        ({"throws": "99"}, "Rolls in a turn: expected"),
        ({"tier-points": "x"}, "Bonus: expected"),
        ({"dice": "4"}, "Low Straight: expected"),
        ({"dice": "8", "faces": "10"}, "Dice: expected fewer dice"),
    ],
)
def test_what_is_wrong_is_said_in_the_words_of_the_form(visitor: Visitor, change: Any, said: str) -> None:
    page = visitor.send("/workshop", **fields(visitor.go("/workshop?game=yatzy")) | change)
    problem = re.search(r'<p class="problem" role="alert" data-code="rules_key_wrong">([^<]+)', page)
    assert problem
    assert html.unescape(problem[1]).startswith(said)
    assert "/new/house:" not in page


def test_wrong_points_are_not_said_in_the_words_of_a_file(visitor: Visitor) -> None:
    asked = fields(visitor.go("/workshop?game=yatzy"))
    asked["points"][0], asked["amount"][0] = "fixed", "many"
    page = visitor.send("/workshop", **asked)
    assert "Pair: expected a whole number from 0 to 10000." in page


def test_a_file_goes_out_and_comes_back(client: TestClient, visitor: Visitor) -> None:
    reference = house_reference(OURS)
    answer = client.get(f"/workshop/rules.toml?rules={reference}")
    assert answer.headers["content-disposition"] == 'attachment; filename="ours.toml"'
    token = visitor.token()
    sent = {"file": ("ours.toml", answer.text)}
    page = client.post("/workshop/file", data={"csrf": token}, files=sent)
    assert page.url.params["rules"] == reference
    alone = client.post("/workshop/file", data={"csrf": token}, files={"file": ("x", SMALL)})
    assert "/new/house:" in alone.text
    assert 'id="workshop"' not in alone.text  # a file without a base is shown, not edited
    for wrong in ("no rules", 'format = 1\nid = "x"\nbase = "/etc/passwd"', "x" * 30_000):
        page = client.post("/workshop/file", data={"csrf": token}, files={"file": ("x", wrong)})
        assert page.status_code == 422
        assert 'role="alert"' in page.text
    for path in ("/workshop?rules=house:AAAA", "/new/house:AAAA", "/rules/house:AAAA", "/workshop?game=../x"):
        assert client.get(path).status_code == 422


def test_a_game_with_house_rules_from_the_link_to_the_review(
    client: TestClient, ann: Player, bo: Player, tmp_path, capsys
) -> None:
    reference = house_reference(SMALL)
    for path in (f"/new/{reference}", f"/rules/{reference}", f"/workshop?rules={reference}"):
        assert client.get(path).status_code == 200
    state = ann.open(reference, ANN, FRIEND)
    bo.key = bo.post(f"/matches/{state['id']}/join", {"name": "Bo"}).json()["key"]
    state = ann.look(state)
    while state["status"] != "finished":
        player = ann if state["turn"]["seat"] == 0 else bo
        state = player.play(state, {"throw": True})
        state = player.play(state, best_score(state))
    eventually(lambda: ann.look(state)["secret"])  # it is revealed after the last move, by itself
    record = ann.get(f"/matches/{state['id']}/record")
    assert record.headers["content-disposition"].startswith('attachment; filename="small-')
    assert f"game {reference}" in record.text
    path = tmp_path / "small.record"
    path.write_text(record.text, encoding="utf-8")
    assert main(["verify", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["proved"]
    kept = ann.post("/records", {"record": record.text})
    assert kept.status_code == 201, kept.text
    mine = ann.get("/my/matches").json()
    assert mine[0]["game"] == reference
    evening = ann.post("/evenings", {"match": state["id"]}).json()["evening"]["id"]
    own = [f"/t/{state['id']}{part}" for part in ("", "/review", "/proof")]
    for page in ("/", "/mine", "/mine/data/export", "/evenings", f"/e/{evening}", *own):
        client.cookies.clear()
        assert client.get(page, headers={"Cookie": f"dicecup={ann.key}"}).status_code == 200, page
    for path in ("/my/results", "/my/statistics", "/my/people"):
        assert ann.get(path).status_code == 200, path
    pad = ann.open(reference, ANN, dice="points")
    assert ann.get(f"/matches/{pad['id']}/values?seat=0&box=chance").status_code == 200
    with_bot = ann.open(reference, ANN, {"kind": "bot", "name": "greedy"})
    assert with_bot["status"] == "playing"


def test_house_rules_over_the_api(ann: Player) -> None:
    made = ann.post("/house-rules", {"text": OURS})
    assert made.status_code == 200, made.text
    reference = made.json()["reference"]
    assert made.json()["base"] == "yatzy"
    assert ann.get(f"/house-rules?rules={reference}").json() == made.json()
    assert house_reference(made.json()["text"]) == reference
    assert ann.get(f"/games/{reference}/rules").json()["text"] == ""
    assert ann.get(f"/house-rules/value?rules={reference}").json()["status"] == "unsolved"
    assert code(ann.post("/house-rules", {"text": "format = 2"})) == "rules_key_wrong"
    assert code(ann.get("/house-rules?rules=yatzy")) == "not_found"
    assert code(ann.post("/house-rules/value", {"rules": "yatzy"})) == "not_found"
    assert ann.get("/rules.schema.json").json()["required"] == ["format", "id"]
    assert code(ann.post("/matches", {"game": "house:AAAA", "seats": [ANN]})) == "house_rules_damaged"


@pytest.mark.kernels
def test_solving_in_the_background(
    client: TestClient, ann: Player, visitor: Visitor, monkeypatch, tmp_path: Path
) -> None:
    for name, value in KEPT.items():
        monkeypatch.setenv(name, value)
    reference = house_reference(SMALL.replace("points = 5", "points = 6"))
    wish = {"game": reference, "seats": [ANN], "coach": True}
    asked = ann.post("/house-rules/value", {"rules": reference})
    assert asked.json()["status"] in ("solving", "solved"), asked.text

    def look() -> dict[str, Any]:
        found: dict[str, Any] = ann.get(f"/house-rules/value?rules={reference}").json()
        return found

    solved = eventually(look, lambda found: found["status"] == "solved", READY)
    assert 5 < solved["expected"] < 20
    assert solved["base_expected"] is None
    visitor.go("/workshop")
    page = visitor.send("/workshop/value", rules=reference)
    assert "With perfect play this game gives" in page
    assert ann.post("/matches", wish).status_code == 201
    large = house_reference(OURS.replace('"yatzy"', '"dice-in-dice"', 1).replace("\noptions", "\n#"))
    ann.post("/house-rules/value", {"rules": large})
    refused = eventually(
        lambda: ann.get(f"/house-rules/value?rules={large}"), lambda a: a.status_code != 200, READY
    )
    assert code(refused) == "house_too_large"
    small, unsolvable = load_without_files(house_reference(SMALL)), load_without_files("generala")
    assert house_value(small, unsolvable, str(tmp_path / "note"))[1] is None


def test_solves_take_little_room(tmp_path: Path) -> None:
    """One die and many boxes are solved fast, but their table would fill the disk."""
    boxes = "".join(f'box.b{number} = {{ points = "all" }}\n' for number in range(34))
    text = f'format = 1\nid = "many"\nthrows = 1\ndice = {{ count = 1, faces = 6 }}\n{boxes}'
    with pytest.raises(UsageError) as caught:
        house_value(load_without_files(house_reference(text)), None, str(tmp_path / "note"))
    assert caught.value.code == "solve_too_large"
    for name in ("a.lock", "a.level3", "a.table", "b.lock"):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (1.0, 2.0 if name == "b.lock" else 1.0))
    forget_unfinished(tmp_path, 2.0)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.table", "b.lock"]


def test_solves_are_bounded(client: TestClient, ann: Player, monkeypatch) -> None:
    """A caller has one solve under way; a server has some."""
    monkeypatch.setattr(house_values, "has_solver", lambda: True)
    values = client.app.state.house_values  # type: ignore[attr-defined]

    async def never(*_given: object) -> None:
        await __import__("asyncio").Event().wait()

    monkeypatch.setattr(values, "solve", never)
    first, second = (house_reference(OURS.replace("35", points)) for points in ("36", "37"))
    assert ann.post("/house-rules/value", {"rules": first}).json()["status"] == "solving"
    assert ann.post("/house-rules/value", {"rules": first}).json()["status"] == "solving"
    assert code(ann.post("/house-rules/value", {"rules": second})) == "still_working"
    monkeypatch.setattr(house_values, "MOST_WAITING", 1)
    values.find(load_without_files(first)).caller = "somebody else"
    assert code(ann.post("/house-rules/value", {"rules": second})) == "coach_busy"
    monkeypatch.setattr(house_values, "has_solver", lambda: False)
    assert code(ann.post("/house-rules/value", {"rules": second})) == "solver_missing"


def test_values_are_compared_with_the_base_of_these_rules(
    client: TestClient, ann: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Equal rules can be changes of different games, or of none."""
    monkeypatch.setattr(house_values, "has_solver", lambda: True)

    async def solve(_rules: object, base: str, _note: Path) -> house_values.HouseValue:
        return house_values.HouseValue(250.0, 245.0 if base == "kniffel" else None)

    monkeypatch.setattr(client.app.state.house_values, "solve", solve)  # type: ignore[attr-defined]
    whole = (Path(rules_package.__file__).parent / "sheets" / "kniffel.toml").read_text(encoding="utf-8")
    references = [house_reference('format = 1\nid = "ours"\nbase = "kniffel"\n'), house_reference(whole)]
    assert load_without_files(references[0]) == load_without_files(references[1])
    for reference in references:
        ann.post("/house-rules/value", {"rules": reference})
    found = [ann.get(f"/house-rules/value?rules={reference}").json() for reference in references]
    assert [one["base_expected"] for one in found] == [245.0, None]


def test_what_is_known_of_a_built_in_game_is_not_said_of_a_namesake(client: TestClient) -> None:
    """Whoever writes a rules file chooses its id."""
    reference = house_reference(OURS.replace('id = "ours"', 'id = "yatzy"'))
    assert usual_score(load_without_files("yatzy"), "greedy")
    assert usual_score(load_without_files(reference), "greedy") is None
    position = Position(reference, load_without_files(reference), start(load_without_files(reference)))
    assert Position.parse(str(position)).rules.reference == reference


@pytest.mark.parametrize(
    ("change", "expected", "said"),
    [
        ("", 235.35, "Your bonus of 35 costs 13.3 points, compared with Yatzy. With perfect play"),
        ("throws = 4", 260.0, "Your changes bring 11.4 points, compared with Yatzy."),
        ("throws = 2", 200.0, "Your changes cost 48.6 points, compared with Yatzy."),
        ("throws = 2", 248.63, "Your changes cost nothing and bring nothing, compared with Yatzy."),
    ],
)
def test_what_a_change_is_worth_in_words(change: str, expected: float, said: str) -> None:
    found = house_values.HouseValue(expected, 248.63)
    assert worth_text(found, house_reference(f"{OURS}\n{change}"), language("en")).startswith(said)


def test_a_bonus_that_brings_points() -> None:
    reference = house_reference(OURS.replace("35", "60"))
    assert worth_text(house_values.HouseValue(250.0, 248.0), reference, language("en")).startswith(
        "Your bonus of 60 brings 2.0 points"
    )


@pytest.mark.one_database
@pytest.mark.parametrize("dice", ["screen", "points"])
def test_names_stay_at_their_table(ann: Player, bo: Player, client: TestClient, dice: str) -> None:
    """Rules that differ in names or printed lines are equal, and what is remembered by them is shared."""
    first = 'format = 1\nid = "ours"\nbase = "yatzy"\n'
    named = house_reference(first + '[names.en]\nones = "Grandma’s ones"\n')
    lined = house_reference(first + "section_totals = true\n")
    assert load_without_files(named) == load_without_files(lined) == load_without_files("yatzy")
    ours = ann.open(named, ANN, dice=dice)
    assert "Grandma’s ones" in page_of(client, ann, f"/t/{ours['id']}")
    for game in ("yatzy", lined):
        theirs = bo.open(game, ANN, dice=dice)
        page = page_of(client, bo, f"/t/{theirs['id']}")
        assert "Grandma" not in page
        assert "Ones" in page
        assert ("Lower total" in page) == (game == lined)


@pytest.mark.one_database
def test_set_up_pages_say_nothing_of_house_rules_elsewhere(client: TestClient) -> None:
    """Why the coach cannot help was remembered for all equal rules, with the id that strangers gave them."""
    ours = house_reference('format = 1\nid = "look-here"\nbase = "jamb"\n')
    assert load_without_files(ours) == load_without_files("jamb")
    assert "look-here" in client.get(f"/new/{ours}").text
    page = client.get("/new/jamb").text
    assert "can’t help with jamb" in page
    assert "look-here" not in page
