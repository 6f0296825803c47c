"""The aligner that a model's folder holds, by the name of its method."""

from pathlib import Path
from typing import Literal, get_args

from lexalign.alignment.aligner import LearnedAligner
from lexalign.alignment.attention import NaiveAttention, ShiftedAttention, sentence_final_ids
from lexalign.alignment.head_files import load_head
from lexalign.alignment.layer_selection import read_attention_layer
from lexalign.contracts.alignment import Aligner
from lexalign.contracts.errors import LexalignError
from lexalign.models.transformer import Transformer
from lexalign.text.subwords import ModelTokenizer

OnlineMethod = Literal["naive-att", "shift-att", "prior-att", "shift-aet", "post-aln"]
ONLINE_METHODS: tuple[OnlineMethod, ...] = get_args(OnlineMethod)


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
