"""Translating text in one process: places, limits, scores."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from lexalign.contracts.errors import LexalignError
from lexalign.translator import (
    ConstraintOptions,
    SearchPlan,
    Sentence,
    TranslateOptions,
    Translation,
    Translator,
)
from lexalign.translator.batch_search import BatchSearcher
from lexalign.translator.forced_targets import score_targets
from lexalign.translator.model_resources import ModelResources

ALONE = TranslateOptions(workers=1, beam=3, max_length=20)


def test_a_sentence_gives_a_translation(translator: Translator) -> None:
    translation = translator.translate("das Haus ist groß", ALONE)
    assert translation.text
    assert len(translation.tokens) == len(translation.token_log_probabilities)
    total = sum(translation.token_log_probabilities) + translation.end_log_probability
    assert translation.log_probability == pytest.approx(total, abs=1e-4)
    assert translation.score == pytest.approx(translation.log_probability / (len(translation.tokens) + 1))


def test_no_sentences_give_none(translator: Translator) -> None:
    assert translator.translate([], ALONE) == []


def test_batches_change_nothing(translator: Translator, sentences: list[str]) -> None:
    together = translator.translate(sentences[:60], ALONE)
    for sentence, translation in zip(sentences[:20], together, strict=False):
        alone = translator.translate(sentence, ALONE)
        assert alone.tokens == translation.tokens
        assert alone.score == pytest.approx(translation.score, abs=1e-4)


def test_empty_lines_keep_their_places(translator: Translator) -> None:
    texts = ["", "das Haus", "  \t", "der Hund", " "]
    translations = translator.translate(texts, ALONE)
    assert [place for place, one in enumerate(translations) if one.text.strip()] == [1, 3]
    assert [translations[place].text for place in (0, 2, 4)] == [texts[place] for place in (0, 2, 4)]
    assert translations[0] == Translation(text="")
    assert translations[3] == translator.translate(["der Hund", "das Haus"], ALONE)[0]


def test_only_empty_lines_need_no_model(translator: Translator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(BatchSearcher, "search")
    assert [translation.text for translation in translator.translate(["", " "])] == ["", " "]


def test_alternatives_are_the_next_best(translator: Translator) -> None:
    options = TranslateOptions(workers=1, beam=4, n_best=3, max_length=20)
    translation = translator.translate("das Haus ist groß", options)
    ranked = [translation, *translation.alternatives]
    assert len({entry.tokens for entry in ranked}) == 3
    assert [entry.score for entry in ranked] == sorted((entry.score for entry in ranked), reverse=True)


def test_a_translation_that_was_cut_off_says_so(translator: Translator) -> None:
    translation = translator.translate("das Haus", TranslateOptions(max_length=1, workers=1))
    assert len(translation.tokens) == 1
    assert not translation.complete


def test_a_source_at_the_limit_is_translated_and_one_over_it_is_split(translator: Translator) -> None:
    limit = translator.max_source_tokens
    assert translator.translate(["x" * (limit - 1)], ALONE)[0].text
    for options in (ALONE, replace(ALONE, sentences=False)):
        task = translator.prepare("x" * 10_000, options)
        assert len(task.source.sentences) > 10_000 / limit - 1
        assert all(0 < len(one.sentence.ids) <= limit for one in task.source.sentences)
        assert "".join(one.text for one in task.source.sentences) == "x" * 10_000


def test_the_longest_translation_fits_the_model(translator: Translator) -> None:
    longest = "x" * (translator.max_source_tokens - 1)
    assert translator.translate(longest, TranslateOptions(workers=1, max_length=10_000)).tokens


@pytest.mark.parametrize(("text", "message"), [("a\0b", "text 2 .*NUL"), ("a\ud800", "text 2: .*half")])
def test_what_is_not_text_is_refused(translator: Translator, text: str, message: str) -> None:
    with pytest.raises(LexalignError, match=message):
        translator.translate(["das Haus", text], ALONE)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"beam": 0}, "beam is 0"),
        ({"beam": 2, "n_best": 3}, "n_best 3 is larger than beam 2"),
        ({"workers": 0}, "workers is 0"),
        ({"batch_tokens": -1}, "batch_tokens is -1"),
        ({"window": 0}, "window is 0"),
        ({"max_length": 0}, "max_length is 0"),
    ],
)
def test_senseless_options_are_refused(values: dict[str, int], message: str) -> None:
    with pytest.raises(LexalignError, match=message):
        TranslateOptions(**values)  # type: ignore[arg-type]


def test_forced_scores_are_those_of_the_search(model_folder: Path, sentences: list[str]) -> None:
    model = ModelResources.load(model_folder, "cpu", "float32")
    sources = [model.tokenizer.source.encode(sentence) for sentence in sentences[:16]]
    plan = SearchPlan(search=ALONE.search(model.max_target_tokens), constraints=ConstraintOptions())
    ranked = BatchSearcher(model).search([Sentence(ids) for ids in sources], plan)
    targets = [hypotheses[0].token_ids for hypotheses in ranked]
    forced = score_targets(model.transformer, sources, targets, batch_tokens=512)
    for found, hypotheses in zip(forced, ranked, strict=True):
        assert found == pytest.approx(hypotheses[0].token_log_probabilities, abs=2e-4)


def test_given_targets_are_scored_token_by_token(translator: Translator) -> None:
    sources, targets = ["das Haus", "", "der Hund läuft", ""], ["die Straße", "", "", "Hund"]
    scored = translator.score(sources, targets)
    assert [target.text for target in scored] == targets
    assert "".join(scored[0].tokens).replace("▁", " ").strip() == "die Straße"
    assert scored[1].log_probability == 0.0
    assert scored[2].tokens == ()
    assert scored[2].log_probability == scored[2].end_log_probability < 0
    assert scored[3].log_probability < 0
    alone = translator.score(sources[:1], targets[:1])[0]
    assert alone.log_probability == pytest.approx(scored[0].log_probability, abs=1e-4)


def test_as_many_targets_as_sources_are_needed(translator: Translator) -> None:
    with pytest.raises(LexalignError, match="2 sources and 1 targets"):
        translator.score(["a", "b"], ["c"])


def test_int8_translates_too(model_folder: Path) -> None:
    translation = Translator.load(model_folder, device="cpu", precision="int8").translate("das Haus", ALONE)
    assert translation.tokens


def test_the_callers_threads_are_left_alone(translator: Translator) -> None:
    num_threads = torch.get_num_threads()
    translator.translate("das Haus", ALONE)
    assert torch.get_num_threads() == num_threads
