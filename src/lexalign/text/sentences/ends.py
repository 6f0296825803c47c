"""The positions at which sentences end, found in one pass over a text.

Every run of punctuation is examined once, with at most forty characters before it and the white space, the
opening punctuation and the word after it; these never overlap, so the time is linear in the length of a text.
"""

import re
from collections.abc import Iterator

from lexalign.text.sentences.abbreviations import Conventions

_BREAKS = "\n\r\u2028\u2029"
_SPACE = rf"[^\S{_BREAKS}]"
_INVISIBLE = "\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"
_CLOSING = rf"\"'”’“»«)\]}}›‹`*_」』）】》〉〕］｣{_INVISIBLE}\ufe0f"
_OPENING = rf"\"'“‘„‚»«(\[{{¿¡›‹–—\-`*_•·●▪►→§$€£¥#@/<~「『（【《〈〔［｢{_INVISIBLE}"
_EMOJI = "\u2600-\u26ff\u2764\ufe0f\u200d\U0001f000-\U0001faff"
_MARKS = ".!?…‼⁇⁈⁉‽؟։;\u037e"
# Punctuation of scripts that need no space after it.
_WIDE_MARKS = "。！？｡．।॥۔።፧။។៕᠃꯫᱾᱿༎꘎"
_WIDE_CLOSING = rf"”’»)\]」』）】》〉〕］｣{_INVISIBLE}"
_END = re.compile(
    rf"[{_WIDE_MARKS}][{_WIDE_MARKS}.!?…{_WIDE_CLOSING}]*+(?:[\"'](?=\s|\Z))?+(?:{_SPACE}?+[{_EMOJI}]++)*+"
    rf"|[{_MARKS}][{_MARKS}{_CLOSING}]*+(?:\[\d{{1,3}}\]|[⁰¹²³⁴-⁹])*+(?:{_SPACE}»(?=\s|\Z))?+"
    rf"(?:{_SPACE}?+[{_EMOJI}]++)*+"
    rf"|[{_BREAKS}]++"
)
_NEXT = re.compile(rf"{_SPACE}++(?:[{_OPENING}]++{_SPACE}?+)*+\.?+(\w{{1,24}})")
_WORD = re.compile(r"\w")
_LIKE_NUMBER = re.compile(r"\d{1,3}(?:[.\-–/]+\d{1,3})*")
_LIKE_DOTTED = re.compile(r"(?:[^\W\d_]{1,3}\.-?)+[^\W\d_]{1,3}")
_ROMAN = re.compile(r"[IVXLCDM]{2,}|[IVX]")
_SPEECH = re.compile(
    rf"{_SPACE}++(?:\w{{1,24}}{_SPACE}){{1,3}}(?:added|answered|asked|cried|exclaimed|inquired|muttered|replied"
    r"|said|says|screamed|shouted|whispered|wondered|yelled)\b"
)
_STRAY_OPENING = "\"'“‘„‚»«([{¿¡›‹–—-`*_<「『（【《〈"
# Name particles, which may follow initials.
_PARTICLES = frozenset(("De", "Del", "Den", "Der", "Des", "Di", "Du", "El", "La", "Las", "Le", "Lo", "Los"))


def sentence_ends(text: str, start: int, end: int, conventions: Conventions) -> Iterator[int]:
    """The ends of the sentences of text[start:end], in order; the text outside is not read."""
    sentence, first_word = start, -1
    for match in _END.finditer(text, start, end):
        position = match.end()
        if text[match.start()] not in _BREAKS:
            if first_word < sentence:
                word = _WORD.search(text, sentence, end)
                first_word = word.start() if word else end
            if first_word >= match.start() or position == end:
                continue
            if not _ends_sentence(text, match, (sentence, first_word, end), conventions):
                continue
        yield position
        sentence = position


def _ends_sentence(
    text: str, match: re.Match[str], bounds: tuple[int, int, int], conventions: Conventions
) -> bool:
    start, position = match.span()
    if text[start] in _WIDE_MARKS:
        return _ends_anywhere(text, start, position)
    if not text[position].isspace():
        # Half-width "!" and "?" within Chinese or Japanese
        return text[start] in "!?" and _is_ideographic(text[start - 1]) and _is_ideographic(text[position])
    following = _NEXT.match(text, position, bounds[2])
    if following is None or not _may_begin_sentence(following[1]):
        return False
    if text[start - 1] in "([" and text[position - 1] in ")]":
        return False  # "(!)", "[...]"
    return _mark_ends(text, match, following, bounds, conventions)


