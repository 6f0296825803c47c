"""Draw a session on the command line as a terminal: its commands are run, and what they print is drawn.

    python scripts/draw_session.py docs/images/session.svg 'lexalign translate "Guten Tag!"' ...

The commands run in a temporary folder, in a terminal of their own, so that they print what a person sees.
"""

import argparse
import io
import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

WIDTH = 84
_FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)  # of another server; any monospace font will do


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("picture", type=Path, help="SVG to write")
    parser.add_argument("commands", nargs="+")
    given = parser.parse_args()
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    with tempfile.TemporaryDirectory() as folder:
        for number, command in enumerate(given.commands):
            console.print("\n" * bool(number) + f"[bold]$ {command}[/]", highlight=False, soft_wrap=True)
            console.print(Text.from_ansi(_run(command, folder).rstrip()))
    drawn = console.export_svg(title="Lexalign")
    given.picture.write_text(_FONTS.sub("", drawn), encoding="utf-8")


def _run(command: str, folder: str) -> str:
    """What a command prints to a terminal."""
    ours, theirs = pty.openpty()
    bin_folder = Path(sys.executable).parent
    environment = os.environ | {
        "COLUMNS": str(WIDTH),
        "TERM": "xterm-256color",
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
    }
    process = subprocess.Popen(command, shell=True, cwd=folder, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 1 << 16)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        shown += part
    if process.wait():
        sys.exit(shown.decode("utf-8"))
    return shown.decode("utf-8").replace("\r\n", "\n")


if __name__ == "__main__":
    main()
