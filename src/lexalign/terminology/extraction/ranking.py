"""Which windows are terms: a score from what the memory and general text say of them.

alone        how often a window stands between function words or punctuation (Frantzi et al. 2000 subtract
             nested occurrences, C-value; this counts what is not nested, and is a sum over shards)
capital      the share of capitals inside of texts: names of products, pages and buttons
weirdness    how much more frequent it is than in general text (Ahmad et al. 1999), in powers of ten; the
             general frequency of several words is taken as that of the rarest, and a tenth for each other
cohesion     Dice's coefficient of its words: how much of their occurrences are in it

    score = alone · (1 + capital) · weirdness ^ 0.1 · (0.5 + cohesion / 2)

The weights were chosen on the names of buttons and fields in 500 sentences of software manuals.
"""

import heapq
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lexalign.terminology.extraction.counting import INITIAL, TermCount
from lexalign.terminology.extraction.general_frequencies import GeneralFrequencies

_WEIRDNESS = (0.3, 4.0)  # lowest and highest


@dataclass(frozen=True)
class RankedTerm:
    key: str
    form: str  # in which it is listed
    count: TermCount
    score: float
    weirdness: float = 0.0  # 1: ten times as frequent as in general text

    @property
    def rank(self) -> tuple[float, str]:
        """The order in which terms are chosen."""
        return -self.score, self.key

    def to_json(self) -> str:
        count = self.count
        row = [self.key, self.form, self.score, self.weirdness, count.count, count.alone, count.forms]
        return json.dumps(row, ensure_ascii=False)

    @classmethod
    def from_json(cls, line: str) -> "RankedTerm":
        key, form, score, weirdness, count, alone, forms = json.loads(line)
        return cls(key, form, TermCount(count, alone, Counter(forms)), score, weirdness)


@dataclass(frozen=True, kw_only=True)
class Scorer:
    """`words` are the counts of single words, by their keys; rarer ones than any term's are left out."""

    frequencies: GeneralFrequencies
    words: dict[str, int]
    num_words: int

    def score(self, key: str, term: TermCount) -> float:
        content = self._content(key)
        score: float = (
            term.alone
            * (1 + term.capital_share)
            * self.weirdness(key, term) ** 0.1
            * (0.5 + self._cohesion(content, term) / 2)
        )
        return score

    def weirdness(self, key: str, term: TermCount) -> float:
        """How much more frequent a term is than in general text, as a power of ten, within bounds."""
        content = self._content(key)
        general = [self.frequencies.zipf(word) for word in content if word[0].isalpha()]
        known = [zipf for zipf in general if zipf is not None]
        if not known:
            return 1.0
        own = 9 + math.log10(term.count / self.num_words)
        return min(max(own - (min(known) - len(content) + 1), _WEIRDNESS[0]), _WEIRDNESS[1])

    def _content(self, key: str) -> list[str]:
        words = key.split(" ")
        return [word for word in words if word not in self.frequencies.function_words] or words

    def _cohesion(self, content: list[str], term: TermCount) -> float:
        if len(content) < 2:
            return 1.0
        return len(content) * term.count / sum(max(self.words.get(word, 1), term.count) for word in content)


def select_terms(
    terms: Iterable[tuple[str, TermCount]], scorer: Scorer, *, max_terms: int
) -> list[RankedTerm]:
    """The best terms, best first, from any number of candidates."""
    scored = ((scorer.score(key, term), key, term) for key, term in terms if term.alone)
    best = heapq.nsmallest(max_terms, _ordered(scored))
    return [
        RankedTerm(key, listed_form(key, term.forms), term, -score, scorer.weirdness(key, term))
        for score, key, _, term in best
    ]


def _ordered(scored: Iterable[tuple[float, str, TermCount]]) -> Iterator[tuple[float, str, int, TermCount]]:
    """Sortable without comparing counts: the score, and the key where scores are equal."""
    for number, (score, key, term) in enumerate(scored):
        yield -score, key, number, term


def listed_form(key: str, forms: dict[str, int]) -> str:
    """The form of the key itself where it is seen, else the most frequent; not that of a beginning."""
    inside = {form: count for form, count in forms.items() if not form.startswith(INITIAL)}
    if not inside:
        inside = {form.removeprefix(INITIAL): count for form, count in forms.items()}
    base = {form: count for form, count in inside.items() if form.lower() == key}
    if base and sum(base.values()) * 5 >= sum(inside.values()):
        inside = base
    return max(inside, key=lambda form: (inside[form], form))
