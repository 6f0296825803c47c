"""Pages of the documentation, and what they show."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(
        rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )


def sessions(page: Path) -> list[tuple[str, str]]:
    """The commands of a page's sessions, and what they print."""
    found = []
    for block in blocks(page, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, expected = part.partition("\n")
            found.append((command, expected))
    return found


def programs(page: Path) -> list[tuple[str, str | None]]:
    """The Python of a page, and what it prints where a block of text follows."""
    text = page.read_text(encoding="utf-8")
    found = re.findall(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```)?", text, re.DOTALL | re.MULTILINE)
    return [(code, expected or None) for code, expected in found]


def comparable(shown: str) -> str:
    """What is printed, but probabilities, which differ a little from machine to machine, and spaces."""
    without_numbers = re.sub(r"\b(\d+ %|\d\.\d{2})", "N", shown)
    return "\n".join(" ".join(line.split()) for line in without_numbers.strip().splitlines())
