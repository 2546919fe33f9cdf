"""The documentation site: complete, its plots current, and independent of other hosts."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import dicecup
import dicecup.engine
import dicecup.envs
from dicecup.i18n import LANGUAGES
from documentation import loaded_from_elsewhere
from research_plots import PLOTS
from site_hooks import on_page_markdown, with_links_of_site


def test_links_of_the_root_lead_to_pages_of_the_site() -> None:
    text = "[a](docs/web.md#settings) [b](CHANGELOG.md) [c](LICENSE) [d](#here) [e](https://e.org)"
    assert with_links_of_site(text + ' <img src="docs/images/x.png">') == (
        "[a](web.md#settings) [b](changelog.md) [c](https://github.com/dicecup/dicecup/blob/main/LICENSE) "
        '[d](#here) [e](https://e.org) <img src="images/x.png">'
    )


def test_charts_become_arrows() -> None:
    chart = '```mermaid\nflowchart TD\n    a["the a<br>1 module"]\n    a --> b\n    b --> c\n    a --> c\n```'
    assert on_page_markdown(chart) == "```text\nthe a, 1 module → b → c\nthe a, 1 module → c\n```"


@pytest.mark.parametrize(
    "text",
    [
        '<script src="https://cdn.org/x.js"></script>',
        '<link rel="stylesheet" href="//fonts.org/x.css">',
        '<img src="http://elsewhere.org/x.png">',
        '<a data-md-component="source" href="https://github.com"></a>',
    ],
)
def test_what_is_loaded_from_elsewhere_is_found(tmp_path: Path, text: str) -> None:
    (tmp_path / "page.html").write_text(text)
    assert len(list(loaded_from_elsewhere(tmp_path))) == 1


def test_links_and_own_files_are_no_problem(tmp_path: Path) -> None:
    text = '<link rel="canonical" href="https://a.org"><a href="https://b.org">b</a><img src="x.png">'
    (tmp_path / "page.html").write_text(text)
    (tmp_path / "page.css").write_text("a { background: url(x.png) } /* https://c.org */")
    assert list(loaded_from_elsewhere(tmp_path)) == []
    (tmp_path / "page.css").write_text('@import "https://c.org/x.css"; a { background: url(//d.org/x) }')
    assert len(list(loaded_from_elsewhere(tmp_path))) == 2


def test_every_public_name_is_in_the_reference(root: Path) -> None:
    page = (root / "docs/reference.md").read_text(encoding="utf-8").splitlines()
    shown = sorted(line.removeprefix("::: dicecup.") for line in page if line.startswith("::: "))
    names = {name for name in dicecup.__all__ if name != "__version__"}
    environments = {f"envs.{name}" for name in dicecup.envs.__all__}
    engine = {f"engine.{name}" for name in dicecup.engine.__all__ if name not in names}
    assert shown == sorted(names | environments | engine)


def test_the_guide_is_in_the_navigation_in_every_language(root: Path) -> None:
    text = (root / "mkdocs.yml").read_text(encoding="utf-8")
    for code in LANGUAGES:
        assert text.count(f" guide/{code}/") == len(list((root / "docs/guide" / code).glob("*.md")))
        assert text.count(f" rules/{code}/") == len(list((root / "docs/rules" / code).glob("*.md")))


def test_no_page_is_in_the_navigation_twice(root: Path) -> None:
    navigation = (root / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    pages = re.findall(r"\S+\.md$", navigation, re.MULTILINE)
    assert len(pages) > 60
    assert sorted(pages) == sorted(set(pages))


@pytest.mark.parametrize("file", PLOTS)
def test_plots_show_the_tables_of_the_docs(root: Path, file: str) -> None:
    draw: Callable[[], str] = PLOTS[file]
    assert (root / "docs/images" / file).read_text(encoding="utf-8") == draw()
