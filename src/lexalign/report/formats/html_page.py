"""A report as one self-contained HTML page, without scripts; all text is escaped."""

from collections.abc import Iterable, Iterator
from html import escape

from lexalign import __version__
from lexalign.contracts.alignment import Span
from lexalign.report.formats.page_style import STYLE
from lexalign.report.formats.summary import summary_line
from lexalign.report.terms import TermSummary, summarize_terms
from lexalign.report.values import (
    Counts,
    FileReport,
    Finding,
    Inconsistency,
    Report,
    SegmentReport,
    TermReport,
)

_TILES = (
    ("terms", "terms_missed", "Terms", "missed"),
    ("numbers", "numbers_missing", "Numbers", "missing"),
    ("placeholders", "placeholders_missing", "Placeholders", "missing"),
    ("tags", "tags_failed", "Tags", "wrong"),
)
_MAX_FORMS = 6


def as_html(report: Report) -> str:
    title = "Translation report"
    return "".join(
        (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{title}</title><style>{STYLE}</style></head>\n<body><main>\n",
            f"<h1>{title}</h1>\n<p class=soft>{escape(summary_line(report))}</p>\n",
            _tiles(report.counts),
            _terms(summarize_terms(report.files)),
            *(_file(number, file) for number, file in enumerate(report.files, start=1)),
            f"</main><footer>Made by lexalign {escape(__version__)}.</footer></body></html>\n",
        )
    )


def _tiles(counts: Counts) -> str:
    tiles = [
        _tile(name, getattr(counts, total) - getattr(counts, wrong), getattr(counts, total), wrong_word)
        for total, wrong, name, wrong_word in _TILES
        if getattr(counts, total)
    ]
    plain = (
        (counts.lost, "Likely lost"),
        (counts.cut_off, "Cut off"),
        (counts.refused, "Not translated"),
        (counts.inconsistent, "Inconsistent"),
    )
    tiles += [f"<li class=bad><b>{number:,}</b><span>{name}</span></li>" for number, name in plain if number]
    if counts.from_memory:
        tiles.append(f"<li><b>{counts.from_memory:,}</b><span>From memory</span></li>")
    return f"<ul class=tiles>{''.join(tiles)}</ul>\n" if tiles else ""


def _tile(name: str, good: int, total: int, wrong_word: str) -> str:
    missed = total - good
    told = f"{missed:,} {wrong_word}" if missed else "all right"
    state = "bad" if missed else "good"
    return f"<li class={state}><b>{good:,}<i> / {total:,}</i></b><span>{name}, {told}</span></li>"


def _terms(terms: list[TermSummary]) -> str:
    if not terms:
        return ""
    rows = "".join(
        f"<tr class={'bad' if one.failed else 'good'}>"
        f"<td data-name=Term>{escape(one.term)}{_badge('ambiguous') if one.ambiguous else ''}</td>"
        f'<td data-name="Asked for">{_asked(one)}</td>'
        f"<td data-name=Met class=number>{one.met:,} / {one.found:,}</td>"
        f"<td data-name=Forms>{_forms(one)}</td></tr>"
        for one in terms
    )
    head = "<th>Term</th><th>Asked for</th><th>Met</th><th>Forms</th>"
    return f"<h2>Terms</h2><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>\n"


def _asked(one: TermSummary | TermReport) -> str:
    return escape(("not " if one.kind == "avoid" else "") + " | ".join(one.targets))


def _forms(one: TermSummary) -> str:
    shown = [f"{escape(form)} <i>{number:,}</i>" for form, number in one.forms[:_MAX_FORMS]]
    rest = len(one.forms) - _MAX_FORMS
    return ", ".join([*shown, *([f"{rest:,} more"] if rest > 0 else [])]) or "–"


