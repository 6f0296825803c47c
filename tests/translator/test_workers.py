"""Translating in several processes: the same results, and no hang when one of them dies."""

import multiprocessing
import os
import signal
import time
from collections.abc import Iterator

import pytest

from lexalign.contracts.errors import LexalignError
from lexalign.translator import TranslateOptions, Translator, workers
from lexalign.translator.batch_search import BatchSearcher

ONE = TranslateOptions(workers=1, beam=2, max_length=12, batch_tokens=128, window=40)
TWO = TranslateOptions(workers=2, beam=2, max_length=12, batch_tokens=128, window=40)


def test_workers_give_what_one_process_gives(translator: Translator, sentences: list[str]) -> None:
    texts = [*sentences[:50], "", *sentences[50:120], ""]
    assert translator.translate(texts, TWO) == translator.translate(texts, ONE)


def test_spawned_workers_load_the_model_themselves(
    translator: Translator, sentences: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "CAN_FORK", False)
    assert translator.translate(sentences[:40], TWO) == translator.translate(sentences[:40], ONE)


def test_a_few_sentences_start_no_process(translator: Translator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(workers, "WorkerPool")
    assert len(translator.translate(["das Haus", "der Hund"], TWO)) == 2


def test_a_stream_is_read_as_it_is_translated(translator: Translator, sentences: list[str]) -> None:
    num_read = 0

    def texts() -> Iterator[str]:
        nonlocal num_read
        for sentence in sentences:
            num_read += 1
            yield sentence

    for num_given, _ in enumerate(translator.translate_stream(texts(), TWO)):
        assert num_read <= num_given + 80


def test_a_stream_that_is_left_leaves_no_process(translator: Translator, sentences: list[str]) -> None:
    stream = translator.translate_stream(sentences, TWO)
    next(stream)
    assert len(multiprocessing.active_children()) == 2
    stream.close()  # type: ignore[attr-defined]
    assert not multiprocessing.active_children()


def test_a_killed_worker_is_an_error_and_no_hang(translator: Translator, sentences: list[str]) -> None:
    stream = translator.translate_stream(sentences * 20, TWO)
    next(stream)
    victim = multiprocessing.active_children()[0]
    assert victim.pid is not None
    os.kill(victim.pid, signal.SIGKILL)
    start = time.monotonic()
    with pytest.raises(LexalignError, match="killed by signal 9"):
        list(stream)
    assert time.monotonic() - start < 20
    assert not multiprocessing.active_children()


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (LexalignError("no room"), LexalignError, "no room"),
        (ValueError("odd"), RuntimeError, "ValueError: odd"),
    ],
)
def test_errors_of_a_worker_reach_the_caller(
    translator: Translator,
    sentences: list[str],
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    kind: type[Exception],
    message: str,
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(BatchSearcher, "search", fail)
    with pytest.raises(kind, match=message):
        translator.translate(sentences, TWO)
    assert not multiprocessing.active_children()
