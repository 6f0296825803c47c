"""`lexalign glossary extract` and `lexalign glossary accept`."""

import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from lexalign.bundled.cache import find_folder
from lexalign.cli.messages import resumable, say, warn
from lexalign.contracts.errors import LexalignError

if TYPE_CHECKING:
    from lexalign.glossary import Entry, Glossary
    from lexalign.terminology.extraction.candidates import TermCandidate
    from lexalign.terminology.extraction.entries import EntryOptions, KnownTerms
    from lexalign.terminology.extraction.job import Extraction
    from lexalign.terminology.extraction.needed_terms import Translate
    from lexalign.terminology.extraction.workers import Workers
    from lexalign.terminology.reading import Languages

_SECONDS_PER_LINE = 5.0

Memories = Annotated[
    list[Path] | None,
    typer.Argument(metavar="MEMORY", help="Bilingual files: .tmx, .xlf, .po, .tsv; also compressed."),
]
SourceFiles = Annotated[
    list[Path] | None, typer.Option("--source", metavar="FILE", help="Source lines. May be repeated.")
]
TargetFiles = Annotated[
    list[Path] | None, typer.Option("--target", metavar="FILE", help="Target lines: as many files.")
]
SourceLanguage = Annotated[
    str | None,
    typer.Option("--from", metavar="LANGUAGE", help="Source language, such as de; detected by default."),
]
TargetLanguage = Annotated[
    str | None,
    typer.Option("--to", metavar="LANGUAGE", help="Target language, such as en; detected by default."),
]
Glossaries = Annotated[
    list[Path] | None, typer.Option("--glossary", metavar="FILE", help="Glossary. May be repeated.")
]
Method = Annotated[
    Literal["hmm-agreement", "post-aln", "fast-align", "none"],
    typer.Option(
        help="Word aligner: hmm-agreement learns from the files and needs no model, post-aln uses the models "
        "of both directions."
    ),
]


def extract(
    memories: Memories = None,
    source: SourceFiles = None,
    target: TargetFiles = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Glossary to write: .csv, .tsv, .tbx or .tmx."),
    ] = None,
    candidates: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Candidates with their evidence: .csv for a spreadsheet, .html for a browser, .json.",
        ),
    ] = None,
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    known: Annotated[
        list[Path] | None,
        typer.Option(
            "--glossary",
            metavar="FILE",
            help="Existing glossary to complete; its entries stay. May be repeated.",
        ),
    ] = None,
    aligner: Method = "hmm-agreement",
    max_terms: Annotated[int, typer.Option(min=1, help="Maximum number of candidates.")] = 20_000,
    min_count: Annotated[int, typer.Option(min=1, help="Minimum number of occurrences of a term.")] = 2,
    min_confidence: Annotated[
        float, typer.Option(min=0, max=1, help="Minimum confidence of terms in the glossary.")
    ] = 0.5,
    needed_by: Annotated[
        Path | None,
        typer.Option(
            metavar="MODEL",
            parser=find_folder,
            help="Only terms that this model needs, because people use them and it does not.",
        ),
    ] = None,
    review: Annotated[
        bool, typer.Option("--review", help="Decide on each candidate in the terminal.")
    ] = False,
    work: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Working folder, from which a stopped job resumes.")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Number of processes.")] = 1,
    engine: Annotated[
        Literal["local", "ray"], typer.Option(help="Processes on this machine, or a Ray cluster.")
    ] = "local",
    shard_size: Annotated[
        int, typer.Option(min=1, help="Number of units that are aligned together.")
    ] = 50_000,
    any_language: Annotated[
        bool, typer.Option("--any-language", help="Do not check the languages of the texts.")
    ] = False,
) -> None:
    """Make a glossary from translation memories.

    Candidate terms are found in the source, and their translations by word alignment. Without --output and
    --candidates the best candidates are shown.

    Example: lexalign glossary extract memory.tmx --from en --to de -o terms.csv --candidates review.html
    """
    from lexalign.glossary.formats.files import format_of
    from lexalign.terminology.extraction.entries import EntryOptions, KnownTerms
    from lexalign.terminology.extraction.job import extract_terms
    from lexalign.terminology.extraction.needed_terms import needed_entries
    from lexalign.terminology.extraction.options import ExtractOptions
    from lexalign.terminology.reading import list_inputs
    from lexalign.terminology.reports.candidate_files import check_suffix, write_candidates

    if output is None and (review or needed_by is not None):
        raise LexalignError("--review and --needed-by make a glossary; give its place with --output FILE")
    for path in candidates or []:
        check_suffix(path)
    if output is not None:
        format_of(output)
    translate = None if needed_by is None else _translate_with(needed_by)
    pair = language_pair(source_language, target_language)
    existing = read_glossaries(known or [], pair)
    options = EntryOptions(min_confidence=min_confidence)
    with resumable_in(work):
        found = extract_terms(
            list_inputs(memories or [], source or [], target or []),
            pair,
            ExtractOptions(max_terms=max_terms, min_count=min_count, aligner=aligner, shard_size=shard_size),
            glossary=existing,
            work=work,
            workers=choose_workers(engine, workers),
            any_language=any_language,
            on_progress=ShardProgress(),
        )
    _describe(found)
    codes = found.split.source_language, found.split.target_language
    terms = KnownTerms(existing, *codes)
    for path in candidates or []:
        write_candidates(path, found.candidates, options, codes)
    if output is not None:
        entries = _decide(found, terms, options, codes, review=review)
        if translate is not None:
            num_all = len(entries)
            entries = needed_entries(entries, found.candidates, translate, codes)
            say(f"{num_all - len(entries):,} terms left out that the model does not need")
        _write(output, entries, terms)
    elif not candidates:
        _show(found.candidates)
    _tell_contradictions(terms, found)


