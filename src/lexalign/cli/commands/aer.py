"""`lexalign aer`."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from lexalign.contracts.errors import LexalignError

if TYPE_CHECKING:
    from lexalign.alignment.formats import AlignmentFile
    from lexalign.contracts.alignment import Link
    from lexalign.metrics.aer import AlignmentScore

BaseName = Literal["0", "1"]
FormatName = Literal["pharaoh", "talp", "naacl", "json"]


def aer(
    gold: Annotated[Path, typer.Argument(help="The gold alignment: Pharaoh, talp, NAACL .wa or JSON lines.")],
    hypothesis: Annotated[Path, typer.Argument(help="The alignment to score, in any of these formats.")],
    source: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The source words, to check the links against.")
    ] = None,
    target: Annotated[Path | None, typer.Option(metavar="FILE", help="The target words.")] = None,
    gold_base: Annotated[
        BaseName | None, typer.Option(help="From what the gold counts words, instead of finding it out.")
    ] = None,
    hypothesis_base: Annotated[BaseName | None, typer.Option(help="The same of the hypothesis.")] = None,
    gold_format: Annotated[FormatName | None, typer.Option(help="Instead of finding it out.")] = None,
    hypothesis_format: Annotated[FormatName | None, typer.Option(help="The same of the hypothesis.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of a table.")] = False,
) -> None:
    """Score an alignment against gold: alignment error rate, precision and recall, in per cent.

    Says from what each file counts its words, and how that is known. --source and --target make it certain,
    and check that all links fit the sentences.

    Example: lexalign aer gold.talp hypothesis.pharaoh --source test.de --target test.en
    """
    if (source is None) != (target is None):
        raise LexalignError("--source and --target go together")
    from lexalign.alignment.formats import read_alignments
    from lexalign.metrics.aer import score_alignments

    lengths = _lengths(source, target) if source and target else None
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


def _lengths(source: Path, target: Path) -> list[tuple[int, int]]:
    from lexalign.data.reader import ParallelText
    from lexalign.text.words import words_of

    pairs = ParallelText(source, target).read()
    return [(len(words_of(first)[0]), len(words_of(second)[0])) for first, second in pairs]


def _same_length(files: Sequence[_Described]) -> list[list[tuple["Link", ...]]]:
    """The sentences of both; a NAACL file does not say how many follow the last one with a link."""
    longest = max(len(file.content.sentences) for file in files)
    filled = []
    for file in files:
        missing = longest - len(file.content.sentences)
        if missing and file.content.format != "naacl":
            counts = " and ".join(f"{other.path} {len(other.content.sentences)}" for other in files)
            raise LexalignError(
                f"unequal numbers of sentences: {counts}; line n of both must be one sentence"
            )
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
