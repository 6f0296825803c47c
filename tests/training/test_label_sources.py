"""Labels of a batch by two aligners, by their probabilities, and by links found before."""

from typing import TypedDict

import torch

from lexalign.alignment.attention import NaiveAttention, ShiftedAttention
from lexalign.alignment.formats.link_table import LinkTable
from lexalign.alignment.symmetrization import symmetrize
from lexalign.contracts.alignment import Aligner
from lexalign.training.heads.frozen_models import ObservedLayers, PairBatch
from lexalign.training.heads.label_sources import AgreedPosteriors, SymmetrizedLinks, TableLinks, links_of
from lexalign.training.heads.own_labels import OwnLabels
from tests.training.diagonal_aligner import Diagonal


class _Both(TypedDict):
    forward: Aligner
    backward: Aligner
    continues_word: torch.Tensor


def test_two_aligners_label_what_their_links_grow_to(batch: PairBatch) -> None:
    forward, backward = ShiftedAttention(layer=1), NaiveAttention(layer=0)
    source = SymmetrizedLinks(forward=forward, backward=backward, method="union")
    assert source.layers == ObservedLayers(frozenset({1}), frozenset({0}))
    ahead = links_of(forward, batch.forward)
    back = links_of(backward, batch.backward).transpose(1, 2)
    assert torch.equal(source.label(batch), ahead | back)
    grown = SymmetrizedLinks(forward=forward, backward=backward, method="grow-diag").label(batch)
    assert torch.equal(grown, symmetrize(ahead, back, "grow-diag"))
    assert not torch.equal(grown, ahead | back)


def test_probabilities_label_words_and_what_comes_from_nothing(batch: PairBatch) -> None:
    forward, backward = Diagonal(layer=1), Diagonal(layer=0)
    view, mirrored = batch.forward[1], batch.backward[0]
    continues_word = torch.zeros(int(view.source_ids.max()) + 1000, dtype=torch.bool)
    source = AgreedPosteriors(forward=forward, backward=backward, continues_word=continues_word)
    labels = source.label(batch)
    # Every token is a word here.
    mean = (forward.align(view) + backward.align(mirrored).transpose(1, 2)) / 2
    linked = (mean >= 0.5) & view.target_content[:, :, None] & view.source_content[:, None]
    for row, (source_ids, target_ids) in enumerate(zip(view.source_ids, view.token_ids, strict=True)):
        source_end, target_end = ((ids == 1).nonzero()[-1, 0] for ids in (source_ids, target_ids))
        for target in range(int(target_end)):
            if linked[row, target].any():
                wanted = 2 * mean[row, target] * linked[row, target]
            else:
                wanted = torch.nn.functional.one_hot(source_end, len(source_ids)).float()
            torch.testing.assert_close(labels[row, target], wanted)
        unlinked = ~linked[row].any(dim=0) & view.source_content[row]
        assert torch.equal(labels[row, target_end] > 0, unlinked)
        assert not labels[row, target_end + 1 :].any()
    assert linked.any()
    assert not linked.all(dim=0).all()


def test_a_second_opinion_is_a_third_voice_where_it_has_links(batch: PairBatch) -> None:
    """There the directions need not be as sure as they must be alone."""
    view, mirrored = batch.forward[1], batch.backward[0]
    continues_word = torch.zeros(int(view.source_ids.max()) + 1000, dtype=torch.bool)
    forward, backward = Diagonal(layer=1, sure=0.4), Diagonal(layer=0, sure=0.9)
    both: _Both = {"forward": forward, "backward": backward, "continues_word": continues_word}
    table = TableLinks(table=LinkTable.from_sentences([[(0, 0), (0, 1)] for _ in range(40)]))
    labels = AgreedPosteriors(**both, second_opinion=table).label(batch)
    opinion = torch.zeros_like(labels)
    opinion[:, :2, 0] = 1
    sums = forward.align(view) + backward.align(mirrored).transpose(1, 2)
    inside = view.target_content[:, :, None] & view.source_content[:, None]
    linked = ((sums / 2 >= 0.5) | (((sums + opinion) / 3 >= 0.5) & (opinion > 0))) & inside
    assert torch.equal((labels > 0) & inside, linked)
    torch.testing.assert_close(labels[linked], (sums + opinion)[linked])
    unsure: _Both = {**both, "backward": Diagonal(layer=0, sure=0.3)}
    alone = AgreedPosteriors(**unsure).label(batch)
    advised = AgreedPosteriors(**unsure, second_opinion=table).label(batch)
    gained = ((advised > 0) & ~(alone > 0) & inside).nonzero()[:, 1:]
    assert {tuple(point) for point in gained.tolist()} == {(0, 0)}


