"""`lexalign evaluate`."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lexalign.cli.options.parallel_text import named_file
from lexalign.contracts.errors import LexalignError

if TYPE_CHECKING:
    from lexalign.glossary.constraint_files import ConstrainedText
    from lexalign.metrics.evaluation import System


def evaluate(
    reference: Annotated[
        Path, typer.Argument(metavar="REFERENCE", help="Reference translations, one per line.")
    ],
    systems: Annotated[
        list[str],
        typer.Argument(metavar="SYSTEM", help="Translations of each system, as FILE or NAME=FILE."),
    ],
    constraints: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Constraints of each line, in Lexalign's, Sockeye's or fairseq's format."
        ),
    ] = None,
    time: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=SECONDS", help="Decoding time of a system. May be repeated."),
    ] = None,
    window: Annotated[
        int, typer.Option(min=0, help="BLEU-C: window of words on either side of a constraint.")
    ] = 3,
    overlap_window: Annotated[
        int, typer.Option(min=1, help="Window overlap: number of words on either side of a term.")
    ] = 2,
    tokenizer: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="sacreBLEU tokenizer for BLEU: 13a, intl, zh, ...; by default 13a, or char where references "
            "are written without spaces.",
        ),
    ] = None,
    tokenized: Annotated[
        bool, typer.Option("--tokenized", help="The text is tokenized: words are separated by spaces.")
    ] = False,
    ignore_case: Annotated[bool, typer.Option("--ignore-case", help="Ignore case.")] = False,
    samples: Annotated[int, typer.Option(min=1, help="Number of bootstrap samples.")] = 1_000,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the bootstrap samples.")] = 12_345,
    json: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write the results as JSON.")] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the results as a page.")
    ] = None,
    examples: Annotated[int, typer.Option(min=0, help="Number of segments on the page.")] = 100,
) -> None:
    """Compare systems by BLEU and chrF, and with --constraints by CSR, BLEU-C and term metrics.

    Every system is compared with the first by paired bootstrap resampling.

    Example: lexalign evaluate test.en vdba=a.en align-vdba=b.en --constraints terms.jsonl --html page.html
    """
    from lexalign.metrics import evaluation
    from lexalign.metrics.bootstrap import BootstrapOptions
    from lexalign.metrics.quality import bleu_tokenizer
    from lexalign.metrics.words import WordOptions

    if tokenizer is not None:
        _check_tokenizer(tokenizer)
    read = _read_systems(systems, reference, _times(time or []))
    references = _read_lines(reference)
    asked = _read_constraints(constraints, reference, len(references)) if constraints else None
    options = evaluation.EvaluationOptions(
        words=WordOptions(splitting="spaces" if tokenized else "words", ignore_case=ignore_case),
        window=window,
        overlap_window=overlap_window,
        tokenizer=tokenizer or bleu_tokenizer(references),
        bootstrap=BootstrapOptions(samples=samples, seed=seed),
    )
    of_segments = None if asked is None else [found for _, found in asked]
    result = evaluation.evaluate(read, references, of_segments, options)

    from lexalign.cli.output.evaluation.page import as_page
    from lexalign.cli.output.evaluation.report import as_json, as_table
    from lexalign.storage import write_text

    if json:
        write_text(json, as_json(result) + "\n")
    if html:
        write_text(html, as_page(result, read, references, asked, examples))
    typer.echo(as_table(result))


def _read_systems(systems: Sequence[str], reference: Path, times: dict[str, float]) -> list["System"]:
    from lexalign.data.reader import ParallelText
    from lexalign.metrics.evaluation import System

    named = [named_file(system) for system in systems]
    names = [name for name, _ in named]
    for name in names:
        if names.count(name) > 1:
            raise LexalignError(f"two systems have the name {name}; name them by NAME=FILE")
    for name in times:
        if name not in names:
            raise LexalignError(
                f"--time {name}=...: no system has this name; the systems are {', '.join(names)}"
            )
    return [
        System(
            name=name,
            hypotheses=[line for line, _ in ParallelText(path, reference).read()],
            seconds=times.get(name),
        )
        for name, path in named
    ]


def _times(given: Sequence[str]) -> dict[str, float]:
    times = {}
    for entry in given:
        name, _, number = entry.rpartition("=")
        try:
            seconds = float(number)
        except ValueError:
            seconds = math.nan
        if not name or not 0 <= seconds < math.inf:
            raise LexalignError(f"--time {entry}: write it as NAME=SECONDS")
        times[name] = seconds
    return times


def _read_lines(path: Path) -> list[str]:
    from lexalign.data.reader import read_lines

    return list(read_lines(path))


def _read_constraints(path: Path, reference: Path, num_segments: int) -> list["ConstrainedText"]:
    from lexalign.glossary.constraint_files import parse_constraints

    found = parse_constraints(_read_lines(path), name=str(path))
    if len(found) != num_segments:
        raise LexalignError(
            f"{path} has constraints for {len(found)} lines but {reference} has {num_segments}; "
            "give one line for each segment"
        )
    return found


def _check_tokenizer(name: str) -> None:
    from sacrebleu.metrics import BLEU

    if name not in BLEU.TOKENIZERS:
        raise LexalignError(f"--tokenizer {name}: sacreBLEU knows {', '.join(sorted(BLEU.TOKENIZERS))}")
    try:
        BLEU(tokenize=name)
    except (ImportError, OSError, RuntimeError) as error:
        raise LexalignError(f"--tokenizer {name}: {error}") from None
