"""Notes in a translated XLIFF: alternatives from a memory, and which translations to look at.

1.2   alternatives are `alt-trans` elements behind the target; a target from a memory has the state qualifier
      `exact-match`, all others keep `needs-review-translation`
2.x   alternatives are `mtc:match` elements of their unit; the `subState` of a segment is
      `lexalign:needs-review` where something failed, and `lexalign:exact-match` where it is from a memory
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from html import unescape
from typing import Literal
from xml.sax.saxutils import escape, quoteattr

from lexalign.markup.documents.document import Edit, SplicedDocument
from lexalign.markup.documents.encoding import decode_xml
from lexalign.markup.documents.xml_tree import Element, parse_xml, set_attribute
from lexalign.markup.inline.xml import escape_xml
from lexalign.report import Alternative, SegmentReport

_MATCHES = "urn:oasis:names:tc:xliff:matches:2.0"
_LINE = re.compile(r"line (\d+)")
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def annotate_xliff(
    format_name: Literal["xliff1", "xliff2"],
    source: bytes,
    translated: bytes,
    reports: Iterable[SegmentReport],
) -> bytes:
    """`source` is the document that was read; the translated one has the same units in the same order."""
    name, annotate = ("trans-unit", _annotate_1) if format_name == "xliff1" else ("segment", _annotate_2)
    text, encoding = decode_xml(translated)
    units = list(parse_xml(text).all(name))
    originals = list(parse_xml(decode_xml(source)[0]).all(name))
    by_index: dict[int, list[SegmentReport]] = {}
    for index, report in _placed(originals, decode_xml(source)[0], reports):
        by_index.setdefault(index, []).append(report)
    edits = [edit for index, own in by_index.items() for edit in annotate(text, units[index], own)]
    edits.sort(key=lambda edit: edit.start)
    return SplicedDocument(content=text, edits=edits, escape=escape_xml, encode=encoding.encode).write([])


def _placed(
    units: Sequence[Element], text: str, reports: Iterable[SegmentReport]
) -> Iterator[tuple[int, SegmentReport]]:
    """Each report with its unit: both are in the order of the document, and a report tells its line."""
    index = 0
    for report in reports:
        line = _LINE.search(report.where)
        found = next((at for at in range(index, len(units)) if _is_of(units[at], text, line, report)), None)
        if found is not None:
            index = found
            yield found, report


def _is_of(unit: Element, text: str, line: re.Match[str] | None, report: SegmentReport) -> bool:
    source = unit.child("source")
    if source is None or line is None or int(line[1]) not in (unit.line, source.line):
        return False
    plain = re.sub(r"<[^>]*>", "", text[source.inner_start : source.inner_end])
    return _letters(report.source) in _letters(unescape(plain))


def _letters(text: str) -> str:
    return "".join(character for character in text if character.isalnum())


def _annotate_1(text: str, unit: Element, reports: Sequence[SegmentReport]) -> Iterator[Edit]:
    source, target = unit.child("source"), unit.child("target")
    if source is None or target is None:
        return
    if all(report.origin == "memory" for report in reports):
        yield from set_attribute(text, target, "state", "translated")
        yield from set_attribute(text, target, "state-qualifier", "exact-match")
    prefix, indent = source.prefix(text), source.indentation(text)
    added = "".join(
        f"{indent}<{prefix}alt-trans match-quality={quoteattr(f'{one.similarity:g}%')} "
        f"origin={quoteattr(_clean(one.place))}>{_texts(one, prefix)}</{prefix}alt-trans>"
        for report in reports
        for one in report.alternatives
    )
    if added:
        yield Edit(start=target.end, end=target.end, before=added)


def _annotate_2(text: str, segment: Element, reports: Sequence[SegmentReport]) -> Iterator[Edit]:
    source, unit = segment.child("source"), segment.parent
    if source is None or unit is None:
        return
    state = (
        "lexalign:needs-review"
        if any(report.failed for report in reports)
        else "lexalign:exact-match"
        if all(report.origin == "memory" for report in reports)
        else None
    )
    yield from set_attribute(text, segment, "subState", state)
    alternatives = [one for report in reports for one in report.alternatives]
    if not alternatives:
        return
    identity = segment.attributes.get("id") or _new_id(unit, segment)
    if "id" not in segment.attributes:
        yield from set_attribute(text, segment, "id", identity)
    prefix, indent = source.prefix(text), segment.indentation(text)
    added = "".join(
        f"<mtc:match ref={quoteattr('#' + identity)} similarity={quoteattr(f'{one.similarity:.1f}')} "
        f"origin={quoteattr(_clean(one.place))}>{_texts(one, prefix)}</mtc:match>"
        for one in alternatives
    )
    own = unit.child("matches")
    if own is not None and not own.is_self_closing:
        added = added.replace("mtc:", own.prefix(text))
        yield Edit(start=own.inner_end, end=own.inner_end, before=added)
    elif own is None:
        before = f'{indent}<mtc:matches xmlns:mtc="{_MATCHES}">{added}</mtc:matches>'
        yield Edit(start=unit.inner_start, end=unit.inner_start, before=before)


def _new_id(unit: Element, segment: Element) -> str:
    used = {child.attributes.get("id") for child in unit.children}
    number = 1 + [child for child in unit.children if child.name == "segment"].index(segment)
    while f"s{number}" in used:
        number += len(unit.children)
    return f"s{number}"


def _texts(one: Alternative, prefix: str) -> str:
    sides = (("source", one.source), ("target", one.target))
    return "".join(f"<{prefix}{name}>{escape(_clean(text))}</{prefix}{name}>" for name, text in sides)


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
