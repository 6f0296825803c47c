"""Stand-ins for what is copied and not translated: pairs in which X1, X2, ... take the place of such text.

The product writes X1, X2, ... for placeholders, addresses, paths and code before a model reads a sentence,
and puts them back afterwards. A model learns to carry them over from pairs in which text that is the same on
both sides is replaced:

    Install Python 3.11 in C:\\Tools.            Install X1 in X2.
    Installieren Sie Python 3.11 in C:\\Tools.   Installieren Sie X1 in X2.

They are numbered in the order of the source. Text is replaced only where it stands exactly once on each side
and touches no letter, digit or underscore.
"""

import re
from collections.abc import Iterator
from random import Random

Pair = tuple[str, str]

_MOST = 4
_TAKEN = re.compile(r"(?<!\w)X\d")
_ADDRESS = r"https?://[^\s<>\"„“”()]*[\w/]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
_QUOTED = r"(?<=\")[^\"\s][^\"]{0,40}(?=\")|(?<=„)[^“„]{1,40}(?=“)|(?<=“)[^“”]{1,40}(?=”)"
_PATH = r"(?:[A-Za-z]:\\|\.{0,2}/|\\\\)?[\w.$%-]+(?:[/\\][\w.$%-]+)+"
_CODE = r"[@$#%]?\w+(?:[._:-]+\w+)+(?:\(\))?|\w+\(\)|[@$#%-]+\w[\w-]*|\w*[a-z][A-Z]\w*|\w*_\w+|[A-Z]{2,}\d*"
_NUMBER = r"[$€£]?\d+(?:[.,:]\d+)*(?: ?(?:%|[kMGT]?B|[kmc]?m|ms|kg|Euro?|EUR|USD)(?!\w))?"
_NAMES = r"[A-Z][\w+#]*(?: [A-Z0-9][\w+#.]*\w)+|[A-Z]\w+"
_SPANS = re.compile("|".join((_ADDRESS, _QUOTED, _PATH, _CODE, _NUMBER, _NAMES)))
_SPACE = re.compile(" ")
_WORDS = re.compile(r"\w{2,}")
# At the beginning of both sides these are words, and no names.
_WORDS_OF_BOTH = re.compile("Also|Am|Art|Bald|Die|Fast|Hat|In|Man|Not|So|War|Was|Wer|Will")


def stand_in(pair: Pair, random: Random) -> Pair:
    """The pair with one to four stand-ins, or unchanged where nothing can be replaced."""
    source, target = pair
    if _TAKEN.search(source) or _TAKEN.search(target):
        return pair
    found = list(copied_spans(source, target))
    random.shuffle(found)
    chosen = sorted(found[: random.choice((1, 1, 1, 2, 2, 3, _MOST))])
    spans = [source[start:end] for start, end in chosen]
    if not spans or not _is_sentence(source, spans):
        return pair
    places = {text: f"X{number}" for number, text in enumerate(spans, start=1)}
    return _replaced(source, places), _replaced(target, places)


def copied_spans(source: str, target: str) -> Iterator[tuple[int, int]]:
    """Stretches of the source that stand once on each side, none inside another."""
    for match in _SPANS.finditer(source):
        ends = [match.end(), *(space.start() for space in _SPACE.finditer(source, *match.span()))]
        starts = [match.start(), *(space.end() for space in _SPACE.finditer(source, *match.span()))]
        # Of words that are not copied together, the longest that are.
        place = match.start()
        for start in starts:
            for end in sorted((end for end in ends if start < end and start >= place), reverse=True):
                if _is_copied(source[start:end], source, target):
                    yield start, end
                    place = end
                    break


def _is_copied(text: str, source: str, target: str) -> bool:
    return not _WORDS_OF_BOTH.fullmatch(text) and _once(text, source) and _once(text, target)


def _once(text: str, line: str) -> bool:
    return line.count(text) == 1 and _pattern(text).search(line) is not None


def _pattern(*texts: str) -> re.Pattern[str]:
    any_of = "|".join(map(re.escape, texts))
    return re.compile(rf"(?<![\w.@$#%/\\])(?:{any_of})(?![\w/\\@])")


def _is_sentence(source: str, spans: list[str]) -> bool:
    """Whether words to translate remain."""
    rest = source
    for span in spans:
        rest = rest.replace(span, " ")
    return len(_WORDS.findall(rest)) >= 1


def _replaced(line: str, places: dict[str, str]) -> str:
    """Replace everything in one pass, so that no stand-in is taken for text."""
    pattern = _pattern(*sorted(places, key=len, reverse=True))
    return pattern.sub(lambda match: places[match[0]], line)
