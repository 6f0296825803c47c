"""The interface of a translation pipeline."""

import pytest

import lexalign
from lexalign.integrations.pipelines import TranslationPipeline, pipeline


@pytest.fixture(scope="module")
def translate() -> TranslationPipeline:
    return pipeline("translation_de_to_en", device=-1)


def test_a_text_and_a_list_give_lists(translate: TranslationPipeline) -> None:
    one = translate("Guten Tag!")
    assert one == [{"translation_text": translate.translator.translate("Guten Tag!").text}]
    assert translate(["Guten Tag!"]) == one
    assert translate([]) == []


def test_several_translations(translate: TranslationPipeline) -> None:
    one = translate("Das Haus ist groß.", num_return_sequences=3)
    assert len({str(found) for found in one}) == 3
    groups = translate(["Das Haus ist groß.", "Danke."], num_return_sequences=3)
    assert [len(group) for group in groups] == [3, 3]
    assert groups[0] == one


def test_terms_and_details(translate: TranslationPipeline) -> None:
    (found,) = translate("Das Haus ist groß.", glossary={"Haus": "building"}, details=True)
    assert isinstance(found, dict)
    assert found["translation"].terms[0].met


@pytest.mark.parametrize(
    ("task", "said"), [("summarization", "unknown task"), ("translation", "name the languages")]
)
def test_tasks_that_there_are_not(task: str, said: str) -> None:
    with pytest.raises(lexalign.OptionError, match=said):
        pipeline(task)


def test_other_languages_are_refused_by_a_model_of_one_pair(translate: TranslationPipeline) -> None:
    with pytest.raises(lexalign.LanguageError, match="translates from de to en"):
        translate("Guten Tag!", tgt_lang="fr")
