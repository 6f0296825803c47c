"""Segments of an evaluation, with their constraints and the output of each system."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lexalign.contracts.alignment import Span
    from lexalign.contracts.constraint import Constraint
    from lexalign.glossary.constraint_files import ConstrainedText
    from lexalign.metrics.evaluation import System
    from lexalign.metrics.words import WordOptions


def segment_articles(
    words: "WordOptions",
    systems: Sequence["System"],
    references: Sequence[str],
    constrained: Sequence["ConstrainedText"] | None,
    count: int,
) -> str:
    """The `count` segments in which systems differ most, with their constraints marked."""
    texts = constrained or [("", ())] * len(references)
    found = [
        [_spans(system.hypotheses[index], constraints, words) for system in systems]
        for index, (_, constraints) in enumerate(texts)
    ]
    order = sorted(range(len(references)), key=lambda index: _interest(index, found[index], systems))
    shown = sorted(order[:count])
    if not shown:
        return ""
    articles = [
        _article(index, texts[index], references[index], systems, found[index], words) for index in shown
    ]
    said = f"{len(shown):,} of {len(references):,}"
    rule = "first those in which systems meet different constraints, then those with most unmet constraints"
    return f'<h2>Segments</h2><p class="soft">{said}: {rule}.</p>{"".join(articles)}'


def _article(
    index: int,
    constrained: "ConstrainedText",
    reference: str,
    systems: Sequence["System"],
    found: Sequence[Sequence["Span | None"]],
    words: "WordOptions",
) -> str:
    text, constraints = constrained
    sources = [constraint.source for constraint in constraints]
    wanted = [constraint for constraint in constraints if constraint.kind != "avoid"]
    rows = [("source", _marked(text, sources, "source"))] if text else []
    rows.append(("reference", _marked(reference, _spans(reference, constraints, words))))
    for system, spans in zip(systems, found, strict=True):
        rows.append((system.name, _marked(system.hypotheses[index], spans) + _missing(wanted, spans)))
    listed = "".join(f'<dt>{escape(name)}</dt><dd dir="auto">{content}</dd>' for name, content in rows)
    return f"<article><h3>segment {index + 1}</h3><dl>{listed}</dl></article>"


def _spans(text: str, constraints: Sequence["Constraint"], words: "WordOptions") -> list["Span | None"]:
    from lexalign.metrics.constraint_satisfaction import spans_in

    return spans_in(text, constraints, words)


def _interest(
    index: int, found: Sequence[Sequence["Span | None"]], systems: Sequence["System"]
) -> tuple[bool, int, bool]:
    met = [[span is not None for span in spans] for spans in found]
    alike = all(entry == met[0] for entry in met)
    same = len({system.hypotheses[index] for system in systems}) == 1
    return alike, -sum(entry.count(False) for entry in met), same


def _missing(wanted: Sequence["Constraint"], spans: Sequence["Span | None"]) -> str:
    unmet = [
        " / ".join(constraint.targets) for constraint, span in zip(wanted, spans, strict=True) if span is None
    ]
    return "".join(f'<span class="missing">{escape(term)}</span>' for term in unmet)


def _marked(text: str, spans: Sequence["Span | None"], kind: str = "met") -> str:
    """The text with its spans marked; spans that overlap are marked as one."""
    merged: list[list[int]] = []
    for start, end in sorted(span for span in spans if span is not None):
        if merged and start < merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    opening = f'<mark class="{kind}">'
    parts, position = [], 0
    for start, end in merged:
        parts += [escape(text[position:start]), opening, escape(text[start:end]), "</mark>"]
        position = end
    return "".join([*parts, escape(text[position:])])
