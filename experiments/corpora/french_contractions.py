"""French with its contractions expanded, as the gold set of Hansards is written.

    python -m experiments.corpora.french_contractions < hansards.fr > corpora/en-fr/train.fr

`l'heure du départ` is `le heure de le départ` there: an elided word is written out, and stands for itself.
"""

import re
import sys

_ELIDED = re.compile(
    r"\b(l|d|n|s|j|m|t|c|qu|lorsqu|puisqu|quoiqu|quelqu|jusqu)['’](?=\w)", flags=re.IGNORECASE
)
_CONTRACTED = {"du": "de le", "des": "de les", "au": "à le", "aux": "à les"}
_CONTRACTED_WORD = re.compile(rf"(?<![\w'’-])({'|'.join(_CONTRACTED)})(?![\w'’-])", flags=re.IGNORECASE)


def expand_contractions(text: str) -> str:
    return _CONTRACTED_WORD.sub(_two_words, _ELIDED.sub(_whole_word, text))


def _whole_word(match: re.Match[str]) -> str:
    elided = match[1]
    return elided + ("E" if elided.isupper() and len(elided) > 1 else "e") + " "


def _two_words(match: re.Match[str]) -> str:
    contracted = match[1]
    words = _CONTRACTED[contracted.lower()]
    if contracted.isupper():
        return words.upper()
    return words.capitalize() if contracted[0].isupper() else words


if __name__ == "__main__":
    sys.stdin.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout.writelines(expand_contractions(line) for line in sys.stdin)
