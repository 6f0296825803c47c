"""A result does not depend on what it was searched with: but for rounding.

In int8 even that must not come in the way: a value rounded to another step would be seen in the score.
"""

from pathlib import Path
from typing import Literal

import pytest
import torch

from lexalign.contracts.hypothesis import Hypothesis
from lexalign.glossary import Glossary, parse_term
from lexalign.models.folder import load_model
from lexalign.translator import Task, TranslateOptions, Translator
from tests.server.small_server import make_sentences

GLOSSARY = Glossary((parse_term("Hund=München"), parse_term("lange Straße=Haus|groß")))
OPTIONS = TranslateOptions(beam=3, n_best=2, align="post-aln")


def load(folder: Path, precision: Literal["float32", "int8"]) -> Translator:
    translator = Translator.load(folder, device="cpu", precision=precision)
    translator.isolate()
    return translator


def tasks(translator: Translator) -> list[Task]:
    """Of all lengths, every other one with a glossary."""
    return [
        translator.prepare(text, OPTIONS, glossary=GLOSSARY if number % 2 else None)
        for number, text in enumerate(make_sentences(14, seed=5))
    ]


def found(translator: Translator, batch: list[Task]) -> list[list[Hypothesis]]:
    return translator.search([task.sentence for task in batch], batch[0].plan)


@pytest.mark.parametrize("size", [3, 14])
def test_int8_is_the_same_in_every_batch(model_folder: Path, size: int) -> None:
    translator = load(model_folder, "int8")
    all_tasks = tasks(translator)
    alone = [found(translator, [task])[0] for task in all_tasks]
    together = [
        hypotheses
        for start in range(0, len(all_tasks), size)
        for hypotheses in found(translator, all_tasks[start : start + size])
    ]
    for one, other in zip(alone, together, strict=True):
        assert [hypothesis.token_ids for hypothesis in one] == [hypothesis.token_ids for hypothesis in other]
        assert [hypothesis.score for hypothesis in one] == pytest.approx(
            [hypothesis.score for hypothesis in other], abs=1e-6
        )


def test_float32_is_the_same_but_for_rounding(model_folder: Path) -> None:
    translator = load(model_folder, "float32")
    all_tasks = tasks(translator)
    together = found(translator, all_tasks)
    for task, other in zip(all_tasks, together, strict=True):
        one = found(translator, [task])[0]
        assert [hypothesis.token_ids for hypothesis in one] == [hypothesis.token_ids for hypothesis in other]
        assert [hypothesis.score for hypothesis in one] == pytest.approx(
            [hypothesis.score for hypothesis in other], abs=1e-5
        )


def test_without_it_int8_depends_on_the_batch(model_folder: Path) -> None:
    """Otherwise the tests above would show nothing."""
    translator = Translator.load(model_folder, device="cpu", precision="int8")
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


def test_padding_changes_no_bit_of_an_encoded_source(model_folder: Path) -> None:
    """But for very short ones, for which torch has other kernels; those are near."""
    model, _ = load_model(model_folder, precision="int8")
    model.isolate_rows()
    generator = torch.Generator().manual_seed(3)
    with torch.inference_mode():
        for length in range(2, 40):
            ids = torch.randint(4, 300, (1, length), generator=generator)
            alone = model.encode(ids).states
            for padding in (1, 7, 30):
                padded = torch.full((2, length + padding), 5)
                padded[0] = 0
                padded[0, :length] = ids
                found = model.encode(padded).states[:1, :length]
                if length >= 16:
                    assert torch.equal(found, alone), (length, padding)
                assert torch.allclose(found, alone, atol=0.1), (length, padding)
