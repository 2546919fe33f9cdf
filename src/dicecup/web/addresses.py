"""Network addresses: how clients are counted, and which addresses are trusted proxies."""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

UNKNOWN = "unknown"
NETWORK_BITS = 64  # of IPv6: one client can use any address of its network


def network_of(address: str | None) -> str:
    """Return what clients are counted by: an IPv4 address, an IPv6 network, or `unknown`."""
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
