"""A translator in threads, processes and coroutines."""

import asyncio
import pickle
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import lexalign

TEXTS = ["Das Haus ist groß.", "Wo ist der Bahnhof?", "Danke.", "Es regnet heute."]


def test_pickling_loads_the_model_again(translator: lexalign.Translator) -> None:
    content = pickle.dumps(translator)
    assert len(content) < 1_000
    again = pickle.loads(content)
    assert again.translate(TEXTS) == translator.translate(TEXTS)


def test_results_are_pickled_with_all_they_know(translator: lexalign.Translator) -> None:
    found = translator.translate(TEXTS[0], glossary={"Haus": "building"})
    again = pickle.loads(pickle.dumps(found))
    assert again == found
    assert again.words == found.words
    assert again.terms == found.terms


def test_threads_take_turns(translator: lexalign.Translator) -> None:
    alone = [translator.translate(text).text for text in TEXTS]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda text: translator.translate(text).text, TEXTS * 5))
    assert found == alone * 5


def test_threads_may_stream_at_once(translator: lexalign.Translator) -> None:
    alone = ["".join(chunk.text for chunk in translator.stream(text)) for text in TEXTS]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda text: "".join(one.text for one in translator.stream(text)), TEXTS))
    assert found == alone


def test_both_directions_in_threads_do_not_wait_for_each_other(translator: lexalign.Translator) -> None:
    reverse = lexalign.load("en", "de")
    pairs = [(translator, reverse), (reverse, translator)] * 6

    def align(pair: tuple[lexalign.Translator, lexalign.Translator]) -> str:
        return pair[0].align("Hotel Berlin", "Hotel Berlin", reverse=pair[1]).pharaoh

    with ThreadPoolExecutor(4) as pool:
        found = pool.map(align, pairs, timeout=120)
    assert set(found) == {"0-0 1-1"}


def test_a_stream_that_nobody_reads_keeps_nobody_waiting(translator: lexalign.Translator) -> None:
    waiting = translator.translate_many(iter(TEXTS))
    next(waiting)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(translator.translate, TEXTS[2]).result(timeout=60).text
    assert len(list(waiting)) == len(TEXTS) - 1


def test_coroutines_do_not_wait_for_it(translator: lexalign.Translator) -> None:
    async def translate() -> list[str]:
        found = await asyncio.gather(*(asyncio.to_thread(translator.translate, text) for text in TEXTS))
        return [one.text for one in found]

    assert asyncio.run(translate()) == [translator.translate(text).text for text in TEXTS]


def test_processes(translator: lexalign.Translator) -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(translator.translate, TEXTS[0]).result() == translator.translate(TEXTS[0])
