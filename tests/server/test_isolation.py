"""A result does not depend on its batch, to the last bit, in float32 and in int8."""

from dataclasses import replace
from pathlib import Path

import pytest

from lexalign.contracts.hypothesis import Hypothesis
from lexalign.glossary import Glossary, parse_term
from lexalign.models.projection import Precision
from lexalign.translator import Task, TranslateOptions, Translator
from tests.server.small_server import make_sentences

GLOSSARY = Glossary((parse_term("Hund=München"), parse_term("lange Straße=Haus|groß")))
OPTIONS = TranslateOptions(beam=3, n_best=2, align="post-aln")


def load(folder: Path, precision: Precision) -> Translator:
    return Translator.load(folder, device="cpu", precision=precision)


def tasks(translator: Translator, beam: int = 3) -> tuple[list[Task], list[Task]]:
    """Tasks of all lengths, down to a single letter, without and with terms, which are batched apart."""
    options = replace(OPTIONS, beam=beam, n_best=min(beam, 2))
    texts = ["a", "das", "Hund", *make_sentences(14, seed=5)]
    return (
        [translator.prepare(text, options) for text in texts],
        [translator.prepare(text, options, glossary=GLOSSARY) for text in texts],
    )


def found(translator: Translator, batch: list[Task]) -> list[list[Hypothesis]]:
    return translator.search([task.source.sentences[0].sentence for task in batch], batch[0].plan)


@pytest.mark.parametrize("precision", ["float32", "int8"])
@pytest.mark.parametrize("beam", [1, 3, 5])
def test_results_are_the_same_in_every_batch(model_folder: Path, beam: int, precision: Precision) -> None:
    translator = load(model_folder, precision)
    for batch in tasks(translator, beam):
        alone = [found(translator, [task])[0] for task in batch]
        for size in (3, 17):
            together = [
                hypotheses
                for start in range(0, len(batch), size)
                for hypotheses in found(translator, batch[start : start + size])
            ]
            assert alone == together, size


def test_with_a_shared_scale_int8_depends_on_the_batch(model_folder: Path) -> None:
    """Otherwise the tests above would show nothing."""
    translator = load(model_folder, "int8-shared")
    plain = [translator.prepare(text, OPTIONS) for text in make_sentences(14, seed=5)]
    together = found(translator, plain)
    alone = [found(translator, [task])[0] for task in plain]
    assert [one[0].score for one in alone] != [one[0].score for one in together]


def test_row_scales_are_about_as_good(model_folder: Path) -> None:
    """Scores in int8 are near those in float32, whichever way the rows are scaled."""
    texts = make_sentences(24, seed=6)
    exact = Translator.load(model_folder, device="cpu").score(texts, texts)
    by_row = load(model_folder, "int8").score(texts, texts)
    for one, other in zip(exact, by_row, strict=True):
        assert other.log_probability == pytest.approx(one.log_probability, rel=0.05, abs=1.0)
