"""Random texts with nested tags, random translations of them, and random links between the two."""

from dataclasses import dataclass
from xml.sax.saxutils import escape

from hypothesis import strategies as st

from lexalign.contracts.alignment import SpanLink

WORDS = st.sampled_from(
    [
        "Haus",
        "alt",
        "don't",
        "E-Mail",
        "3,5",
        "x",
        "naïve",
        "हिन्दी",
        "&",
        "<",
        "(",
        ")",
        ",",
        ".",
        "„",
        "“",
        "1.",
        "é",
    ]
)
SPACES = st.sampled_from([" ", " ", " ", "", "  ", "\n", "\u00a0"])
_NAMES = ("b", "i", "g", "a")


@st.composite
def texts(draw: st.DrawFn, max_words: int = 12) -> str:
    parts = draw(st.lists(st.tuples(WORDS, SPACES), max_size=max_words))
    return draw(SPACES) + "".join(word + space for word, space in parts)


@dataclass
class _Source:
    markup: str = ""
    text: str = ""
    num_tags: int = 0


@st.composite
def nested_markup(draw: st.DrawFn) -> tuple[str, str, int]:
    """XML without a root, its text, and its number of tags; every tag has an id of its own."""
    source = _Source()
    _grow(draw, source, depth=0)
    return source.markup, source.text, source.num_tags


def _grow(draw: st.DrawFn, source: _Source, depth: int) -> None:
    for _ in range(draw(st.integers(0, 4))):
        match draw(st.sampled_from(["text", "text", "pair", "empty"])):
            case "text":
                text = draw(texts(max_words=4))
                source.text += text
                source.markup += escape(text)
            case "pair" if depth < 5:
                number, name = source.num_tags, draw(st.sampled_from(_NAMES))
                source.num_tags += 1
                source.markup += f'<{name} id="{number}">'
                _grow(draw, source, depth + 1)
                source.markup += f"</{name}>"
            case _:
                source.markup += f'<x id="{source.num_tags}"/>'
                source.num_tags += 1


@st.composite
def spans(draw: st.DrawFn, length: int) -> tuple[int, int]:
    start, end = sorted(draw(st.tuples(st.integers(0, length), st.integers(0, length))))
    return start, end


@st.composite
def links(draw: st.DrawFn, source: str, target: str) -> list[SpanLink]:
    """Any links at all: of words, of halves of words, empty ones, contradictions."""
    pairs = draw(
        st.lists(
            st.tuples(
                spans(len(source)), spans(len(target)), st.one_of(st.none(), st.floats(0, 1, allow_nan=False))
            ),
            max_size=12,
        )
    )
    return [SpanLink(*pair) for pair in pairs]
