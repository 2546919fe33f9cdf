"""Extraction into the .po files and their compilation."""

from __future__ import annotations

import gettext
import importlib.util
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from types import ModuleType

import pytest

SOURCE = """\
from gettext import gettext as _, ngettext, pgettext

def N_(text): return text

# i18n: said on arrival
_("Hello")
_("Hello")
ngettext("{n} die", "{n} dice", 2); pgettext("dice", "Throw")
NAMES = {"chance": N_("Chance")}
"""
PO = """\
# French messages.
# Kept as it is.
msgid ""
msgstr ""
"Language: fr\\n"
"Content-Type: text/plain; charset=utf-8\\n"

msgid "Chance"
msgstr "Hasard"

msgid "Hallo"
msgstr "Salut"

msgid "{n} die"
msgid_plural "{n} dice"
msgstr[0] "{n} dé"
msgstr[1] "{n} dés"

msgctxt "dice"
msgid "Throw"
msgstr "Lancer"
"""


@pytest.fixture(scope="module")
def tool(root: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("catalogues", root / "tools" / "catalogues.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "src/dicecup/cli").mkdir(parents=True)
    (tmp_path / "src/dicecup/cli/main.py").write_text(SOURCE, encoding="utf-8")
    po = french(tmp_path)
    po.parent.mkdir(parents=True)
    po.write_text(PO, encoding="utf-8")
    return tmp_path


def french(project: Path) -> Path:
    return project / "src/dicecup/i18n/locale/fr/LC_MESSAGES/dicecup.po"


def test_extraction_keeps_adds_and_drops(tool: ModuleType, project: Path) -> None:
    assert list(tool.extract(project, check=False)) == [french(project)]
    text = french(project).read_text(encoding="utf-8")
    assert text.startswith("# French messages.\n# Kept as it is.\nmsgid")
    assert text.count("#: src/dicecup/cli/main.py\n") == 4
    assert "#. said on arrival\n" in text
    assert 'msgid "Hello"\nmsgstr ""\n' in text
    assert 'msgid "Chance"\nmsgstr "Hasard"\n' in text
    assert 'msgctxt "dice"\nmsgid "Throw"\nmsgstr "Lancer"\n' in text
    assert 'msgstr[1] "{n} dés"\n' in text
    assert "Plural-Forms: nplurals=2; plural=(n > 1);" in text
    for unwanted in ["Hallo", "Salut", "fuzzy", "#~", "Date", "Generated", "main.py:"]:
        assert unwanted not in text


def test_extraction_settles(tool: ModuleType, project: Path) -> None:
    list(tool.extract(project, check=False))
    (project / "src/dicecup/cli/main.py").write_text("\n\n" + SOURCE, encoding="utf-8")
    assert list(tool.extract(project, check=True)) == []


def test_a_check_writes_nothing(tool: ModuleType, project: Path) -> None:
    assert list(tool.extract(project, check=True)) == [french(project)]
    assert french(project).read_text(encoding="utf-8") == PO
    assert [path.name for path in project.rglob("dicecup.*")] == ["dicecup.po"]


def test_compiled_catalogues_are_read_by_gettext(tool: ModuleType, project: Path) -> None:
    list(tool.extract(project, check=False))
    assert tool.compile_all(project) == [french(project).with_suffix(".mo")]
    texts = gettext.translation("dicecup", project / "src/dicecup/i18n/locale", ["fr"])
    assert texts.gettext("Chance") == "Hasard"
    assert texts.ngettext("{n} die", "{n} dice", 0) == "{n} dé"
    assert texts.ngettext("{n} die", "{n} dice", 2) == "{n} dés"
    assert texts.pgettext("dice", "Throw") == "Lancer"


@pytest.mark.parametrize(
    "fault", ['msgid "a\n', 'msgstr "before"\nmsgid "after"\n', "\N{REPLACEMENT CHARACTER}x\n"]
)
def test_a_faulty_catalogue_is_named(tool: ModuleType, project: Path, fault: str) -> None:
    list(tool.extract(project, check=False))
    with french(project).open("a", encoding="utf-8") as po:
        po.write("\n" + fault)
    with pytest.raises(tool.CatalogueError, match=r"dicecup\.po: "):
        tool.compile_all(project)


def test_plurals_without_their_rule_are_refused(tool: ModuleType, project: Path) -> None:
    with pytest.raises(tool.CatalogueError, match="Plural-Forms"):
        tool.compile_all(project)


def test_both_tools_agree_on_every_message(tool: ModuleType, root: Path) -> None:
    """Babel writes the catalogues, polib compiles them: nothing is lost between the two."""
    assert tool.catalogues(root)
    for po in tool.catalogues(root):
        texts = gettext.GNUTranslations(BytesIO(tool.compiled(po)))
        for message in tool.read(po):
            if isinstance(message.id, str) and message.id:
                translated = texts.pgettext(message.context, message.id) if message.context else None
                assert (translated or texts.gettext(message.id)) == message.string or not message.string
            elif message.id:
                for count in (0, 1, 2, 5):
                    assert texts.ngettext(message.id[0], message.id[1], count) in message.string


def test_compiling_needs_no_babel(root: Path) -> None:
    code = (
        "import sys; sys.modules['babel'] = None\n"
        "from catalogues import ROOT, catalogues, compiled\n"
        "print(len([compiled(po) for po in catalogues(ROOT)]))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=root / "tools", capture_output=True, encoding="utf-8", check=False
    )
    assert result.stdout == "3\n", result.stderr


def test_without_catalogues_nothing_happens(tool: ModuleType, tmp_path: Path) -> None:
    assert tool.compile_all(tmp_path) == []
    assert list(tool.extract(tmp_path, check=False)) == []
    assert list(tmp_path.iterdir()) == []


def test_the_command_reports_what_is_out_of_date(root: Path, project: Path) -> None:
    (project / "tools").mkdir()
    script = project / "tools/catalogues.py"
    script.write_bytes((root / "tools/catalogues.py").read_bytes())

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, script, *arguments], capture_output=True, encoding="utf-8", check=False
        )

    late = run("extract", "--check")
    assert late.returncode == 1
    assert late.stdout.endswith("dicecup.po is out of date\n")
    assert run("extract").returncode == 0
    fine = run("extract", "--check")
    assert (fine.returncode, fine.stdout, fine.stderr) == (0, "", "")
    assert run("compile").returncode == 0
    french(project).write_text('msgid "a', encoding="utf-8")
    assert run("compile").returncode == 2
