"""Which windows are terms: a score from what the memory and general text say of them.

frequency    how often a window stands between function words or punctuation, and a tenth of how often it is
             a part of something longer (Frantzi et al. 2000 subtract the mean of what is longer, C-value;
             this is a sum over shards): names often have a noun beside them ("the Print management page");
             what never stands alone is no candidate
capital      the share of capitals inside of texts: names of products, pages and buttons
weirdness    how much more frequent it is than in general text (Ahmad et al. 1999), in powers of ten; the
             general frequency of several words is taken as that of the rarest, and a tenth for each other
cohesion     Dice's coefficient of its words: how much of their occurrences are in it

    score = frequency · (1 + 2 · capital) · weirdness ^ 0.1 · (0.75 + cohesion / 4)

The weights were chosen on the names of buttons and fields in 500 sentences of software manuals, and on the
headings of debates in parliament.
"""

import json
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from operator import itemgetter

from lexalign.terminology.extraction.counting import INITIAL, MergedTerm, TermCount
from lexalign.terminology.extraction.general_frequencies import GeneralFrequencies

_WEIRDNESS = (0.3, 4.0)  # lowest and highest
_WEIRDNESS_POWER = 0.1
_NESTED = 0.1  # of an occurrence that is a part of something longer
_CAPITAL = 2.0
_COHESION = 0.25


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
            _frequency(term.count, term.alone)
            * (1 + _CAPITAL * term.capital_share)
            * self.weirdness(key, term) ** _WEIRDNESS_POWER
            * (1 - _COHESION * (1 - self._cohesion(content, term)))
        )
        return score

    def highest(self, count: int, alone: int) -> float:
        """The highest score of any term that occurs so often."""
        return _frequency(count, alone) * (1 + _CAPITAL) * float(_WEIRDNESS[1] ** _WEIRDNESS_POWER)

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


def select_terms(terms: Iterable[MergedTerm], scorer: Scorer, *, max_terms: int) -> list[RankedTerm]:
    """The best terms, best first, from any number of candidates."""
    found: list[tuple[float, str, TermCount]] = []  # minus the score, and the key where scores are equal
    lowest = 0.0  # score that a term must have
    for merged in terms:
        if not merged.alone or scorer.highest(merged.count, merged.alone) < lowest:
            continue
        term = merged.read()
        found.append((-scorer.score(merged.key, term), merged.key, term))
        if len(found) >= 2 * max_terms:
            found = _best(found, max_terms)
            lowest = -found[-1][0]
    return [
        RankedTerm(key, listed_form(key, term.forms), term, -score, scorer.weirdness(key, term))
        for score, key, term in _best(found, max_terms)
    ]


def _best(scored: list[tuple[float, str, TermCount]], number: int) -> list[tuple[float, str, TermCount]]:
    return sorted(scored, key=itemgetter(0, 1))[:number]


def _frequency(count: int, alone: int) -> float:
    return alone + _NESTED * (count - alone)


def listed_form(key: str, forms: dict[str, int]) -> str:
    """The form of the key itself where it is seen, else the most frequent; not that of a beginning."""
    inside = {form: count for form, count in forms.items() if not form.startswith(INITIAL)}
    if not inside:
        inside = {form.removeprefix(INITIAL): count for form, count in forms.items()}
    base = {form: count for form, count in inside.items() if form.lower() == key}
    if base and sum(base.values()) * 5 >= sum(inside.values()):
        inside = base
    return max(inside, key=lambda form: (inside[form], form))
