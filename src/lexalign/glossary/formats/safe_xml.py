"""Safe reading of untrusted XML, and writing: no entities, no network, errors with their line.

A document type may be declared, as TMX and TBX files do, but is never loaded. Entity declarations, which
expansion bombs and file disclosure need and no glossary does, are refused.
"""

from collections.abc import Iterator
from typing import Any
from xml.parsers import expat

from lexalign.contracts.errors import LexalignError, MissingExtraError
from lexalign.glossary.entries import Entry

XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"


class _EndOfPrologError(Exception):
    pass


def parse_xml(content: bytes, name: str) -> Any:
    """The root element, by lxml."""
    try:
        from lxml import etree
    except ImportError:
        raise MissingExtraError("TBX and TMX need lxml: pip install 'lexalign[files]'") from None
    _refuse_entities(content, name)
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        return etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        line = f", line {error.lineno}" if error.lineno else ""
        raise LexalignError(f"{name}{line}: not well-formed XML: {' '.join(error.msg.split())}") from None


def elements(parent: Any, *names: str) -> Iterator[Any]:
    """All descendants with one of these names, in any namespace."""
    for element in parent.iter("{*}*"):
        if local_name(element) in names:
            yield element


def local_name(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def language_of(element: Any) -> str:
    """The language of an element; TMX before 1.4 writes it without a namespace."""
    return str(element.get(XML_LANG) or element.get("lang") or "").strip()


def text_of(element: Any, codes: tuple[str, ...] = ()) -> str:
    """The text of an element with normalized white space; the content of `codes` is markup, not text."""
    return " ".join("".join(_texts(element, codes)).split())


def required_language(code: str | None, entry: Entry) -> str:
    if not code:
        raise LexalignError(
            f'the languages of "{entry.source}" are not known, but this format needs them; give both'
        )
    return code


def render_tree(root: Any, doctype: str | None = None) -> bytes:
    from lxml import etree

    written: bytes = etree.tostring(
        root, xml_declaration=True, encoding="UTF-8", pretty_print=True, doctype=doctype
    )
    return written


def _texts(element: Any, codes: tuple[str, ...]) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if isinstance(child.tag, str) and local_name(child) not in codes:
            yield from _texts(child, codes)
        yield child.tail or ""


def _refuse_entities(content: bytes, name: str) -> None:
    """Parse up to the first element with expat, which reports declarations before it uses them."""
    parser = expat.ParserCreate()

    def refuse(*_: object) -> None:
        raise LexalignError(
            f"{name}, line {parser.CurrentLineNumber}: declares an XML entity, which is refused for safety; "
            "remove the declaration"
        )

    def finish(*_: object) -> None:
        raise _EndOfPrologError

    parser.EntityDeclHandler = refuse
    parser.UnparsedEntityDeclHandler = refuse
    parser.StartElementHandler = finish
    try:
        parser.Parse(content, True)
    except _EndOfPrologError:
        return
    except (expat.ExpatError, LookupError, ValueError):
        return  # lxml has better error messages
