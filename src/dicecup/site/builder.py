"""Build the site: the runtime of Python, our program with the packages it needs, and the pages that start it.

All files but two are in one folder, whose name changes with their content: browsers keep them for good, and
notice a new version by its service worker. What compresses well is compressed here: not every host does it.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import shutil
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dicecup.errors import StorageError, UsageError, problem_of
from dicecup.i18n.language import LANGUAGES, language
from dicecup.installation import find_htmx
from dicecup.messages import N_
from dicecup.rules.loader import builtin_ids, load_without_files
from dicecup.site.runtime import check_pydantic, fetched_parts
from dicecup.solver.ready import double_table_file

OWN = Path(__file__).parent.parent
BROWSER = Path(__file__).parent / "browser"
DOCS = OWN.parents[1] / "docs"  # in a clone; a wheel has copies in web/reading
WORKER, INDEX = "service-worker.js", "index.html"
FOLDER = "site-"  # begins the name of the folder with everything else
COMPRESSION = 9  # of gzip

# Packages that the pages need, as they are installed here.
PACKAGES = (
    "annotated_doc",
    "annotated_types",
    "anyio",
    "fastapi",
    "filelock",
    "idna",
    "jinja2",
    "markupsafe",
    "mistune",
    "opentelemetry",
    "platformdirs",
    "pydantic",
    "python_multipart",
    "segno",
    "starlette",
    "typing_extensions",
    "typing_inspection",
)
# Files of these packages, of our program and of the standard library that no page uses.
UNUSED = (
    "dicecup/cli/",
    "dicecup/i18n/locale/dicecup.pot",
    "dicecup/site/",
    "dicecup/solver/double/data/",
    "dicecup/solver/learned/data/",
    "dicecup/solver/learned/training/",
    "dicecup/solver/single/data/",
    "fastapi/.agents/",
    "pydantic/mypy.py",
    "pydantic/v1/",
)
UNUSED_STANDARD = (
    "_pyrepl/",
    "bdb.py",
    "curses/",
    "doctest.py",
    "ensurepip/",
    "ftplib.py",
    "idlelib/",
    "imaplib.py",
    "mailbox.py",
    "multiprocessing/",
    "optparse.py",
    "pdb.py",
    "pickletools.py",
    "poplib.py",
    "pydoc.py",
    "pydoc_data/",
    "smtplib.py",
    "turtle.py",
    "unittest/",
    "venv/",
    "wsgiref/",
    "xmlrpc/",
)
CODE_PAGES = (
    "big5",
    "cp",
    "euc_",
    "gb",
    "hp_",
    "hz",
    "iso2022",
    "iso8859_",
    "johab",
    "koi8_",
    "kz1048",
    "mac_",
    "shift_",
)
SKIPPED = (".c", ".cpp", ".cu", ".po", ".pyc", ".pyd", ".pyi", ".so")  # endings of files
RUNTIME = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
# What the worker imports: browsers keep it with the worker.
IMPORTED = ("pyodide.mjs", "pyodide.asm.mjs", "pages.js", "runtime.js")

Files = dict[str, bytes]


@dataclass(frozen=True)
class Site:
    """What was built."""

    folder: Path
    files: int
    size: int  # bytes, of all files


def build_site(target: Path) -> Site:
    """Write the site into a new or empty folder, or over an earlier site."""
    check_target(target)
    check_pydantic()
    files = site_files(fetched_parts())
    try:
        write_all(target, files)
    except OSError as error:
        raise StorageError("file_unwritable", file=target, problem=problem_of(error)) from None
    return Site(target, len(files), sum(map(len, files.values())))


def check_target(target: Path) -> None:
    try:
        names = {path.name for path in target.iterdir()} if target.exists() else set()
    except OSError as error:
        raise StorageError("file_unwritable", file=target, problem=problem_of(error)) from None
    ours = {WORKER, INDEX} <= names and any(name.startswith(FOLDER) for name in names)
    if names and not ours:
        raise UsageError("site_folder_used", folder=target)


def write_all(target: Path, files: Files) -> None:
    """Write everything beside the target's files first: a full disk leaves an earlier site as it was."""
    target.mkdir(parents=True, exist_ok=True)
    old = [path for path in target.iterdir() if path.name.startswith(FOLDER)]
    with tempfile.TemporaryDirectory(dir=target, prefix=".new-") as temporary:
        new = Path(temporary)
        for name, content in files.items():
            (new / name).parent.mkdir(parents=True, exist_ok=True)
            (new / name).write_bytes(content)
        for path in sorted(new.iterdir(), key=lambda path: path.is_file()):  # the worker after what it needs
            if path.is_dir() and (target / path.name).exists():
                continue  # the same content
            path.replace(target / path.name)
    for path in old:
        if f"{path.name}/start.html" not in files:
            shutil.rmtree(path, ignore_errors=True)


