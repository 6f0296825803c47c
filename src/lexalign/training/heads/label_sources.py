"""Where the labels of a batch come from: two aligners that check each other, or links found before."""

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from lexalign.alignment.formats.link_table import LinkTable
from lexalign.alignment.links import best_links
from lexalign.alignment.posteriors import (
    agreed_links,
    first_tokens,
    linked_word_posteriors,
    word_indexes,
    word_posteriors,
)
from lexalign.alignment.symmetrization import Method, symmetrize
from lexalign.contracts.alignment import Aligner, ForcedTarget
from lexalign.training.heads.frozen_models import ObservedLayers, PairBatch, Views


class LabelSource(Protocol):
    @property
    def layers(self) -> ObservedLayers:
        """The layers of both models that the source reads."""

    def label(self, batch: PairBatch) -> Tensor:
        """Links (B, T, S), or shares of them.

        A target token that is known to come from nothing is linked with the source's end, and the other way.
        """


@dataclass(frozen=True, kw_only=True)
class _BothDirections:
    forward: Aligner
    backward: Aligner

    @property
    def layers(self) -> ObservedLayers:
        return ObservedLayers.of([self.forward], [self.backward])


@dataclass(frozen=True, kw_only=True)
class SymmetrizedLinks(_BothDirections):
    """The symmetrised links of an aligner for each direction."""

    method: Method

    def label(self, batch: PairBatch) -> Tensor:
        ahead = links_of(self.forward, batch.forward)  # (B, T, S)
        back = links_of(self.backward, batch.backward)  # (B, S, T)
        return symmetrize(ahead, back.transpose(1, 2), self.method)


@dataclass(frozen=True, kw_only=True)
class TableLinks:
    """Links of the whole corpus, by the rows of its token store."""

    table: LinkTable

    @property
    def layers(self) -> ObservedLayers:
        return ObservedLayers()

    def label(self, batch: PairBatch) -> Tensor:
        view = _any_view(batch)
        num_targets, num_sources = view.token_ids.shape[1], view.source_ids.shape[1]
        content = view.target_content[:, :, None] & view.source_content[:, None]
        if not batch.forward:
            num_targets, num_sources, content = num_sources, num_targets, content.transpose(1, 2)
        # Statistics also align language codes, which are no words.
        return self.table.matrices(batch.rows, num_targets, num_sources).to(content.device) & content


@dataclass(frozen=True, kw_only=True, eq=False)
class AgreedPosteriors(_BothDirections):
    """Words are linked where both directions' probabilities say so on average; see `posteriors`.

    Within the words that are linked, subwords share a token's mass as the directions give it to them. Words
    without a link come from nothing. `continues_word` (V,) marks the tokens that continue a word. A second
    opinion is a third voice, which is sure of its links and silent where it has none.
    """

    continues_word: Tensor
    second_opinion: TableLinks | None = None

    def label(self, batch: PairBatch) -> Tensor:
        view, mirrored = batch.forward[self.forward.layer], batch.backward[self.backward.layer]
        ahead, back = self.forward.align(view), self.backward.align(mirrored)
        sources, targets = word_indexes_of(view, self.continues_word)
        masses = [
            word_posteriors(ahead, sources, targets),
            word_posteriors(back, targets, sources).transpose(1, 2),
        ]
        links, shares = agreed_links(masses), ahead + back.transpose(1, 2)
        if self.second_opinion is not None:
            opinion = self.second_opinion.label(batch).to(ahead.dtype)
            links |= agreed_links([*masses, word_posteriors(opinion, sources, targets).clamp(max=1.0)])
            shares += opinion
        links &= view.target_content[:, :, None] & view.source_content[:, None]
        shares = shares.masked_fill(~links, 0.0)
        to_nothing = view.source_content & ~links.any(dim=1)
        shares += from_nothing(view, links)
        shares += _end(mirrored.source.mask)[:, :, None] & to_nothing[:, None]
        return shares


def from_nothing(view: ForcedTarget, links: Tensor) -> Tensor:
    """Links (B, T, S) of target tokens without others to the end of the source."""
    without = view.target_content & ~links.any(dim=2)
    return without[:, :, None] & _end(view.source.mask)[:, None]


def links_of(aligner: Aligner, views: Views) -> Tensor:
    """(B, T, S)"""
    view = views[aligner.layer]
    return best_links(aligner.align(view), view.source_content, view.target_content)


def best_links_of_words(aligner: Aligner, views: Views, continues_word: Tensor) -> Tensor:
    """How probable each target word's best links are (B, T, S), at the first tokens of words; else 0."""
    view = views[aligner.layer]
    sources, targets = word_indexes_of(view, continues_word)
    probabilities = aligner.align(view)
    links = best_links(probabilities, view.source_content, view.target_content)
    found = linked_word_posteriors(probabilities, links, sources, targets)
    return found.masked_fill(~_first_of_words(view, sources, targets), 0.0)


def linked_words(labels: Tensor, batch: PairBatch, continues_word: Tensor) -> Tensor:
    """The words that labels (B, T, S) link, at their first tokens (B, T, S); the end of a side is no word."""
    view = next(iter(batch.forward.values()))
    sources, targets = word_indexes_of(view, continues_word)
    links = (labels > 0) & view.target_content[:, :, None] & view.source_content[:, None]
    return (word_posteriors(links.float(), sources, targets) > 0) & _first_of_words(view, sources, targets)


def word_indexes_of(view: ForcedTarget, continues_word: Tensor) -> tuple[Tensor, Tensor]:
    """To which source word, and to which target word, tokens belong."""
    return word_indexes(view.source_ids, continues_word), word_indexes(view.token_ids, continues_word)


def _first_of_words(view: ForcedTarget, sources: Tensor, targets: Tensor) -> Tensor:
    """Where both tokens are the first of a word (B, T, S)."""
    first_target = first_tokens(targets, view.target_content)
    first_source = first_tokens(sources, view.source_content)
    return first_target[:, :, None] & first_source[:, None]


def _end(mask: Tensor) -> Tensor:
    """The last real token of each row of a mask (B, S)."""
    return mask & ~torch.nn.functional.pad(mask[:, 1:], (0, 1))


def _any_view(batch: PairBatch) -> ForcedTarget:
    return next(iter((batch.forward or batch.backward).values()))
