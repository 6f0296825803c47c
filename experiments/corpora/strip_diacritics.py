"""Text without diacritics: ş and ș become s.

python -m experiments.corpora.strip_diacritics < europarl.ro > train.ro
"""

import sys
import unicodedata


def strip_diacritics(text: str) -> str:
    decomposed = unicodedata.normalize("NFD", text)
    letters = "".join(character for character in decomposed if not unicodedata.combining(character))
    return unicodedata.normalize("NFC", letters)


if __name__ == "__main__":
    sys.stdin.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    for line in sys.stdin:
        sys.stdout.write(strip_diacritics(line))