def site_files(parts: dict[str, Path]) -> Files:
    """Return every file of the site by its path."""
    inner = runtime_files(parts["pyodide"])
    inner["code.zip.gz"] = pack(archive(code_files()))
    inner["data.zip.gz"] = pack(archive(data_files(parts["pydantic-core"])))
    library_name, library = library_of(parts["pydantic-core"])
    inner["library.wasm.gz"] = pack(library)
    tables, further = map(value_files, (coach_values(), further_values()))
    for path in sorted(BROWSER.iterdir()):
        if path.suffix in (".js", ".py", ".html", ".css", ".svg", ".png") and path.name != WORKER:
            inner[path.name] = path.read_bytes()
    folder = FOLDER + fingerprint(inner | tables | further | {WORKER: (BROWSER / WORKER).read_bytes()})
    inner["start.html"] = start_page()
    worker = (BROWSER / WORKER).read_text(encoding="utf-8").replace("FOLDER", folder)
    worker = worker.replace('/LIBRARY"', f'/{library_name}"')
    cached = sorted(name for name in inner if name not in IMPORTED)
    for mark, names in (("files", cached), ("values", [*tables]), ("further", [*further])):
        worker = worker.replace(f"[/* {mark} */]", json.dumps(names))
    outer = {WORKER: worker.encode(), INDEX: inner["start.html"]}
    return {f"{folder}/{name}": content for name, content in (inner | tables | further).items()} | outer


START_TEXTS = {
    "fetching": N_("Fetching Dicecup. This happens once; after that it works without a network."),
    "starting": N_("Dicecup is starting …"),
    "failed": N_("Dicecup couldn’t start. Your games are safe: reload the page."),
    "unreachable": N_("Dicecup couldn’t be fetched. Check the network connection, then reload the page."),
    "impossible": N_(
        "This browser can’t run Dicecup here. Open the page with https, in a window that isn’t private."
    ),
    "script": N_("Dicecup runs in your browser here, and needs JavaScript for that."),
}


def start_page() -> bytes:
    """The page that is shown until the program runs, with its texts in all languages."""
    texts = {
        code: {name: language(code).gettext(text) for name, text in START_TEXTS.items()} for code in LANGUAGES
    }
    page = (BROWSER / "start.html").read_text(encoding="utf-8")
    without_script = "".join(f'<p lang="{code}">{said["script"]}</p>' for code, said in texts.items())
    static = OWN / "web" / "static"
    icon = (static / "icon.svg").read_text(encoding="utf-8").strip()
    colours, _, _ = (static / "app.css").read_text(encoding="utf-8").partition("\n\n")  # its first part
    page = page.replace("TEXTS", json.dumps(texts, ensure_ascii=False).replace("<", "\\u003c"))
    page = page.replace("NO_SCRIPT", without_script).replace("ICON", icon)
    return page.replace("COLOURS", colours).encode()


def fingerprint(files: Files) -> str:
    digest = hashlib.sha256()
    for name, content in sorted(files.items()):
        digest.update(name.encode() + b"\0" + hashlib.sha256(content).digest())
    return digest.hexdigest()[:12]


