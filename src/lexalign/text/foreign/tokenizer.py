"""Both sides of an imported model, and its languages.

Where language codes stand differs by family; `de` and `en` are source and target:

    M2M100, NLLB, mBART-50    source  de Das Haus </s>      decoder  </s> en The house
    Marian, many targets      source  en Das Haus </s>      decoder  <pad> The house
    BART                      source  <s> Das Haus </s>     decoder  </s> <s> The house
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from json import dumps
from pathlib import Path
from typing import Literal

from lexalign.contracts.errors import LexalignError
from lexalign.text.foreign.side import ForeignSide
from lexalign.text.languages import find_language
from lexalign.text.subwords import Languages

_SHOWN = 12  # codes that an error lists


@dataclass(frozen=True, kw_only=True)
class LanguageCodes:
    """The ids of codes, and whose stands where; `usual` is taken where nobody chooses."""

    ids: Mapping[str, int] = field(default_factory=dict)
    before_source: Literal["source", "target"] | None = None
    before_target: bool = False
    usual: Languages | None = None


@dataclass(frozen=True, kw_only=True)
class ForeignTokenizer:
    """Implements `ModelTokenizer`."""

    source_side: ForeignSide
    target_side: ForeignSide
    source_prefix: tuple[int, ...] = ()  # of every source, whatever its language
    codes: LanguageCodes = field(default_factory=LanguageCodes)
    chosen: Languages | None = None

    @property
    def languages(self) -> tuple[str, ...]:
        return tuple(self.codes.ids)

    @property
    def mirrored(self) -> bool:
        same_marks = (self.codes.before_source == "source") == self.codes.before_target
        return self.source_side is self.target_side and same_marks and not self.source_prefix

    @property
    def source(self) -> ForeignSide:
        chosen, side = self._choice(), self.codes.before_source
        code = {"source": chosen[:1], "target": chosen[1:]}[side] if side else ()
        return self.source_side.marked((*self.source_prefix, *map(self._id, code)))

    @property
    def target(self) -> ForeignSide:
        return self.target_side

    @property
    def source_size(self) -> int:
        return self.source_side.vocabulary_size

    @property
    def target_size(self) -> int:
        return self.target_side.vocabulary_size

    @property
    def target_language_ids(self) -> tuple[int, ...]:
        chosen = self._choice()
        return tuple(map(self._id, chosen[1:])) if self.codes.before_target else ()

    def between(self, languages: Languages | None) -> "ForeignTokenizer":
        if not self.codes.ids:
            return self
        bound = replace(self, chosen=languages or self.chosen or self.codes.usual)
        _ = bound.source, bound.target_language_ids  # raises what is missing
        return bound

    @cached_property
    def fingerprint(self) -> str:
        parts = [
            part
            for side in (self.source_side, self.target_side)
            for part in (side.segmenter.content, dumps([*side.vocabulary, side.spelling]).encode())
        ]
        marks = dumps([self.source_prefix, dict(self.codes.ids), self.codes.before_source]).encode()
        return sha256(b"".join(sha256(part).digest() for part in (*parts, marks))).hexdigest()

    def save(self, path: Path) -> None:
        from lexalign.text.foreign.folder import save_foreign

        save_foreign(self, path)

    def _choice(self) -> Languages | tuple[()]:
        if self.codes.ids and self.chosen is None:
            raise LexalignError(self._ask())
        return self.chosen or ()

    def _id(self, code: str) -> int:
        if not code:
            raise LexalignError(self._ask())
        found = find_language(code, self.codes.ids)
        if found is None:
            raise LexalignError(f"the model has no language {code!r}; it has {self._listed()}")
        return self.codes.ids[found]

    def _ask(self) -> str:
        flags = "--to" if self.codes.before_source == "target" else "--from and --to"
        return f"the model has {len(self.codes.ids)} languages; choose with {flags}: {self._listed()}"

    def _listed(self) -> str:
        known = list(self.codes.ids)
        more = f" and {len(known) - _SHOWN} more" if len(known) > _SHOWN else ""
        return ", ".join(known[:_SHOWN]) + more
