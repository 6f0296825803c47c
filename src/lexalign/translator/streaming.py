"""Greedy translation that gives each token with its source the moment it is decided.

Untranslatables come as one token each: instead of their stand-in, or before the first word that comes from
behind them in the source. A sentence with terms is searched whole, because its terms are sure only at its
end, and so is one in capitals; then its tokens come at once.
"""

import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import cast

import torch

from lexalign.alignment.attention_files import AttentionPlace
from lexalign.characters import continues_word
from lexalign.contracts.alignment import OnlineAligner, Span
from lexalign.contracts.errors import LexalignError
from lexalign.contracts.model import DecoderOutput
from lexalign.decoding.options import SearchOptions
from lexalign.markup.protection import MaskedText, StandIn
from lexalign.markup.tagged_text import TagWriter
from lexalign.text.subwords import SubwordTokenizer
from lexalign.translator.execution import running
from lexalign.translator.joining import join_token, with_gaps
from lexalign.translator.model_resources import ModelResources
from lexalign.translator.options import AlignerName
from lexalign.translator.source_text import SourceSentence, SourceText
from lexalign.translator.translation import StreamedToken, Translation

_STEPS_PER_RESERVE = 8
_STAND_IN = re.compile(r"(?<![^\W_])X{1,3}(\d{1,6})$")
_MAY_BE_STAND_IN = re.compile(r"(?<![^\W_])X{1,3}\d{0,6}$")


def online_aligner(
    model: ModelResources, method: AlignerName, place: AttentionPlace | None = None
) -> OnlineAligner:
    """The aligner of a method that tells a token's source with the token."""
    aligner = model.aligner(method, place, online=True)
    if aligner.delay:
        raise LexalignError(
            f"{method} knows the source of a token only after the next; use post-aln, prior-att or naive-att"
        )
    return cast(OnlineAligner, aligner)


def stream_text(
    model: ModelResources,
    aligner: OnlineAligner,
    source: SourceText,
    max_length: int,
    search: Callable[[SourceSentence], Translation],
) -> Iterator[StreamedToken]:
    """Translate a text sentence after sentence; sources are places in the whole text.

    `search` translates a sentence with constraints, or in capitals.
    """
    for sentence, gap in with_gaps(source):
        if sentence.length and (sentence.constraints or sentence.capitals):
            tokens = _found_tokens(search(sentence))
        else:
            tokens = _stream_sentence(model, aligner, sentence, max_length)
        for token in tokens:
            yield join_token(token, sentence, gap)
            gap = ""
    end = source.sentences[-1].span[1]
    if rest := source.text[end:]:
        yield replace(_copied_token(rest), source=(end, len(source.text)))


def _stream_sentence(
    model: ModelResources, aligner: OnlineAligner, sentence: SourceSentence, max_length: int
) -> Iterator[StreamedToken]:
    if not sentence.length:
        return iter([_copied_token(sentence.text)] if sentence.text.strip() else [])
    limit = SearchOptions(max_length=max_length).limit(len(sentence.sentence.ids) + 1) - 1
    tokens = _stream_tokens(model, aligner, sentence, min(limit, model.max_target_tokens))
    return restore_tokens(sentence.masked, _run(tokens, model.transformer.device))


def _run(tokens: Iterator[StreamedToken], device: torch.device) -> Iterator[StreamedToken]:
    """Each step runs with the settings of the device, and the caller between the steps with its own."""
    while True:
        with running(device):
            token = next(tokens, None)
        if token is None:
            return
        yield token


@torch.inference_mode()
def _stream_tokens(
    resources: ModelResources, aligner: OnlineAligner, sentence: SourceSentence, max_tokens: int
) -> Iterator[StreamedToken]:
    """The tokens of a masked sentence."""
    model, target, ids = resources.transformer, resources.tokenizer.target, sentence.sentence.ids
    vocabulary, device = model.vocabulary, model.device
    source_ids = torch.tensor([[*ids, vocabulary.eos_id]], device=device)
    encoded = model.encode(source_ids)
    memory = aligner.remember(encoded)
    linkable = [place for place, index in enumerate(ids) if index not in vocabulary.unlinked]
    lexical = resources.shortlist
    shortlist = (
        None if lexical is None else lexical.select(source_ids, [sentence.sentence.stand_ins], vocabulary)
    )
    state = model.start(encoded, beam=1, attention_layer=aligner.layer, shortlist=shortlist)
    itself = torch.zeros(1, 1, dtype=torch.int64, device=device)  # the only hypothesis continues itself
    fed, start = list(vocabulary.target_prefix), len(vocabulary.target_prefix)
    for position in range(start - 1 + max_tokens):
        if position % _STEPS_PER_RESERVE == 0:
            state.reserve(_STEPS_PER_RESERVE)
        output = model.step(state, torch.tensor([[fed[position]]], device=device))
        state.reorder(itself)
        if position < start - 1:
            continue
        token_id, log_probability = _best(output, vocabulary.never_generated)
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
            source=sentence.token_spans[best],
            probability=distribution[best],
            distribution=tuple(distribution),
        )


def _best(output: DecoderOutput, never_generated: tuple[int, ...]) -> tuple[int, float]:
    """The best token and its log-probability, as a search of one hypothesis has them."""
    logits = output.logits[:, 0]
    if output.shortlist is None:
        logits[:, list(never_generated)] = float("-inf")
    value, index = torch.log_softmax(logits.float(), dim=-1).max(dim=-1)
    token_id = index if output.shortlist is None else output.shortlist.to_tokens(index[:, None])
    return int(token_id), float(value)


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


def _found_tokens(found: Translation) -> Iterator[StreamedToken]:
    """A finished translation, cut where its links end; a term is one token."""
    terms = {term.target: term for term in found.terms if term.target is not None}
    position = 0
    for link in found.told_links:
        start, end = link.target
        if start < position:
            continue
        text = found.text[position:end]
        term = terms.get(link.target)
        yield replace(_copied_token(text), source=link.source, probability=link.probability or 0.0, term=term)
        position = end
    if rest := found.text[position:]:
        yield replace(_copied_token(rest), source=(len(found.source), len(found.source)))


def _copied_token(text: str) -> StreamedToken:
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
