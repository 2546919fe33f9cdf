"""The requests that docs/web.md shows are made as they stand; only the stream of events is left out."""

from __future__ import annotations

import json
import re
import shlex
from itertools import pairwise
from pathlib import Path

from starlette.testclient import TestClient

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "web.md"


def requests() -> list[tuple[str, dict[str, str], str | None]]:
    """The path, the headers and the body of each curl command of the page."""
    found = []
    for block in re.findall(
        r"^```sh\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    ):
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words[:1] != ["curl"]:
                continue
            path = next(word for word in words if word.startswith("localhost:8000")).partition("8000")[2]
            after = dict(pairwise(words))
            named = [words[place + 1].split(": ", 1) for place, word in enumerate(words) if word == "-H"]
            found.append((path, dict(named), after.get("-d")))
    return found


def test_requests_of_the_page(client: TestClient) -> None:
    known = {"ID": "", "KEY": ""}
    answered: list[str] = []
    for path, headers, body in requests():
        if path.endswith("/events"):
            continue
        address = path.replace("ID", known["ID"])
        sent = {name: value.replace("KEY", known["KEY"]) for name, value in headers.items()}
        client.cookies.clear()
        answer = client.request("POST" if body else "GET", address, headers=sent, content=body)
        assert answer.status_code in (200, 201), answer.text
        if not answered:
            given = json.loads(answer.text)
            known = {"ID": given["state"]["id"], "KEY": given["key"]}
        answered.append(address)
    assert len(answered) == 4
    assert answer.text.startswith("dicecup record 1")


def test_the_table_holds_every_setting() -> None:
    """Each variable that the server reads, and no other."""
    sources = ("web/settings.py", "web/service/worker_main.py", "installation.py")
    texts = [(ROOT / "src/dicecup" / path).read_text(encoding="utf-8") for path in sources]
    read = {name for text in texts for name in variables(text)}
    table = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8").partition("## Settings")[2]
    rows = [line for line in table.partition("\n## ")[0].splitlines() if line.startswith("| `DICECUP")]
    assert {name for row in rows for name in variables(row.split("|")[1])} == read


def variables(text: str) -> list[str]:
    return re.findall(r"DICECUP_[A-Z_]*[A-Z]", text)
