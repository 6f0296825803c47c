"""ICU messages: arguments are kept, and the branches of plural and select arguments are patterns themselves.

The grammar is that of ICU's MessageFormat: `{name}`, `{name, type, style}`, `{name, plural, offset:1 =0 {…}
one {…} other {…}}`, quoting by apostrophes. Everything outside of the branches is kept to the character.
"""

import re

from lexalign.contracts.errors import LexalignError
from lexalign.markup.documents.catalogues.choices import Choice, Literal, Pattern, Placeholder
from lexalign.markup.inline.builder import MAX_DEPTH

CHOICE = re.compile(r"\{\s*[\w.-]+\s*,\s*(plural|select|selectordinal)\s*,(?:\s*offset\s*:\s*\d+)?")
_SELECTOR = re.compile(r"\s*(?:=\d+|[^\s{}#=,|]+)\s*\{")
_QUOTED = re.compile(r"'[{}#|<][^']*(?:''[^']*)*(?:'|\Z)")
_LITERAL = re.compile(r"(?:[^{}#']|'(?![{}#|<]))+")
_END = re.compile(r"\s*\}")
_ARGUMENT_END = re.compile(r"[{}]")


def has_choice(text: str) -> bool:
    return CHOICE.search(text) is not None


def parse_icu(text: str) -> Pattern:
    """Parse a message."""
    pattern, end = _Parser(text).pattern(0, 0, counts=False)
    if end != len(text):
        raise LexalignError(f"not an ICU message: a }} too many in {text[:60]!r}")
    return pattern


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text

    def pattern(self, position: int, depth: int, *, counts: bool) -> tuple[Pattern, int]:
        """The pattern at a position, and its end: that of the text, or the brace that closes it."""
        if depth > MAX_DEPTH // 8:
            raise LexalignError("an ICU message is nested too deep; is this file malicious?")
        nodes: list[Literal | Placeholder | Choice] = []
        text = self._text
        while position < len(text) and text[position] != "}":
            if match := CHOICE.match(text, position):
                choice, position = self._choice(match, depth, counts)
                nodes.append(choice)
            elif text[position] == "{":
                end = self._argument_end(position)
                nodes.append(Literal(text[position:end]))
                position = end
            elif match := _QUOTED.match(text, position) if text[position] == "'" else None:
                nodes.append(Placeholder(match[0]))
                position = match.end()
            elif text[position] == "#":
                # Outside of a plural it is a letter, which becomes a number if it is moved into one.
                nodes.append(Placeholder("#", counts=True) if counts else Placeholder("'#'"))
                position += 1
            else:
                match = _LITERAL.match(text, position)
                assert match is not None  # every other character is handled above
                nodes.append(Literal(match[0]))
                position = match.end()
        return tuple(nodes), position

    def _choice(self, head: re.Match[str], depth: int, counts: bool) -> tuple[Choice, int]:
        text, position, start = self._text, head.end(), head.start()
        is_plural = head[1] != "select"
        branches: list[tuple[str, Pattern]] = []
        while match := _SELECTOR.match(text, position):
            syntax = text[start : match.end()]
            branch, start = self.pattern(match.end(), depth + 1, counts=counts or is_plural)
            if start == len(text):
                break
            branches.append((syntax, branch))
            position = start + 1
        closing = _END.match(text, position)
        if not branches or closing is None or start == len(text):
            raise LexalignError(
                f"not an ICU message: {text[head.start() : head.start() + 60]!r} is not closed"
            )
        return Choice(tuple(branches), text[start : closing.end()], is_plural), closing.end()

    def _argument_end(self, position: int) -> int:
        depth = 0
        for match in _ARGUMENT_END.finditer(self._text, position):
            depth += 1 if match[0] == "{" else -1
            if depth == 0:
                return match.end()
        raise LexalignError(f"not an ICU message: {self._text[position : position + 60]!r} is not closed")
