"""What is translated: texts of three lengths, from a file or from the package's own sentences."""

from collections.abc import Sequence
from typing import Literal

from lexalign.contracts.errors import LexalignError

Length = Literal["short", "ordinary", "long"]
# Sentences of a text. The package's own have some 14 tokens, so these are 14, 28 and 84.
SENTENCES: dict[Length, int] = {"short": 1, "ordinary": 2, "long": 6}


def make_texts(sentences: Sequence[str], length: Length, count: int) -> list[str]:
    """`count` texts, each of several sentences that follow one another, and each begun elsewhere.

    of 5 sentences, ordinary    1 2,  2 3,  3 4,  4 5,  5 1, ...
    """
    if not sentences:
        raise LexalignError("there are no sentences to translate")
    size = SENTENCES[length]
    return [
        " ".join(sentences[(first + place) % len(sentences)] for place in range(size))
        for first in range(count)
    ]
