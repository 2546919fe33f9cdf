"""Hooks of MkDocs: pages that are written outside docs, and charts without scripts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
REPOSITORY = "https://github.com/dicecup/dicecup/blob/main/"
# Files in the root of the repository, and the pages they become.
PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "reporting.md",
}
ICON = "src/dicecup/web/static/icon.svg"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the repository's root, with links as they are on the site, and the icon."""
    for name, page in PAGES.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=with_links_of_site(text)))
    files.append(File.generated(config, "images/icon.svg", abs_src_path=str(ROOT / ICON)))
    return files


def with_links_of_site(text: str) -> str:
    return re.sub(r'(\]\(|src=")(?!https?://|#)([^)#"]+)', link_of_site, text)


def link_of_site(link: re.Match[str]) -> str:
    target = link[2]
    if target in PAGES:
        return link[1] + PAGES[target]
    return link[1] + (target.removeprefix("docs/") if target.startswith("docs/") else REPOSITORY + target)


def on_page_markdown(markdown: str, **_more: Any) -> str:
    """Write flow charts as lines of arrows: Mermaid would be loaded from another host."""
    return re.sub(r"^```mermaid\n(.+?)^```$", as_arrows, markdown, flags=re.MULTILINE | re.DOTALL)


def on_post_page(output: str, page: Page, **_more: Any) -> str:
    """Name the language of a page for players, for screen readers and hyphenation."""
    found = re.match(r"(?:guide|rules)/(\w\w)/", page.file.src_uri)
    return output.replace("<article ", f'<article lang="{found[1]}" ', 1) if found else output


def as_arrows(chart: re.Match[str]) -> str:
    nodes = re.findall(r"^ *(\w+)\(?\[\"?(.+?)\"?\]\)?$", chart[1], re.MULTILINE)
    labels = {node: label.replace("<br>", ", ") for node, label in nodes}
    lines: list[list[str]] = []
    for source, target in re.findall(r"^ *(\w+) --> (\w+)$", chart[1], re.MULTILINE):
        if not lines or lines[-1][-1] != source:
            lines.append([source])
        lines[-1].append(target)
    written = "\n".join(" → ".join(labels.get(node, node) for node in line) for line in lines)
    return f"```text\n{written}\n```"
