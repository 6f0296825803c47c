"""`lexalign glossary check`: existing translations held against a glossary and against their sources."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from lexalign.cli.commands.glossary_extract import (
    Memories,
    SourceFiles,
    SourceLanguage,
    TargetFiles,
    TargetLanguage,
    language_pair,
    read_glossaries,
)
from lexalign.cli.messages import say
from lexalign.contracts.errors import LexalignError

if TYPE_CHECKING:
    from lexalign.terminology.checking import CheckResult, Finding
    from lexalign.terminology.reading import Languages
    from lexalign.terminology.units import Unit

_ORDER = ("error", "warning", "note", "none")


def check(
    files: Memories = None,
    source: SourceFiles = None,
    target: TargetFiles = None,
    glossaries: Annotated[
        list[Path] | None,
        typer.Option("--glossary", metavar="FILE", help="Glossary to check against. May be repeated."),
    ] = None,
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    reports: Annotated[
        list[Path] | None,
        typer.Option(
            "--report", metavar="FILE", help="Report to write: .json, .csv, .html or .sarif. May be repeated."
        ),
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Findings that are known; only others count.")
    ] = None,
    write_baseline: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write all findings as a baseline.")
    ] = None,
    fail_on: Annotated[
        Literal["error", "warning", "note", "never"],
        typer.Option(help="The least severity of a new finding that makes the exit code 1."),
    ] = "warning",
    kinds: Annotated[
        list[str] | None, typer.Option("--kind", metavar="KIND", help="Only these kinds. May be repeated.")
    ] = None,
    aligner: Annotated[
        Literal["auto", "hmm-agreement", "post-aln", "fast-align", "none"],
        typer.Option(
            help="Word aligner: auto takes post-aln where models of both directions are here and the units "
            "are few, and otherwise hmm-agreement, which learns from the files."
        ),
    ] = "auto",
    learn: Annotated[
        list[Path] | None,
        typer.Option(metavar="MEMORY", help="More bilingual files from which hmm-agreement learns."),
    ] = None,
    min_confidence: Annotated[
        float, typer.Option(min=0, max=1, help="Minimum confidence of findings.")
    ] = 0.0,
    any_language: Annotated[
        bool, typer.Option("--any-language", help="Do not check the languages of the texts.")
    ] = False,
) -> None:
    """Check translations against a glossary and against their sources.

    Terms are found in the source, and their translations by word alignment and lemma; numbers, placeholders,
    tags, untranslated and omitted content are checked too. The exit code is 0 if nothing new is found, 1 if
    something is, and 2 if the input is at fault.

    Example: lexalign glossary check manual.xlf --glossary terms.csv --report findings.sarif
    """
    from lexalign.terminology.checking import CheckOptions, check_units
    from lexalign.terminology.checking.baseline import new_findings, read_baseline
    from lexalign.terminology.checking.baseline import write_baseline as write_known
    from lexalign.terminology.reading import list_inputs, read_units
    from lexalign.terminology.reports.finding_files import CheckReport, check_suffix, write_report

    pair = language_pair(source_language, target_language)
    for path in reports or []:
        check_suffix(path)
    _refuse_unknown(kinds or [])
    known = None if baseline is None else read_baseline(baseline)
    result = check_units(
        read_units(list_inputs(files or [], source or [], target or []), pair),
        read_glossaries(glossaries or [], pair),
        pair,
        CheckOptions(aligner=None if aligner == "auto" else aligner, min_confidence=min_confidence),
        learn=_units_of(learn or [], pair),
        any_language=any_language,
        kinds=frozenset(kinds) if kinds else None,
    )
    new = result.findings if known is None else new_findings(result.findings, known)
    for path in reports or []:
        write_report(path, CheckReport.of(result, new))
    if write_baseline is not None:
        write_known(write_baseline, result.findings)
    if not reports:
        show_findings(new)
    _summarise(result, new)
    if fail_on != "never" and any(_ORDER.index(one.severity) <= _ORDER.index(fail_on) for one in new):
        raise typer.Exit(1)


def show_findings(findings: Sequence["Finding"]) -> None:
    """A line for each finding, as compilers write them."""
    for one in findings:
        place = one.unit.place
        where = place.file if place.line is None else f"{place.file}:{place.line}"
        typer.echo(f"{where}: {one.severity}: {one.kind}: {one.message} ({one.confidence:.2f})")


def _units_of(paths: Sequence[Path], languages: "Languages") -> list["Unit"]:
    from lexalign.terminology.filtering import reason_against
    from lexalign.terminology.reading import list_inputs, read_units
    from lexalign.terminology.units import Unit

    reads = read_units(list_inputs(paths), languages) if paths else iter(())
    return [one for one in reads if isinstance(one, Unit) and reason_against(one) is None]


def _refuse_unknown(kinds: Sequence[str]) -> None:
    from lexalign.report.kinds import CHECK_KINDS

    for kind in kinds:
        if kind not in CHECK_KINDS:
            raise LexalignError(f"unknown kind {kind!r}; choose from {', '.join(CHECK_KINDS)}")


def _summarise(result: "CheckResult", new: Sequence["Finding"]) -> None:
    counts = ", ".join(f"{kind} {count:,}" for kind, count in sorted(result.counts.items()))
    known = len(result.findings) - len(new)
    say(f"{result.num_units:,} units by {result.aligner}: {counts or 'nothing found'}")
    say(f"{len(new):,} findings" + (f", {known:,} more are known" if known else ""))
