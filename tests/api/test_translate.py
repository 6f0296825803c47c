"""Translations in Python, held against the engine below."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lexalign
from lexalign.translator import TranslateOptions

TEXT = "Das Haus ist groß. Es hat 7 Zimmer."


def test_the_front_gives_what_the_engine_gives(translator: lexalign.Translator) -> None:
    found = translator.translate(TEXT, beam=3, length_penalty=0.5)
    below = translator.engine.translate(TEXT, TranslateOptions(beam=3, length_penalty=0.5, align="auto"))
    assert found.details == below
    assert (found.text, found.source, found.score) == (below.text, TEXT, below.score)
    assert str(found) == found.text


def test_a_list_in_its_order(translator: lexalign.Translator) -> None:
    texts = ["Guten Tag!", "", "Danke."]
    found = translator.translate(texts)
    assert [one.source for one in found] == texts
    assert found[2].text == translator.translate("Danke.").text
    assert translator.translate([]) == []
    assert list(translator.translate_many(iter(texts))) == found


def test_words_are_linked_with_probabilities_and_places(translator: lexalign.Translator) -> None:
    found = translator.translate(TEXT)
    assert ("Haus", "house") in {(one.source, one.target) for one in found.words}
    for link in found.words:
        assert TEXT[slice(*link.source_span)] == link.source
        assert found.text[slice(*link.target_span)] == link.target
        assert 0 < link.probability <= 1
    assert translator.translate(TEXT, align=False).words == ()


def test_a_number_is_linked_although_its_space_is(translator: lexalign.Translator) -> None:
    """The subword before 7 is a lone space, to which "seven" is aligned."""
    found = translator.translate("Es hat 7 Zimmer.")
    assert {one.target for one in found.words if one.source == "7"} & {"7", "seven"}


def test_terms_say_what_became_of_them(translator: lexalign.Translator) -> None:
    found = translator.translate(TEXT, glossary={"Haus": "building", "Zimmer": ["chamber", "chambers"]})
    house, room = found.terms
    assert (house.source, house.target, house.met, house.outcome) == ("Haus", "building", True, "met")
    assert room.target in ("chamber", "chambers")
    assert found.text[slice(*(room.target_span or (0, 0)))] == room.target
    assert "2/2 met" in repr(found)
    assert len(repr(found)) < 200


def test_a_term_that_is_not_met_is_a_warning(translator: lexalign.Translator) -> None:
    found = translator.translate(TEXT, glossary={"Haus": "zeppelin"}, policy="none")
    assert not found.terms[0].met
    assert any("Haus" in warning for warning in found.warnings)


def test_none_leaves_a_term_untranslated(translator: lexalign.Translator) -> None:
    assert "Haus" in translator.translate(TEXT, glossary={"Haus": None}).text


def test_coverage(translator: lexalign.Translator) -> None:
    assert translator.translate(TEXT).coverage == 1.0
    assert translator.translate(TEXT, coverage=False, align=False).coverage is None


def test_alternatives(translator: lexalign.Translator) -> None:
    found = translator.translate("Das Haus ist groß.", n_best=3)
    assert len({found.text, *(one.text for one in found.alternatives)}) == 3


def test_glossaries_of_all_kinds_are_the_same(translator: lexalign.Translator, tmp_path: Path) -> None:
    path = tmp_path / "terms.csv"
    path.write_text("de,en\nHaus,building\n", encoding="utf-8")
    given: list[lexalign.Glossary | dict[str, str] | str | Path] = [
        {"Haus": "building"},
        lexalign.Glossary.from_dict({"Haus": "building"}),
        lexalign.Glossary.from_csv(path),
        path,
        str(path),
        lexalign.Glossary((lexalign.Entry(source="Haus", targets=("building",)),)),
    ]
    assert {translator.translate(TEXT, glossary=one).text for one in given} == {
        translator.translate(TEXT, glossary=path).text
    }


def test_one_file_serves_both_directions(tmp_path: Path) -> None:
    path = tmp_path / "terms.csv"
    path.write_text("de,en\nGebäude,building\n", encoding="utf-8")
    assert "Gebäude" in lexalign.translate("The building is old.", source="en", glossary=path).text


TERM = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=12)


@settings(max_examples=30, deadline=None)
@given(st.dictionaries(TERM, TERM | st.none() | st.lists(TERM, min_size=1, max_size=3, unique=True)))
def test_glossaries_survive_files(
    tmp_path_factory: pytest.TempPathFactory, terms: dict[str, str | list[str] | None]
) -> None:
    glossary = lexalign.Glossary.from_dict(terms)
    for suffix in ("csv", "tsv"):
        path = tmp_path_factory.mktemp("glossary") / f"terms.{suffix}"
        glossary.save(path)
        read = getattr(lexalign.Glossary, f"from_{suffix}")(path)
        assert [(one.source, one.targets, one.policy) for one in read] == [
            (one.source, one.targets, one.policy) for one in glossary
        ]
        assert read == lexalign.Glossary.read(path)


def test_glossaries_are_added_and_short_to_print() -> None:
    one = lexalign.Glossary.from_dict({"a": "b"})
    many = lexalign.Glossary.from_dict({str(number): "x" for number in range(100)})
    assert len(one + many) == 101
    assert isinstance(one + many, lexalign.Glossary)
    assert repr(many) == "Glossary('0', '1', '2', … 100 terms)"


def test_a_stream_is_the_translation_with_its_terms(translator: lexalign.Translator) -> None:
    chunks = list(translator.stream(TEXT, glossary={"Haus": "building"}))
    (term,) = [chunk for chunk in chunks if chunk.is_term]
    assert (term.text, term.source) == (" building", "Haus")
    text = "".join(chunk.text for chunk in chunks)
    assert text.startswith(translator.translate("Das Haus ist groß.", glossary={"Haus": "building"}).text)
    assert all(TEXT[slice(*chunk.source_span)] == chunk.source for chunk in chunks)


def test_a_stream_without_terms_is_greedy_and_comes_word_by_word(translator: lexalign.Translator) -> None:
    chunks = [chunk.text for chunk in translator.stream(TEXT)]
    assert "".join(chunks) == translator.translate(TEXT, beam=1).text
    assert all(len(chunk.split()) <= 1 for chunk in chunks)


def test_a_page_for_a_notebook(translator: lexalign.Translator) -> None:
    html = translator.translate("Das <b> ist groß.", glossary={"groß": "huge"})._repr_html_()
    assert "data-links" in html
    assert 'class="term met"' in html
    assert "&lt;" in html
    again = translator.translate("Guten Tag!")
    assert again._repr_html_() != again._repr_html_()  # each has an id of its own


def test_a_model_is_found_by_languages_name_and_folder(translator: lexalign.Translator) -> None:
    assert lexalign.load("de-en").folder == translator.folder
    assert lexalign.load(translator.folder).languages == ("de", "en")
    assert lexalign.load("German", "English").folder == translator.folder


def test_a_training_run_is_a_model_too(translator: lexalign.Translator, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "model").symlink_to(translator.folder)
    assert lexalign.load(tmp_path / "run").translate("Danke.").text == translator.translate("Danke.").text
