"""Fluent: the values and attributes of messages and terms; comments and all syntax stay to the byte.

The variants of a selector are translated as whole sentences. Lines of one paragraph are joined to one line.
Terms that name a brand (`-brand-name`) are left alone.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lexalign.contracts.errors import LexalignError, MissingExtraError
from lexalign.markup.documents.catalogues.choices import Choice, Literal, Pattern, Placeholder
from lexalign.markup.documents.catalogues.json_tree import Lines
from lexalign.markup.documents.catalogues.messages import pattern_edits
from lexalign.markup.documents.document import DocumentOptions, Edit, SplicedDocument
from lexalign.markup.documents.encoding import decode

if TYPE_CHECKING:
    from fluent.syntax import ast

_WRAPPED = re.compile(r"(?<!\n)\n(?!\n)")
_INDENT = re.compile(r"\n(?!\n)")
# At the beginning of a line they are syntax.
_SYNTAX = re.compile(r"(?m)^([\[*.])")
_MAX_DEPTH = 32
_OPENINGS = re.compile(r"[{}]")


def read(content: bytes, _options: DocumentOptions) -> SplicedDocument:
    text, encoding = decode(content)
    if "\r\n" in text:
        if text.count("\r\n") != text.count("\n"):
            raise LexalignError(
                "some lines end as on Windows and some do not; convert the file to one of them"
            )
        # The parser counts a line end of two characters as one.
        inner = read(text.replace("\r\n", "\n").encode(), _options)
        return SplicedDocument(
            content=inner.content,
            edits=inner.edits,
            escape=inner.escape,
            encode=lambda written: encoding.encode(written.replace("\n", "\r\n")),
        )
    _check_depth(text)
    lines = Lines(text)
    edits: list[Edit] = []
    for entry in _parse(text, lines):
        for name, pattern in _patterns(entry):
            assert pattern.span is not None
            start, end = pattern.span.start, pattern.span.end
            while text[start] == " ":  # the indentation of a value that begins on a line of its own
                start += 1
            where = f"line {lines.number(start)}: {name!r}"
            edits += pattern_edits((start, end), tuple(_nodes(pattern, text)), where, str, _quote)
    return SplicedDocument(content=text, edits=edits, escape=str, encode=encoding.encode)


def _quote(text: str) -> str:
    return _INDENT.sub("\n    ", _SYNTAX.sub(r'{ "\1" }', text))


def _check_depth(text: str) -> None:
    depth = 0
    for match in _OPENINGS.finditer(text):
        depth = depth + 1 if match[0] == "{" else max(0, depth - 1)
        if depth > _MAX_DEPTH:
            line = text.count("\n", 0, match.start()) + 1
            raise LexalignError(
                f"line {line}: braces are nested more than {_MAX_DEPTH} deep; is this file malicious?"
            )


def _parse(text: str, lines: Lines) -> Iterator["ast.Message | ast.Term"]:
    try:
        from fluent.syntax import FluentParser, ast
    except ImportError:
        raise MissingExtraError("Fluent files need fluent.syntax: pip install 'lexalign[files]'") from None
    for entry in FluentParser().parse(text).body:
        if isinstance(entry, ast.Junk):
            start = entry.annotations[0].span.start if entry.annotations else entry.span.start
            reason = entry.annotations[0].message if entry.annotations else "it cannot be read"
            raise LexalignError(f"line {lines.number(start)}: not Fluent: {reason}")
        if isinstance(entry, ast.Message) or (isinstance(entry, ast.Term) and "brand" not in entry.id.name):
            yield entry


def _patterns(entry: "ast.Message | ast.Term") -> Iterator[tuple[str, "ast.Pattern"]]:
    name = entry.id.name
    if entry.value is not None:
        yield name, entry.value
    for attribute in entry.attributes:
        yield f"{name}.{attribute.id.name}", attribute.value


def _nodes(pattern: "ast.Pattern", text: str) -> Iterator[Literal | Placeholder | Choice]:
    from fluent.syntax import ast

    for element in pattern.elements:
        assert element.span is not None
        raw = text[element.span.start : element.span.end]
        if isinstance(element, ast.TextElement):
            yield Literal(_WRAPPED.sub(" ", element.value))
        elif isinstance(element.expression, ast.SelectExpression):
            yield _choice(element, element.expression, text)
        else:
            yield Placeholder(raw)


def _choice(element: "ast.Placeable", select: "ast.SelectExpression", text: str) -> Choice:
    assert element.span is not None
    position = element.span.start
    branches: list[tuple[str, Pattern]] = []
    for variant in select.variants:
        assert variant.value.span is not None
        branches.append((text[position : variant.value.span.start], tuple(_nodes(variant.value, text))))
        position = variant.value.span.end
    return Choice(tuple(branches), text[position : element.span.end])
