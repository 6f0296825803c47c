"""The aligner of a method, from what a model's folder holds, or from what the model itself tells."""

import hashlib
from contextlib import suppress
from pathlib import Path
from typing import get_args

from lexalign.alignment.aligner import LearnedAligner
from lexalign.alignment.attention import NaiveAttention, ShiftedAttention, sentence_final_ids
from lexalign.alignment.attention_files import (
    AttentionMethod,
    AttentionPlace,
    read_attention,
    write_attention,
)
from lexalign.alignment.attention_selection import choose_attention
from lexalign.alignment.head_files import load_head
from lexalign.contracts.alignment import Aligner
from lexalign.contracts.errors import LexalignError
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.search import search
from lexalign.models.folder import WEIGHTS
from lexalign.models.transformer import Transformer
from lexalign.storage import cache_folder
from lexalign.text.sample_sentences import sample_sentences
from lexalign.text.subwords import Languages, ModelTokenizer
from lexalign.translator.execution import running
from lexalign.translator.forced_targets import pad_sources
from lexalign.translator.options import OnlineMethod

ONLINE_METHODS: tuple[OnlineMethod, ...] = get_args(OnlineMethod)
_SAMPLE_TOKENS = 64  # of a sentence and of its translation, where the model has place for so many


def load_aligner(
    path: Path,
    model: Transformer,
    tokenizer: ModelTokenizer,
    method: OnlineMethod,
    *,
    place: AttentionPlace | None = None,
    pin_marks: bool = False,
    languages: Languages | None = None,
) -> Aligner:
    """`place` is for attention, over the one saved beside the model; `languages` are the model's."""
    if method not in ONLINE_METHODS:
        raise LexalignError(f"unknown method {method!r}; choose from {', '.join(ONLINE_METHODS)}, auto")
    if method == "naive-att":
        layer, head = place or best_attention(path, model, tokenizer, languages)[method]
        return NaiveAttention(layer=layer, head=head)
    if method == "shift-att":
        layer, head = place or best_attention(path, model, tokenizer, languages)[method]
        if not pin_marks:
            return ShiftedAttention(layer=layer, head=head)
        source, target = sentence_final_ids(tokenizer.source), sentence_final_ids(tokenizer.target)
        return ShiftedAttention(layer=layer, head=head, sentence_final_ids=target, source_final_ids=source)
    return _learned_aligner(path, model, method)


def _learned_aligner(path: Path, model: Transformer, method: OnlineMethod) -> Aligner:
    head, settings = load_head(path, method)
    head.to(model.device)
    return LearnedAligner(
        head,
        model.target_embedding,
        layer=settings.layer,
        temperature=settings.temperature,
        threshold=settings.threshold,
    )


def best_attention(
    path: Path, model: Transformer, tokenizer: ModelTokenizer, languages: Languages | None = None
) -> dict[AttentionMethod, AttentionPlace]:
    """The saved places of both methods; where one is not known, both are found and saved.

    They are saved beside the model or, where that is not allowed, in the cache folder.
    """
    elsewhere = cache_folder() / "attention" / _fingerprint(path)
    saved = read_attention(elsewhere) | read_attention(path)
    if len(saved) == len(get_args(AttentionMethod)):
        return saved
    found = _choose(model, tokenizer, languages) | saved
    for folder in (path, elsewhere):
        with suppress(OSError):
            write_attention(folder, found)
            break
    return found


def _choose(
    model: Transformer, tokenizer: ModelTokenizer, languages: Languages | None
) -> dict[AttentionMethod, AttentionPlace]:
    """By the model's translations of sample sentences."""
    chosen = languages or tokenizer.chosen
    longest = min(
        _SAMPLE_TOKENS, model.config.max_positions - len(model.vocabulary.target_prefix) - 1
    )  # with an end of sentence
    ids = [
        tokenizer.source.encode_with_offsets(sentence).ids[:longest]
        for sentence in sample_sentences(chosen[0] if chosen else None)
    ]
    finals = [sentence_final_ids(side) for side in (tokenizer.target, tokenizer.source)]
    with running(model.device):
        found = search(model, pad_sources(model, ids), SearchOptions(beam=1, max_length=longest))
        pairs = [
            (source, ranked[0].token_ids)
            for source, ranked in zip(ids, found, strict=True)
            if source and ranked[0].token_ids
        ]
        return choose_attention(model, pairs, model.device, *finals)


def _fingerprint(path: Path) -> str:
    """Of a model's folder as it is now."""
    state = (path / WEIGHTS).stat()
    content = f"{path.resolve()} {state.st_size} {state.st_mtime_ns}"
    return hashlib.sha256(content.encode()).hexdigest()[:16]
