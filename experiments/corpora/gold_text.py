"""The words of a gold set, written as the training text writes them; their number stays, as links count them.

    python -m experiments.corpora.gold_text ro-en/train.ro --old-romanian < words.ro > ro-en/gold.ro

The rules look at texts alone, never at links. What occurs is counted without regard to case.

- A sentence begins with a capital.
- A hyphen or an apostrophe between two words is joined to both where the three occur so: `s ￭-￭ a`; a word
  that ends in an apostrophe, to the next: `aujourd'￭ hui`. An apostrophe that is the only one of its line is
  no quotation mark, and follows its word at least: `years ￭'`.
- Quotation marks, told apart as opening and closing ones, are those that occur most, `"￭ ja ￭”`, unless `"`
  itself is among the usual ones.
- Romanian of before 1993, without marks: a word that hardly occurs is respelled where its new spelling does,
  î as â inside it (`cind`, now `cand`), `sint` as `sunt`.
- A word can be told to be written otherwise: `--write "|" "।"`.
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle, product
from pathlib import Path

from lexalign.text.spacing import JOINER

_INSIDE_WORDS = ("-", "'")
_RARE = 1  # as often as misprints occur
_USUAL = 0.1  # of all quotation marks
_LETTER = r"[\w\u0900-\u0963]"  # the vowel signs of Devanagari are no letters to `re`
_WORD = re.compile(rf"{_LETTER}+")
# The look-ahead also finds every two parts of a longer one.
_JOINED = re.compile(rf"(?=(?<!{_LETTER})({_LETTER}+[-']{_LETTER}+)(?!{_LETTER}))")
_QUOTES = "\"'„“”«»‘’"
_OPENING = re.compile(rf"(?:^|[\s(])([{_QUOTES}])(?=\w)")
_CLOSING = re.compile(rf"[\w.,!?]([{_QUOTES}])(?=[\s.,;:!?)])")


@dataclass(frozen=True, kw_only=True)
class Familiar:
    """What occurs in a text, and how often."""

    words: Counter[str] = field(default_factory=Counter)
    joined: Counter[str] = field(default_factory=Counter)  # two words and what joins them
    opening: Counter[str] = field(default_factory=Counter)  # quotation marks
    closing: Counter[str] = field(default_factory=Counter)

    @classmethod
    def read(cls, lines: Iterable[str]) -> "Familiar":
        found = cls()
        for line in map(str.lower, lines):
            found.words.update(_WORD.findall(line))
            found.joined.update(_JOINED.findall(line))
            found.opening.update(_OPENING.findall(line))
            found.closing.update(_CLOSING.findall(line))
        return found

    def usual(self, mark: str) -> bool:
        return all(marks[mark] > _USUAL * marks.total() for marks in (self.opening, self.closing))

    def knows(self, word: str) -> bool:
        return self.words[word.lower()] > _RARE


def rewrite(words: Sequence[str], familiar: Familiar, *, old_romanian: bool = False) -> list[str]:
    """Rewrite a line; the number of its words stays."""
    spelt = [respell(word, familiar) if old_romanian else word for word in words]
    return quote(join(capitalise(spelt), familiar), familiar)


def capitalise(words: Sequence[str]) -> list[str]:
    """Capitalise the first word that has a letter or a digit; brackets or quotation marks may precede it."""
    first = next((index for index, word in enumerate(words) if word[0].isalnum()), None)
    return [word[0].upper() + word[1:] if index == first else word for index, word in enumerate(words)]


def join(words: Sequence[str], familiar: Familiar) -> list[str]:
    """Join hyphens and apostrophes by the marks by which `space_words` leaves out spaces."""
    written = list(words)
    for index, mark in enumerate(words):
        before, after = "".join(words[max(index - 1, 0) : index]), "".join(words[index + 1 : index + 2])
        if mark in _INSIDE_WORDS and familiar.joined[f"{before}{mark}{after}".lower()]:
            written[index] = f"{JOINER}{mark}{JOINER}"
        elif mark == "'" and before and words.count(mark) == 1:
            written[index] = f"{JOINER}{mark}"
        elif mark[:-1].isalpha() and mark[-1] == "'" and familiar.joined[f"{mark}{after}".lower()]:
            written[index] = f"{mark}{JOINER}"
    return written


def quote(words: Sequence[str], familiar: Familiar) -> list[str]:
    """Replace quotation marks in pairs; a line with an odd number of them stays as it is."""
    if words.count('"') % 2 or familiar.usual('"') or not (familiar.opening and familiar.closing):
        return list(words)
    (opening, _), (closing, _) = familiar.opening.most_common(1)[0], familiar.closing.most_common(1)[0]
    marks = cycle((f"{opening}{JOINER}", f"{JOINER}{closing}"))
    return [next(marks) if word == '"' else word for word in words]


def respell(word: str, familiar: Familiar) -> str:
    """The new spelling that occurs most, if the word itself hardly does."""
    if familiar.knows(word) or word.isupper():
        return word
    best = max(_new_spellings(word), key=lambda spelling: familiar.words[spelling.lower()])
    return best if familiar.knows(best) else word


def _new_spellings(word: str) -> Iterator[str]:
    """All spellings in which some letters i inside the word were an î; the word itself is the first."""
    first, inside, last = word[:1], word[1:-1], word[1:][-1:]
    for letters in product(*(("i", "a") if letter == "i" else (letter,) for letter in inside)):
        yield first + "".join(letters) + last
    yield re.sub(r"^([Ss])int", r"\1unt", word)


def _share(familiar: Familiar, lines: Iterable[Sequence[str]]) -> str:
    spoken = [word for words in lines for word in words if word.isalpha()]
    known = sum(familiar.knows(word) for word in spoken)
    return f"{known:,} of {len(spoken):,} words are familiar"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("train", type=Path, help="training text of the same language")
    parser.add_argument("--old-romanian", action="store_true", help="respell what was spelt so before 1993")
    parser.add_argument("--write", nargs=2, metavar=("WORD", "AS"), help="write a word otherwise")
    options = parser.parse_args(arguments)
    sys.stdin.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    with options.train.open(encoding="utf-8") as text:
        familiar = Familiar.read(text)
    before = [line.split() for line in sys.stdin]
    told = dict([options.write or ("", "")])
    after = [
        rewrite([told.get(word, word) for word in words], familiar, old_romanian=options.old_romanian)
        for words in before
    ]
    sys.stdout.writelines(" ".join(words) + "\n" for words in after)
    changed = sum(
        old != new for pair in zip(before, after, strict=True) for old, new in zip(*pair, strict=True)
    )
    print(f"before: {_share(familiar, before)}; after: {_share(familiar, after)}; "
          f"{changed} words and marks were changed", file=sys.stderr)  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
