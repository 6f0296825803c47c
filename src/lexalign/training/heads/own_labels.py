"""Labels by one model and its own translations, without a model of the reverse direction.

Two voices are there from the start: the model's attention (ShiftATT) and the statistics of its translations
(`hmm-agreement`), which know both directions. What both say is the label of the first round; tokens of which
they say different things have none. The head that learns from these is a third voice in the next round, and
most voices decide:

    attention .9   statistics -    head .8   linked       attention .1   statistics 1   head .5   linked
    attention .9   statistics -    head .0   no link      attention .0   statistics 1   head .2   no link
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from lexalign.alignment.posteriors import agreed_links, word_posteriors
from lexalign.contracts.alignment import Aligner
from lexalign.training.heads.frozen_models import ObservedLayers, PairBatch
from lexalign.training.heads.label_sources import TableLinks, from_nothing, word_indexes_of

# Statistics are sure of their links (1), so they and attention agree if attention gives at least 0.2.
_BOTH = 0.6


@dataclass(frozen=True, kw_only=True, eq=False)
class OwnLabels:
    """`continues_word` (V,) marks the tokens that continue a word; there is no head in the first round."""

    attention: Aligner
    statistics: TableLinks
    continues_word: Tensor
    head: Aligner | None = None

    @property
    def layers(self) -> ObservedLayers:
        return ObservedLayers.of(self._aligners, ())

    @property
    def _aligners(self) -> list[Aligner]:
        return [self.attention] if self.head is None else [self.attention, self.head]

    def label(self, batch: PairBatch) -> Tensor:
        view = batch.forward[self.attention.layer]
        found = [one.align(batch.forward[one.layer]).float() for one in self._aligners]  # (B, T, S) each
        opinion = self.statistics.label(batch).to(found[0].dtype)
        sources, targets = word_indexes_of(view, self.continues_word)
        masses = [word_posteriors(one, sources, targets) for one in found]
        statistics = word_posteriors(opinion, sources, targets).clamp(max=1.0)
        if self.head is None:
            links = (masses[0] + statistics) / 2 >= _BOTH
        else:
            links = agreed_links(masses) | agreed_links([*masses, statistics])
        links &= view.target_content[:, :, None] & view.source_content[:, None]
        shares = (torch.stack(found).sum(dim=0) + opinion).masked_fill(~links, 0.0)
        return shares if self.head is None else shares + from_nothing(view, links)
