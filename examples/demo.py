"""The bundled models at work, as a session on the command line: `make demo`.

Nothing is downloaded, and nothing is prepared: every command below can be typed by hand. What it writes goes
to `demo/`. The same in Python stands in README.md; a model of your own is trained by examples/training.py.
"""

import shlex
import sys
from pathlib import Path

from rich.console import Console

FOLDER = Path("demo")
TERMS = """de,en
Ausschuss,panel
Haushalt,financial plan
"""
PAGE = """<p>Der Ausschuss hat <b>den Haushalt</b> gestern <a href="votes.html">gebilligt</a>.</p>
"""
SESSION = [
    'lexalign translate "Wo ist der nächste Bahnhof?"',
    'lexalign translate "I would like to order a coffee with milk."',
    'lexalign translate "Hello {name}, you have {count} new messages: https://example.com/inbox"',
    'lexalign translate --term "Ausschuss=panel" --show-alignment "Der Ausschuss hat den Haushalt gestern '
    'gebilligt."',
    'lexalign translate --glossary demo/terms.csv "Die Ausschüsse berieten gestern über den Haushalt."',
    "lexalign translate file demo/page.html demo/page.en.html --glossary demo/terms.csv",
]

console = Console(highlight=False)


def main() -> int:
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "terms.csv").write_text(TERMS, encoding="utf-8")
    (FOLDER / "page.html").write_text(PAGE, encoding="utf-8")
    for line in SESSION:
        console.print(f"[bold]$ {line}[/]", soft_wrap=True)
        if status := run(shlex.split(line)[1:]):
            return status
        console.print()
    console.print("[bold]demo/page.en.html[/] now reads:")
    console.print((FOLDER / "page.en.html").read_text(encoding="utf-8"), markup=False, soft_wrap=True)
    return 0


def run(words: list[str]) -> int:
    """In this process: the library is loaded once, and every command after the first is the faster for it."""
    from lexalign.cli.main import app

    try:
        app(words, prog_name="lexalign")
    except SystemExit as end:
        return int(end.code or 0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
