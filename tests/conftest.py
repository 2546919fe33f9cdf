"""What all tests share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from dicecup.errors import DicecupError

# NumPy reads it when it is first imported. Tests run on all cores already: more threads wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

Refused = Callable[..., AbstractContextManager[None]]


@pytest.fixture(scope="session")
def refused() -> Refused:
    """with refused(code, name=value …): the one error, the values it names, and a whole sentence."""

    @contextmanager
    def refused(code: str, **values: object) -> Iterator[None]:
        with pytest.raises(DicecupError) as caught:
            yield
        error = caught.value
        assert error.code == code, str(error)
        for name, value in values.items():
            found = error.values[name]
            assert getattr(found, "code", found) == value, str(error)
        assert "{" not in str(error).replace('{"', ""), "a place for a value was left open"

    return refused
