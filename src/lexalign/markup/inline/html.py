"""The tokens of an HTML text with their offsets, and the kinds of its elements.

Python's own tokenizer is used, not a tree: a tree repairs a page, and the repaired page is another one.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import escape, unescape
from html.parser import HTMLParser
from itertools import pairwise
from typing import Literal

VOID = frozenset(
    "area base br col embed frame hr img input link meta param source track wbr".split()  # noqa: SIM905
)
# Elements that end a paragraph. All others, also unknown ones, are inline.
BLOCKS = frozenset(
    """address article aside blockquote body br button canvas caption center col colgroup datalist dd details
    dialog dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head
    header hgroup hr html iframe legend li link main map menu meta nav noframes noscript object ol optgroup
    option p param picture pre progress script search section select slot source style summary svg table tbody
    td template textarea tfoot th thead title tr track ul video audio math base""".split()  # noqa: SIM905
)
# Their content is code or preformatted, and is not translated.
UNTOUCHED = frozenset(
    "code kbd math pre samp script style svg template textarea tt var xmp".split()  # noqa: SIM905
)
# Start tags that end an element without an end tag.
_ENDED_BY: dict[str, frozenset[str]] = {
    "p": BLOCKS - {"br", "button", "map", "noscript", "object", "script", "template", "link", "meta"},
    "li": frozenset({"li"}),
    "dt": frozenset({"dt", "dd"}),
    "dd": frozenset({"dt", "dd"}),
    "option": frozenset({"option", "optgroup"}),
    "tr": frozenset({"tr", "tbody", "tfoot"}),
    "td": frozenset({"td", "th", "tr", "tbody", "tfoot"}),
    "th": frozenset({"td", "th", "tr", "tbody", "tfoot"}),
}
_ATTRIBUTE = re.compile(
    r"""(?<=[\s"'/])(?P<name>[^\s"'<>/=]+)\s*=\s*(?P<value>"[^"]*"|'[^']*'|[^\s"'<>=`]+)"""
)

TokenKind = Literal["start", "end", "text", "other", "kept"]


@dataclass(frozen=True, slots=True)
class Token:
    """A token; `text` is the text of a text token, and one with the name & is a character reference."""

    kind: TokenKind
    start: int
    end: int
    name: str = ""
    text: str = ""
    translate: bool | None = None  # the translate attribute of a start tag, if it has one

    @property
    def empty(self) -> bool:
        return self.name in VOID


@dataclass(frozen=True, slots=True)
class Attribute:
    name: str
    value: str
    start: int  # of the value, with its quotes
    end: int


def escape_html(text: str) -> str:
    return escape(text, quote=False)


def attributes(markup: str, start: int) -> Iterator[Attribute]:
    """The attributes of a start tag that have a value; `start` is the offset of the tag."""
    for match in _ATTRIBUTE.finditer(markup):
        value = match["value"]
        bare = value[1:-1] if value[0] in "\"'" else value
        first, last = match.span("value")
        yield Attribute(match["name"].lower(), unescape(bare), start + first, start + last)


def tokens(text: str) -> list[Token]:
    """The tokens of a text; each reaches to the next."""
    reader = _Tokenizer(text)
    reader.feed(text)
    reader.close()
    found = reader.found
    ends = [later.start for _, later in pairwise(found)]
    return [
        replace(token, end=end, text=unescape(text[token.start : end]) if token.name == "&" else token.text)
        for token, end in zip(found, [*ends, len(text)], strict=False)
    ]


class OpenElements:
    """The open elements around a token, and whether they are translated."""

    def __init__(self) -> None:
        self._open: list[tuple[str, bool]] = []
        self._counts: Counter[str] = Counter()  # of open elements, so that a stray end tag costs nothing

    @property
    def translate(self) -> bool:
        return self._open[-1][1] if self._open else True

    def start(self, token: Token) -> None:
        while self._open and token.name in _ENDED_BY.get(self._open[-1][0], ()):
            self._pop()
        if not token.empty:
            self._counts[token.name] += 1
            translate = self.translate if token.translate is None else token.translate
            # Inside of an untranslated element only a block can be translated: a line of text stays whole.
            self._open.append((token.name, translate and (self.translate or token.name in BLOCKS)))

    def end(self, token: Token) -> None:
        if self._counts[token.name]:
            while self._pop() != token.name:
                pass

    def _pop(self) -> str:
        name, _ = self._open.pop()
        self._counts[name] -= 1
        return name


class _Tokenizer(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=False)
        self.found: list[Token] = []
        self._lines = [0, *(match.end() for match in re.finditer("\n", text))]

    def _add(self, kind: TokenKind, name: str = "", text: str = "", translate: bool | None = None) -> None:
        line, column = self.getpos()
        self.found.append(Token(kind, self._lines[line - 1] + column, 0, name, text, translate))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._add("start", tag, translate=_translate_attribute(tag, dict(attrs)))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        # The slash has no meaning in HTML, but it has in XHTML that is served as HTML.
        self._add("start", tag, translate=_translate_attribute(tag, dict(attrs)))
        if tag not in VOID:
            line, column = self.getpos()
            tag_text = self.get_starttag_text() or ""
            position = self._lines[line - 1] + column + len(tag_text)
            self.found.append(Token("end", position, 0, tag))

    def handle_endtag(self, tag: str) -> None:
        self._add("end", tag)

    def close(self) -> None:
        if re.match(r"<[a-zA-Z/!?]", self.rawdata):
            self._add("other")  # an unclosed tag, up to the end of the text
        else:
            super().close()

    def handle_data(self, data: str) -> None:
        self._add("text", text=data)

    def handle_entityref(self, name: str) -> None:
        self._add("text", "&", name)

    def handle_charref(self, name: str) -> None:
        self._add("text", "&", name)

    def handle_comment(self, data: str) -> None:
        self._add("other", text=data)

    def handle_decl(self, decl: str) -> None:
        self._add("other", text=decl)

    def handle_pi(self, data: str) -> None:
        self._add("other", text=data)

    def parse_marked_section(self, i: int, report: int = 1) -> int:  # noqa: ARG002
        # A comment, as in browsers; the inherited method raises errors for some.
        return self.parse_bogus_comment(i)


def _translate_attribute(tag: str, given: dict[str, str | None]) -> bool | None:
    if tag in UNTOUCHED or "notranslate" in (given.get("class") or "").split():
        return False
    match (given.get("translate", "-") or "yes").lower():
        case "no":
            return False
        case "yes":
            return True
    return None
