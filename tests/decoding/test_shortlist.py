"""A search with a shortlist is the search of a model that cannot generate other tokens."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lexalign.alignment.table_aligner import TableAligner
from lexalign.contracts.constraint import TokenConstraint
from lexalign.contracts.shortlist import Shortlist
from lexalign.contracts.table_model import TableModel
from lexalign.decoding.graph_search import GraphSearcher
from lexalign.decoding.lexical_shortlist import LexicalShortlist
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.policies.align_vdba import AlignVdba
from lexalign.decoding.policies.guided import Guided
from lexalign.decoding.policies.token_replacement import TokenReplacement
from lexalign.decoding.policies.unconstrained import Unconstrained
from lexalign.decoding.policies.vdba import Vdba
from lexalign.decoding.policy import Policy
from lexalign.decoding.search import search
from lexalign.models.config import ModelConfig
from lexalign.models.transformer import Transformer

from .cases import Case, assert_alike, cases
from .exhaustive import EOS, PAD, table_vocabulary

KINDS = ("plain", "vdba", "align-vdba", "guided", "replace")


def random_shortlist(size: int, seed: int, most: int = 4) -> LexicalShortlist:
    generator = np.random.default_rng(seed)
    counts = generator.integers(0, most, size)
    return LexicalShortlist(
        offsets=np.cumsum([0, *counts], dtype=np.int64),
        token_ids=generator.integers(0, size, counts.sum()).astype(np.int64),
        frequent=int(generator.integers(0, 3)),
        shared=bool(generator.integers(0, 2)),
    )


def policy(kind: str, case: Case) -> Policy:
    if kind == "plain":
        return Unconstrained()
    if kind == "vdba":
        return Vdba(matching=case.matching())
    aligner = TableAligner(case.affinity())
    if kind == "align-vdba":
        return AlignVdba(aligner=aligner, matching=case.matching())
    if kind == "guided":
        return Guided(aligner=aligner, matching=case.matching())
    return TokenReplacement(aligner=aligner, matching=case.matching())


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25, deadline=None)
@given(case=cases(), seed=st.integers(0, 10**6))
def test_a_search_is_that_of_a_model_without_the_other_tokens(kind: str, case: Case, seed: int) -> None:
    asked = [()] * len(case.constraints) if kind == "plain" else case.constraints
    lexical, source_ids = random_shortlist(case.size, seed), case.source_ids()
    excluded = lexical.select(source_ids, asked, table_vocabulary(case.size)).excluded
    tables = case.tables().masked_fill(excluded[:, None, None], float("-inf"))
    limited = TableModel(tables, table_vocabulary(case.size), case.affinity())
    found = search(case.model(), source_ids, case.options(), policy(kind, case), asked, lexical)
    assert_alike(found, search(limited, source_ids, case.options(), policy(kind, case), asked))


@given(seed=st.integers(0, 10**6), size=st.integers(5, 40), length=st.integers(1, 9))
@settings(max_examples=60, deadline=None)
def test_a_list_has_what_belongs_to_its_sentence(seed: int, size: int, length: int) -> None:
    lexical, vocabulary = random_shortlist(size, seed), table_vocabulary(size)
    source_ids = torch.randint(0, size, (3, length), generator=torch.Generator().manual_seed(seed))
    asked = [(TokenConstraint(alternatives=((size - 1, 4), (3,))),), (), ()]
    found = lexical.select(source_ids, asked, vocabulary)
    for row, tokens in enumerate(source_ids.tolist()):
        expected = {*range(lexical.frequent)}
        for token in tokens:
            if token != PAD:
                expected |= set(
                    lexical.token_ids[lexical.offsets[token] : lexical.offsets[token + 1]].tolist()
                )
                expected |= {token} if lexical.shared else set()
        expected |= {size - 1, 4, 3} if row == 0 else set()
        expected = (expected - {PAD, *vocabulary.never_generated}) | {EOS}
        assert listed(found, row) == [EOS, *sorted(expected - {EOS})]
        everything = torch.arange(size)[None].expand(3, -1)
        on_list = ~found.excluded[row]
        assert set(torch.nonzero(on_list)[:, 0].tolist()) == expected
        assert torch.equal(
            found.to_tokens(found.to_columns(everything))[row][on_list], everything[row][on_list]
        )


def listed(shortlist: Shortlist, row: int) -> list[int]:
    return shortlist.token_ids[row][~shortlist.empty[row]].tolist()


SIZE = 300
OPTIONS = SearchOptions(beam=4, n_best=2, max_length=16, min_length=3)
ASKED = [
    [TokenConstraint(alternatives=((277, 8),), source=(0, 1))],
    [],
    [TokenConstraint(alternatives=((290,),), source=(1,)), TokenConstraint(alternatives=((20,),))],
]


def random_model(autoregression: str, *, tied: bool = True) -> Transformer:
    torch.manual_seed(4)
    config = ModelConfig(
        vocabulary_size=SIZE,
        width=32,
        feedforward_width=48,
        encoder_layers=1,
        decoder_layers=2,
        max_positions=64,
        decoder_autoregression=autoregression,  # type: ignore[arg-type]
        tied_output=tied,
        output_bias=not tied,
    )
    return Transformer(config).eval().requires_grad_(False)


def random_sources() -> torch.Tensor:
    source_ids = torch.randint(4, SIZE, (3, 7), generator=torch.Generator().manual_seed(2))
    source_ids[1, 5:] = 0
    source_ids[2, 3:] = 0
    return source_ids


@pytest.mark.parametrize("autoregression", ["self-attention", "ssru"])
@pytest.mark.parametrize("asked", [None, ASKED], ids=["plain", "with constraints"])
def test_a_static_search_finds_the_same(
    autoregression: str, asked: list[list[TokenConstraint]] | None
) -> None:
    model, lexical = random_model(autoregression), random_shortlist(SIZE, 5, most=30)
    chosen = Vdba() if asked else None
    expected = search(model, random_sources(), OPTIONS, chosen, asked, lexical)
    searcher = GraphSearcher(model, OPTIONS, chosen, lexical)
    for _ in range(2):  # the second time in the tensors of the first
        assert_alike(searcher.search(random_sources(), asked), expected)
    others = random_sources().flip(0)
    there = None if asked is None else asked[::-1]
    assert_alike(searcher.search(others, there), search(model, others, OPTIONS, chosen, there, lexical))


@pytest.mark.parametrize("precision", ["float32", "int8"])
@pytest.mark.parametrize("tied", [True, False])
def test_a_packed_model_gives_tokens_on_the_list_the_logits_of_all(precision: str, tied: bool) -> None:
    model = random_model("ssru", tied=tied).pack(precision)  # type: ignore[arg-type]
    shortlist = random_shortlist(SIZE, 5, most=30).select(random_sources(), ASKED, model.vocabulary)
    source, tokens = model.encode(random_sources()), torch.full((3, 1), 9)
    all_logits = model.step(model.start(source, beam=1), tokens).logits
    found = model.step(model.start(source, beam=1, shortlist=shortlist), tokens).logits
    expected = all_logits.gather(2, shortlist.token_ids[:, None]).masked_fill(
        shortlist.empty[:, None], float("-inf")
    )
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)
