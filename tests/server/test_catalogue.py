"""The languages of a model folder, and the detected language of a text."""

import json
import sys
from pathlib import Path

import pytest

from lexalign.contracts.errors import LexalignError
from lexalign.server.translating.catalogue import ModelChoice, detect_language, parse_choice
from lexalign.text.languages import language_name


@pytest.fixture
def told(tmp_path: Path) -> Path:
    """A folder whose config says de to en."""
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"languages": {"source": "de", "target": "en"}}))
    return folder


def test_a_folder_tells_its_languages(told: Path) -> None:
    expected = ModelChoice(source="de", target="en", folder=told)
    assert parse_choice(str(told)) == expected
    assert parse_choice(f"deu-eng={told}") == expected
    assert parse_choice(str(told), "German", None) == expected
    assert parse_choice(f"de-AT-en={told}").name == "de-at-en"


@pytest.mark.parametrize(
    ("written", "languages"), [("en-de={}", ()), ("{}", ("en", "de")), ("{}", (None, "fr"))]
)
def test_other_languages_are_refused(told: Path, written: str, languages: tuple[str | None, ...]) -> None:
    with pytest.raises(LexalignError, match="translates from de to en, not"):
        parse_choice(written.format(told), *languages)


def test_a_folder_that_does_not_tell(tmp_path: Path) -> None:
    assert parse_choice(str(tmp_path / "fr-ro")).name == "fr-ro"
    assert parse_choice(str(tmp_path / "model"), "de_DE", "English").name == "de-en"
    assert parse_choice(f"pt-BR-en={tmp_path}").name == "pt-br-en"
    with pytest.raises(LexalignError, match="its languages are not known"):
        parse_choice(str(tmp_path / "model"), "de", None)


def test_a_language_is_named_as_the_server_has_it() -> None:
    code, probability = detect_language("Onde fica a estação de comboios?", ["en", "pt-br"]) or ("", 0.0)
    assert (code, probability > 0.9) == ("pt-br", True)
    assert language_name("pt-br") == "Portuguese"


@pytest.mark.parametrize("text", ["", "2026", "Tom", "Gdzie jest dworzec kolejowy?"])
def test_what_is_in_none_of_them_is_not_guessed(text: str) -> None:
    assert detect_language(text, ["de", "en"]) is None


def test_without_the_library_nothing_is_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "py3langid", None)
    assert detect_language("Wo ist der Bahnhof?", ["de", "en"]) is None
