"""Batches that are halved where a GPU's memory is too small for them."""

from collections.abc import Sequence

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lexalign.decoding.search import search
from lexalign.translator import TranslateOptions, Translator
from lexalign.translator.batch_search import BatchSearcher
from lexalign.translator.execution import OomBatchSplitter
from lexalign.translator.model_resources import ModelResources


class Gpu:
    """Has place for so many rows."""

    def __init__(self, rows: int, error: Exception | None = None) -> None:
        self.rows, self.tried, self.forgotten = rows, list[int](), 0
        self.error = error or torch.OutOfMemoryError()

    def double(self, rows: Sequence[int]) -> list[int]:
        self.tried.append(len(rows))
        if len(rows) > self.rows:
            raise self.error
        return [2 * row for row in rows]

    def forget(self) -> None:
        self.forgotten += 1


@given(st.integers(0, 40), st.integers(1, 50))
def test_every_row_is_done_once_and_in_its_place(number: int, place_for: int) -> None:
    gpu, rows = Gpu(place_for), list(range(number))
    parts = list(OomBatchSplitter().parts(rows, gpu.double, gpu.forget))
    assert [place for places, _ in parts for place in places] == rows
    assert [value for _, found in parts for value in found] == [2 * row for row in rows]
    assert gpu.forgotten == sum(size > place_for for size in gpu.tried)


def test_what_was_too_much_is_not_tried_again() -> None:
    gpu, fitting = Gpu(5), OomBatchSplitter()
    list(fitting.parts(range(16), gpu.double, gpu.forget))
    assert gpu.tried == [16, 8, 4, 4, 4, 4]
    gpu.tried.clear()
    list(fitting.parts(range(16), gpu.double, gpu.forget))
    assert gpu.tried == [4, 4, 4, 4]


def test_a_row_that_is_too_much_is_an_error() -> None:
    gpu = Gpu(0)
    with pytest.raises(torch.OutOfMemoryError):
        list(OomBatchSplitter().parts(range(3), gpu.double, gpu.forget))


def test_memory_that_a_library_lacks_is_as_good() -> None:
    said = "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"
    gpu = Gpu(4, RuntimeError(said))
    assert len(list(OomBatchSplitter().parts(range(8), gpu.double, gpu.forget))) == 2


def test_other_errors_are_not_tried_again() -> None:
    gpu = Gpu(4, RuntimeError("shapes differ"))
    with pytest.raises(RuntimeError, match="shapes differ"):
        list(OomBatchSplitter().parts(range(8), gpu.double, gpu.forget))
    assert gpu.tried == [8]


def test_translations_are_the_same(translator: Translator, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"der Hund {'läuft ' * number}" for number in range(1, 9)]
    options = TranslateOptions(beam=3)
    expected = translator.translate(texts, options)
    model = translator._model

    class Searcher:
        def search(self, source_ids: torch.Tensor, *_asked: Sequence[object]) -> object:
            if len(source_ids) > 3:
                raise torch.OutOfMemoryError
            return search(model.transformer, source_ids, options.search(model.max_target_tokens))

    monkeypatch.setattr(ModelResources, "on_cpu", property(lambda _: False))
    monkeypatch.setattr(BatchSearcher, "_graph_searcher", lambda *_: Searcher())
    found = translator.translate(texts, options)
    assert [one.text for one in found] == [one.text for one in expected]