def test_subwords_of_a_second_opinion_speak_for_their_words(batch: PairBatch) -> None:
    """Two links into one word are no louder than one."""
    view = batch.forward[1]
    continues_word = torch.ones(int(view.source_ids.max()) + 1000, dtype=torch.bool)  # all is one word
    both: _Both = {
        "forward": Diagonal(layer=1),
        "backward": Diagonal(layer=0),
        "continues_word": continues_word,
    }
    one, two = (
        AgreedPosteriors(
            **both, second_opinion=TableLinks(table=LinkTable.from_sentences([points] * 40))
        ).label(batch)
        for points in ([(0, 0)], [(0, 0), (1, 0)])
    )
    assert torch.equal(one > 0, two > 0)


def test_a_table_labels_by_rows_in_either_direction(batch: PairBatch) -> None:
    table = LinkTable.from_sentences([[(row % 3, row % 2)] for row in range(40)])
    links = TableLinks(table=table).label(batch)
    view = batch.forward[0]
    assert links.shape == (len(batch.rows), view.token_ids.shape[1], view.source_ids.shape[1])
    assert [tuple(found) for found in links.nonzero()[:, 1:].tolist()] == [
        (row % 2, row % 3) for row in batch.rows
    ]
    only_backward = PairBatch(rows=batch.rows, forward={}, backward=batch.backward)
    assert torch.equal(TableLinks(table=table).label(only_backward), links)


def test_one_model_labels_what_its_attention_and_statistics_both_say(batch: PairBatch) -> None:
    """And in the next round, with its head, what most of the three say; the rest comes from nothing."""
    view = batch.forward[1]
    continues_word = torch.zeros(int(view.source_ids.max()) + 1000, dtype=torch.bool)
    attention, head = Diagonal(layer=1, sure=0.7), Diagonal(layer=0, sure=0.4)
    table = TableLinks(table=LinkTable.from_sentences([[(0, 0), (0, 1)] for _ in range(40)]))
    first = OwnLabels(attention=attention, statistics=table, continues_word=continues_word)
    assert first.layers == ObservedLayers(frozenset({1}), frozenset())
    masses, inside = attention.align(view), view.target_content[:, :, None] & view.source_content[:, None]
    opinion = torch.zeros_like(masses)
    opinion[:, :2, 0] = 1
    both = ((masses + opinion) / 2 >= 0.6) & inside
    labels = first.label(batch)
    assert torch.equal(labels > 0, both)
    assert both.any(dim=2).sum() < view.target_content.sum()  # tokens of which they do not agree have none

    second = OwnLabels(attention=attention, statistics=table, continues_word=continues_word, head=head)
    assert second.layers == ObservedLayers(frozenset({0, 1}), frozenset())
    voices = masses + head.align(batch.forward[0])
    most = ((voices / 2 >= 0.5) | ((voices + opinion) / 3 >= 0.5)) & inside
    found = second.label(batch)
    assert torch.equal((found > 0) & inside, most)
    nothing = view.target_content & ~most.any(dim=2)
    assert torch.equal((found > 0).any(dim=2), view.target_content)
    assert torch.equal(((found > 0) & ~inside).any(dim=2), nothing)
