"""Pages as a reader meets them: no broken link, and none of the sentences that made readers stumble."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.documentation import DOCS, ROOT

PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
STUMBLES = [
    "a dash is a number that there is not",
    "who tells where a word comes from",
    "hypotheses followed at a time",
    "of all chance in the training",
    "models that come along",
    "was not to be had",
]


def test_no_link_is_broken() -> None:
    script = ROOT / "scripts" / "docs_statistics.py"
    shown = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert shown.returncode == 0, shown.stderr
    assert "links, 0 broken." in shown.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_sentence_of_the_list(page: Path) -> None:
    text = page.read_text(encoding="utf-8").lower()
    assert not [one for one in STUMBLES if one in text]
