"""Language detection, which may be undecided.

py3langid gives the probability of each of its 139 languages (naive Bayes over bytes; Lui and Baldwin 2012,
https://aclanthology.org/P12-3005). A caller mostly expects one of a few languages: the prior
probability of each of these candidates is `PRIOR_ODDS` times that of each other language.

    detect("Das Haus ist groß.", ("de", "en"))             de, 0.999
    detect("La maison est grande.", ("de", "en"))          fr, 0.79: clear enough, though no candidate
    detect("We all die.", ("de", "en"))                    None: en, 0.53, is not enough

How often these answers are right, and how the constants were chosen, is in docs/languages.md.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from lexalign.characters import is_unspaced
from lexalign.contracts.errors import LexalignError
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
    """Load the library's model now, which takes some 0.3 s, rather than with the first text."""
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


def _most_probable(text: str, candidates: Collection[str] | None) -> tuple[str | None, float]:
    beginning = text[:MOST_CHARACTERS]
    wanted = {primary(language) for language in candidates or ()}
    identifier = _identifier()
    known = {_name_of(label, wanted) for label in identifier.labels}
    if not wanted <= known or not any(map(str.isalpha, beginning)):
        return None, 0.0
    weights: dict[str, float] = defaultdict(float)
    for label, probability in identifier.rank(beginning):
        name = _name_of(label, wanted)
        weights[name] += probability * (PRIOR_ODDS if name in wanted else 1.0)
    best = max(weights, key=lambda name: weights[name])
    share = weights[best] / sum(weights.values())
    return (None if best == _NO_LANGUAGE else best), share


def _name_of(label: str, wanted: Collection[str]) -> str:
    """The language of the library's label; Norwegian is `nb` if that is a candidate."""
    if label == "no" and "nb" in wanted:
        return "nb"
    return label if label in wanted else primary(_PART_OF.get(label, label))


@cache
def _identifier() -> "LanguageIdentifier":
    """The library's model, loaded once; it has no mutable state, so threads may share it."""
    try:
        from py3langid.langid import MODEL_FILE, LanguageIdentifier
    except ImportError:
        raise LexalignError(
            "to detect a language, py3langid is needed: pip install py3langid; or say it by --from LANGUAGE"
        ) from None
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
