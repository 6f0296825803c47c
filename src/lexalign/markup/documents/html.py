"""HTML: text between block elements, and attributes with text.

A segment reaches from one block tag to the next. Inline elements are its tags; `<code>` and similar elements,
and those with `translate="no"` or `class="notranslate"`, are one tag with their content. White space inside
of a segment is collapsed to one space, as in browsers. Everything else stays unchanged, to the byte.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from html import escape

from lexalign.markup.documents.document import DocumentOptions, Edit, Segment
from lexalign.markup.documents.encoding import decode_html
from lexalign.markup.documents.layers import Layer, LayeredDocument
from lexalign.markup.inline.builder import TagBuilder
from lexalign.markup.inline.html import (
    BLOCKS,
    Attribute,
    OpenElements,
    Token,
    attributes,
    escape_html,
    tokens,
)
from lexalign.markup.tagged_text import TaggedText

TRANSLATED_ATTRIBUTES = frozenset(
    {
        "abbr",
        "alt",
        "aria-description",
        "aria-label",
        "aria-placeholder",
        "aria-roledescription",
        "placeholder",
    }
    | {"label", "summary", "title"}
)
# The content of <meta> is text under these names.
_META_NAMES = frozenset(
    {"description", "keywords", "og:description", "og:image:alt", "og:title"}
    | {"twitter:description", "twitter:image:alt", "twitter:title"}
)
_BUTTON_TYPES = frozenset({"button", "reset", "submit"})
_WHITE = " \t\n\r\f"
_SPACES = re.compile(f"[{_WHITE}]+")


def read(content: bytes, options: DocumentOptions) -> LayeredDocument:
    text, encoding = decode_html(content)
    return html_document(text, encoding.encode, options)


def html_document(text: str, encode: Callable[[str], bytes], options: DocumentOptions) -> LayeredDocument:
    """Attributes are replaced first, so that a tag that moves has its translated attributes."""
    layers = (
        Layer(lambda now: attribute_edits(now, options), escape_value),
        Layer(paragraph_edits, escape_html),
    )
    return LayeredDocument(text, layers, encode)


def escape_value(value: str) -> str:
    return escape(value, quote=True)


def attribute_edits(text: str, options: DocumentOptions) -> Iterator[Edit]:
    elements = OpenElements()
    for token in tokens(text):
        if token.kind == "end":
            elements.end(token)
        if token.kind != "start":
            continue
        elements.start(token)
        translate = elements.translate if token.translate is None else token.translate
        given = list(attributes(text[token.start : token.end], token.start))
        for found in given:
            if found.name in ("lang", "xml:lang") and token.name == "html" and options.target_language:
                value = f'"{escape_value(options.target_language)}"'
                yield Edit(start=found.start, end=found.end, before=value)
            if translate and _is_text(token.name, found, given) and _has_letter(found.value):
                line = text.count("\n", 0, found.start) + 1
                segment = Segment(TaggedText(found.value), f"line {line}: {found.name}")
                yield Edit(start=found.start, end=found.end, before='"', segment=segment, after='"')


def _is_text(element: str, attribute: Attribute, given: Sequence[Attribute]) -> bool:
    """Whether an attribute is read by people."""
    if attribute.name in TRANSLATED_ATTRIBUTES:
        return attribute.name != "label" or element in ("optgroup", "option", "track")
    values = {one.name: one.value.lower() for one in given}
    if element == "meta" and attribute.name == "content":
        return bool({values.get("name"), values.get("property")} & _META_NAMES)
    return element == "input" and attribute.name == "value" and values.get("type") in _BUTTON_TYPES


def paragraph_edits(text: str) -> Iterator[Edit]:
    """Edits for the paragraphs: text between two block tags that has a letter."""
    elements = OpenElements()
    pieces: list[Token] = []
    line, counted = 1, 0
    for token in [*tokens(text), Token("start", len(text), len(text), "html")]:
        kept = not elements.translate
        if token.kind == "start":
            elements.start(token)
        elif token.kind == "end":
            elements.end(token)
        if token.kind in ("start", "end") and token.name in BLOCKS:
            pieces = _trimmed(pieces, text)
            if any(piece.kind == "text" and _has_letter(piece.text) for piece in pieces):
                line += text.count("\n", counted, pieces[0].start)
                counted = pieces[0].start
                segment = Segment(_tagged(pieces, text), f"line {line}")
                yield Edit(start=pieces[0].start, end=pieces[-1].end, segment=segment)
            pieces = []
        elif kept or not elements.translate:
            _keep(pieces, token)
        else:
            pieces.append(token)


def _keep(pieces: list[Token], token: Token) -> None:
    """Add a token that is not translated; neighbouring ones are joined."""
    if pieces and pieces[-1].kind == "kept":
        pieces[-1] = replace(pieces[-1], end=token.end)
    else:
        pieces.append(replace(token, kind="kept", name="", text=""))


def _trimmed(pieces: list[Token], content: str) -> list[Token]:
    """Remove white space and tags at both ends, which the translation cannot move."""
    first, last = 0, len(pieces)
    while first < last and _is_removable(pieces[first], "end"):
        first += 1
    while last > first and _is_removable(pieces[last - 1], "start"):
        last -= 1
    pieces = pieces[first:last]
    if pieces and pieces[0].kind == "text":
        raw = content[pieces[0].start : pieces[0].end]
        start = pieces[0].start + len(raw) - len(raw.lstrip(_WHITE))
        pieces[0] = replace(pieces[0], start=start, text=pieces[0].text.lstrip(_WHITE))
    if pieces and pieces[-1].kind == "text":
        raw = content[pieces[-1].start : pieces[-1].end]
        end = pieces[-1].start + len(raw.rstrip(_WHITE))
        pieces[-1] = replace(pieces[-1], end=end, text=pieces[-1].text.rstrip(_WHITE))
    return pieces


def _is_removable(piece: Token, half: str) -> bool:
    if piece.kind == "text":
        return not piece.text.strip(_WHITE)
    return piece.kind in ("other", "kept", half) or piece.empty


def _tagged(pieces: Sequence[Token], content: str) -> TaggedText:
    builder = TagBuilder()
    after_space = True  # the next space is collapsed, as in browsers
    after_start = False
    for piece in pieces:
        markup = content[piece.start : piece.end]
        if piece.kind == "text":
            text = _SPACES.sub(" ", piece.text)
            text = text[1:] if after_space and text.startswith(" ") else text
            after_space = text.endswith(" ") or (after_space and not text)
            builder.text(text)
        elif piece.kind == "end":
            builder.close(markup, piece.name)
            after_space = after_space and not after_start
        elif piece.kind == "start" and not piece.empty:
            builder.open(markup, piece.name)
        else:
            builder.empty(markup)
            after_space = False
        after_start = piece.kind == "start"
    return builder.build()


def _has_letter(text: str) -> bool:
    return any(character.isalpha() for character in text)
