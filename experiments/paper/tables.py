"""Write docs/research/results.md from the experiments' JSON files: `python -m experiments.paper.tables`.

With `--check` nothing is written, and the status tells whether the page is in step with the files.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.paper.pipeline.pairs import PAIRS
from experiments.paper.pipeline.workspace import RESULTS
from experiments.paper.report import alignment, anecdotes, comparisons, constrained, costs, other_runs
from experiments.paper.report.markdown import Results, table, text_of
from lexalign.storage import write_text

PAGE = RESULTS.parents[1] / "docs" / "research" / "results.md"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--results", type=Path, default=RESULTS, help="where PAIR/STAGE.json are")
    parser.add_argument("--page", type=Path, default=PAGE, help="what to write")
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument(
        "--add-run",
        nargs=2,
        metavar=("PAIR", "FOLDER"),
        help="also keep the figures of another run of a pair",
    )
    options = parser.parse_args(arguments)
    if options.add_run:
        pair, folder = options.add_run
        other_runs.add_run(options.results, pair, _read_stages(Path(folder)))
    page = make_page(read_results(options.results), other_runs.read_runs(options.results))
    if not options.check:
        write_text(options.page, page)
    elif not options.page.exists() or options.page.read_text(encoding="utf-8") != page:
        print(f"{options.page} is not in step; run: python -m experiments.paper.tables", file=sys.stderr)
        return 1
    return 0


def read_results(folder: Path) -> Results:
    """What the stages of each pair have found, as far as there is anything."""
    return {name: _read_stages(folder / name) for name in PAIRS}


def _read_stages(folder: Path) -> dict[str, Any]:
    return {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in sorted(folder.glob("*.json"))}


def make_page(results: Results, others: other_runs.Runs) -> str:
    sections = [
        text_of("introduction"),
        _pairs(results),
        *alignment.sections(results),
        *constrained.sections(results),
        *comparisons.sections(results),
        *anecdotes.sections(results),
        *other_runs.sections(results, others),
        *costs.sections(results),
        text_of("how-to-measure"),
    ]
    return "\n\n".join(sections) + "\n"


def _pairs(results: Results) -> str:
    rows = []
    for name, pair in PAIRS.items():
        found = results[name].get("prepare", {}).get("result")
        sizes = ["not measured yet", "", ""]
        if found:
            links = f"{found['sure']:,} sure, {found['possible_only']:,} only possible"
            sizes = [
                f"{found['train_pairs']:,}",
                f"{found['valid_pairs']:,}",
                f"{found['gold_sentences']:,} ({links})",
            ]
        rows.append([name, *sizes, pair.note])
    header = ["pair", "training pairs", "validation", "gold sentences (links)", "corpus"]
    return "## Data\n\n" + table(header, rows)


if __name__ == "__main__":
    sys.exit(main())
