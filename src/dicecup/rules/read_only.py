"""Read-only dicts: rules are loaded once and shared, so nobody may change what they hold.

A `MappingProxyType` would do, but it can be neither pickled nor copied, and is no dict for JSON.
"""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class ReadOnly(dict[Key, Value]):
    """A dict that cannot be changed: `dict(it)` and `it.copy()` are plain ones that can."""

    __slots__ = ()

    def _refuse(self, *_arguments: object, **_named: object) -> NoReturn:
        raise TypeError("Rules can’t be changed. Give the changed options to Rules(game, options).")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self),)


def read_only(value: Any) -> Any:
    """Return the value with read-only dicts instead of plain ones, also inside of them."""
    if isinstance(value, ReadOnly) or not isinstance(value, dict):
        return value
    return ReadOnly({key: read_only(inner) for key, inner in value.items()})
