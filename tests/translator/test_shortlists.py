"""What must be possible is on a sentence's shortlist."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lexalign.contracts.constraint import TokenConstraint
from lexalign.decoding.graph_search import GraphSearcher
from lexalign.decoding.lexical_shortlist import LexicalShortlist
from lexalign.decoding.options import SearchOptions
from lexalign.translator.batch_search import BatchSearcher
from lexalign.translator.model_resources import ModelResources
from lexalign.translator.options import TranslateOptions
from lexalign.translator.source_text import Sentence

OPTIONS = TranslateOptions(beam=2, n_best=2, max_length=4)
TERM, STAND_IN = 284, 285


@pytest.fixture
def bare_model(model_folder: Path, tmp_path: Path) -> ModelResources:
    """A model without a head, and with a shortlist of nothing."""
    for name in ("config.json", "model.safetensors", "tokenizer.model"):
        (tmp_path / name).write_bytes((model_folder / name).read_bytes())
    model = ModelResources.load(tmp_path, "cpu", None)
    nothing = LexicalShortlist(
        offsets=np.zeros(model.transformer.vocabulary.size + 1, dtype=np.int64),
        token_ids=np.zeros(0, dtype=np.int64),
        frequent=0,
        shared=False,
    )
    return replace(model, shortlist=nothing)


def asked(token: int, source: int = 0) -> tuple[TokenConstraint, ...]:
    return (TokenConstraint(alternatives=((token,),), source=(source,)),)


def test_stand_ins_that_are_left_to_the_model_are_on_the_list(bare_model: ModelResources) -> None:
    sentences = [Sentence((5, 6), stand_ins=asked(STAND_IN)), Sentence((5, 6))]
    found = BatchSearcher(bare_model).search(sentences, OPTIONS.plan(8))
    tokens = [{token for one in ranked for token in one.token_ids} for ranked in found]
    assert tokens == [{STAND_IN}, set()]


def test_terms_and_stand_ins_are_on_the_list(bare_model: ModelResources) -> None:
    sentence = Sentence((5, 6), constraints=asked(TERM), stand_ins=asked(STAND_IN, source=1))
    (ranked,) = BatchSearcher(bare_model).search([sentence], OPTIONS.plan(8))
    assert set(ranked[0].token_ids) == {TERM, STAND_IN}


def test_a_recorded_search_has_the_same_list(bare_model: ModelResources) -> None:
    model, options = bare_model.transformer, SearchOptions(beam=2, n_best=2, max_length=4)
    sources = BatchSearcher(bare_model)._source_ids([Sentence((5, 6)), Sentence((5, 6))])
    searcher = GraphSearcher(model, options, None, bare_model.shortlist)
    found = searcher.search(sources, None, [asked(STAND_IN), ()])
    tokens = [{token for one in ranked for token in one.token_ids} for ranked in found]
    assert tokens == [{STAND_IN}, set()]
