"""Word alignment as SimAlign and awesome-align give it.

SimAlign (https://github.com/cisnlp/simalign) has a `SentenceAligner`, whose `get_word_aligns` gives pairs of
indexes by method: `inter` is precise, `mwmf` finds most, and `itermax` is between the two. Here two
translation models align, one for each direction, and the methods are how their links become one:

    SimAlign    here
    inter   a   links that both models find
    itermax i   the mean of their probabilities, at least 0.5
    mwmf    m   links that either model finds
    fwd     f   of the model from target to source: the best target words of each source word
    rev     r   of the model from source to target: the best source words of each target word

awesome-align (https://github.com/neulab/awesome-align) reads lines `source ||| target` and writes lines of
Pharaoh links; `align_lines` does that.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import lexalign
from lexalign.api.wording import in_python
from lexalign.contracts.alignment import WordAlignment
from lexalign.contracts.errors import LexalignError, OptionError
from lexalign.text.spacing import space_words
from lexalign.translator.mutual_alignment import Joining, symmetrized
from lexalign.translator.word_aligner import WordText

Pairs = list[tuple[int, int]]
_METHODS: dict[str, tuple[str, Joining]] = {
    "a": ("inter", "intersection"),
    "m": ("mwmf", "union"),
    "i": ("itermax", "mean"),
}
_WINDOW = 500  # lines aligned together


class SentenceAligner:
    """SimAlign's interface over models of both directions.

    Examples:
        >>> from lexalign.integrations.word_alignment import SentenceAligner
        >>> aligner = SentenceAligner("de", "en", matching_methods="ai")
        >>> aligner.get_word_aligns(["Das", "Haus", "brennt"], ["The", "house", "is", "burning"])
        {'inter': [(0, 0), (1, 1), (2, 3)], 'itermax': [(0, 0), (1, 1), (2, 3)]}
    """

    def __init__(
        self, source: str, target: str, *, matching_methods: str = "mai", device: str = "auto"
    ) -> None:
        """`source` and `target` are languages; `matching_methods` are SimAlign's letters a, m, i, f and r."""
        unknown = set(matching_methods) - {*_METHODS, "f", "r"}
        if unknown:
            raise OptionError(f"unknown matching method {unknown.pop()!r}; there are a, m, i, f and r")
        self._methods = matching_methods
        self._forward = lexalign.load(source, target, device=device).engine.word_aligner()
        self._backward = lexalign.load(target, source, device=device).engine.word_aligner()

    def get_word_aligns(
        self, src_sent: str | Sequence[str], trg_sent: str | Sequence[str]
    ) -> dict[str, Pairs]:
        """Pairs of indexes, source first, by method; texts are split at spaces."""
        source, target = _read(src_sent), _read(trg_sent)
        with in_python():
            (ahead,) = (one.words for one in self._forward.align([(source, target)]))
            (back,) = (one.words for one in self._backward.align([(target, source)]))
        return dict(_by_method(letter, ahead, back) for letter in self._methods)


def _by_method(letter: str, ahead: WordAlignment, back: WordAlignment) -> tuple[str, Pairs]:
    if letter == "f":
        return "fwd", sorted((link.target, link.source) for link in back.links)
    if letter == "r":
        return "rev", sorted((link.source, link.target) for link in ahead.links)
    name, method = _METHODS[letter]
    return name, sorted((link.source, link.target) for link in symmetrized(ahead, back, method).links)


def _read(given: str | Sequence[str]) -> WordText:
    words = given.split() if isinstance(given, str) else list(given)
    text, spans = space_words(words)
    shown = tuple(text[start:end] for start, end in spans)
    return WordText(line=text, text=text, words=shown, spans=tuple(spans), line_spans=tuple(spans))


def align_lines(
    lines: Iterable[str], translator: "lexalign.Translator", *, reverse: "lexalign.Translator | None" = None
) -> Iterator[str]:
    """Lines `source ||| target` to lines of Pharaoh links, as in awesome-align's files.

    Words are what stands between spaces.

    Examples:
        >>> import lexalign
        >>> from lexalign.integrations.word_alignment import align_lines
        >>> lines = ["Das Haus ist groß . ||| The house is big .", "Danke . ||| Thank you ."]
        >>> list(align_lines(lines, lexalign.load("de", "en"), reverse=lexalign.load("en", "de")))
        ['0-0 1-1 2-2 3-3 4-4', '0-0 1-2']
    """
    numbered = enumerate(lines, start=1)
    while window := list(islice(numbered, _WINDOW)):
        pairs = [_parse(line, number) for number, line in window]
        for found in translator.align_many(pairs, reverse=reverse):
            yield found.pharaoh


def _parse(line: str, number: int) -> tuple[list[str], list[str]]:
    source, separator, target = line.partition("|||")
    if not separator:
        raise LexalignError(f"line {number}: there is no ||| between source and target")
    return source.split(), target.split()
