"""Addresses: how clients are counted, which are trusted proxies, and the names of this server."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

UNKNOWN = "unknown"
NETWORK_BITS = 64  # of IPv6: one client can use any address of its network


@lru_cache(maxsize=4096)
def network_of(address: str | None) -> str:
    """Return the key by which clients are counted: an IPv4 address, an IPv6 network, or `unknown`."""
    try:
        found = ip_address((address or "").partition("%")[0])
    except ValueError:
        return UNKNOWN
    if not isinstance(found, IPv6Address):
        return str(found)
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(ip_network((int(found), NETWORK_BITS), strict=False))


def is_among(address: str | None, networks: str) -> bool:
    """Return whether a list like uvicorn's (`127.0.0.1, 10.0.0.0/8`, or `*`) contains an address."""
    listed = [part.strip() for part in networks.split(",")]
    if "*" in listed:
        return True
    try:
        found = ip_address(address or "")
    except ValueError:
        return False
    return any(found in network for network in map(network_in, listed) if network)


def network_in(text: str) -> IPv4Network | IPv6Network | None:
    try:
        return ip_network(text)
    except ValueError:
        return None


# Names that only a local network or this machine resolves, so that no site on the internet can have them.
LOCAL_NAMES = ("localhost", "local", "lan", "home", "internal", "home.arpa")


class HostNames:
    """The names by which the server may be addressed.

    Others are rejected: another site could point its own name at this server (DNS rebinding).
    """

    def __init__(self, listed: str, address: str = "") -> None:
        self.listed = [name.strip().lower() for name in listed.split(",") if name.strip()]
        self.own = (urlsplit(address).hostname or "") if address else ""

    def include(self, header: str) -> bool:
        if not header or "*" in self.listed:
            return True
        try:
            name = (urlsplit(f"//{header}").hostname or "").rstrip(".")
        except ValueError:
            return False
        return is_local_name(name) or name == self.own or any(matches(name, entry) for entry in self.listed)


@lru_cache(maxsize=256)
def is_local_name(name: str) -> bool:
    """Return whether a name is an IP address, has a single label, or belongs to a local network."""
    try:
        ip_address(name)
    except ValueError:
        return "." not in name or name.endswith(tuple(f".{suffix}" for suffix in LOCAL_NAMES))
    return True


def matches(name: str, entry: str) -> bool:
    """Return whether a name is an entry such as `example.org`, or is within `*.example.org`."""
    return name.endswith(entry[1:]) if entry.startswith("*.") else name == entry
