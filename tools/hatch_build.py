"""Build hook that adds generated and third-party files to the wheel: catalogues, htmx, pages to read."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

HTMX = "static/django_htmx/htmx-2.min.js"


class ProductsHook(BuildHookInterface[BuilderConfig]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        if self.target_name != "wheel":
            return
        sys.path.insert(0, str(Path(self.root) / "tools"))
        try:
            from catalogues import compile_all
        finally:
            sys.path.pop(0)
        compile_all(Path(self.root))
        spec = find_spec("django_htmx")
        assert spec is not None
        assert spec.submodule_search_locations
        htmx = Path(spec.submodule_search_locations[0]) / HTMX
        build_data["force_include"] |= {
            str(htmx): "dicecup/web/static/htmx.js",
        }
        for section in ("rules", "guide"):
            folder = Path(self.root) / "docs" / section
            build_data["force_include"][str(folder)] = f"dicecup/web/reading/{section}"
