"""XML by its structure: text between block elements is a segment, inline elements are its tags.

    <row><cell>rot</cell><cell>grün</cell></row>        two segments, for no cell stands beside text
    <p>ein <hi>rotes</hi> Haus</p>                      one segment, for <hi> does

A caller's options come first, then the rules of the vocabulary, then what surrounds an element anywhere in
the document. An element with a block inside is a block. `translate="no"` is respected. White space inside of
a segment counts as one space, unless `xml:space="preserve"` says otherwise.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from lexalign.contracts.errors import LexalignError
from lexalign.markup.documents.document import DocumentOptions, Edit, Segment, SplicedDocument
from lexalign.markup.documents.encoding import decode_xml
from lexalign.markup.documents.xml_tree import Element, parse_xml, set_attribute
from lexalign.markup.documents.xml_vocabularies import COMMON, Vocabulary, vocabulary_of
from lexalign.markup.inline.xml import CODE, PAIR, Role, TagOptions, escape_xml, read_xml

Kind = Literal["block", "inline", "code", "kept"]
_DOCTYPE = re.compile(r"<!DOCTYPE\s[^<>\[]*")
_WRAPPER = "lexalign.text"  # around a string; a caller's options must not name it by chance
_NOT_TEXT = re.compile(r"<!--[\s\S]*?-->|<\?[\s\S]*?\?>")
_MARKUP_OR_SPACE = re.compile(
    r"""(?P<markup><!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[[\s\S]*?\]\]>|<(?:[^<>"']|"[^"]*"|'[^']*')*>)|\s+"""
)
_OTHER_READERS = {"xliff": "xliff1 or xliff2", "tmx": "tmx", "resources": "android", "html": "html"}


def read(content: bytes, options: DocumentOptions) -> SplicedDocument:
    text, encoding = decode_xml(content)
    root = parse_xml(text)
    if root.name in _OTHER_READERS:
        raise LexalignError(
            f"<{root.name}> has a format of its own; give --format {_OTHER_READERS[root.name]}"
        )
    doctype = match[0] if (match := _DOCTYPE.search(text)) else ""
    namespaces = " ".join(value for name, value in root.attributes.items() if name.startswith("xmlns"))
    structure = Structure(text, root, options.tags, vocabulary_of(root.name, doctype, namespaces))
    edits: list[Edit] = []
    if "xml:lang" in root.attributes and options.target_language:
        edits += set_attribute(text, root, "xml:lang", options.target_language)
    edits += structure.edits(collapse=True)
    return SplicedDocument(content=text, edits=edits, escape=escape_xml, encode=encoding.encode)


def xml_text(text: str, options: TagOptions) -> SplicedDocument:
    """A string with tags, whose white space and line ends stay."""
    try:
        wrapped = f"<{_WRAPPER}>{text}</{_WRAPPER}>"
        edits = list(Structure(wrapped, parse_xml(wrapped), options, Vocabulary()).edits(collapse=False))
    except LexalignError as error:
        reason = re.sub(r"^(?:line \d+: |the text: )*", "", str(error))
        raise LexalignError(f"the text: {reason}") from None
    start, end = len(_WRAPPER) + 2, -len(_WRAPPER) - 3
    return SplicedDocument(
        content=wrapped, edits=edits, escape=escape_xml, encode=lambda written: written[start:end].encode()
    )


@dataclass(frozen=True, slots=True)
class _Run:
    """Text and inline elements between two blocks."""

    start: int
    end: int
    owner: Element


class Structure:
    """The blocks of a document, and the segments between them."""

    def __init__(self, text: str, root: Element, options: TagOptions, vocabulary: Vocabulary) -> None:
        self._text, self._root, self._options, self._vocabulary = text, root, options, vocabulary
        self._elements = [root, *_descendants(root)]
        self._beside_text = {
            child.name
            for element in self._elements
            if element.children and self._has_text(element)
            for child in element.children
        }
        self._blocks = self._find_blocks()

    def edits(self, *, collapse: bool) -> Iterator[Edit]:
        for run in sorted(self._runs(), key=lambda run: run.start):
            raw = self._text[run.start : run.end]
            keeps_space = not collapse or run.owner.inherited("xml:space") == "preserve"
            where = f"line {run.owner.line}: <{run.owner.name}>"
            tagged = read_xml(raw if keeps_space else _collapsed(raw), self._role, where)
            if any(character.isalpha() for character in tagged.text):
                yield Edit(start=run.start, end=run.end, segment=Segment(tagged, where))

    def kind(self, name: str) -> Kind:
        """What an element is by its name."""
        options = self._options
        if name in options.ignore_tags:
            return "code"
        if name in options.splitting_tags:
            return "block"
        if name in options.non_splitting_tags or not options.outline_detection:
            return "inline"
        for vocabulary in (self._vocabulary, COMMON):
            for kind, names in _kinds(vocabulary):
                if name in names:
                    return kind
        return "inline" if name in self._beside_text else "block"

    def _find_blocks(self) -> set[int]:
        """Elements that are blocks, or have one inside, or are kept beside no text."""
        blocks = {id(self._root)}
        for element in reversed(self._elements):  # children come before their parents
            kind = self.kind(element.name)
            is_own = kind in ("block", "kept") or (kind == "code" and element.name not in self._beside_text)
            if (is_own or id(element) in blocks) and element.parent is not None:
                blocks.add(id(element))
                if not (kind == "code" or element.name in self._options.ignore_tags):
                    blocks.add(id(element.parent))
        return blocks

    def _runs(self) -> Iterator[_Run]:
        waiting = [self._root]
        while waiting:
            element = waiting.pop()
            if self._is_kept(element):
                continue
            position = element.inner_start
            inner: list[Element] = []
            for child in element.children:
                if id(child) in self._blocks:
                    yield from self._run(position, child.start, element)
                    position = child.end
                    inner.append(child)
            yield from self._run(position, element.inner_end, element)
            waiting.extend(reversed(inner))

    def _run(self, start: int, end: int, owner: Element) -> Iterator[_Run]:
        while start < end and self._text[start].isspace():
            start += 1
        while end > start and self._text[end - 1].isspace():
            end -= 1
        if start < end:
            yield _Run(start, end, owner)

    def _is_kept(self, element: Element) -> bool:
        return self.kind(element.name) in ("kept", "code") or _refuses(element.attributes)

    def _role(self, name: str, attributes: Mapping[str, str]) -> Role:
        if self.kind(name.rpartition(":")[2]) in ("code", "kept") or _refuses(attributes):
            return CODE
        return PAIR

    def _has_text(self, element: Element) -> bool:
        position = element.inner_start
        for child in element.children:
            if _NOT_TEXT.sub("", self._text[position : child.start]).strip():
                return True
            position = child.end
        return bool(_NOT_TEXT.sub("", self._text[position : element.inner_end]).strip())


def _descendants(root: Element) -> Iterator[Element]:
    waiting = list(reversed(root.children))
    while waiting:
        element = waiting.pop()
        yield element
        waiting.extend(reversed(element.children))


def _kinds(vocabulary: Vocabulary) -> Iterator[tuple[Kind, frozenset[str]]]:
    yield "inline", vocabulary.inline
    yield "block", vocabulary.blocks
    yield "code", vocabulary.code
    yield "kept", vocabulary.kept


def _refuses(attributes: Mapping[str, str]) -> bool:
    return "no" in (attributes.get("translate"), attributes.get("its:translate"))


def _collapsed(raw: str) -> str:
    return _MARKUP_OR_SPACE.sub(lambda match: match["markup"] or " ", raw)
