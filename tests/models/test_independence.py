"""The results of a sentence are the same bits alone and in any batch."""

from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from lexalign.data.collate import pad_sentences
from lexalign.decoding.lexical_shortlist import LexicalShortlist
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.search import search
from lexalign.models.config import Autoregression, ModelConfig
from lexalign.models.projection import Precision
from lexalign.models.transformer import Transformer

VOCABULARY, EOS = 90, 1
SENTENCE = st.lists(st.integers(4, VOCABULARY - 1), min_size=1, max_size=40)
NEIGHBOURS = st.lists(SENTENCE, min_size=1, max_size=6)
PRECISIONS: tuple[Precision, ...] = ("float32", "int8")


SHORTLIST = LexicalShortlist(
    offsets=np.arange(VOCABULARY + 1) * 2,
    token_ids=np.arange(2 * VOCABULARY) * 7 % VOCABULARY,
    frequent=6,
    shared=True,
)


@cache
def packed_model(precision: Precision, autoregression: Autoregression = "self-attention") -> Transformer:
    torch.manual_seed(5)
    config = ModelConfig(
        vocabulary_size=VOCABULARY,
        width=64,
        feedforward_width=1088,  # of more than 1024 terms a single row is summed otherwise
        encoder_heads=2,
        decoder_heads=4,
        encoder_layers=2,
        decoder_layers=2,
        max_positions=512,
        decoder_autoregression=autoregression,
    )
    return Transformer(config).pack(precision)


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def pad(sentences: list[list[int]]) -> Tensor:
    return pad_sentences([[*sentence, EOS] for sentence in sentences], 0)


@pytest.mark.parametrize("precision", PRECISIONS)
@given(sentence=SENTENCE, others=NEIGHBOURS, place=st.integers(0, 6), beam=st.integers(1, 5))
@settings(max_examples=25, deadline=None)
def test_a_search(
    precision: Precision, sentence: list[int], others: list[list[int]], place: int, beam: int
) -> None:
    model, options = packed_model(precision), SearchOptions(beam=beam, n_best=min(beam, 2), max_length=24)
    place = min(place, len(others))
    together = [*others[:place], sentence, *others[place:]]
    assert search(model, pad(together), options)[place] == search(model, pad([sentence]), options)[0]


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("autoregression", ["self-attention", "ssru"])
@given(sentence=SENTENCE, others=NEIGHBOURS, beam=st.integers(1, 5))
@settings(max_examples=15, deadline=None)
def test_a_search_with_a_shortlist(
    precision: Precision,
    autoregression: Autoregression,
    sentence: list[int],
    others: list[list[int]],
    beam: int,
) -> None:
    model, options = packed_model(precision, autoregression), SearchOptions(beam=beam, max_length=24)
    alone = search(model, pad([sentence]), options, shortlist=SHORTLIST)[0]
    assert search(model, pad([*others, sentence]), options, shortlist=SHORTLIST)[-1] == alone


@pytest.mark.parametrize("precision", PRECISIONS)
@given(sentence=SENTENCE, target=SENTENCE, others=NEIGHBOURS)
@settings(max_examples=25, deadline=None)
@torch.inference_mode()
def test_a_forced_target(
    precision: Precision, sentence: list[int], target: list[int], others: list[list[int]]
) -> None:
    model = packed_model(precision)
    pairs = [(sentence, target), *((other, other[::-1]) for other in others)]
    results = []
    for some in (pairs[:1], pairs):
        source, fed = pad([source for source, _ in some]), pad([[0, *target] for _, target in some])
        encoded = model.encode(source)
        output, view = model.force(encoded, fed, attention_layer=1), model.observe(encoded, fed, [0])[0]
        assert output.attention is not None
        size, length = len(sentence) + 1, len(target) + 2
        results.append(
            (
                encoded.states[0, :size],
                output.logits[0, :length],
                output.attention[0, :length, :size],
                view.attention[0, :, :length, :size],
                view.query[0, :length],
            )
        )
    assert all(torch.equal(one, other) for one, other in zip(*results, strict=True))


@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_short_sentence_beside_one_of_many_slots(precision: Precision) -> None:
    """More slots than are summed in one block, of which each sentence has others."""
    model, options = (
        packed_model(precision),
        SearchOptions(beam=5, max_length=400, min_length=90, max_extra=400),
    )
    generator = torch.Generator().manual_seed(3)
    sentences = [torch.randint(4, VOCABULARY, (size,), generator=generator).tolist() for size in (230, 60, 3)]
    together = search(model, pad(sentences), options)
    assert [search(model, pad([sentence]), options)[0] for sentence in sentences] == together