def runtime_files(package: Path) -> Files:
    """The files of Pyodide that run Python; its list of packages is emptied, because none of them is used."""
    files: Files = {}
    with tarfile.open(package) as opened:
        for name in RUNTIME:
            member = opened.extractfile(f"package/{name}")
            assert member
            files[name] = member.read()
    lock: dict[str, Any] = json.loads(files["pyodide-lock.json"])
    files["pyodide-lock.json"] = json.dumps({"info": lock["info"], "packages": {}}).encode()
    files["pyodide.asm.wasm.gz"] = pack(files.pop("pyodide.asm.wasm"))
    with zipfile.ZipFile(io.BytesIO(files.pop("python_stdlib.zip"))) as standard:
        kept = [name for name in standard.namelist() if not name.endswith("/") and is_used(name)]
        files["python_stdlib.zip.gz"] = pack(archive((name, standard.read(name)) for name in kept))
    return files


def is_used(name: str) -> bool:
    """Whether a file of the standard library is needed: all texts here are in UTF-8."""
    if name.startswith("encodings/"):
        return name == "encodings/cp437.py" or not name.removeprefix("encodings/").startswith(CODE_PAGES)
    return not name.startswith(UNUSED_STANDARD)


def code_files() -> Iterator[tuple[str, bytes]]:
    """The Python code of our program and of the packages, which stays in its archive."""
    for package in ("dicecup", *PACKAGES):
        for name, path in sources(package):
            if path.suffix == ".py":
                yield name, path.read_bytes()


def data_files(wheel: Path) -> Iterator[tuple[str, bytes]]:
    """What is read as files: templates, texts, styles, the pages to read, and the compiled package."""
    for name, path in sources("dicecup"):
        if path.suffix != ".py":
            yield name, path.read_bytes()
    if not (OWN / "web" / "static" / "htmx.js").exists() and (htmx := find_htmx()):
        yield "dicecup/web/static/htmx.js", htmx.read_bytes()
    if not (OWN / "web" / "reading").exists():
        for path in sorted(page for section in ("rules", "guide") for page in (DOCS / section).rglob("*.md")):
            yield f"dicecup/web/reading/{path.relative_to(DOCS).as_posix()}", path.read_bytes()
    with zipfile.ZipFile(wheel) as opened:
        for name in opened.namelist():
            if name.startswith("pydantic_core/") and not name.endswith(".pyi"):
                yield name, b"" if name.endswith(".so") else opened.read(name)


def library_of(wheel: Path) -> tuple[str, bytes]:
    """The compiled part of a package, and its name."""
    with zipfile.ZipFile(wheel) as opened:
        (name,) = (name for name in opened.namelist() if name.endswith(".so"))
        return name, opened.read(name)


def sources(package: str) -> Iterator[tuple[str, Path]]:
    """The files of an installed package that the pages may need, by their names in an archive."""
    spec = find_spec(package)
    assert spec, package
    if not spec.submodule_search_locations:
        assert spec.origin
        yield Path(spec.origin).name, Path(spec.origin)
        return
    for place in spec.submodule_search_locations:
        for path in sorted(Path(place).rglob("*")):
            name = f"{package}/{path.relative_to(place).as_posix()}"
            if path.is_file() and path.suffix not in SKIPPED and not name.startswith(UNUSED):
                yield name, path


def coach_values() -> list[Path]:
    """The files with which the coach answers at once; of double dice, those of the default rules."""
    folder = OWN / "solver"
    double = [
        Path(str(double_table_file(rules)))
        for rules in map(load_without_files, builtin_ids())
        if rules.has_layers
    ]
    single = folder.glob("single/data/ready-*.table")
    return sorted([*single, *folder.glob("learned/data/quick-*.rows"), *double])


def further_values() -> list[Path]:
    """Those of other options of double dice: they are fetched when somebody plays by them."""
    return sorted({*OWN.glob("solver/double/data/double-*.table")} - {*coach_values()})


def value_files(paths: Iterable[Path]) -> Files:
    return {f"values/{path.relative_to(OWN).as_posix()}": path.read_bytes() for path in paths}


def archive(files: Iterable[tuple[str, bytes]]) -> bytes:
    """A zip file, the same for the same files; nothing in it is compressed, because all of it will be."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as opened:
        for name, content in files:
            opened.writestr(zipfile.ZipInfo(name), content)
    return packed.getvalue()


def pack(content: bytes) -> bytes:
    return gzip.compress(content, COMPRESSION, mtime=0)
