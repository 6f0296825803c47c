"""Paragraphs of Office documents: their runs as tagged text, and their translation as runs again.

    <w:r><w:t>Das </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>rote</w:t></w:r><w:r><w:t> Haus</w:t></w:r>

    text  Das rote Haus        tags  <w:rPr><w:b/></w:rPr>  4–8

Runs of the same formatting are one, however an editor has divided them. The formatting of most characters is
that of the paragraph; every other is a tag. A hyperlink or an insertion is a tag around its runs. All other
content, such as a picture, a field, a footnote's mark, a tab, is one empty tag.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape

from lexalign.markup.documents.office.run_writing import FORMAT, RunNames, RunWriter
from lexalign.markup.documents.xml_tree import Element
from lexalign.markup.inline.builder import TagBuilder
from lexalign.markup.inline.xml import escape_xml
from lexalign.markup.tagged_text import TaggedText

# They say how text is checked, not how it looks.
_UNSEEN = re.compile(
    r"""<w:(?:noProof|lang|rsid\w*)\b[^<>]*/>|\s(?:lang|altLang|dirty|err|smtClean|noProof|bmk)="[^"]*\""""
)
_EMPTY_FORMAT = re.compile(r"<(\w+:rPr)\s*(?:/>|></\1>)")


@dataclass(frozen=True, slots=True)
class _Piece:
    """Text in a formatting, or markup: the start or the end of a wrapper, or something else as it is."""

    text: str = ""
    format: str = ""
    markup: str = ""
    opens: str = ""  # the name of a wrapper
    closes: str = ""
    breaks: bool = False


@dataclass(frozen=True, slots=True)
class RunText:
    """The text of a paragraph from `start` to `end` of its part."""

    text: TaggedText
    start: int
    end: int
    format: str
    names: RunNames

    def write(self, translation: TaggedText) -> str:
        return RunWriter(translation, self.format, self.names).write()


def read_runs(text: str, paragraph: Element, names: RunNames) -> RunText | None:
    """The text of a paragraph, without what stands before and after it; None where there is no letter."""
    content = [child for child in paragraph.children if child.name not in ("pPr", "endParaRPr")]
    pieces = [piece for child in content for piece in _pieces(text, child, names)]
    pieces = _with_whole_fields(pieces)
    if not any(character.isalpha() for piece in pieces for character in piece.text):
        return None
    counts: Counter[str] = Counter()
    for piece in pieces:
        counts[piece.format] += len(piece.text)
    base = counts.most_common(1)[0][0]
    return RunText(_tagged(pieces, base), content[0].start, content[-1].end, base, names)


def _pieces(text: str, element: Element, names: RunNames) -> Iterator[_Piece]:
    """The pieces of a child of a paragraph, in their order."""
    markup = text[element.start : element.end]
    if element.name == "r":
        yield from _run_pieces(text, element, names)
    elif element.name in names.ignored:
        return
    elif element.name in names.wrappers and element.children:
        yield _Piece(markup=text[element.start : element.inner_start], opens=element.name)
        for child in element.children:
            if child.name in ("sdtPr", "sdtEndPr", "smartTagPr", "customXmlPr"):
                yield _Piece(markup=text[child.start : child.end])
            else:
                yield from _pieces(text, child, names)
        yield _Piece(markup=text[element.inner_end : element.end], closes=element.name)
    else:
        yield _Piece(markup=markup, breaks=element.name in names.breaks)


def _run_pieces(text: str, run: Element, names: RunNames) -> Iterator[_Piece]:
    """A run is divided: its texts, and everything else in a run of its own with the same formatting."""
    properties = run.child("rPr")
    format = _format(text, properties)
    raw = text[properties.start : properties.end] if properties else ""
    for child in run.children:
        if child is properties or child.name in names.ignored:
            continue
        markup = text[child.start : child.end]
        if child.name == "t":
            yield _Piece(text=unescape(text[child.inner_start : child.inner_end]), format=format)
        elif child.name in ("noBreakHyphen", "softHyphen"):
            yield _Piece(text="\u2011" if child.name == "noBreakHyphen" else "\u00ad", format=format)
        else:
            opening = text[run.start : run.inner_start]
            whole = f"{opening}{raw}{markup}{text[run.inner_end : run.end]}"
            yield _Piece(markup=whole, breaks=child.name in names.breaks)


def _format(text: str, properties: Element | None) -> str:
    if properties is None:
        return ""
    found = _UNSEEN.sub("", text[properties.start : properties.end])
    return "" if _EMPTY_FORMAT.fullmatch(found) else found


def _with_whole_fields(pieces: Sequence[_Piece]) -> list[_Piece]:
    """A field, from its first mark to its last, is one piece; one that goes on elsewhere stays as it is.

    The result of a hyperlink field is text, and the field around it a wrapper.
    """
    found: list[_Piece] = []
    position = 0
    while position < len(pieces):
        end = _field_end(pieces, position)
        if end is None:
            found.append(pieces[position])
            position += 1
            continue
        field = pieces[position : end + 1]
        found += _field_pieces(field)
        position = end + 1
    return found


def _field_end(pieces: Sequence[_Piece], position: int) -> int | None:
    if 'fldCharType="begin"' not in pieces[position].markup:
        return None
    depth = 0
    for index in range(position, len(pieces)):
        depth += 'fldCharType="begin"' in pieces[index].markup
        depth -= 'fldCharType="end"' in pieces[index].markup
        if depth == 0:
            return index
    return None


def _field_pieces(field: Sequence[_Piece]) -> Iterator[_Piece]:
    separator = next(
        (index for index, piece in enumerate(field) if 'fldCharType="separate"' in piece.markup), None
    )
    code = "".join(piece.markup for piece in field[:separator])
    is_link = separator is not None and "HYPERLINK" in code and code.count('"begin"') == 1
    if is_link and separator is not None:
        yield _Piece(markup="".join(piece.markup for piece in field[: separator + 1]), opens="field")
        yield from field[separator + 1 : -1]
        yield _Piece(markup=field[-1].markup, closes="field")
    else:
        yield _Piece(markup="".join(piece.markup or _plain_run(piece) for piece in field))


def _plain_run(piece: _Piece) -> str:
    return f'<w:r>{piece.format}<w:t xml:space="preserve">{escape_xml(piece.text)}</w:t></w:r>'


def _tagged(pieces: Sequence[_Piece], base: str) -> TaggedText:
    builder = TagBuilder()
    current = base
    for index, piece in enumerate(pieces):
        format = piece.format if piece.text else base
        if piece.text and not piece.text.strip() and "<w:u " not in piece.format:
            # A space looks the same in every formatting, so it goes on with that of the text before it.
            later = next((one.format for one in pieces[index + 1 :] if one.text.strip()), base)
            format = current if current == later else base
        if format != current and current != base:
            builder.close("", FORMAT)
        if format != current and format != base:
            builder.open(FORMAT + format, FORMAT)
        current = format
        if piece.text:
            builder.text(piece.text)
        elif piece.opens:
            builder.open(piece.markup, piece.opens)
        elif piece.closes:
            builder.close(piece.markup, piece.closes)
        else:
            builder.empty(piece.markup, breaks=piece.breaks)
    if current != base:
        builder.close("", FORMAT)
    return builder.build()
