"""A result does not depend on what it was searched with: in float32 but for rounding, in int8 not at all.

In int8 rounding must not come in the way: a value rounded to another step would be seen in the score.
"""

from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Literal

import pytest
import torch
from torch.nn import functional as F

from lexalign.contracts.hypothesis import Hypothesis
from lexalign.glossary import Glossary, parse_term
from lexalign.models.folder import load_model
from lexalign.models.shapes import STEADY_SHAPE, like_groups
from lexalign.models.transformer import Transformer
from lexalign.translator import Task, TranslateOptions, Translator
from tests.server.small_server import make_sentences

GLOSSARY = Glossary((parse_term("Hund=München"), parse_term("lange Straße=Haus|groß")))
OPTIONS = TranslateOptions(beam=3, n_best=2, align="post-aln")


def load(folder: Path, precision: Literal["float32", "int8"]) -> Translator:
    translator = Translator.load(folder, device="cpu", precision=precision)
    translator.isolate()
    return translator


def tasks(translator: Translator, beam: int = 3) -> tuple[list[Task], list[Task]]:
    """Of all lengths, down to a single letter; without terms, and with some, which a server keeps apart."""
    options = replace(OPTIONS, beam=beam, n_best=min(beam, 2))
    texts = ["a", "das", "Hund", *make_sentences(14, seed=5)]
    return (
        [translator.prepare(text, options) for text in texts],
        [translator.prepare(text, options, glossary=GLOSSARY) for text in texts],
    )


def found(translator: Translator, batch: list[Task]) -> list[list[Hypothesis]]:
    return translator.search([task.sentence for task in batch], batch[0].plan)


@pytest.mark.parametrize("beam", [1, 3, 5])
@pytest.mark.parametrize("size", [3, 17])
def test_int8_is_the_same_in_every_batch(model_folder: Path, size: int, beam: int) -> None:
    """To the last bit; alignment heads compute in float32, and where there are terms have a say in scores."""
    translator = load(model_folder, "int8")
    for batch in tasks(translator, beam):
        lengths = sorted((task.length for task in batch), reverse=True)
        assert len(like_groups(lengths)) > 1  # which are encoded apart
        alone = [found(translator, [task])[0] for task in batch]
        together = [
            hypotheses
            for start in range(0, len(batch), size)
            for hypotheses in found(translator, batch[start : start + size])
        ]
        for one, other in zip(chain(*alone), chain(*together), strict=True):
            assert one.token_ids == other.token_ids
            assert one.token_log_probabilities == other.token_log_probabilities
            assert one.score == (pytest.approx(other.score, rel=1e-6) if one.fates else other.score)
            for mine, others in zip(one.origins, other.origins, strict=True):
                assert mine.source == others.source
                assert mine.probability == pytest.approx(others.probability, abs=1e-6)


def test_float32_is_the_same_but_for_rounding(model_folder: Path) -> None:
    translator = load(model_folder, "float32")
    all_tasks = tasks(translator)[0]
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
    model, _ = load_model(model_folder, precision="int8")
    model.isolate_rows()
    generator = torch.Generator().manual_seed(3)
    with torch.inference_mode():
        for length in range(1, 40):
            ids = torch.randint(4, 300, (1, length), generator=generator)
            alone = encoded(model, [ids], length)
            for padding in (0, 1, 7, 30):
                other = torch.full((1, length + padding), 5)
                assert torch.equal(encoded(model, [ids, other], length), alone), (length, padding)


def encoded(model: Transformer, sources: list[torch.Tensor], length: int) -> torch.Tensor:
    """The states of the first of some sources, padded as a server pads them."""
    size = STEADY_SHAPE.fitting(max(ids.shape[1] for ids in sources))
    padded = torch.cat([F.pad(ids, (0, size - ids.shape[1])) for ids in sources])
    return model.encode(padded).states[:1, :length]
