"""Candidates decided one by one on a terminal."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import typer

from lexalign.contracts.errors import LexalignError
from lexalign.glossary.entries import join_alternatives, split_alternatives

if TYPE_CHECKING:
    from lexalign.glossary import Entry
    from lexalign.terminology.extraction.candidates import TermCandidate

_QUESTION = "[y]es, [n]o, [k]eep untranslated, another translation, or [q] to end"


def review_terms(questions: Iterable[tuple["TermCandidate", "Entry"]]) -> list["Entry"]:
    """The entries that a person decides for; what is decided before the end of input counts."""
    chosen: list[Entry] = []
    for candidate, entry in questions:
        _show(candidate)
        answer = _ask()
        while answer is not None and _is_unknown(answer):
            typer.echo(f'  "{answer}" is no answer here')
            answer = _ask()
        if answer is None or answer.lower() == "q":
            return chosen
        if (decided := _decided(entry, answer)) is not None:
            chosen.append(decided)
    return chosen


def _show(candidate: "TermCandidate") -> None:
    typer.echo(f"\n{candidate.source}  ({candidate.count} times, confidence {candidate.confidence:.2f})")
    for one in (candidate.best, *candidate.conflicting):
        typer.echo(f"  {one.target}  {one.count} times, {one.share:.0%}")
        for place, source, target in one.examples[:1]:
            typer.echo(f"    {source}\n    {target}\n    {place}")


def _ask() -> str | None:
    try:
        answer: str = typer.prompt(_QUESTION, default="y", show_default=False)
    except typer.Abort:
        return None
    return answer.strip()


def _is_unknown(answer: str) -> bool:
    """A single letter or mark of a keyboard that stands for nothing; one of Japanese is a translation."""
    return len(answer) == 1 and answer.isascii() and answer.lower() not in "ynkq"


def _decided(entry: "Entry", answer: str) -> "Entry | None":
    match answer.lower():
        case "y" | "":
            return entry
        case "n":
            return None
        case "k":
            return replace(entry, targets=(), policy="keep")
    try:
        return replace(entry, targets=split_alternatives(answer), policy="must")
    except LexalignError as error:
        typer.echo(f"  {error}; {join_alternatives([entry.source])} is left out")
        return None
