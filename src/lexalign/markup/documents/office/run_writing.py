"""Runs of Office documents, written from tagged text."""

from dataclasses import dataclass

from lexalign.markup.inline.xml import escape_xml
from lexalign.markup.tagged_text import CLOSING_PUNCTUATION, Tag, TaggedText

FORMAT = "\x01"  # marks the tag of a formatting, whose markup is its properties


@dataclass(frozen=True, kw_only=True)
class RunNames:
    """What a vocabulary calls its elements, without prefixes."""

    prefix: str
    wrappers: frozenset[str]  # around runs
    breaks: frozenset[str]  # inside of runs or beside them; they end a sentence
    ignored: frozenset[str]  # marks of an editor, which are left out of a translated paragraph
    preserve: str = ""  # the attribute that keeps white space


WORD = RunNames(
    prefix="w",
    wrappers=frozenset(
        {"hyperlink", "ins", "smartTag", "sdt", "sdtContent", "moveTo", "customXml", "bdo", "dir"}
    ),
    breaks=frozenset({"br", "tab", "cr", "ptab"}),
    ignored=frozenset({"proofErr", "lastRenderedPageBreak"}),
    preserve=' xml:space="preserve"',
)
DRAWING = RunNames(
    prefix="a", wrappers=frozenset(), breaks=frozenset({"br", "tab"}), ignored=frozenset(), preserve=""
)


class RunWriter:
    """Writes runs: text is collected until the formatting changes or other markup comes."""

    def __init__(self, translation: TaggedText, base: str, names: RunNames) -> None:
        self._translation, self._names = translation, names
        self._formats = [base]
        self._parts: list[str] = []
        self._text: list[str] = []

    def write(self) -> str:
        position = 0
        text = self._translation.text
        space = False  # whether a tag requires white space here
        for edge, index, closes in self._translation.edges():
            self._add(text[position:edge], space)
            space = space and position == edge
            position = edge
            tag = self._translation.tags[index]
            if (tag.space_after if closes else tag.space_before) and not self._after_space():
                space = True
            if not closes and space and not tag.opening.startswith(FORMAT):
                self._text.append(" ")
                space = False
            self._mark(tag, closes)
        self._add(text[position:], space)
        self._flush()
        return "".join(self._parts)

    def _add(self, text: str, space: bool) -> None:
        if text and space and not text[0].isspace() and text[0] not in CLOSING_PUNCTUATION:
            self._text.append(" ")
        self._text.append(text)

    def _after_space(self) -> bool:
        before = "".join(self._text)
        return before.endswith(" ") if before else not self._parts

    def _mark(self, tag: Tag, closes: bool) -> None:
        if tag.opening.startswith(FORMAT):
            if tag.kind != "pair":
                return
            self._flush()
            if closes:
                self._formats.pop()
            else:
                self._formats.append(tag.opening[1:])
            return
        markup = tag.closing if closes else tag.opening
        if markup:
            self._flush()
            self._parts.append(markup)

    def _flush(self) -> None:
        text = "".join(self._text)
        self._text.clear()
        if text:
            p, preserve = self._names.prefix, self._names.preserve
            self._parts.append(
                f"<{p}:r>{self._formats[-1]}<{p}:t{preserve}>{escape_xml(text)}</{p}:t></{p}:r>"
            )
