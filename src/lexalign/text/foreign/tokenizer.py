"""The tokenizer of an imported model: both sides, and language codes.

The position of language codes differs by family; `de` and `en` are source and target:

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

from lexalign.contracts.errors import LanguageError
from lexalign.text.foreign.side import ForeignSide
from lexalign.text.languages import find_language
from lexalign.text.subwords import Languages

_MAX_LISTED = 12  # codes in an error message


@dataclass(frozen=True, kw_only=True)
class LanguageCodes:
    """The ids of language codes and their positions; `default` is used where nothing is chosen."""

    ids: Mapping[str, int] = field(default_factory=dict)
    before_source: Literal["source", "target"] | None = None
    before_target: bool = False
    default: Languages | None = None


@dataclass(frozen=True, kw_only=True)
class ForeignTokenizer:
    """Implements `ModelTokenizer`."""

    source_side: ForeignSide
    target_side: ForeignSide
    source_prefix: tuple[int, ...] = ()  # of every source of any language
    codes: LanguageCodes = field(default_factory=LanguageCodes)
    chosen: Languages | None = None

    @property
    def languages(self) -> tuple[str, ...]:
        return tuple(self.codes.ids)

    @property
    def mirrored(self) -> bool:
        same_codes = (self.codes.before_source == "source") == self.codes.before_target
        return self.source_side is self.target_side and same_codes and not self.source_prefix

    @property
    def source(self) -> ForeignSide:
        chosen, side = self._chosen_languages(), self.codes.before_source
        code = {"source": chosen[:1], "target": chosen[1:]}[side] if side else ()
        return self.source_side.with_prefix((*self.source_prefix, *map(self._id, code)))

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
        chosen = self._chosen_languages()
        return tuple(map(self._id, chosen[1:])) if self.codes.before_target else ()

    def between(self, languages: Languages | None) -> "ForeignTokenizer":
        if not self.codes.ids:
            return self
        bound = replace(self, chosen=languages or self.chosen or self.codes.default)
        _ = bound.source, bound.target_language_ids  # raises an error if a language is missing
        return bound

    @cached_property
    def fingerprint(self) -> str:
        parts = [
            part
            for side in (self.source_side, self.target_side)
            for part in (side.segmenter.content, dumps([*side.vocabulary, side.spelling]).encode())
        ]
        prefixes = dumps([self.source_prefix, dict(self.codes.ids), self.codes.before_source]).encode()
        return sha256(b"".join(sha256(part).digest() for part in (*parts, prefixes))).hexdigest()

    def save(self, path: Path) -> None:
        from lexalign.text.foreign.folder import save_foreign

        save_foreign(self, path)

    def _chosen_languages(self) -> Languages | tuple[()]:
        if self.codes.ids and self.chosen is None:
            raise self._no_choice()
        return self.chosen or ()

    def _id(self, code: str) -> int:
        if not code:
            raise self._no_choice()
        found = find_language(code, self.codes.ids)
        if found is None:
            raise LanguageError(f"the model has no language {code!r}; it has {self._list_codes()}")
        return self.codes.ids[found]

    def _no_choice(self) -> LanguageError:
        flags = "--to" if self.codes.before_source == "target" else "--from and --to"
        known = f"the model has {len(self.codes.ids)} languages; choose with"
        return LanguageError(
            f"{known} {flags}: {self._list_codes()}",
            in_python=f'{known} languages=("de", "en") or the like: {self._list_codes()}',
        )

    def _list_codes(self) -> str:
        known = list(self.codes.ids)
        more = f" and {len(known) - _MAX_LISTED} more" if len(known) > _MAX_LISTED else ""
        return ", ".join(known[:_MAX_LISTED]) + more
