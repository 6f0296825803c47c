"""A translator knows the languages of its model, and finds inflected terms by them."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Entry, Glossary, parse_term
from lexalign.glossary.matching.lemmas import find_lemmas
from lexalign.translator import TranslateOptions, Translator

OPTIONS = TranslateOptions(beam=4, workers=1)
TEXT = "die Hunde und das Haus"
GLOSSARY = Glossary((parse_term("Hund=München"),))


@pytest.fixture(scope="module")
def german(model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same model, with languages."""
    folder = tmp_path_factory.mktemp("german") / "model"
    shutil.copytree(model_folder, folder)
    config = json.loads((folder / "config.json").read_text())
    assert "languages" not in config
    config["languages"] = {"source": "de", "target": "en"}
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def test_the_folder_tells(german: Path, model_folder: Path, tmp_path: Path) -> None:
    assert Translator.load(german, device="cpu").languages == ("de", "en")
    assert Translator.load(german, device="cpu", languages=("German", "en-GB")).languages == ("de", "en")
    assert Translator.load(german, device="cpu", languages=("", "eng")).languages == ("de", "en")
    assert Translator.load(model_folder, device="cpu").languages is None
    assert Translator.load(model_folder, device="cpu", languages=("fra", "de")).languages == ("fr", "de")
    assert Translator.load(model_folder, device="cpu", languages=("", "de")).languages is None
    shutil.copytree(model_folder, tmp_path / "fr-ro")
    assert Translator.load(tmp_path / "fr-ro", device="cpu").languages == ("fr", "ro")


def test_other_languages_are_refused(german: Path) -> None:
    with pytest.raises(LexalignError, match="translates from de to en, not from en to de"):
        Translator.load(german, device="cpu", languages=("en", "de"))
    with pytest.raises(LexalignError, match="translates from de to en, not from de to fr"):
        Translator.load(german, device="cpu").between("de", "fr")


def test_inflected_terms_are_found_unasked(german: Path, translator: Translator) -> None:
    pytest.importorskip("simplemma")
    found = Translator.load(german, device="cpu").translate(TEXT, OPTIONS, glossary=GLOSSARY)
    assert [term.constraint.source for term in found.terms] == [(4, 9)]
    assert found.terms[0].met
    assert translator.translate(TEXT, OPTIONS, glossary=GLOSSARY).terms == ()  # whose languages nobody knows


def test_terms_of_another_direction_are_not_asked_for(german: Path) -> None:
    entry = Entry(source="Haus", targets=("München",), source_language="en", target_language="de")
    translator = Translator.load(german, device="cpu")
    with pytest.warns(UserWarning, match="the glossary has no terms from de to en"):
        assert translator.translate(TEXT, OPTIONS, glossary=Glossary((entry,))).terms == ()


def test_without_dictionaries_terms_are_found_as_they_are_spelt(
    german: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find_lemmas.cache_clear()
    monkeypatch.setitem(sys.modules, "simplemma", None)
    glossary = Glossary((parse_term("Haus=München"), parse_term("Hund=nach")))
    with pytest.warns(UserWarning, match="inflected forms of terms need simplemma"):
        found = Translator.load(german, device="cpu").translate(TEXT, OPTIONS, glossary=glossary)
    assert [term.constraint.source for term in found.terms] == [(18, 22)]
    find_lemmas.cache_clear()