def _file(number: int, file: FileReport) -> str:
    failed = [one for one in file.segments if one.failed]
    others = [one for one in file.segments if not one.failed and _has_more_than_met_terms(one)]
    met = [one for one in file.segments if not one.failed and not _has_more_than_met_terms(one)]
    parts = [
        f'<section><h2 id="f{number}">{escape(file.name)}</h2>',
        *map(_inconsistency, file.inconsistencies),
        *(_segment(one) for one in failed),
        _folded("Notes", others),
        _folded("All terms met", met),
    ]
    if not failed and not file.inconsistencies:
        parts.insert(1, "<p class=soft>Nothing failed.</p>")
    return "".join(parts) + "</section>\n"


def _has_more_than_met_terms(segment: SegmentReport) -> bool:
    terms = any(not term.met or term.ambiguous for term in segment.terms)
    return bool(segment.findings or segment.alternatives or terms)


def _folded(title: str, segments: list[SegmentReport]) -> str:
    if not segments:
        return ""
    content = "".join(map(_segment, segments))
    return f"<details><summary>{title} ({len(segments):,})</summary>{content}</details>"


def _inconsistency(one: Inconsistency) -> str:
    variants = "; ".join(
        f"<b>{escape(variant.form)}</b> in {', '.join(map(str, variant.segments[:10]))}"
        + (" …" if len(variant.segments) > 10 else "")
        for variant in one.variants
    )
    return f"<p class=note>{_badge(one.kind)} {escape(one.source)}: {variants}</p>"


def _segment(segment: SegmentReport) -> str:
    sources = [term.source_span for term in segment.terms] + [one.source_span for one in segment.findings]
    bad = [term.failed for term in segment.terms] + [one.failure for one in segment.findings]
    target = _marked(
        segment.target,
        [term.target_span for term in segment.terms],
        [term.failed for term in segment.terms],
    )
    items = "".join((*map(_term, segment.terms), *map(_finding, segment.findings), *_alternatives(segment)))
    origin = _badge("from memory") if segment.origin == "memory" else ""
    return (
        f"<article><p class=where>{segment.number:,} · {escape(segment.where)} {origin}</p>"
        f"<p class=source dir=auto>{_marked(segment.source, sources, bad)}</p>"
        f"<p class=target dir=auto>{target}</p>"
        f"<ul>{items}</ul></article>"
    )


def _term(term: TermReport) -> str:
    said = "met" if term.met else f"missed: {term.reason}"
    if term.kind == "avoid":
        said = "avoided" if term.met else "not avoided"
    form = f" as “{escape(term.form)}”" if term.form else ""
    form += f" in “{escape(term.part_of)}”" if term.met and term.part_of else ""
    place = f" <i>{escape(term.place)}</i>" if term.place else ""
    ambiguous = _badge("ambiguous") if term.ambiguous else ""
    state = "good" if term.met else "bad" if term.failed else "note"
    return (
        f"<li class={state}><b>{escape(term.source)}</b> → {_asked(term)}: "
        f"{escape(said)}{form}{ambiguous}{place}</li>"
    )


def _finding(finding: Finding) -> str:
    state = "bad" if finding.failure else "note"
    return f"<li class={state}>{_badge(finding.kind)} {escape(finding.message)}</li>"


def _alternatives(segment: SegmentReport) -> Iterator[str]:
    for one in segment.alternatives:
        yield (
            f"<li class=note>{_badge(f'{one.similarity:g} %')} {escape(one.source)} → "
            f"{escape(one.target)} <i>{escape(one.place)}</i></li>"
        )


def _badge(text: str) -> str:
    return f" <small>{escape(text)}</small>"


def _marked(text: str, spans: Iterable[Span | None], bad: Iterable[bool]) -> str:
    """The text with its spans marked; of spans that overlap, the first."""
    parts, position = [], 0
    marked = sorted((span, wrong) for span, wrong in zip(spans, bad, strict=True) if span)
    for (start, end), wrong in marked:
        if start >= position and end > start:
            state = "bad" if wrong else "good"
            parts += [escape(text[position:start]), f"<mark class={state}>{escape(text[start:end])}</mark>"]
            position = end
    return "".join([*parts, escape(text[position:])])
