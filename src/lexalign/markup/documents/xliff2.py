"""XLIFF 2.x: every segment gets a target, and the state `translated`.

A segment with a translation stays unchanged, unless its state is `initial`. `translate="no"` is respected, on
units and the elements around them, and on marks inside of a text.
"""

from collections.abc import Iterator, Mapping

from lexalign.contracts.errors import LexalignError
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


def roles(name: str, attributes: Mapping[str, str]) -> Role:
    match name.rpartition(":")[2]:
        case "pc":
            return PAIR
        case "mrk":
            return CODE if attributes.get("translate") == "no" else PAIR
        case "sc" | "sm":
            return Role("opening", attributes.get("id", ""))
        case "ec" | "em":
            return Role("closing", attributes.get("startRef") or attributes.get("id", ""))
        case "ph" if attributes.get("subType") == "xlf:lb":
            return Role("code", breaks=True)
    return CODE


def read(content: bytes, options: DocumentOptions) -> SplicedDocument:
    text, encoding = decode_xml(content)
    root = parse_xml(text)
    language = target_language(root.attributes.get("trgLang"), options, "the document")
    edits = list(set_attribute(text, root, "trgLang", language))
    for segment in root.all("segment"):
        edits += _translate(text, segment, options)
    if any(edit.segment for edit in edits) and not (root.attributes.get("trgLang") or language):
        raise LexalignError("the document names no target language (trgLang); give it with --to")
    return SplicedDocument(content=text, edits=edits, escape=escape_xml, encode=encoding.encode)


def _translate(text: str, element: Element, options: DocumentOptions) -> Iterator[Edit]:
    source, target = element.child("source"), element.child("target")
    if source is None or element.inherited("translate") == "no":
        return
    if target is not None and _is_done(text, element, target) and not options.retranslate:
        return
    unit = element.parent.attributes.get("id", "") if element.parent else ""
    where = f"line {source.line}: unit {unit!r}"
    label = read_label(read_xml(text[source.inner_start : source.inner_end], roles, where))
    segment = label.segment(where, _max_length(element))
    if not segment.text.text.strip():
        return
    if element.attributes.get("state", "initial") == "initial":
        yield from set_attribute(text, element, "state", "translated")
    if target is not None and not target.is_self_closing:
        yield Edit(start=target.inner_start, end=target.inner_end, segment=segment, write=label.write)
        return
    name = f"{source.prefix(text)}target"
    start, end = (target.start, target.end) if target else (source.end, source.end)
    yield Edit(
        start=start,
        end=end,
        before=f"{'' if target else source.indentation(text)}<{name}>",
        segment=segment,
        write=label.write,
        after=f"</{name}>",
    )


def _max_length(element: Element) -> int | None:
    """The restriction of the size and length module, where it is one number of characters."""
    size = element.inherited("slr:sizeRestriction")
    return int(size) if size and size.isdigit() else None


def _is_done(text: str, element: Element, target: Element) -> bool:
    return target.has_text(text) and element.attributes.get("state") != "initial"
