"""`lexalign aer`."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from lexalign.cli.options.parallel_text import sentence_lengths
from lexalign.contracts.errors import LexalignError

if TYPE_CHECKING:
    from lexalign.alignment.formats import AlignmentFile
    from lexalign.contracts.alignment import Link
    from lexalign.metrics.aer import AlignmentScore

BaseName = Literal["0", "1"]
FormatName = Literal["pharaoh", "talp", "naacl", "json"]


def aer(
    gold: Annotated[
        Path, typer.Argument(metavar="GOLD", help="Gold alignment: Pharaoh, talp, NAACL .wa or JSON lines.")
    ],
    hypothesis: Annotated[
        Path, typer.Argument(metavar="HYPOTHESIS", help="Alignment to score, in any of these formats.")
    ],
    source: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Source sentences, to check the links.")
    ] = None,
    target: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Target sentences, to check the links.")
    ] = None,
    gold_base: Annotated[
        BaseName | None, typer.Option(help="Index of the first word in the gold file; by default detected.")
    ] = None,
    hypothesis_base: Annotated[
        BaseName | None,
        typer.Option(help="Index of the first word in the hypothesis file; by default detected."),
    ] = None,
    gold_format: Annotated[
        FormatName | None, typer.Option(help="Format of the gold file; by default detected.")
    ] = None,
    hypothesis_format: Annotated[
        FormatName | None, typer.Option(help="Format of the hypothesis file; by default detected.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write a JSON object instead of a table.")] = False,
) -> None:
    """Score an alignment against a gold alignment: AER, precision and recall, in per cent.

    The output says whether each file counts words from 0 or 1, and how that was detected. With --source and
    --target the detection is certain, and all links are checked against the sentences.

    Example: lexalign evaluate alignment gold.talp hypothesis.pharaoh --source test.de --target test.en
    """
    if (source is None) != (target is None):
        raise LexalignError("--source and --target go together")
    from lexalign.alignment.formats import read_alignments
    from lexalign.data.reader import ParallelText
    from lexalign.metrics.aer import score_alignments

    lengths = None
    if source is not None and target is not None:
        lengths = sentence_lengths(ParallelText(source, target).read())
    files = [
        _Described(path, read_alignments(path, format=format, base=_base(base), lengths=lengths))
        for path, format, base in (
            (gold, gold_format, gold_base),
            (hypothesis, hypothesis_format, hypothesis_base),
        )
    ]
    wanted, found = _same_length(files)
    score = score_alignments(
        wanted,
        found,
        gold_base=files[0].content.base,
        hypothesis_base=files[1].content.base,
        lengths_checked=lengths is not None,
    )
    typer.echo(_as_json(score, files) if as_json else _as_table(score, files))


@dataclass(frozen=True)
class _Described:
    path: Path
    content: "AlignmentFile"

    def line(self) -> str:
        content = self.content
        null = f", {content.null_links} links to no word left out" if content.null_links else ""
        return f"{self.path}: {content.format}, counts from {content.base} ({content.reason}){null}"

    def fields(self) -> dict[str, Any]:
        content = self.content
        return {
            "file": str(self.path),
            "format": content.format,
            "base": content.base,
            "reason": content.reason,
            "null_links": content.null_links,
        }


def _base(name: BaseName | None) -> Literal[0, 1] | None:
    return None if name is None else 1 if name == "1" else 0


def _same_length(files: Sequence[_Described]) -> list[list[tuple["Link", ...]]]:
    """The sentences of both files; a NAACL file does not list sentences without links at its end."""
    longest = max(len(file.content.sentences) for file in files)
    filled = []
    for file in files:
        missing = longest - len(file.content.sentences)
        if missing and file.content.format != "naacl":
            counts = " and ".join(f"{other.path} {len(other.content.sentences)}" for other in files)
            raise LexalignError(f"unequal numbers of sentences: {counts}; give the same sentences in both")
        filled.append([*file.content.sentences, *[()] * missing])
    return filled


def _as_table(score: "AlignmentScore", files: Sequence[_Described]) -> str:
    return "\n".join(
        [
            f"{'AER':<12}{100 * score.aer:>6.2f}  {score.in_sure} sure and {score.in_possible} possible of "
            f"{score.hypothesized} links",
            f"{'precision':<12}{100 * score.precision:>6.2f}  {score.in_possible} of {score.hypothesized}",
            f"{'recall':<12}{100 * score.recall:>6.2f}  {score.in_sure} of {score.sure} sure links",
            f"{'gold':<12}{files[0].line()}",
            f"{'hypothesis':<12}{files[1].line()}",
            f"{'signature':<12}{score.signature}",
        ]
    )


def _as_json(score: "AlignmentScore", files: Sequence[_Described]) -> str:
    content = {
        "aer": score.aer,
        "precision": score.precision,
        "recall": score.recall,
        "hypothesized": score.hypothesized,
        "sure": score.sure,
        "possible": score.possible,
        "in_sure": score.in_sure,
        "in_possible": score.in_possible,
        "sentences": score.sentences,
        "gold": files[0].fields(),
        "hypothesis": files[1].fields(),
        "signature": score.signature,
    }
    return json.dumps(content, ensure_ascii=False)
