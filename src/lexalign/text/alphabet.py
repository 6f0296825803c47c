"""The characters that a model can read, and those that its tokenizer spells in bytes or does not know at all.

A model has hardly seen such characters, and mostly makes others of them: "Łódź" becomes "Áódź", ± becomes º.
"""

import re

from lexalign.text.subwords import SubwordTokenizer

_BYTE = re.compile(r"<0x[0-9A-F]{2}>")


class Alphabet:
    def __init__(self, tokenizer: SubwordTokenizer) -> None:
        self._tokenizer = tokenizer
        self._known: dict[str, bool] = {}

    def unknown(self, text: str) -> frozenset[str]:
        """The characters of a text that the model cannot read; ASCII and white space are never among them."""
        if text.isascii():
            return frozenset()
        return frozenset(one for one in set(text) if not (one.isascii() or one.isspace() or self._knows(one)))

    def _knows(self, character: str) -> bool:
        known = self._known.get(character)
        if known is None:
            ids = self._tokenizer.encode(character)
            pieces = self._tokenizer.pieces(ids)
            known = self._tokenizer.unk_id not in ids and not any(map(_BYTE.fullmatch, pieces))
            self._known[character] = known
        return known
