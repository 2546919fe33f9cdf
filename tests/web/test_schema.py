"""The API tested with schemathesis: valid and invalid requests get responses as described."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import httpx2 as httpx
import pytest
import requests
from hypothesis import HealthCheck, Phase, given, settings
from tests.databases import quick_folder
from tests.waiting import PATIENCE
from tests.web.serving import Server

from dicecup.web.app import create_app
from dicecup.web.settings import Settings

pytestmark = pytest.mark.slow
EXAMPLES = 25
API: dict[str, Any] = create_app(Settings("nowhere.db")).openapi()
# By method and path. The event stream never ends; tests/web/test_events.py covers it.
DESCRIBED: dict[str, Any] = {
    f"{method.upper()} {path}": described
    for path, methods in API["paths"].items()
    if not path.endswith("/events")
    for method, described in methods.items()
}
# Whether it has a body.
LABELS = {label: "requestBody" in described for label, described in DESCRIBED.items()}


@cache
def operations() -> dict[str, Any]:
    """Every operation by its label. Each worker of pytest reads this file, but few need schemathesis, which
    takes a second to import.
    """
    import schemathesis

    described = schemathesis.openapi.from_dict(API).exclude(path_regex="/events$")
    found: list[Any] = [found.ok() for found in described.get_all_operations()]
    return {operation.label: operation for operation in found}


def test_every_operation_is_tried() -> None:
    assert {label: bool(operation.body) for label, operation in operations().items()} == LABELS


def test_names_that_clients_rely_on() -> None:
    schemas = API["components"]["schemas"]
    for name in ("State", "Standing", "Proof", "Review"):
        assert schemas[name]["title"] == name


@dataclass
class Played:
    address: str
    match: str
    key: str
    session: requests.Session


@pytest.fixture(scope="module")
def played() -> Iterator[Played]:
    """An existing match, so that more than the 404 responses are tested."""
    with quick_folder() as folder, Server(str(folder / "games.db")) as server:
        seats = [{"kind": "person", "name": "Ann"}, {"kind": "open"}]
        opened = httpx.post(
            f"{server.address}/api/matches", json={"game": "yatzy", "seats": seats}, timeout=PATIENCE
        ).json()
        match, key = opened["state"]["id"], opened["key"]
        httpx.post(f"{server.address}/api/matches/{match}/join", json={"name": "Bo"}, timeout=PATIENCE)
        with requests.Session() as session:
            yield Played(server.address, match, key, session)


@pytest.mark.parametrize("label", LABELS)
def test_what_fits_is_answered_as_described(played: Played, label: str) -> None:
    try_operation(played, label, "positive")


@pytest.mark.parametrize("label", [label for label, has_body in LABELS.items() if has_body])
def test_what_does_not_fit_is_refused_as_described(played: Played, label: str) -> None:
    try_operation(played, label, "negative")


def examples_of(label: str) -> int:
    """Two where all requests are the same, since the match is always the one that exists: the second one
    sees what the first one has changed.
    """
    names = {one["name"] for one in DESCRIBED[label].get("parameters", ())}
    return EXAMPLES if LABELS[label] or names - {"match"} else 2


def try_operation(played: Played, label: str, mode: str) -> None:
    from schemathesis import GenerationMode
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi.checks import (
        content_type_conformance,
        response_schema_conformance,
        status_code_conformance,
    )

    conformance = [content_type_conformance, response_schema_conformance, status_code_conformance]
    checks: list[Any] = [not_a_server_error, *conformance]

    @given(case=operations()[label].as_strategy(generation_mode=GenerationMode(mode)))
    @settings(
        max_examples=examples_of(label),
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def check(case: Any) -> None:
        if "match" in (case.path_parameters or {}):
            case.path_parameters["match"] = played.match
        headers = {"Authorization": f"Bearer {played.key}"}
        played.session.cookies.clear()
        case.call_and_validate(
            base_url=played.address, session=played.session, checks=checks, headers=headers, timeout=PATIENCE
        )

    check()
