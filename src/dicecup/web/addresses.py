"""Network addresses: whom a connection is counted for, and which of them are proxies of ours."""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

UNKNOWN = "unknown"
BITS_OF_A_CUSTOMER = 64  # a provider hands out IPv6 networks: one machine has any number of addresses


def network_of(address: str | None) -> str:
    """The address that callers are counted by: IPv4 as it is, IPv6 by its /64, always of bounded length."""
    try:
        found = ip_address((address or "").partition("%")[0])
    except ValueError:
        return UNKNOWN
    if not isinstance(found, IPv6Address):
        return str(found)
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    hidden = 128 - BITS_OF_A_CUSTOMER
    return f"{IPv6Address(int(found) >> hidden << hidden)}/{BITS_OF_A_CUSTOMER}"


def is_among(address: str | None, networks: str) -> bool:
    """Whether an address is one of those in a list as uvicorn reads it: `127.0.0.1, 10.0.0.0/8`, or `*`."""
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