def accept(
    candidates: Annotated[
        Path, typer.Argument(metavar="CANDIDATES", help="Spreadsheet of candidates, with decisions.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Glossary to write.")],
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
) -> None:
    """Write the accepted candidates of a spreadsheet (decision yes, y, x or 1) as a glossary.

    Example: lexalign glossary accept candidates.csv --output terms.tbx --from en --to de
    """
    from lexalign.glossary import Glossary, write_glossary
    from lexalign.terminology.reports.candidate_files import read_decisions

    pair = language_pair(source_language, target_language)
    entries = read_decisions(candidates, (pair.source, pair.target))
    if not entries:
        raise LexalignError(f"{candidates}: no decision is yes")
    write_glossary(Glossary(tuple(entries)), output)
    say(f"{output}: {len(entries):,} terms")


class ShardProgress:
    """Lines on standard error every few seconds; a small job is over before the first."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._last >= _SECONDS_PER_LINE:
            self._last = now
            say(f"{stage}: {done} of {total}")


def language_pair(source: str | None, target: str | None) -> "Languages":
    from lexalign.terminology.reading import Languages

    if (source is None) != (target is None):
        raise LexalignError("give both --from and --to, or neither")
    return Languages() if source is None else Languages(source, target)


def read_glossaries(paths: Sequence[Path], languages: "Languages") -> "Glossary":
    from lexalign.glossary import Glossary, read_glossary

    found = Glossary()
    for path in paths:
        found += read_glossary(path, source_language=languages.source, target_language=languages.target)
    return found


def choose_workers(engine: str, num_workers: int) -> "Workers":
    from lexalign.terminology.extraction.workers import Processes, RayTasks, ThisProcess

    if engine == "ray":
        return RayTasks()
    return ThisProcess() if num_workers == 1 else Processes(num_workers)


def resumable_in(work: Path | None) -> AbstractContextManager[None]:
    """A job with a work folder says how to go on with it."""
    return nullcontext() if work is None else resumable()


def _describe(found: "Extraction") -> None:
    from lexalign.terminology.extraction.shards import describe

    split = found.split
    say(f"{split.num_units:,} units from {split.source_language} to {split.target_language}")
    if split.left_out:
        say(f"left out: {describe(split.left_out)}")
    for warning in split.warnings:
        warn(warning)
    conflicts = sum(bool(one.conflicting) for one in found.candidates)
    kept = sum(one.policy == "keep" for one in found.candidates)
    total = len(found.candidates)
    say(f"{total:,} candidates, {conflicts:,} with several translations, {kept:,} names to keep")


def _decide(
    found: "Extraction",
    known: "KnownTerms",
    options: "EntryOptions",
    codes: tuple[str | None, str | None],
    *,
    review: bool,
) -> list["Entry"]:
    from lexalign.cli.output.term_review import review_terms
    from lexalign.terminology.extraction.entries import new_entries, to_entry

    if not review:
        return new_entries(found.candidates, known, options, codes)
    open_questions = [one for one in found.candidates if one not in known]
    return review_terms((one, to_entry(one, options, codes)) for one in open_questions)


def _translate_with(model: Path) -> "Translate":
    from lexalign.translator import Translator

    translator = Translator.load(model)
    return lambda texts: (one.text for one in translator.translate_stream(texts))


def _write(output: Path, entries: list["Entry"], known: "KnownTerms") -> None:
    from lexalign.glossary import Glossary, write_glossary

    complete = Glossary((*known.glossary, *entries))
    if not complete:
        raise LexalignError(
            "no term is sure enough; lower --min-confidence, or give --candidates to see them"
        )
    write_glossary(complete, output)
    say(f"{output}: {len(complete):,} terms, {len(entries):,} of them new")


def _show(candidates: Sequence["TermCandidate"]) -> None:
    for one in candidates[:50]:
        others = "; ".join(f"{two.target} {two.share:.0%}" for two in one.conflicting)
        target = "(kept)" if one.policy == "keep" else f"{one.best.target} {one.best.share:.0%}"
        rest = f"  also {others}" if others else ""
        typer.echo(f"{one.confidence:.2f} {one.count:6,}  {one.source}  →  {target}{rest}")


def _tell_contradictions(known: "KnownTerms", found: "Extraction") -> None:
    for one in known.contradictions(found.candidates):
        asked = "kept" if one.entry.policy == "keep" else " | ".join(one.entry.targets)
        best = one.candidate.best
        warn(
            f'"{one.entry.source}" is "{asked}" in the glossary and "{best.target}" in '
            f"{best.share:.0%} of the memory"
        )
