"""Build hook: compile the gettext catalogues before the wheel is put together."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CatalogueHook(BuildHookInterface[BuilderConfig]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        if self.target_name != "wheel":
            return
        sys.path.insert(0, str(Path(self.root) / "tools"))
        try:
            from catalogues import compile_all
        finally:
            sys.path.pop(0)
        compile_all(Path(self.root))
