"""`lexalign glossary merge`, `diff`, `stats` and `consistency`."""

import csv
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from lexalign.cli.commands.glossary_check import show_findings
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
    from lexalign.glossary import Glossary
    from lexalign.terminology.consistency import Inconsistency
    from lexalign.terminology.reading import Languages

_JSON = Annotated[bool, typer.Option("--json", help="Write JSON.")]


def merge(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Glossaries, in their precedence.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Glossary to write.")],
    conflicts: Annotated[
        Literal["join", "first", "last", "refuse"],
        typer.Option(help="Targets of a term that is in several glossaries: all, or those of one of them."),
    ] = "join",
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
) -> None:
    """Join glossaries into one, each term once.

    Example: lexalign glossary merge ours.csv theirs.tbx --output all.csv --conflicts first
    """
    from lexalign.glossary import write_glossary
    from lexalign.glossary.merging import merge_glossaries

    pair = language_pair(source_language, target_language)
    merged = merge_glossaries([read_glossaries([path], pair) for path in files], conflicts)
    if not merged:
        raise LexalignError("these glossaries have no terms")
    write_glossary(merged.with_languages(pair.source, pair.target), output)
    say(f"{output}: {len(merged):,} terms")


def diff(
    before: Annotated[Path, typer.Argument(metavar="BEFORE", help="Glossary.")],
    after: Annotated[Path, typer.Argument(metavar="AFTER", help="Glossary.")],
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    as_json: _JSON = False,
) -> None:
    """Show what differs between two glossaries; the exit code is 1 if anything does.

    Example: lexalign glossary diff terms-1.csv terms-2.csv
    """
    from lexalign.glossary.merging import compare_glossaries

    pair = language_pair(source_language, target_language)
    changes = compare_glossaries(read_glossaries([before], pair), read_glossaries([after], pair))
    if as_json:
        _echo_json([asdict(one) for one in changes])
    else:
        for one in changes:
            typer.echo(str(one))
    counts = Counter(one.kind for one in changes)
    say(f"{counts['added']:,} added, {counts['removed']:,} removed, {counts['changed']:,} changed")
    if changes:
        raise typer.Exit(1)


def stats(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Glossary.")],
    corpus: Annotated[
        list[Path] | None,
        typer.Option(metavar="BILINGUAL", help="Count how terms are used in this file. May be repeated."),
    ] = None,
    source: SourceFiles = None,
    target: TargetFiles = None,
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    as_json: _JSON = False,
) -> None:
    """Count the terms of a glossary, and with bilingual files how each of them is used there.

    Example: lexalign glossary stats terms.csv --corpus memory.tmx --from en --to de
    """
    pair = language_pair(source_language, target_language)
    terms = read_glossaries([file], pair)
    numbers = _numbers(terms)
    if not (corpus or source or target):
        if as_json:
            _echo_json(numbers)
        else:
            for name, value in numbers.items():
                typer.echo(f"{name}: {value:,}")
        return
    _show_usage(terms, corpus or [], source or [], target or [], pair, as_json=as_json)


def consistency(
    files: Memories = None,
    source: SourceFiles = None,
    target: TargetFiles = None,
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    min_count: Annotated[int, typer.Option(min=1, help="Minimum number of occurrences of an outlier.")] = 2,
    max_terms: Annotated[int, typer.Option(min=1, help="Maximum number of terms to compare.")] = 5_000,
    segments: Annotated[bool, typer.Option(help="Also whole segments.")] = True,
    as_json: _JSON = False,
) -> None:
    """List terms, names and segments that are translated differently; the exit code is 1 if there are any.

    Example: lexalign glossary consistency manual-1.xlf manual-2.xlf --from en --to de
    """
    from lexalign.terminology.consistency import inconsistent_segments, inconsistent_terms
    from lexalign.terminology.extraction.job import extract_terms
    from lexalign.terminology.extraction.options import ExtractOptions
    from lexalign.terminology.reading import list_inputs, read_units
    from lexalign.terminology.reports.report_values import finding_values

    pair = language_pair(source_language, target_language)
    inputs = list_inputs(files or [], source or [], target or [])
    found = extract_terms(inputs, pair, ExtractOptions(max_terms=max_terms))
    terms = inconsistent_terms(found.candidates, min_count=min_count)
    findings = inconsistent_segments(read_units(inputs, pair)) if segments else []
    if as_json:
        segments_found = [finding_values(one, new=True) for one in findings]
        _echo_json({"terms": [asdict(one) for one in terms], "segments": segments_found})
    else:
        for one in terms:
            _show_term(one)
        show_findings(findings)
    say(f"{len(terms):,} terms and {len(findings):,} segments are translated differently")
    if terms or findings:
        raise typer.Exit(1)


def _show_term(one: "Inconsistency") -> None:
    typer.echo(f"{one.source}: {one.majority.target} ({one.majority.count}, {one.majority.share:.0%})")
    for outlier in one.outliers:
        place = outlier.examples[0][0] if outlier.examples else ""
        typer.echo(f"  {outlier.target} ({outlier.count})  {place}")


def _numbers(terms: "Glossary") -> dict[str, int]:
    from lexalign.glossary.lint import lint

    policies = Counter(entry.policy for entry in terms)
    found = Counter(finding.kind for finding in lint(terms))
    return {
        "terms": len(terms),
        **{f"terms of policy {policy}": count for policy, count in sorted(policies.items())},
        "terms of several words": sum(" " in entry.source for entry in terms),
        "terms with several targets": sum(len(entry.targets) > 1 for entry in terms),
        "duplicates": found["duplicate"],
        "ambiguous": found["ambiguous"],
        "contradictions": found["conflict"],
    }


def _show_usage(
    terms: "Glossary",
    corpus: Sequence[Path],
    source: Sequence[Path],
    target: Sequence[Path],
    languages: "Languages",
    *,
    as_json: bool,
) -> None:
    from lexalign.terminology.reading import list_inputs, read_units
    from lexalign.terminology.usage import count_usage

    pair = languages.or_else(terms.source_language, terms.target_language)
    usage = list(count_usage(read_units(list_inputs(corpus, source, target), pair), terms, pair))
    if as_json:
        _echo_json(
            [
                {"source": one.entry.source, "count": one.count, "verdicts": dict(one.verdicts)}
                for one in usage
            ]
        )
        return
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["source", "target", "count", "as asked", "other form", "not found"])
    for one in usage:
        used = one.verdicts["as-asked"] + one.verdicts["compound"]
        missing = one.verdicts["missing-term"] + one.verdicts["not-kept"]
        targets = " | ".join(one.entry.targets)
        writer.writerow([one.entry.source, targets, one.count, used, one.verdicts["other-form"], missing])
    say(f"{sum(bool(one.count) for one in usage):,} of {len(usage):,} terms occur")


def _echo_json(value: Any) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, indent=1))
