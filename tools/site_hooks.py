"""Hooks of MkDocs: pages of the documentation site that are written outside docs."""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
REPOSITORY = "https://github.com/dicecup/dicecup/blob/main/"
# Files in the root of the repository, and the pages they become.
PAGES = {"README.md": "index.md", "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
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
