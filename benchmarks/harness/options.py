"""The options that every benchmark has, and its results as JSON."""

import argparse
import json
from pathlib import Path

from lexalign.storage import write_text


def make_parser(description: str | None, *, quick: str) -> argparse.ArgumentParser:
    """A parser with `--json` and with `--quick`, whose help is what a quick run consists of."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help=f"{quick}; under a minute")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results here")
    return parser


def write_json(path: Path | None, content: object) -> None:
    """Write the results, if a file was asked for."""
    if path is not None:
        write_text(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")
