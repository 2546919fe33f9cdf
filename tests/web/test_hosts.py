"""The names under which the server answers, and whom a client is counted for."""

from __future__ import annotations

import pytest
from tests.web.conftest import code
from tests.web.direct_client import DirectClient

from dicecup.web.addresses import HostNames, is_among, network_of
from dicecup.web.app import create_app
from dicecup.web.settings import Settings

pytestmark = pytest.mark.one_database

LOCAL = ["localhost", "localhost:8000", "127.0.0.1:8000", "[::1]:8000", "192.168.1.7", "nas", "pi.local:80"]
FOREIGN = [
    "evil.example",
    "evil.example:8000",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "[",
    "a.b",
]


@pytest.mark.parametrize("host", [*LOCAL, ""])
def test_names_of_local_networks_are_answered(host: str) -> None:
    assert HostNames("").include(host)
    assert HostNames("play.example").include(host)


@pytest.mark.parametrize("host", FOREIGN)
def test_other_names_are_not(host: str) -> None:
    assert not HostNames("").include(host)
    assert not HostNames("play.example").include(host)
    assert HostNames("*").include(host)


def test_names_that_the_operator_lists() -> None:
    hosts = HostNames("play.example, *.dice.example", "https://own.example:8443")
    for host in ("play.example", "PLAY.example:443", "play.example.", "a.dice.example", "own.example"):
        assert hosts.include(host)
    for host in ("dice.example", "x.play.example", "xdice.example"):
        assert not hosts.include(host)


def test_a_request_under_another_name_is_rejected(database: str) -> None:
    settings = Settings(database, hosts="play.example")
    with DirectClient(create_app(settings)) as client:
        assert client.get("/api/games", headers={"Host": "play.example"}).status_code == 200
        answer = client.get("/api/games", headers={"Host": "evil.example"})
        assert (answer.status_code, code(answer)) == (421, "host_unknown")
        assert client.get("/static/icon.svg", headers={"Host": "evil.example"}).status_code == 421


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", "unknown"),
        ("x" * 1000, "unknown"),
        (None, "unknown"),
    ],
)
def test_whom_an_address_is_counted_for(address: str | None, network: str) -> None:
    assert network_of(address) == network


def test_lists_of_proxies() -> None:
    listed = "127.0.0.1, 10.0.0.0/8, ::1, nonsense"
    assert all(is_among(address, listed) for address in ("127.0.0.1", "10.9.8.7", "::1"))
    assert not any(is_among(address, listed) for address in ("192.0.2.1", "::2", "nonsense", None, ""))
    assert is_among("192.0.2.1", "*")
