"""Layers, single heads and thresholds as held-out text chooses them."""

from dataclasses import dataclass
from itertools import product

import pytest
import torch

from lexalign.alignment.attention import NaiveAttention, ShiftedAttention
from lexalign.contracts.alignment import ForcedTarget
from lexalign.data.batching import PlannedBatch
from lexalign.data.collate import TokenBatch
from lexalign.training.heads.frozen_models import FrozenModels, ObservedLayers, PairBatch
from lexalign.training.heads.held_out import HeldOut
from lexalign.training.heads.label_sources import SymmetrizedLinks
from tests.training.diagonal_aligner import Diagonal
from tests.training.head_runs import ALL_LAYERS


def test_both_kinds_of_attention_are_compared_in_one_pass(
    held_out: HeldOut, monkeypatch: pytest.MonkeyPatch
) -> None:
    observed: list[int] = []
    plain = FrozenModels.observe

    def observe(
        models: FrozenModels, batch: PlannedBatch, tokens: TokenBatch, layers: ObservedLayers
    ) -> PairBatch:
        observed.extend(batch.rows.tolist())
        return plain(models, batch, tokens, layers)

    monkeypatch.setattr(FrozenModels, "observe", observe)
    tables = held_out.choose_layers()
    assert sorted(observed) == list(range(40))
    for method, kind in (("shift-att", ShiftedAttention), ("naive-att", NaiveAttention)):
        for row in (0, 1):
            for column in (0, 1):
                (alone,) = held_out.agreements([([kind(layer=row)], [kind(layer=column)])])
                assert tables[method].aer[row][column] == alone.aer[0][0]
    assert tables["shift-att"] != tables["naive-att"]


def test_the_single_heads_that_agree_best_are_found(held_out: HeldOut, frozen_models: FrozenModels) -> None:
    chosen, aer = held_out.choose_heads()
    places = list(product(range(2), range(frozen_models.forward.config.decoder_heads)))
    found: dict[tuple[tuple[int, int | None], ...], float] = {}
    for ahead, back in product(places, places):
        team = [[ShiftedAttention(layer=layer, head=head)] for layer, head in (ahead, back)]
        (table,) = held_out.agreements([(team[0], team[1])])
        found[ahead, back] = table.aer[0][0]
    assert aer == min(found.values()) == found[tuple(chosen.places)]
    assert max(found.values()) > aer


@dataclass(frozen=True, kw_only=True)
class _Wavering(Diagonal):
    """Less sure of every third token, and then mistaken: it seems to come from the token before."""

    mistaken: float

    def align(self, forced: ForcedTarget) -> torch.Tensor:
        found = super().align(forced)
        astray = self.mistaken * found.roll(-1, dims=2)
        unsure = torch.arange(found.shape[1])[:, None] % 3 == 1
        return torch.where(unsure, astray, found)


def test_thresholds_are_those_whose_links_come_nearest_to_the_labels(
    held_out: HeldOut, frozen_models: FrozenModels
) -> None:
    continues_word = torch.zeros(frozen_models.forward.config.vocabulary_size, dtype=torch.bool)
    continues_word[::3] = True
    aligners = _Wavering(layer=1, mistaken=0.6), _Wavering(layer=0, mistaken=0.3)
    source = SymmetrizedLinks(forward=Diagonal(layer=1), backward=Diagonal(layer=1), method="union")
    levels = (0.0, 0.2, 0.4, 0.5, 0.7, 0.95)
    nearest = [_nearest(held_out, side, aligners[side], source, continues_word, levels) for side in (0, 1)]
    ahead, back = held_out.choose_thresholds(aligners[:1] * 2, aligners[1:], source, continues_word, levels)
    assert (ahead, back) == (nearest[:1] * 2, nearest[1:])
    assert 0 < nearest[1] < nearest[0]


def _nearest(
    held_out: HeldOut,
    side: int,
    aligner: Diagonal,
    source: SymmetrizedLinks,
    continues_word: torch.Tensor,
    levels: tuple[float, ...],
) -> float:
    """The level of the best F-measure, counted word by word."""
    rates = {level: [0, 0, 0] for level in levels}
    for batch in held_out.observe(ALL_LAYERS):
        labels = source.label(batch)
        views, wanted = ((batch.forward, labels), (batch.backward, labels.transpose(1, 2)))[side]
        view = views[aligner.layer]
        probabilities = aligner.align(view)
        for row in range(len(wanted)):
            counted = _count_words(view, probabilities, wanted, row, continues_word, levels)
            rates = {
                level: [a + b for a, b in zip(rates[level], counted[level], strict=True)] for level in levels
            }
    return max(levels, key=lambda level: (2 * rates[level][0] / (rates[level][1] + rates[level][2]), -level))


def _count_words(
    view: ForcedTarget,
    probabilities: torch.Tensor,
    wanted: torch.Tensor,
    row: int,
    continues_word: torch.Tensor,
    levels: tuple[float, ...],
) -> dict[float, list[int]]:
    """Links that both have, that are found, and that are wanted."""
    sources = _tokens_of_words(view.source_ids[row], view.source_content[row], continues_word)
    targets = _tokens_of_words(view.token_ids[row], view.target_content[row], continues_word)
    inside = [token for word in sources for token in word]
    best = [max(inside, key=probabilities[row, place].__getitem__) for place in range(len(wanted[row]))]
    masses, labelled = {}, set()
    for s, source in enumerate(sources):
        for t, target in enumerate(targets):
            if any(best[place] in source for place in target):
                masses[s, t] = max(float(probabilities[row, place, source].sum()) for place in target)
            if any(wanted[row, place, token] for place in target for token in source):
                labelled.add((s, t))
    counted = {}
    for level in levels:
        links = {link for link, mass in masses.items() if mass >= level}
        counted[level] = [len(links & labelled), len(links), len(labelled)]
    return counted


def _tokens_of_words(
    ids: torch.Tensor, content: torch.Tensor, continues_word: torch.Tensor
) -> list[list[int]]:
    words: list[list[int]] = []
    for place in content.nonzero()[:, 0].tolist():
        if words and continues_word[ids[place]]:
            words[-1].append(place)
        else:
            words.append([place])
    return words


def test_directions_are_compared_above_their_thresholds(
    held_out: HeldOut, frozen_models: FrozenModels
) -> None:
    continues_word = torch.zeros(frozen_models.forward.config.vocabulary_size, dtype=torch.bool)
    sure, wavering = Diagonal(layer=1), _Wavering(layer=0, mistaken=0.3)
    teams = [(sure, Diagonal(layer=0)), *[(sure, wavering)] * 3]
    levels = [(0.0, 0.0), (0.0, 0.0), (0.0, 0.5), (0.0, 0.95)]
    same, everything, probable, nothing = held_out.agreements_above(teams, levels, continues_word)
    assert same == 0 < probable < everything < nothing == 1
