"""Markdown: headings, paragraphs, lists, tables, HTML, alternative texts and titles; the rest stays as it is.

Front matter, code, addresses, reference definitions, list markers, quote marks and indentation stay to the
byte. Of YAML front matter, the values of keys such as `title` and `description` are translated.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from lexalign.contracts.errors import LexalignError
from lexalign.markup.documents.catalogues.yaml_messages import compose, scalar_edits, scalars
from lexalign.markup.documents.document import DocumentOptions, Edit, Segment
from lexalign.markup.documents.encoding import decode
from lexalign.markup.documents.html import attribute_edits, escape_value, paragraph_edits
from lexalign.markup.documents.layers import Layer, LayeredDocument
from lexalign.markup.documents.markdown.blocks import Block, Blocks, read_blocks
from lexalign.markup.documents.markdown.inline import InlineToken
from lexalign.markup.documents.markdown.paragraphs import read_paragraph
from lexalign.markup.inline.html import escape_html
from lexalign.markup.tagged_text import TaggedText

FRONT_MATTER_KEYS = frozenset(
    "title linktitle subtitle description summary excerpt abstract caption alt sidebar_label "  # noqa: SIM905
    "nav_title short_title tagline lead headline intro".split()
)
_FRONT_MATTER = re.compile(
    r"(?:---[ \t]*\r?\n([\s\S]*?)^(?:---|\.\.\.)|\+\+\+[ \t]*\r?\n[\s\S]*?^\+\+\+)[ \t]*$\r?\n?", re.M
)
# What stands before the text of a paragraph: a task's box, a footnote's mark, the name of an alert.
_BEFORE = re.compile(r"\[[ xX]\]\s+|\[\^[^\]\s]{1,100}\]:\s+|\[![A-Za-z]+\]\n")
_HEADING_ID = re.compile(r"\s*\{[#.:][^{}]*\}\Z")
_TITLE = re.compile(r"""[\s\0](?:"((?:[^"\\]|\\.)+)"|'((?:[^'\\]|\\.)+)')\s*\)?\Z""")
_DEFINITION = re.compile(
    r"""^[ ]{0,3}(?:>[ ]?)*[ ]*\[(?P<label>[^\]^]+)\]:\s+\S+\s+
    (?:"(?P<double>[^"\n]+)"|'(?P<single>[^'\n]+)')[ \t]*$""",
    re.MULTILINE | re.VERBOSE,
)
_LETTER = re.compile(r"[^\W\d_]")


def read(content: bytes, _options: DocumentOptions) -> LayeredDocument:
    text, encoding = decode(content)
    return LayeredDocument(text, (Layer(_inner_edits, str), Layer(_outer_edits, str)), encoding.encode)


def _blocks(text: str) -> Blocks:
    match = _FRONT_MATTER.match(text)
    return read_blocks(text, skip=match.end() if match else 0)


def _outer_edits(text: str) -> Iterator[Edit]:
    """Front matter, paragraphs and HTML blocks, in their order."""
    blocks = _blocks(text)
    edits = [*_front_matter_edits(text)]
    for block in blocks.texts:
        edits += _block_edits(block, blocks)
    for html in blocks.html:
        edits += _shifted(paragraph_edits(text[html.start : html.end]), html.start, blocks, escape_html)
    yield from sorted(edits, key=lambda edit: edit.start)


def _block_edits(block: Block, blocks: Blocks) -> Iterator[Edit]:
    start = match.end() if (match := _BEFORE.match(block.content)) else 0
    end = len(block.content)
    if block.kind == "heading" and (match := _HEADING_ID.search(block.content)):
        end = match.start()
    tokens = [
        InlineToken(
            token.kind, token.start - start, token.end - start, token.content, token.label_end - start
        )
        for token in block.tokens
        if token.start >= start and token.end <= end
    ]
    first_line = block.content.count("\n", 0, start)
    paragraph = read_paragraph(
        block.content[start:end],
        tokens,
        blocks.references,
        prefix=block.prefix,
        in_table=block.kind == "cell",
    )
    if _LETTER.search(paragraph.text.text):
        segment = Segment(paragraph.text, f"line {block.line + first_line}")
        stop = block.end - (len(block.content) - end)
        yield Edit(start=block.offset(start), end=stop, segment=segment, write=paragraph.write)


def _inner_edits(text: str) -> Iterator[Edit]:
    """Alternative texts and titles, and the attributes of HTML blocks."""
    blocks = _blocks(text)
    edits: list[Edit] = []
    for block in blocks.texts:
        for token in block.tokens:
            if "|" not in block.content or block.kind != "cell":
                edits += _token_edits(block, token)
    for match in _DEFINITION.finditer(text):
        if _normalized(match["label"]) in blocks.references:
            kind = "double" if match["double"] else "single"
            edits += _text_edit(match.span(kind), match[kind], f"line {blocks.line(match.start())}: title")
    for html in blocks.html:
        inner = attribute_edits(text[html.start : html.end], DocumentOptions())
        edits += _shifted(inner, html.start, blocks, escape_value)
    yield from sorted(edits, key=lambda edit: edit.start)


def _token_edits(block: Block, token: InlineToken) -> Iterator[Edit]:
    where = f"line {block.line + block.content.count(chr(10), 0, token.start)}"
    markup = block.content[token.start : token.end]
    if token.kind == "image":
        label = block.content[token.start + 2 : token.label_end]
        is_label = block.content[token.label_end : token.end] in ("]", "][]")
        if not is_label and "\n" not in label:
            offset = block.offset(token.start + 2)
            yield from _text_edit((offset, offset + len(label)), label, f"{where}: alternative text")
    if token.kind in ("image", "link_close") and markup.endswith(")") and (match := _TITLE.search(markup)):
        group = 1 if match[1] else 2
        if "\n" not in match[group]:
            offset = block.offset(token.start + match.start(group))
            yield from _text_edit((offset, offset + len(match[group])), match[group], f"{where}: title")


def _text_edit(span: tuple[int, int], raw: str, where: str) -> Iterator[Edit]:
    if _LETTER.search(raw):
        segment = Segment(TaggedText(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", raw)), where)
        yield Edit(start=span[0], end=span[1], segment=segment, write=_write_inner)


def _write_inner(translation: TaggedText) -> str:
    return re.sub(r"""([\\\[\]"'])""", r"\\\1", translation.render()).replace("\\'", "'")


def _front_matter_edits(text: str) -> Iterator[Edit]:
    match = _FRONT_MATTER.match(text)
    if match is None or not match[1]:
        return
    offset = match.start(1)
    try:
        roots = compose(match[1])
    except LexalignError as error:
        raise LexalignError(f"front matter: {error}") from None
    for root in roots:
        for scalar in scalars(root):
            if scalar.path and scalar.path[-1].lower() in FRONT_MATTER_KEYS:
                for edit in scalar_edits(match[1], replace(scalar, line=scalar.line + 1)):
                    yield replace(edit, start=edit.start + offset, end=edit.end + offset)


def _shifted(
    edits: Iterator[Edit], offset: int, blocks: Blocks, escape: Callable[[str], str]
) -> Iterator[Edit]:
    """Edits of an HTML block as edits of its document."""

    def write(translation: TaggedText) -> str:
        return translation.render(escape)

    for edit in edits:
        segment = edit.segment and replace(edit.segment, where=f"line {blocks.line(offset + edit.start)}")
        yield replace(edit, start=edit.start + offset, end=edit.end + offset, segment=segment, write=write)


def _normalized(label: str) -> str:
    return " ".join(label.split()).lower().upper()
