"""A translation as it comes into being: each token with its source, the moment it is decided."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from lexalign.contracts.alignment import OnlineAligner
from lexalign.models.transformer import Transformer
from lexalign.text.subwords import ModelTokenizer, SubwordTokenizer
from lexalign.text.surface import Span

_STEPS_PER_RESERVE = 8


@dataclass(frozen=True, kw_only=True)
class StreamedToken:
    """A token of a translation; `text` is what it adds to the text so far."""

    text: str
    piece: str
    log_probability: float
    source: Span  # the characters it most probably comes from
    probability: float  # that it comes from there
    distribution: tuple[float, ...]  # over the source's subwords and, last, its end


@torch.inference_mode()
def stream_tokens(
    model: Transformer, tokenizer: ModelTokenizer, aligner: OnlineAligner, source: str, max_tokens: int
) -> Iterator[StreamedToken]:
    """Translate greedily."""
    encoding, target = tokenizer.source.encode_with_offsets(source), tokenizer.target
    vocabulary, device = model.vocabulary, model.device
    encoded = model.encode(torch.tensor([[*encoding.ids, vocabulary.eos_id]], device=device))
    memory = aligner.remember(encoded)
    linkable = [place for place, index in enumerate(encoding.ids) if index not in vocabulary.unlinked]
    state = model.start(encoded, beam=1, watch=aligner.layer)
    itself = torch.zeros(1, 1, dtype=torch.int64, device=device)  # the only hypothesis continues itself
    fed, start = list(vocabulary.target_prefix), len(vocabulary.target_prefix)
    for position in range(start - 1 + max_tokens):
        if position % _STEPS_PER_RESERVE == 0:
            state.reserve(_STEPS_PER_RESERVE)
        output = model.step(state, torch.tensor([[fed[position]]], device=device))
        state.reorder(itself)
        if position < start - 1:
            continue
        token_id, log_probability = _best(output.logits[0, 0], vocabulary.never_generated)
        if token_id == vocabulary.eos_id:
            return
        asked = torch.tensor([[[token_id]]], device=device)
        distribution = aligner.align_candidates(memory, output, asked)[0, 0, 0].tolist()
        fed.append(token_id)
        best = max(linkable, key=distribution.__getitem__)
        yield StreamedToken(
            text=_added(target, fed[start:]),
            piece=target.piece(token_id),
            log_probability=log_probability,
            source=encoding.spans[best],
            probability=distribution[best],
            distribution=tuple(distribution),
        )


def _best(logits: Tensor, never_generated: tuple[int, ...]) -> tuple[int, float]:
    """The best token and its log-probability, as a search of one hypothesis has them."""
    logits[list(never_generated)] = float("-inf")
    value, index = torch.log_softmax(logits.float(), dim=-1).max(dim=-1)
    return int(index), float(value)


def _added(tokenizer: SubwordTokenizer, ids: list[int]) -> str:
    """What the last token adds; a character of several bytes comes with the last of them."""
    text, before = tokenizer.decode(ids), tokenizer.decode(ids[:-1])
    return text[len(before) :] if text.startswith(before) else ""
