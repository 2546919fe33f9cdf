"""What goes over the line between the server and its thinking processes: pickled, rulesets by their names.

A ruleset is equal to nothing but itself, and all that is known about a game is kept by its ruleset:
a copy that came over the line would be a new game, solved and loaded again for every question.
"""

from __future__ import annotations

import io
import pickle
import struct
from typing import Any

from dicecup.rules.loader import load_ruleset
from dicecup.rules.model import Ruleset

LENGTH = struct.Struct(">I")


class Packer(pickle.Pickler):
    def persistent_id(self, value: Any) -> Any:
        return (value.id, dict(value.options)) if isinstance(value, Ruleset) else None


class Unpacker(pickle.Unpickler):
    def persistent_load(self, name: Any) -> Any:
        return load_ruleset(*name)


def pack(value: object) -> bytes:
    """With its length in front."""
    room = io.BytesIO()
    Packer(room).dump(value)
    data = room.getvalue()
    return LENGTH.pack(len(data)) + data


def unpack(data: bytes) -> Any:
    return Unpacker(io.BytesIO(data)).load()
