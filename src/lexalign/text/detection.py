"""Language detection, which may be undecided.

py3langid gives the probability of each of its 139 languages (naive Bayes over bytes; Lui and Baldwin 2012,
https://aclanthology.org/P12-3005). A caller mostly expects one of a few languages: the prior
probability of each of these candidates is `PRIOR_ODDS` times that of each other language.

    detect("Das Haus ist groß.", ("de", "en"))             de, 0.999
    detect("La maison est grande.", ("de", "en"))          fr, 0.79: clear enough, though no candidate
    detect("We all die.", ("de", "en"))                    None: en, 0.53, is not enough

How often these answers are right, and how the constants were chosen:
docs/research/language-detection.md.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from lexalign.characters import is_unspaced
from lexalign.contracts.errors import MissingExtraError
from lexalign.text.languages import primary

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

PRIOR_ODDS = 55.0
SURE = 0.6  # minimum probability of an answer
ALREADY_SURE = 0.99  # that a text needs no translation; a wrong answer leaves a sentence untranslated
ALREADY_WORDS = 4
# More of a text does not help.
MOST_CHARACTERS = 2_000
# Codes that the library distinguishes within one language; used unless they are candidates themselves.
_PART_OF = {"yue": "zh", "wuu": "zh", "nn": "no", "nb": "no", "ary": "ar", "arz": "ar", "uzs": "uz"}
_NO_LANGUAGE = "zxx"


@dataclass(frozen=True)
class Detection:
    """`language` is None if undecided; `probability` is that of the most probable language."""

    language: str | None
    probability: float


def is_available() -> bool:
    """Whether the library for detection is installed."""
    return find_spec("py3langid") is not None


def prepare() -> None:
    """Load the library's model now, rather than with the first text."""
    if is_available():
        _identifier()


def detect(text: str, candidates: Collection[str] | None = None) -> Detection:
    """The language of the beginning of a text, as a two-letter code where there is one: `de`.

    Candidates are preferred; another language is returned if the text is clearly in it. The result is
    undecided if the library does not know a candidate.
    """
    language, probability = _most_probable(text, candidates)
    return Detection(language if probability >= SURE else None, probability)


def already_in(text: str, source: str, target: str) -> bool:
    """Whether a text is already in the target language, so that there is nothing to translate.

    The answer is False in doubt: for texts of a few words, for names and numbers, and if the library is
    missing or does not know one of the languages.
    """
    if _num_words(text[:MOST_CHARACTERS]) < ALREADY_WORDS or primary(source) == primary(target):
        return False
    if not is_available():
        return False
    language, probability = _most_probable(text, (source, target))
    return language == primary(target) and probability >= ALREADY_SURE


def _num_words(text: str) -> int:
    """The approximate number of words; in scripts without spaces two characters count as a word."""
    return len(text.split()) + sum(map(is_unspaced, text)) // 2


def rank_languages(text: str, number: int, candidates: Collection[str] | None = None) -> list[Detection]:
    """The most probable languages of the beginning of a text, best first; none where it has no letter."""
    ranked = sorted(_probabilities(text, candidates).items(), key=lambda one: -one[1])
    return [Detection(name, share) for name, share in ranked if name != _NO_LANGUAGE][:number]


def _most_probable(text: str, candidates: Collection[str] | None) -> tuple[str | None, float]:
    shares = _probabilities(text, candidates)
    if not shares:
        return None, 0.0
    best = max(shares, key=lambda name: shares[name])
    return (None if best == _NO_LANGUAGE else best), shares[best]


def _probabilities(text: str, candidates: Collection[str] | None) -> dict[str, float]:
    """Of each language; nothing where there is no letter, or a candidate that the library does not know."""
    beginning = text[:MOST_CHARACTERS]
    wanted = frozenset(primary(language) for language in candidates or ())
    names = _names(wanted)
    if not wanted <= set(names.values()) or not any(map(str.isalpha, beginning)):
        return {}
    weights: dict[str, float] = defaultdict(float)
    for label, probability in _identifier().rank(beginning):
        name = names[label]
        weights[name] += probability * (PRIOR_ODDS if name in wanted else 1.0)
    total = sum(weights.values())
    return {name: weight / total for name, weight in weights.items()}


@lru_cache(maxsize=64)
def _names(wanted: frozenset[str]) -> dict[str, str]:
    """The languages of the library's labels."""
    return {label: _name_of(label, wanted) for label in _identifier().labels}


def _name_of(label: str, wanted: Collection[str]) -> str:
    """The language of the library's label; Norwegian is `nb` if that is a candidate."""
    if label == "no" and "nb" in wanted:
        return "nb"
    return label if label in wanted else primary(_PART_OF.get(label, label))


@cache
def _identifier() -> "LanguageIdentifier":
    """The library's model, loaded once; it has no mutable state, so threads may share it."""
    if not is_available():
        raise MissingExtraError(
            "detecting a language needs py3langid: pip install py3langid; or give it with --from LANGUAGE",
            in_python="detecting a language needs py3langid: pip install py3langid; or give it with "
            "source=LANGUAGE",
        )
    from lexalign.text.detection_model import load_identifier

    return load_identifier()
