"""The inline tokens of Markdown with their offsets.

markdown-it parses, and every rule of it is asked where it began and ended. What lies between two tokens is
text. So there is no second reading of CommonMark here that could differ from the first.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from lexalign.contracts.errors import MissingExtraError

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

Rule = Callable[[Any, bool], bool]
_SPAN, _LABEL = "span", "label_end"
_DELIMITERS = frozenset({"emphasis", "strikethrough"})


@dataclass(frozen=True, slots=True)
class InlineToken:
    """A token of a text, from `start` to `end`; the label of a link or an image ends at `label_end`."""

    kind: str  # as markdown-it names it: em_open, link_close, code_inline, image, ...
    start: int
    end: int
    content: str = ""
    label_end: int = 0


@lru_cache(maxsize=1)
def parser() -> "MarkdownIt":
    try:
        from markdown_it import MarkdownIt
    except ImportError:
        raise MissingExtraError("Markdown needs markdown-it-py: pip install 'lexalign[files]'") from None
    made = MarkdownIt("commonmark", {"maxNesting": 20}).enable(["table", "strikethrough"])
    made.core.ruler.disable("text_join")
    made.inline.ruler2.disable("fragments_join")
    for rule in made.inline.ruler.__rules__:
        rule.fn = _spanned(rule.name, rule.fn)
    made.inline.ruler.__compile__()
    return made


def inline_tokens(children: list["Token"]) -> list[InlineToken]:
    """The tokens of an inline text; two delimiters of one strong emphasis are one token."""
    found: list[InlineToken] = []
    for token in children:
        span = token.meta.get(_SPAN)
        if span is None or span[0] == span[1]:
            continue  # text between tokens, or what belongs to the token before it
        found.append(InlineToken(token.type, span[0], span[1], token.content, token.meta.get(_LABEL, 0)))
    return _with_whole_delimiters(found)


def parse_inline(text: str, references: dict[str, Any]) -> list[InlineToken]:
    return inline_tokens(parser().parseInline(text, references)[0].children or [])


def _with_whole_delimiters(tokens: list[InlineToken]) -> list[InlineToken]:
    """`**` is two delimiters to the parser: the outer one is left without content."""
    found: list[InlineToken] = []
    waiting = 0  # characters of outer delimiters before an opening one
    for token in tokens:
        if token.kind == "text" and not token.content:
            last = found[-1] if found else None
            if last and last.kind in ("strong_close", "s_close") and last.end == token.start:
                found[-1] = InlineToken(last.kind, last.start, token.end)
            else:
                waiting = token.end - token.start
            continue
        start = token.start - waiting if token.kind.endswith("_open") else token.start
        found.append(InlineToken(token.kind, start, token.end, token.content, token.label_end))
        waiting = 0
    return found


def _spanned(name: str, rule: Rule) -> Rule:
    def run(state: Any, silent: bool) -> bool:
        if silent:
            return rule(state, True)
        start, count, had_text = state.pos, len(state.tokens), bool(state.pending)
        if not rule(state, False):
            return False
        # Text that was waiting becomes a token before those of the rule.
        first = count + (had_text and len(state.tokens) > count and state.tokens[count].type == "text")
        _set_spans(name, state.tokens[first:], start, state.pos, _label_end(name, state, start))
        return True

    return run


def _set_spans(name: str, tokens: list["Token"], start: int, end: int, label_end: int) -> None:
    if name in _DELIMITERS:
        for token in tokens:
            token.meta[_SPAN] = (start, start + len(token.content))
            start += len(token.content)
    elif name == "link" and tokens:
        tokens[0].meta[_SPAN] = (start, start + 1)
        tokens[-1].meta[_SPAN] = (label_end, end)
    elif name != "text":
        for index, token in enumerate(tokens):
            token.meta[_SPAN] = (start, end) if index == 0 else (end, end)
            token.meta[_LABEL] = label_end
            if name == "autolink":
                token.type = "autolink"


def _label_end(name: str, state: Any, start: int) -> int:
    """Where the label of a link or an image ends, which its rule does not tell."""
    offset = {"link": 0, "image": 1}.get(name)
    return 0 if offset is None else int(state.md.helpers.parseLinkLabel(state, start + offset, not offset))
