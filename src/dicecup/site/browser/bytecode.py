"""The bytecode of all imported modules in one file: compiling it takes most of the first start.

The service worker runs this text before anything else is imported, and keeps what `packed` returns.
"""

from __future__ import annotations

import marshal
import sys
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType, SimpleNamespace
from typing import Any

CODE, DATA = "/dicecup/code.zip", "/dicecup/data"  # an archive of code, and files beside which it seems to be


class Bytecode:
    """Finds modules that have been imported before; compiles the others and remembers them. Templates too."""

    def __init__(self) -> None:
        self.modules: dict[str, tuple[str, str | None, bytes]] = {}
        self.templates: dict[str, bytes] = {}
        self.new = 0

    def add(self, packed: Any) -> None:
        """Take over what an earlier start has compiled."""
        if packed:
            modules, templates = marshal.loads(packed.to_py())
            self.modules |= modules
            self.templates |= templates

    def forget(self) -> None:
        """Drop the modules imported so far: the snapshot contains them."""
        self.modules.clear()
        self.new = 0

    def find_spec(self, name: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name not in self.modules and not self.compile(name, path, target):
            return PathFinder.find_spec(name, path, target)
        origin, folder, _code = self.modules[name]
        loader: Any = self
        spec = ModuleSpec(name, loader, origin=origin.replace(CODE, DATA), is_package=folder is not None)
        spec.has_location = True
        if folder is not None:
            spec.submodule_search_locations = [folder, folder.replace(CODE, DATA)]
        return spec

    def compile(self, name: str, path: Any, target: ModuleType | None) -> bool:
        spec = PathFinder.find_spec(name, path, target)
        loader: Any = spec and spec.loader
        if spec is None or not hasattr(loader, "get_code") or not spec.origin:
            return False
        code = loader.get_code(name)
        if code is None:  # an extension module
            return False
        folders = spec.submodule_search_locations
        self.modules[name] = (spec.origin, folders[0] if folders else None, marshal.dumps(code))
        self.new += 1
        return True

    def create_module(self, spec: ModuleSpec) -> None:
        """Let Python create the module."""

    def exec_module(self, module: ModuleType) -> None:
        exec(marshal.loads(self.modules[module.__name__][2]), module.__dict__)

    def get_source(self, name: str) -> str | None:
        """Return the text of a module: anyio reads its own, to import parts of itself when they are used."""
        parent = sys.modules.get(name.rpartition(".")[0])
        spec: Any = PathFinder.find_spec(name, parent.__path__ if parent else None)
        text: str | None = spec.loader.get_source(name)
        return text

    def get_resource_reader(self, name: str) -> Any:
        from importlib.resources.readers import FileReader

        spec: Any = sys.modules[name].__spec__
        place: Any = SimpleNamespace(path=spec.origin)
        return FileReader(place)

    def keep_template(self, key: str, code: bytes) -> None:
        self.templates[key] = code
        self.new += 1

    def packed(self) -> bytes:
        self.new = 0
        return marshal.dumps((self.modules, self.templates))


def install() -> Bytecode:
    sys.dont_write_bytecode = True
    sys.path[:0] = [CODE, DATA]
    finder = Bytecode()
    sys.meta_path.insert(0, finder)
    return finder


bytecode = install()
