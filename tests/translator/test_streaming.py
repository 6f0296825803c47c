"""Tokens that come one by one are those of a greedy search, and their sources those of forced decoding."""

from pathlib import Path

import pytest
import torch

from lexalign.alignment.forced import align_targets
from lexalign.contracts.errors import LexalignError
from lexalign.translator import OnlineMethod, TranslateOptions, Translator
from lexalign.translator.model_resources import ModelResources

GREEDY = TranslateOptions(beam=1)


def test_a_stream_is_the_greedy_translation(translator: Translator, sentences: list[str]) -> None:
    for sentence in sentences[:10]:
        expected = translator.translate(sentence, GREEDY)
        tokens = list(translator.stream(sentence))
        assert tuple(token.piece for token in tokens) == expected.tokens
        assert "".join(token.text for token in tokens) == expected.text
        assert [token.log_probability for token in tokens] == pytest.approx(
            expected.token_log_probabilities, abs=1e-4
        )


@pytest.mark.parametrize("method", ["naive-att", "prior-att", "post-aln"])
def test_sources_are_those_of_forced_decoding(
    translator: Translator, model_folder: Path, sentences: list[str], method: OnlineMethod
) -> None:
    resources = ModelResources.load(model_folder, "cpu", None)
    model, aligner = resources.transformer, resources.aligner(method)
    source, target = resources.tokenizer.source, resources.tokenizer.target
    ids_of = {target.piece(index): index for index in range(target.vocabulary_size)}
    for sentence in sentences[:5]:
        tokens = list(translator.stream(sentence, method=method))
        source_ids = torch.tensor([[*source.encode(sentence), model.vocabulary.eos_id]])
        target_ids = torch.tensor([[ids_of[token.piece] for token in tokens]])
        for token, row in zip(tokens, align_targets(model, aligner, source_ids, target_ids)[0], strict=True):
            assert token.distribution == pytest.approx(row.tolist(), abs=1e-4)
            assert sentence[slice(*token.source)]


def test_a_token_comes_before_the_next_is_computed(translator: Translator, sentences: list[str]) -> None:
    stream = translator.stream(sentences[0])
    first = next(stream)
    assert first.piece == translator.translate(sentences[0], GREEDY).tokens[0]
    stream.close()  # type: ignore[attr-defined]


def test_nothing_streams_from_nothing(translator: Translator) -> None:
    assert list(translator.stream("  ")) == []


def test_a_late_aligner_is_refused(translator: Translator) -> None:
    with pytest.raises(LexalignError, match="shift-aet knows the source of a token only after the next"):
        translator.stream("das Haus", method="shift-aet")
