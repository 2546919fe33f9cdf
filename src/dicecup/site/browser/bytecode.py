"""Bytecode of every imported module in one file: compiling them is most of the first start, and happens once.

The service worker runs this text before anything else is imported, and keeps what `packed` returns.
"""

import marshal
import sys
from importlib.machinery import ModuleSpec, PathFinder
from types import SimpleNamespace

CODE, DATA = "/dicecup/code.zip", "/dicecup/data"  # an archive of code, and files beside which it seems to be


class Bytecode:
    """Finds modules that have been imported before; compiles the others and remembers them."""

    def __init__(self, packed):
        self.modules = marshal.loads(packed) if packed else {}
        self.new = 0

    def find_spec(self, name, path=None, target=None):
        if name not in self.modules and not self.compile(name, path, target):
            return PathFinder.find_spec(name, path, target)
        origin, folder, _code = self.modules[name]
        spec = ModuleSpec(name, self, origin=origin.replace(CODE, DATA), is_package=folder is not None)
        spec.has_location = True
        if folder is not None:
            spec.submodule_search_locations = [folder, folder.replace(CODE, DATA)]
        return spec

    def compile(self, name, path, target):
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or not hasattr(spec.loader, "get_code") or not spec.origin:
            return False
        code = spec.loader.get_code(name)
        if code is None:  # it is compiled to machine code
            return False
        folders = spec.submodule_search_locations
        self.modules[name] = (spec.origin, folders[0] if folders else None, marshal.dumps(code))
        self.new += 1
        return True

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        exec(marshal.loads(self.modules[module.__name__][2]), module.__dict__)

    def get_source(self, name):
        """Return the text of a module: anyio reads its own, to import parts of itself when they are used."""
        parent = sys.modules.get(name.rpartition(".")[0])
        spec = PathFinder.find_spec(name, parent.__path__ if parent else None)
        return spec.loader.get_source(name)

    def get_resource_reader(self, name):
        from importlib.resources.readers import FileReader

        return FileReader(SimpleNamespace(path=self.modules[name][0].replace(CODE, DATA)))

    def packed(self):
        self.new = 0
        return marshal.dumps(self.modules)


def install(packed):
    sys.dont_write_bytecode = True
    sys.path[:0] = [CODE, DATA]
    finder = Bytecode(packed.to_py() if packed else None)
    sys.meta_path.insert(0, finder)
    return finder
