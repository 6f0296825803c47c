"""Draw the heat maps of docs/research/results.md from the results: `python -m experiments.paper.figures`.

A word in a script that the installed fonts lack needs a font of its own: `--font FILE`.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.paper.pipeline.workspace import RESULTS, Result
from experiments.paper.report.markdown import METHOD_NAMES
from experiments.paper.tables import PAGE, read_results
from lexalign.alignment.plot import SentencePicture, plot_alignment
from lexalign.contracts.alignment import Link

IMAGES = PAGE.parent / "images"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--results", type=Path, default=RESULTS, help="where PAIR/STAGE.json are")
    parser.add_argument("--images", type=Path, default=IMAGES, help="where alignment-PAIR.png are written")
    parser.add_argument("--font", type=Path, help="a file, tried before the installed fonts")
    options = parser.parse_args(arguments)
    for pair, stages in read_results(options.results).items():
        if "heat-map" in stages:
            path = options.images / f"alignment-{pair}.png"
            plot_alignment(_picture(stages["heat-map"]["result"]), path, font=options.font)
            print(path)


def _picture(found: Result) -> SentencePicture:
    return SentencePicture(
        source=found["source"],
        target=found["target"],
        methods=[(METHOD_NAMES[name], _links(rows)) for name, rows in found["links"].items()],
        gold=_links(found["gold"]),
    )


def _links(rows: Sequence[Sequence[Any]]) -> list[Link]:
    return [Link(*row) for row in rows]


if __name__ == "__main__":
    main()