def _mark_ends(
    text: str,
    match: re.Match[str],
    following: re.Match[str],
    bounds: tuple[int, int, int],
    conventions: Conventions,
) -> bool:
    start, run = match.start(), match[0]
    if run[0] in ";\u037e":
        return "\u0370" <= text[start - 1] <= "\u1fff" and not "\u0400" <= text[start - 1] < "\u1f00"
    starts = _starts_sentence(text, following, bounds[2], conventions)
    if run[0] == "…" or run.startswith(".."):
        if conventions.english and following[1] == "I":
            return False
        return starts or not conventions.capitalised_nouns
    if run[0] == "." and (len(run) == 1 or run[1] not in _MARKS):
        return not _is_abbreviation(text, start, bounds, following[1], starts, conventions)
    speaks = conventions.english and run[-1] in "\"”’'" and _SPEECH.match(text, match.end(), bounds[2])
    return not speaks


def _ends_anywhere(text: str, start: int, position: int) -> bool:
    following = text[position]
    if following in "、，,；;：:":
        return False
    if text[start] in "．۔" and text[start - 1].isdigit() and following.isdigit():
        return False
    # A Japanese sentence continues after a quotation: 「何？」と言った。
    return not (text[position - 1] in "」』）”’" and "\u3041" <= following <= "\u3096")


def _is_abbreviation(
    text: str,
    stop: int,
    bounds: tuple[int, int, int],
    following: str,
    starts: bool,
    conventions: Conventions,
) -> bool:
    """Whether a full stop belongs to the word before it and does not end the sentence."""
    sentence, first_word, _ = bounds
    before = text[max(sentence, stop - 40) : stop]
    if before[-1] < "\u0300" and not before[-1].isalnum():
        return False
    tokens = before.split()
    word = tokens[-1].lstrip(_STRAY_OPENING)
    leads = stop - first_word <= len(word) <= 6
    if word[0].isdigit() and _LIKE_NUMBER.fullmatch(word):
        return leads or (conventions.ordinals and not starts)
    if len(word) == 1 and leads and word < "\u2e80":
        return True  # "a. First"
    kind = _abbreviation_kind(tokens, word, conventions)
    if kind == "numbered":
        return following[0].isdigit() or _ROMAN.fullmatch(following) is not None
    if kind == "initial":
        return not starts or following in _PARTICLES
    return kind == "never" or (kind == "seldom" and not starts)


def _abbreviation_kind(tokens: list[str], word: str, conventions: Conventions) -> str:
    tail = word.replace("-", ".").replace("/", ".").rpartition(".")[2]
    for form in (_whole_abbreviation(tokens, word), word, tail):
        if form in conventions.never:
            return "never"
        if form in conventions.seldom:
            return "seldom"
        if form in conventions.numbered:
            return "numbered"
    if len(word) == 1:
        return _kind_of_letter(tokens, word)
    if _LIKE_DOTTED.fullmatch(word) or (conventions.ordinals and _ROMAN.fullmatch(word)):
        return "seldom"
    return ""


def _kind_of_letter(tokens: list[str], letter: str) -> str:
    if not letter.isalpha() or letter >= "\u2e80":
        return ""
    if letter.isupper():
        return "initial"
    measure = len(tokens) > 1 and tokens[-2][-1].isdigit()
    return "seldom" if measure or letter > "\u024f" else "never"


def _whole_abbreviation(tokens: list[str], word: str) -> str:
    """The word with the other parts of its abbreviation: `z. B`, `i. d. R`, `v. Chr`."""
    for token in tokens[-2:-5:-1]:
        if len(token) > 4 or token[-1] != ".":
            break
        word = token.lstrip(_STRAY_OPENING) + word
    return word


def _may_begin_sentence(word: str) -> bool:
    first = word[0]
    if not first.islower() or "\u10d0" <= first <= "\u10ff":  # Georgian has no capital letters in use
        return first != "_"
    return word != word.lower()  # iPhone


def _starts_sentence(text: str, following: re.Match[str], end: int, conventions: Conventions) -> bool:
    """Whether the next word would be in lower case if it did not begin a sentence."""
    word, rest = following[1], text[following.end() : min(end, following.end() + 5)]
    if word in conventions.starters:
        return len(word) > 1 or rest[:1] != "."  # initials
    # "Wählen Sie": in German, such a request is the other sure sign
    return conventions.capitalised_nouns and word[-1] == "n" and rest[:4] == " Sie" and not rest[4:].isalnum()


def _is_ideographic(character: str) -> bool:
    return "\u3040" <= character <= "\u30ff" or "\u3400" <= character <= "\u9fff"
