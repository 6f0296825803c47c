"""A translation as it comes into being: each token with its source, the moment it is decided.

Untranslatables come as one token each: instead of their stand-in, or before the first word that comes from
behind them in the source.
"""

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from lexalign.characters import continues_word
from lexalign.contracts.alignment import OnlineAligner
from lexalign.markup.protection import MaskedText, StandIn
from lexalign.markup.tagged_text import TagWriter
from lexalign.models.transformer import Transformer
from lexalign.text.subwords import ModelTokenizer, SubwordTokenizer
from lexalign.text.surface import Span

_STEPS_PER_RESERVE = 8
_STAND_IN = re.compile(r"(?<![^\W_])X{1,3}(\d{1,6})$")
_MAY_BE_STAND_IN = re.compile(r"(?<![^\W_])X{1,3}\d{0,6}$")


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
    state = model.start(encoded, beam=1, attention_layer=aligner.layer)
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


def restore_tokens(masked: MaskedText, tokens: Iterator[StreamedToken]) -> Iterator[StreamedToken]:
    """The tokens of a masked text's translation with all that belongs into it, by places in its source."""
    if not masked.changed:
        yield from tokens
        return
    restorer = _Restorer(masked)
    for token in tokens:
        yield from restorer.add(token)
    yield from restorer.finish()


def copied_token(text: str) -> StreamedToken:
    """A sentence that is its own translation."""
    return StreamedToken(
        text=text,
        piece=text,
        log_probability=0.0,
        source=(0, len(text)),
        probability=1.0,
        distribution=(),
    )


class _Restorer:
    """Holds tokens back as long as they may be the beginning of a stand-in."""

    def __init__(self, masked: MaskedText) -> None:
        self._masked = masked
        self._writer = TagWriter(str)
        self._num_told = 0  # parts of what is written
        self._edges = deque(masked.tagged.edges())
        self._lost = {one.word: one for one in masked.stand_ins}
        self._held: list[StreamedToken] = []

    def add(self, token: StreamedToken) -> Iterator[StreamedToken]:
        joined = "".join(one.text for one in self._held) + token.text
        if _MAY_BE_STAND_IN.search(joined):
            self._held.append(token)
            return
        if self._held and not continues_word(token.text):
            yield from self._release()
            yield from self.add(token)
            return
        self._held.append(token)
        yield from self._release(copied=False)

    def finish(self) -> Iterator[StreamedToken]:
        yield from self._release()
        yield from self._set_edges(len(self._masked.text))
        for one in list(self._lost.values()):
            self._writer.want_space()
            yield self._original(one)

    def _release(self, *, copied: bool = True) -> Iterator[StreamedToken]:
        """What is held back: a stand-in, or tokens like any other."""
        held, self._held = self._held, []
        joined = "".join(one.text for one in held)
        match = _STAND_IN.search(joined) if copied else None
        stand_in = self._lost.get(f"X{int(match[1])}") if match else None
        if match is None or stand_in is None:
            for token in held:
                yield from self._begin_word(token)
                yield replace(token, text=self._told(), source=self._masked.to_source(token.source))
            return
        yield from self._set_edges(stand_in.span[0])
        self._writer.text(joined[: match.start()])
        yield self._original(stand_in)

    def _begin_word(self, token: StreamedToken) -> Iterator[StreamedToken]:
        """Write a token; where it begins a word, tags that end before it stand before its space."""
        word = token.text.lstrip()
        if word == token.text:
            self._writer.text(token.text)
            return
        yield from self._set_edges(token.source[0], ending=True)
        self._writer.text(token.text[: -len(word)] if word else token.text)
        yield from self._set_edges(token.source[0])
        self._writer.text(word)

    def _original(self, stand_in: StandIn) -> StreamedToken:
        del self._lost[stand_in.word]
        span = stand_in.original.span
        self._writer.text(self._masked.source[slice(*span)])
        return self._token(span)

    def _set_edges(self, reached: int, *, ending: bool = False) -> Iterator[StreamedToken]:
        """Tags that stand before what is reached of the source; or only those of them that end."""
        while self._edges and self._edges[0][0] <= reached and (self._edges[0][2] or not ending):
            place, index, closes = self._edges.popleft()
            tag = self._masked.tagged.tags[index]
            if closes:
                self._writer.close(tag)
            else:
                self._writer.open(tag)
            if tag.closing if closes else tag.opening:
                yield self._token(self._masked.to_source((place, place)))

    def _token(self, source: Span) -> StreamedToken:
        text = self._told()
        return StreamedToken(
            text=text, piece=text, log_probability=0.0, source=source, probability=1.0, distribution=()
        )

    def _told(self) -> str:
        """What is written since the last time."""
        parts = self._writer.parts[self._num_told :]
        self._num_told = len(self._writer.parts)
        return "".join(parts)
