"""A model's folder, loaded: weights, tokenizer, languages, and aligners by the names of their methods."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from lexalign.alignment.attention_files import AttentionPlace
from lexalign.alignment.head_files import saved_heads
from lexalign.contracts.alignment import Aligner
from lexalign.contracts.errors import LexalignError
from lexalign.decoding.lexical_shortlist import LexicalShortlist
from lexalign.models.folder import load_model
from lexalign.models.projection import Precision
from lexalign.models.transformer import Transformer
from lexalign.text.languages import primary
from lexalign.text.model_languages import check_languages, languages_of_folder
from lexalign.text.subwords import Languages, ModelTokenizer
from lexalign.translator.aligners import load_aligner
from lexalign.translator.options import AlignerName, OnlineMethod


@dataclass(frozen=True, kw_only=True, eq=False)
class ModelResources:
    """The weights for one pair of languages; aligners are read when they are first asked for."""

    folder: Path
    weights: Transformer
    tokenizer: ModelTokenizer
    languages: Languages | None  # as ("de", "en"); None where they are not known
    shortlist: LexicalShortlist | None = None
    beginning: tuple[int, ...] = ()  # tokens that every target begins with
    _aligners: dict[tuple[OnlineMethod, AttentionPlace | None], Aligner] = field(
        default_factory=dict, repr=False
    )

    @classmethod
    def load(
        cls, folder: Path, device: str, precision: Precision | None, languages: Languages | None = None
    ) -> "ModelResources":
        weights, tokenizer = load_model(folder, device=device, precision=precision)
        bound = tokenizer.between(languages)
        known = None if tokenizer.languages else languages_of_folder(folder)
        check_languages(folder, known, languages or (None, None))
        given = _primary(languages) if languages and all(languages) else None
        shortlist = LexicalShortlist.load(folder, tokenizer.fingerprint, weights.vocabulary.size)
        return cls._bound(folder, weights, bound, known or given, shortlist)

    def between(self, languages: Languages) -> "ModelResources":
        """The same weights for other languages."""
        bound = self.tokenizer.between(languages)
        known = None if bound.languages else self.languages
        check_languages(self.folder, known, languages)
        return self._bound(self.folder, self.weights, bound, known, self.shortlist)

    @classmethod
    def _bound(
        cls,
        folder: Path,
        weights: Transformer,
        tokenizer: ModelTokenizer,
        languages: Languages | None,
        shortlist: LexicalShortlist | None,
    ) -> "ModelResources":
        """`languages` are those that a model of one pair translates between, where they are known."""
        chosen = _primary(tokenizer.chosen) if tokenizer.languages else languages
        return cls(folder=folder, weights=weights, tokenizer=tokenizer, languages=chosen, shortlist=shortlist)

    def with_target_prefix(self, token_ids: tuple[int, ...]) -> "ModelResources":
        """The same weights and aligners for targets that begin with these tokens."""
        return replace(self, beginning=token_ids)

    @cached_property
    def transformer(self) -> Transformer:
        """The weights, where every target begins with the code of its language."""
        return self.weights.with_target_prefix((*self.tokenizer.target_language_ids, *self.beginning))

    @property
    def max_source_tokens(self) -> int:
        return self.transformer.config.max_positions - 1  # end of sentence needs a position too

    @property
    def max_target_tokens(self) -> int:
        return self.transformer.config.max_positions - len(self.transformer.vocabulary.target_prefix)

    @property
    def on_cpu(self) -> bool:
        return self.transformer.device.type == "cpu"

    def aligner(
        self,
        method: AlignerName,
        place: AttentionPlace | None = None,
        *,
        online: bool = False,
        pin_marks: bool = False,
    ) -> Aligner:
        """The aligner of a method; an error says what the folder lacks for it.

        An attention method reads the `place` that is given, else the one that is saved, else the best one,
        which is then found and saved. Where `auto` stands for attention, an `online` aligner is NaiveATT, and
        ShiftATT aligns finished translations.
        """
        named = self.named(method, place, online=online)
        if (named, place) not in self._aligners:
            self._aligners[named, place] = load_aligner(
                self.folder,
                self.transformer,
                self.tokenizer,
                named,
                place=place,
                pin_marks=pin_marks or method == "auto",
                languages=self.languages,
            )
        return self._aligners[named, place]

    def find_aligner(self, method: AlignerName, place: AttentionPlace | None = None) -> Aligner | None:
        """As `aligner`, but None where the folder does not hold what the method needs."""
        try:
            return self.aligner(method, place)
        except LexalignError:
            return None

    @property
    def has_head(self) -> bool:
        """Whether the folder holds a PostAln head."""
        return "post-aln" in saved_heads(self.folder)

    def named(
        self, method: AlignerName, place: AttentionPlace | None = None, *, online: bool = False
    ) -> OnlineMethod:
        """The method that `auto` stands for."""
        if method != "auto":
            return method
        if place is None and self.has_head:
            return "post-aln"
        return "naive-att" if online else "shift-att"


def _primary(languages: Languages | None) -> Languages | None:
    return None if languages is None else (primary(languages[0]), primary(languages[1]))
