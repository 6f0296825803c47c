"""`lexalign sample-constraints`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from lexalign.cli.messages import say
from lexalign.cli.options.parallel_text import sentence_lengths
from lexalign.contracts.errors import LexalignError

if TYPE_CHECKING:
    from lexalign.contracts.constraint import Constraint
    from lexalign.glossary.sampling import GoldSentence


def sample_constraints(
    source: Annotated[
        Path, typer.Argument(metavar="SOURCE", help="Source sentences, tokenized, one per line.")
    ],
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="Target sentences, tokenized.")],
    gold: Annotated[
        Path, typer.Argument(metavar="GOLD", help="Gold alignment: Pharaoh, talp, NAACL .wa or JSON lines.")
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Output file. Several sets are numbered: terms.1.jsonl, terms.2.jsonl, ...",
        ),
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Translations of the source; constraints that they already meet are left out.",
        ),
    ] = None,
    sets: Annotated[int, typer.Option(min=1, help="Number of sets to sample.")] = 1,
    seed: Annotated[
        int, typer.Option(min=0, help="Random seed of the first set; each further set adds 1.")
    ] = 1,
    max_constraints: Annotated[
        int, typer.Option(min=1, help="Maximum number of constraints in a sentence.")
    ] = 3,
    max_words: Annotated[
        int, typer.Option(min=1, help="Maximum number of words in a constraint, on either side.")
    ] = 3,
    links: Annotated[
        Literal["all", "sure"], typer.Option(help="Gold links to use: all, or only the sure ones.")
    ] = "all",
    edges: Annotated[
        Literal["linked", "any"],
        typer.Option(help="Words at the edges of a constraint must be linked, or may be any words."),
    ] = "linked",
) -> None:
    """Sample constraints from a gold alignment, as JSON lines with character spans.

    Constraints are phrase pairs that are consistent with the alignment and do not overlap. Those that the
    --baseline already meets are left out.

    Example: lexalign evaluate sample-constraints test.de test.en gold.talp --output terms.jsonl
    """
    if sets > 1 and output is None:
        raise LexalignError("several sets need --output")
    from lexalign.glossary.sampling import SamplingOptions, sample_corpus

    sentences = _read(source, target, gold, baseline)
    options = SamplingOptions(max_constraints=max_constraints, max_words=max_words, links=links, edges=edges)
    # All sets are sampled before the first is written: a failure leaves no files behind.
    sampled = [sample_corpus(sentences, seed + index, options) for index in range(sets)]
    for index, found in enumerate(sampled):
        _write(found, _numbered(output, index + 1) if output and sets > 1 else output)
        _report(found, seed + index)


def _read(source: Path, target: Path, gold: Path, baseline: Path | None) -> list["GoldSentence"]:
    from lexalign.alignment.formats import read_alignments
    from lexalign.data.reader import ParallelText
    from lexalign.glossary.sampling import GoldSentence

    pairs = list(ParallelText(source, target).read())
    aligned = read_alignments(gold, lengths=sentence_lengths(pairs))
    translated = (
        [line for _, line in ParallelText(source, baseline).read()] if baseline else [""] * len(pairs)
    )
    return [
        GoldSentence(source=pair[0], target=pair[1], links=links, baseline=line)
        for pair, links, line in zip(pairs, aligned.sentences, translated, strict=True)
    ]


def _write(sampled: Sequence[tuple[str, Sequence["Constraint"]]], path: Path | None) -> None:
    from lexalign.cli.output.line_writer import open_output
    from lexalign.glossary.constraint_files import constraint_line

    with open_output(path, flush=False) as write:
        for text, constraints in sampled:
            write(constraint_line(text, constraints))


def _report(sampled: Sequence[tuple[str, Sequence["Constraint"]]], seed: int) -> None:
    total = sum(len(constraints) for _, constraints in sampled)
    without = sum(not constraints for _, constraints in sampled)
    say(f"seed {seed}: {total} constraints in {len(sampled) - without} sentences, {without} without any")


def _numbered(path: Path, number: int) -> Path:
    return path.with_name(f"{path.stem}.{number}{path.suffix}")
