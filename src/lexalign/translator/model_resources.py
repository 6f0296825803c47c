"""A model's folder, loaded: weights, tokenizer, languages, and aligners by the names of their methods."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import get_args

from lexalign.alignment.aligner import LearnedAligner
from lexalign.alignment.attention import NaiveAttention, ShiftedAttention, sentence_final_ids
from lexalign.alignment.head_files import load_head
from lexalign.alignment.layer_selection import read_attention_layer
from lexalign.contracts.alignment import Aligner
from lexalign.contracts.errors import LexalignError
from lexalign.decoding.lexical_shortlist import LexicalShortlist
from lexalign.models.folder import load_model
from lexalign.models.projection import Precision
from lexalign.models.transformer import Transformer
from lexalign.text.languages import primary
from lexalign.text.model_languages import check_languages, languages_of_folder
from lexalign.text.subwords import Languages, ModelTokenizer
from lexalign.translator.options import OnlineMethod

ONLINE_METHODS: tuple[OnlineMethod, ...] = get_args(OnlineMethod)


@dataclass(frozen=True, kw_only=True, eq=False)
class ModelResources:
    """The weights for one pair of languages; aligners are read when they are first asked for."""

    folder: Path
    weights: Transformer
    tokenizer: ModelTokenizer
    languages: Languages | None  # as ("de", "en"); None where they are not known
    shortlist: LexicalShortlist | None = None
    _aligners: dict[OnlineMethod, Aligner | None] = field(default_factory=dict, init=False, repr=False)

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

    @cached_property
    def transformer(self) -> Transformer:
        """The weights, where every target begins with the code of its language."""
        return self.weights.with_target_prefix(self.tokenizer.target_language_ids)

    @property
    def max_source_tokens(self) -> int:
        return self.transformer.config.max_positions - 1  # end of sentence needs a position too

    @property
    def max_target_tokens(self) -> int:
        return self.transformer.config.max_positions - len(self.transformer.vocabulary.target_prefix)

    @property
    def on_cpu(self) -> bool:
        return self.transformer.device.type == "cpu"

    def aligner(self, method: OnlineMethod) -> Aligner:
        """The aligner of a method; an error says what the folder lacks for it."""
        found = self.find_aligner(method)
        return self._load_aligner(method) if found is None else found

    def find_aligner(self, method: OnlineMethod) -> Aligner | None:
        """As `aligner`, but None where the folder does not hold what the method needs."""
        if method not in self._aligners:
            try:
                self._aligners[method] = self._load_aligner(method)
            except LexalignError:
                self._aligners[method] = None
        return self._aligners[method]

    def _load_aligner(self, method: OnlineMethod) -> Aligner:
        return load_aligner(self.folder, self.transformer, self.tokenizer, method)


def load_aligner(
    path: Path,
    model: Transformer,
    tokenizer: ModelTokenizer,
    method: OnlineMethod,
    *,
    layer: int | None = None,
    pin_marks: bool = False,
) -> Aligner:
    """`layer` (from 0) is for attention, over the one saved beside the model."""
    if method not in ONLINE_METHODS:
        raise LexalignError(f"unknown method {method!r}; there are {', '.join(ONLINE_METHODS)}")
    if method in ("naive-att", "shift-att"):
        chosen = read_attention_layer(path, method) if layer is None else layer
        if method == "naive-att":
            return NaiveAttention(layer=chosen)
        if not pin_marks:
            return ShiftedAttention(layer=chosen)
        source, target = sentence_final_ids(tokenizer.source), sentence_final_ids(tokenizer.target)
        return ShiftedAttention(layer=chosen, sentence_final_ids=target, source_final_ids=source)
    head, settings = load_head(path, method)
    head.to(model.device)
    return LearnedAligner(
        head,
        model.target_embedding,
        layer=settings.layer,
        temperature=settings.temperature,
        threshold=settings.threshold,
    )


def _primary(languages: Languages | None) -> Languages | None:
    return None if languages is None else (primary(languages[0]), primary(languages[1]))
