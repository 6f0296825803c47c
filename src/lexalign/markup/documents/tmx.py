"""TMX 1.4: units without a text in the target language get one.

The source language is that of --from, or the `srclang` of the unit or of the header.
"""

from collections.abc import Iterator, Mapping
from xml.sax.saxutils import quoteattr

from lexalign.contracts.errors import LexalignError
from lexalign.markup.documents.document import (
    DocumentOptions,
    Edit,
    Segment,
    SplicedDocument,
    same_language,
)
from lexalign.markup.documents.encoding import decode_xml
from lexalign.markup.documents.xml_tree import Element, parse_xml
from lexalign.markup.inline.xml import CODE, PAIR, Role, escape_xml, read_xml


def roles(name: str, attributes: Mapping[str, str]) -> Role:
    match name.rpartition(":")[2]:
        case "hi":
            return PAIR
        case "bpt":
            return Role("opening", attributes.get("i", ""))
        case "ept":
            return Role("closing", attributes.get("i", ""))
        case "ph" if attributes.get("type") == "lb":
            return Role("code", breaks=True)
    return CODE


def read(content: bytes, options: DocumentOptions) -> SplicedDocument:
    if options.target_language is None:
        raise LexalignError("a TMX file can hold many languages; choose the one to add, as in --to de")
    text, encoding = decode_xml(content)
    root = parse_xml(text)
    header = root.child("header")
    named = header.attributes.get("srclang") if header else None
    edits: list[Edit] = []
    for unit in root.all("tu"):
        language = options.source_language or unit.attributes.get("srclang") or named
        edits += _translate(text, unit, language, options.target_language, options.retranslate)
    return SplicedDocument(content=text, edits=edits, escape=escape_xml, encode=encoding.encode)


def _translate(
    text: str, unit: Element, source_language: str | None, language: str, retranslate: bool
) -> Iterator[Edit]:
    where = f"line {unit.line}: tu {unit.attributes.get('tuid', '')!r}"
    if source_language is None or source_language == "*all*":
        raise LexalignError(f"{where} does not name its source language; give it with --from")
    variants = [child for child in unit.children if child.name == "tuv"]
    source = next((one for one in variants if same_language(_language(one), source_language)), None)
    target = next((one for one in variants if same_language(_language(one), language)), None)
    content = source.child("seg") if source else None
    if source is None or content is None or source is target:
        return
    old = target.child("seg") if target else None
    if old is not None and old.has_text(text) and not retranslate:
        return
    segment = Segment(read_xml(text[content.inner_start : content.inner_end], roles, where), where)
    if not segment.text.text.strip():
        return
    if old is not None:
        yield Edit(start=old.start, end=old.end, before="<seg>", segment=segment, after="</seg>")
        return
    end = (target or variants[-1]).end
    yield Edit(
        start=target.start if target else end,
        end=end,
        before=f"{'' if target else source.indentation(text)}<tuv xml:lang={quoteattr(language)}><seg>",
        segment=segment,
        after="</seg></tuv>",
    )


def _language(variant: Element) -> str:
    return variant.attributes.get("xml:lang") or variant.attributes.get("lang") or ""
