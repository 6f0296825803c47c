r"""Android's `strings.xml`: strings, the items of arrays and of plurals; all else stays to the byte.

`translatable="false"`, references (`@string/name`) and the content of `<xliff:g>` are left alone. Inline
elements are tags. Escapes (`\'`, `\n`, `\u0020`) are read and written; white space counts as one space.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from lexalign.contracts.errors import LexalignError
from lexalign.markup.documents.catalogues.messages import message_edits
from lexalign.markup.documents.document import DocumentOptions, Edit, Segment, SplicedDocument
from lexalign.markup.documents.encoding import decode_xml
from lexalign.markup.documents.xml_tree import Element, parse_xml
from lexalign.markup.inline.xml import CODE, PAIR, Role, escape_xml, read_xml
from lexalign.markup.tagged_text import TaggedText

_REFERENCE = re.compile(r"\s*[@?](?:\+?[\w.]+:)?\w+/[\w.]+\s*")
_CDATA = re.compile(r"\s*<!\[CDATA\[([\s\S]*)\]\]>\s*")
# Outside of tags: an escape, white space, or a quote, which keeps the white space inside of it.
_TOKEN = re.compile(
    r"""(?P<tag><[^<>]*>)|\\u(?P<code>[0-9a-fA-F]{4})|\\(?P<letter>[\s\S])|(?P<space>\s+)|(?P<quote>")"""
)
_LETTERS = {"n": "\n", "t": "\t"}


def roles(name: str, _attributes: Mapping[str, str]) -> Role:
    return CODE if name.startswith("xliff:") or name in ("annotation-value", "drawable") else PAIR


def read(content: bytes, _options: DocumentOptions) -> SplicedDocument:
    text, encoding = decode_xml(content)
    root = parse_xml(text)
    if root.name != "resources":
        raise LexalignError(f"not an Android resource file: its root is <{root.name}>, not <resources>")
    edits: list[Edit] = []
    for element in root.children:
        if element.name == "string":
            edits += _edits(text, element, element.attributes.get("name", ""))
        elif element.name in ("string-array", "plurals"):
            name = element.attributes.get("name", "")
            for index, item in enumerate(child for child in element.children if child.name == "item"):
                edits += _edits(text, item, f"{name}.{item.attributes.get('quantity', index)}")
    return SplicedDocument(content=text, edits=edits, escape=escape_xml, encode=encoding.encode)


def _edits(text: str, element: Element, name: str) -> Iterator[Edit]:
    inner = text[element.inner_start : element.inner_end]
    if element.inherited("translatable") == "false" or _REFERENCE.fullmatch(inner):
        return
    where = f"line {element.line}: {name!r}"
    if cdata := _CDATA.fullmatch(inner):
        span = (element.inner_start + cdata.start(1), element.inner_start + cdata.end(1))
        yield from message_edits(span, _unescape(cdata[1]), where, _escape, "plain")
        return
    quoted = inner.strip().startswith('"') and inner.strip().endswith('"') and len(inner.strip()) > 1
    tagged = read_xml(_unescape(inner.strip(), escape_xml), roles, where)
    if not any(character.isalpha() for character in tagged.text):
        return
    yield Edit(
        start=element.inner_start + len(inner) - len(inner.lstrip()),
        end=element.inner_start + len(inner.rstrip()),
        before='"' if quoted else "",
        segment=Segment(tagged, where),
        write=_write,
        after='"' if quoted else "",
    )


def _write(translation: TaggedText) -> str:
    text = translation.render(lambda part: escape_xml(_escape(part)))
    return "\\" + text if text.startswith(("@", "?")) else text


def _unescape(text: str, escape: Callable[[str], str] = str) -> str:
    """Text as a program sees it; `escape` for characters that were escapes."""
    quoted = False

    def plain(match: re.Match[str]) -> str:
        nonlocal quoted
        if match["tag"]:
            return match[0]
        if match["code"]:
            return escape(chr(int(match["code"], 16)))
        if match["letter"]:
            return escape(_LETTERS.get(match["letter"], match["letter"]))
        if match["quote"]:
            quoted = not quoted
            return ""
        return match[0] if quoted else " "

    return _TOKEN.sub(plain, text)


def _escape(text: str) -> str:
    text = text.replace("\\", "\\\\").replace("'", "\\'").replace('"', '\\"')
    return text.replace("\n", "\\n").replace("\t", "\\t")
