"""Count the documentation: pages and words of each section, pages of reference, links and broken ones.

    python scripts/docs_statistics.py

Words are counted as `wc -w` does. Pages that are generated with the site count as pages without words.
"""

import re
import sys
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"
GENERATED = ("reference/commands.md", "reference/endpoints.md")  # by docs_hooks.py
_FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def main() -> None:
    pages = sorted(DOCS.rglob("*.md"))
    print("| section | pages | words |\n|---|---|---|")
    for section in ("", "guides", "coming-from", "reference", "research"):
        own = [page for page in pages if section_of(page) == section]
        words = sum(len(page.read_text(encoding="utf-8").split()) for page in own)
        more = sum(name.startswith(f"{section}/") for name in GENERATED)
        print(f"| {section or 'top'} | {len(own) + more} | {words:,} |")
    total = len(pages) + len(GENERATED)
    reference = sum(section_of(page) == "reference" for page in pages) + len(GENERATED)
    broken = [f"{page.relative_to(DOCS)}: {link}" for page in pages for link in broken_links(page)]
    print(f"\n{reference} of {total} pages are reference ({100 * reference / total:.0f} %).")
    print(f"{sum(len(links(page)) for page in pages)} links, {len(broken)} broken.")
    if broken:
        sys.exit("\n".join(broken))


def section_of(page: Path) -> str:
    return page.relative_to(DOCS).parts[0] if page.parent != DOCS else ""


def links(page: Path) -> list[str]:
    """The links of a page to other pages and to its own headings."""
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    return [link for link in _LINK.findall(text) if not link.startswith(("http://", "https://"))]


def broken_links(page: Path) -> list[str]:
    return [link for link in links(page) if not _leads_somewhere(page, *link.partition("#")[::2])]


def _leads_somewhere(page: Path, path: str, anchor: str) -> bool:
    target = (page.parent / path).resolve() if path else page
    if target.is_relative_to(DOCS) and str(target.relative_to(DOCS)) in GENERATED:
        return True
    return target.exists() and (not anchor or anchor in anchors(target))


def anchors(page: Path) -> set[str]:
    """The ids that MkDocs gives to headings."""
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    return {_slug(heading) for heading in _HEADING.findall(text)}


def _slug(heading: str) -> str:
    plain = re.sub(r"[^\w\s-]", "", heading.lower()).strip()
    return re.sub(r"[-\s]+", "-", plain)


if __name__ == "__main__":
    main()
