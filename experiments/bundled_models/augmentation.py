"""Text as people type it: without capitals, in capitals, without a final mark, two sentences in a line, with
the marks of print.

Corpora hardly have any of it. Shares of a text, those of `AugmentationOptions`, are changed so, and in
another share X1, X2, ... stand in for what is copied (see `stand_ins`).
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from functools import partial
from random import Random

from experiments.bundled_models.stand_ins import stand_in
from lexalign.contracts.errors import LexalignError

Pair = tuple[str, str]

_SHORT = 110  # characters of a sentence that may be joined with another
_LABEL_WORDS = 6  # of the name of a button, a field or a page
_END = (".", "!", "?", ":", "…")


@dataclass(frozen=True, kw_only=True)
class AugmentationOptions:
    """Shares of the pairs that are changed."""

    joined: float = 0.0  # with the next pair, as two sentences in one line
    lowered: float = 0.0  # source in small letters
    capitals: float = 0.0  # both sides in capitals
    unmarked: float = 0.0  # both sides without their final mark
    titled: float = 0.0  # a short English source With Capitals
    printed: float = 0.0  # quotation marks and apostrophes of print, where the source has some

    def __post_init__(self) -> None:
        for field in fields(self):
            if not 0 <= getattr(self, field.name) <= 1:
                raise LexalignError(f"{field.name} is {getattr(self, field.name)}; it must be from 0 to 1")


def augment(
    pairs: Iterable[Pair], options: AugmentationOptions, stand_ins: float, *, source: str, random: Random
) -> Iterator[Pair]:
    """Change some of the pairs; `source` is the language of the first side."""
    for pair in joined(pairs, options.joined, random):
        changed = stand_in(pair, random) if random.random() < stand_ins else pair
        changed = _changed(pair, options, source, random) if changed == pair else changed
        yield printed(changed, source) if random.random() < options.printed else changed


def joined(pairs: Iterable[Pair], share: float, random: Random) -> Iterator[Pair]:
    """Join some of the pairs with the one behind them."""
    waiting: Pair | None = None
    for pair in pairs:
        if waiting is not None:
            yield join(waiting, pair)
            waiting = None
        elif random.random() < share and _can_be_joined(pair):
            waiting = pair
        else:
            yield pair
    if waiting is not None:
        yield waiting


def join(first: Pair, second: Pair) -> Pair:
    return f"{first[0]} {second[0]}", f"{first[1]} {second[1]}"


def lower(pair: Pair) -> Pair:
    return pair[0].lower(), pair[1]


def capitalise(pair: Pair) -> Pair:
    """German has had a capital sharp s since 2017, but people write two."""
    return pair[0].upper(), pair[1].upper()


def without_mark(pair: Pair) -> Pair:
    """Drop the final mark where both sides end in the same one."""
    if pair[0][-1:] == pair[1][-1:] and pair[0].endswith((".", "!", "?")) and not pair[0].endswith("..."):
        return pair[0][:-1].rstrip(), pair[1][:-1].rstrip()
    return pair


def titled(pair: Pair) -> Pair:
    """Save your changes → Save Your Changes"""
    return re.sub(r"(?<![\w'’])[a-z](?=\w{2})", lambda match: match[0].upper(), pair[0]), pair[1]


def printed(pair: Pair, source: str) -> Pair:
    """He said: "I don't." → He said: “I don’t.”; and in German: „Ich nicht.“"""
    ways = (_PRINTED["en"], _PRINTED["de"]) if source == "en" else (_PRINTED["de"], _PRINTED["en"])
    changed = ways[0](pair[0]), ways[1](pair[1])
    return pair if changed[0] == pair[0] or '"' in "".join(changed) else changed


def _printed(opening: str, closing: str, text: str) -> str:
    quoted = re.sub(r"(?<![\w\"])\"([^\"]+)\"(?!\w)", rf"{opening}\1{closing}", text)
    return re.sub(r"(?<=\w)'(?=\w)|(?<=s)'(?= )", "’", quoted)


_PRINTED = {"en": partial(_printed, "“", "”"), "de": partial(_printed, "„", "“")}


def _changed(pair: Pair, options: AugmentationOptions, source: str, random: Random) -> Pair:
    drawn = random.random()
    for share, change in (
        (options.lowered, lower),
        (options.capitals, capitalise),
        (options.unmarked, without_mark),
    ):
        if drawn < share:
            return change(pair)
        drawn -= share
    if drawn < options.titled and source == "en" and _is_label(pair[0]):
        return titled(pair)
    return pair


def _can_be_joined(pair: Pair) -> bool:
    return len(pair[0]) <= _SHORT and all(side.endswith(_END) for side in pair)


def _is_label(text: str) -> bool:
    return text.count(" ") < _LABEL_WORDS and not text.endswith(_END)
