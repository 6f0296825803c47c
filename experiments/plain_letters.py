"""Text without marks on its letters, ş and ș as s.

python -m experiments.plain_letters < europarl.ro > train.ro
"""

import sys
import unicodedata


def plain_letters(text: str) -> str:
    apart = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", "".join(mark for mark in apart if not unicodedata.combining(mark)))


if __name__ == "__main__":
    sys.stdin.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    for line in sys.stdin:
        sys.stdout.write(plain_letters(line))
