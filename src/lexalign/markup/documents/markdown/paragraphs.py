r"""Inline text of Markdown as tagged text, and its translation as Markdown again.

Emphasis, links and HTML are tags; code spans and addresses in angle brackets are held as placeholders. The
text of a reference link `[text]` is its label too, so it becomes `[translation][text]`. Characters that would
be markup are escaped. A translation in which emphasis would not be read as such, because of the characters
around it, has `<em>` and `<strong>` instead.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lexalign.markup.documents.markdown.inline import InlineToken, parse_inline
from lexalign.markup.inline.builder import TagBuilder
from lexalign.markup.inline.html import VOID
from lexalign.markup.inline.messages import HeldPlaceholders
from lexalign.markup.tagged_text import Tag, TaggedText

_HTML_NAME = re.compile(r"<(/?)([A-Za-z][\w-]*)")
_BLOCK_START = re.compile(r"(?:[-+*](?=\s|$)|#{1,6}(?=\s|$)|>|\d{1,9}(?=[.)](?:\s|$))|(?:=+|-+)\s*$|~~~|:::)")
_ESCAPED = re.compile(
    r"""\\(?=[!-/:-@\[-`{-~])|`|(?<!\s)\*|\*(?!\s)|(?<!\w)_|_(?!\w)|\](?=[\[(:])|<(?=[A-Za-z/!?])
      |&(?=\#?\w+;)|~(?=~)|!(?=\[)""",
    re.VERBOSE,
)
_FOOTNOTE = re.compile(r"\[\^[^\]\s]{1,100}\]")
_HTML_FOR = {"*": "em", "_": "em", "**": "strong", "__": "strong", "~~": "del"}
_MARKUP = {"em_open", "strong_open", "s_open", "link_open"}
_SPACE = re.compile(r"(?<=\S) (?=\S)")
_SPACE_IN_MARKUP = "\0"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A text; `prefix` stands before each of its lines but the first, and `width` is that of the longest."""

    text: TaggedText
    held: HeldPlaceholders
    references: dict[str, Any]
    prefix: str
    width: int | None  # None where it is one line
    in_table: bool
    markup: tuple[str, ...]  # the emphasis and the links that must be there

    def write(self, translation: TaggedText) -> str:
        written = self._written(translation)
        if self._markup(written) != self.markup:
            written = self._written(_with_html(translation))
        return written.replace("|", "\\|") if self.in_table else written

    def _written(self, translation: TaggedText) -> str:
        tags = tuple(
            replace(tag, opening=_unbreakable(tag.opening), closing=_unbreakable(tag.closing))
            for tag in translation.tags
        )
        text = TaggedText(translation.text, tags).render(_escape)
        restored = self.held.restore(text)
        lines = [line for part in restored.split("\n") for line in self._wrapped(part)]
        return ("\n" + self.prefix).join(map(_escape_start, lines)).replace(_SPACE_IN_MARKUP, " ")

    def _wrapped(self, text: str) -> list[str]:
        if self.width is None:
            return [text]
        lines, start, last = [], 0, None
        for match in _SPACE.finditer(text):
            if match.start() - start > self.width and last is not None:
                lines.append(text[start:last])
                start, last = last + 1, None
            if not _BLOCK_START.match(text, match.end()) and not text.startswith("<", match.end()):
                last = match.start()
        if last is not None and len(text) - start > self.width:
            lines.append(text[start:last])
            start = last + 1
        return [*lines, text[start:]]

    def _markup(self, written: str) -> tuple[str, ...]:
        content = written.replace("\n" + self.prefix, "\n")
        return _markup_of(parse_inline(content, self.references))


def read_paragraph(
    content: str,
    tokens: Sequence[InlineToken],
    references: Mapping[str, Any],
    *,
    prefix: str = "",
    in_table: bool = False,
) -> Paragraph:
    """`content` is the text without the prefixes of its lines."""
    held = HeldPlaceholders(content)
    builder = TagBuilder()
    position = 0
    for token in tokens:
        gap = content[position : token.start]
        _add_text(builder, gap.rstrip(" ") if token.kind.endswith("break") else gap)
        position = token.end
        markup = content[token.start : token.end].replace("\n", " ")
        match token.kind:
            case "softbreak":
                builder.text(" ")
            case "hardbreak":
                builder.empty("\\\n" if markup.startswith("\\") else "  \n", breaks=True)
            case "code_inline" | "autolink":
                builder.text(held.hold(_unbreakable(markup)))
            case "html_inline":
                _add_html(builder, markup)
            case "image":
                builder.empty(markup)
            case "link_close":
                is_label = markup in ("]", "][]")
                builder.close(f"][{_link_text(content, tokens, token)}]" if is_label else markup, "link")
            case kind if kind.endswith("_open"):
                builder.open(markup, kind.removesuffix("_open"))
            case kind if kind.endswith("_close"):
                builder.close(markup, kind.removesuffix("_close"))
            case _:  # an escaped character, an entity, or a delimiter that is text
                builder.text(token.content)
    _add_text(builder, content[position:])
    lines = content.split("\n")
    return Paragraph(
        text=builder.build(),
        held=held,
        references={"references": references},
        prefix=prefix,
        width=max(len(line) for line in lines) if len(lines) > 1 else None,
        in_table=in_table,
        markup=_markup_of(tokens),
    )


def _link_text(content: str, tokens: Sequence[InlineToken], closing: InlineToken) -> str:
    """The text of a link, which never has another link inside."""
    opening = [token for token in tokens if token.kind == "link_open" and token.end <= closing.start][-1]
    return content[opening.end : closing.start].replace("\n", " ")


def _add_html(builder: TagBuilder, markup: str) -> None:
    match = _HTML_NAME.match(markup)
    name = match[2].lower() if match else ""
    if not match or name in VOID or markup.endswith("/>"):
        builder.empty(markup, breaks=name == "br")
    elif match[1]:
        builder.close(markup, "<" + name)
    else:
        builder.open(markup, "<" + name)


def _add_text(builder: TagBuilder, text: str) -> None:
    """Text with the marks of footnotes, which belong to the word before them."""
    position = 0
    for match in _FOOTNOTE.finditer(text):
        builder.text(text[position : match.start()])
        builder.empty(match[0])
        position = match.end()
    builder.text(text[position:])


def _markup_of(tokens: Sequence[InlineToken]) -> tuple[str, ...]:
    return tuple(sorted(token.kind for token in tokens if token.kind in _MARKUP))


def _with_html(text: TaggedText) -> TaggedText:
    return TaggedText(text.text, tuple(_html_tag(tag) for tag in text.tags))


def _html_tag(tag: Tag) -> Tag:
    name = _HTML_FOR.get(tag.opening)
    return replace(tag, opening=f"<{name}>", closing=f"</{name}>") if name else tag


def _unbreakable(markup: str) -> str:
    return markup if markup.endswith("\n") else markup.replace(" ", _SPACE_IN_MARKUP)


def _escape(text: str) -> str:
    return _ESCAPED.sub(lambda match: "&amp;" if match[0] == "&" else "\\" + match[0], text)


def _escape_start(line: str) -> str:
    """A line that would begin a block begins with an escape instead."""
    match = _BLOCK_START.match(line)
    if match is None:
        return line
    position = match.end() if match[0].isdigit() else 0
    return line[:position] + "\\" + line[position:]
