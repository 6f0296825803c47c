"""Findings as one self-contained HTML page: both texts, and pointing at a word shows what it is linked to.

Words and what is found are spans of the texts; a text is split wherever one of them begins or ends, so none
need be nested. All text is escaped.
"""

from html import escape
from itertools import pairwise

from lexalign import __version__
from lexalign.contracts.alignment import Span
from lexalign.terminology.checking import Finding
from lexalign.terminology.checking.findings import CheckedUnit
from lexalign.terminology.reports.report_values import Report, reported
from lexalign.terminology.units import Unit

_STYLE = """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 70rem; margin: 0 auto; padding: 1.5rem; }
article { border-bottom: 1px solid #8886; padding: .8rem 0; }
.texts { display: grid; grid-template-columns: 1fr 1fr; gap: 1.2rem; } .texts p { margin: 0; }
.place { opacity: .7; margin: 0 0 .3rem; } ul { margin: .4rem 0 0; padding-left: 1.2rem; }
.error { text-decoration: underline 2px #dc2626; } .warning { text-decoration: underline 2px #d97706; }
.note { text-decoration: underline 2px #2563eb; } .none { text-decoration: underline 2px #16a34a; }
.linked { background: #facc1580; border-radius: 3px; }
@media (max-width: 40rem) { .texts { grid-template-columns: 1fr; } }
"""
_SCRIPT = """
const mark = event => {
  document.querySelectorAll('.linked').forEach(one => one.classList.remove('linked'));
  const piece = event.target.closest('[data-word]');
  if (!piece) return;
  const article = piece.closest('article'), side = piece.dataset.side;
  const other = side === 'source' ? 'target' : 'source';
  const all = (name, word) => article.querySelectorAll(`[data-side=${name}][data-word="${word}"]`);
  all(side, piece.dataset.word).forEach(one => one.classList.add('linked'));
  for (const word of piece.dataset.links.split(' ').filter(Boolean))
    all(other, word).forEach(one => one.classList.add('linked'));
};
document.addEventListener('mouseover', mark);
document.addEventListener('focusin', mark);
"""


def render(report: Report) -> str:
    counts = ", ".join(f"{kind} {count:,}" for kind, count in sorted(report.result.counts.items()))
    articles = "\n".join(_article(unit, report) for unit in report.units)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Findings</title><style>{_STYLE}</style></head>\n<body><h1>Findings</h1>"
        f"<p>{report.result.num_units:,} units: {escape(counts or 'nothing found')}. "
        "Point at a word to see what it is aligned with.</p>\n"
        f"{articles}\n<footer><p>Made by lexalign {escape(__version__)}.</p></footer>"
        f"<script>{_SCRIPT}</script></body></html>\n"
    )


def _article(checked: CheckedUnit, report: Report) -> str:
    unit = checked.unit
    items = "".join(_item(one, new=report.is_new(one)) for one in reported(checked))
    sources = [(one.source_span, one) for one in checked.findings if one.source_span]
    targets = [(one.target_span, one) for one in checked.findings if one.target_span]
    return (
        f'<article><p class="place">{escape(_place(unit))}</p>'
        f'<div class="texts"><p dir="auto">{_text(unit.source, checked, sources, "source")}</p>'
        f'<p dir="auto">{_text(unit.target, checked, targets, "target")}</p></div><ul>{items}</ul></article>'
    )


def _place(unit: Unit) -> str:
    return f"{unit.place}, unit {unit.identifier}" if unit.identifier else str(unit.place)


def _item(finding: Finding, *, new: bool) -> str:
    known = "" if new else " (known)"
    return f'<li><span class="{finding.severity}">{finding.kind}</span> {escape(finding.message)}{known}</li>'


def _text(text: str, checked: CheckedUnit, marked: list[tuple[Span, Finding]], side: str) -> str:
    words: dict[Span, list[int]] = {}  # the linked words of this side, and the starts of those on the other
    for source, target, _ in checked.links:
        word, other = (source, target) if side == "source" else (target, source)
        words.setdefault(word, []).append(other[0])
    cuts = sorted({0, len(text), *(edge for span in (*words, *(s for s, _ in marked)) for edge in span)})
    starts = {index: span for span in words for index in range(*span)}
    pieces = []
    for start, end in pairwise(cuts):
        found = next((one for span, one in marked if span[0] <= start and end <= span[1]), None)
        pieces.append(_piece(text[start:end], starts.get(start), words, found, side))
    return "".join(pieces)


def _piece(
    text: str, word: Span | None, words: dict[Span, list[int]], found: Finding | None, side: str
) -> str:
    marks = ""
    if word is not None:
        others = " ".join(map(str, sorted(set(words[word]))))
        marks += f' data-side="{side}" data-word="{word[0]}" data-links="{others}"'
    if found is not None:
        marks += f' class="{found.severity}" title="{escape(found.message, quote=True)}"'
    return f"<span{marks}>{escape(text)}</span>" if marks else escape(text)
