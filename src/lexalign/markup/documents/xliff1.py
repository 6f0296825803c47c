"""XLIFF 1.2: every `trans-unit` gets a target.

A segmented unit (`seg-source`) is translated segment by segment, and its target has the same marks. A unit
with a translation stays unchanged, unless its state is an untranslated one. `translate="no"` and
`mtype="protected"` are respected; `alt-trans` and binary units stay unchanged.
"""

import re
from collections.abc import Iterator, Mapping

from lexalign.markup.documents.document import (
    DocumentOptions,
    Edit,
    SplicedDocument,
    target_language,
)
from lexalign.markup.documents.encoding import decode_xml
from lexalign.markup.documents.labels import read_label
from lexalign.markup.documents.xml_tree import Element, parse_xml, set_attribute
from lexalign.markup.inline.xml import CODE, PAIR, Role, escape_xml, read_xml

_UNTRANSLATED = frozenset({"new", "needs-translation", "needs-l10n", "needs-adaptation"})
_STATE = ' state="needs-review-translation" state-qualifier="leveraged-mt"'


def roles(name: str, attributes: Mapping[str, str]) -> Role:
    match name.rpartition(":")[2]:
        case "g":
            return PAIR
        case "mrk":
            return CODE if attributes.get("mtype") == "protected" else PAIR
        case "bx" | "bpt":
            return Role("opening", attributes.get("rid") or attributes.get("id", ""))
        case "ex" | "ept":
            return Role("closing", attributes.get("rid") or attributes.get("id", ""))
        case "x" | "ph" if attributes.get("ctype") in ("lb", "x-br", "x-html-br"):
            return Role("code", breaks=True)
    return CODE


def read(content: bytes, options: DocumentOptions) -> SplicedDocument:
    text, encoding = decode_xml(content)
    root = parse_xml(text)
    edits: list[Edit] = []
    for file in root.all("file"):
        language = target_language(
            file.attributes.get("target-language"), options, f"line {file.line}: <file>"
        )
        edits += set_attribute(text, file, "target-language", language)
        for unit in file.all("trans-unit"):
            edits += _translate(text, unit, options)
    return SplicedDocument(content=text, edits=edits, escape=escape_xml, encode=encoding.encode)


def _translate(text: str, unit: Element, options: DocumentOptions) -> Iterator[Edit]:
    source, target = unit.child("source"), unit.child("target")
    if source is None or unit.inherited("translate") == "no":
        return
    if target is not None and _is_done(text, unit, target) and not options.retranslate:
        return
    where = f"line {unit.line}: trans-unit {unit.attributes.get('id', '')!r}"
    last = unit.child("seg-source") or source
    start, end = (target.start, target.end) if target else (last.end, last.end)
    edits = [
        Edit(
            start=start if index == 0 else end,
            end=end,
            before=text[before:inner_start],
            segment=(label := read_label(read_xml(text[inner_start:inner_end], roles, where))).segment(
                where, _max_length(unit)
            ),
            write=label.write,
        )
        for index, (before, inner_start, inner_end) in enumerate(_parts(last))
    ]
    if not any(edit.segment and edit.segment.text.text.strip() for edit in edits):
        return
    indent = "" if target else last.indentation(text)
    opening = _opening(text, source, target)
    yield Edit(start=start, end=start, before=indent + opening)
    yield from edits
    rest = text[list(_parts(last))[-1][2] : last.inner_end]
    yield Edit(start=end, end=end, before=f"{rest}</{source.prefix(text)}target>")


def _max_length(unit: Element) -> int | None:
    """The `maxwidth` of a unit, where it counts characters."""
    width = unit.inherited("maxwidth")
    counts = unit.inherited("size-unit") in ("char", "glyph")
    return int(width) if width and width.isdigit() and counts else None


def _parts(source: Element) -> Iterator[tuple[int, int, int]]:
    """The offsets of each segment: of the markup before it, of its start and of its end."""
    before = source.inner_start
    marks = [mark for mark in source.all("mrk") if mark.attributes.get("mtype") == "seg"]
    if source.name == "source" or not marks:
        yield before, before, source.inner_end
        return
    for mark in marks:
        yield before, mark.inner_start, mark.inner_end
        before = mark.inner_end


def _is_done(text: str, unit: Element, target: Element) -> bool:
    if unit.attributes.get("approved") == "yes":
        return True
    return target.has_text(text) and target.attributes.get("state") not in _UNTRANSLATED


def _opening(text: str, source: Element, target: Element | None) -> str:
    """The start tag of the target with its own attributes but a new state; or a new start tag."""
    if target is None:
        return f"<{source.prefix(text)}target{_STATE}>"
    tag = text[target.start : target.inner_start]
    tag = re.sub(r"""\s+state(?:-qualifier)?\s*=\s*("[^"]*"|'[^']*')""", "", tag)
    return re.sub(r"\s*/?>$", "", tag) + _STATE + ">"
