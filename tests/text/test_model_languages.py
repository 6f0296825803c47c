"""The languages of a model folder, from its config or its name."""

import json
from pathlib import Path

import pytest

from lexalign.contracts.errors import LexalignError
from lexalign.text.model_languages import (
    as_config,
    check_languages,
    languages_of_files,
    languages_of_folder,
    languages_of_name,
)


def folder_with(path: Path, content: object, codes: dict[str, int] | None = None) -> Path:
    path.mkdir()
    (path / "config.json").write_text(json.dumps(content))
    if codes is not None:
        (path / "tokenizer").mkdir()
        (path / "tokenizer" / "tokenizer.json").write_text(json.dumps({"languages": codes}))
    return path


def test_what_is_written_is_read(tmp_path: Path) -> None:
    folder = folder_with(tmp_path / "model", as_config(("deu", "English")))
    assert languages_of_folder(folder) == ("de", "en")
    assert as_config(None) == {}


@pytest.mark.parametrize(
    "content", [{}, {"languages": None}, {"languages": {"source": "fr"}}, ["languages"], 3]
)
def test_without_languages_in_the_config_the_name_counts(tmp_path: Path, content: object) -> None:
    assert languages_of_folder(folder_with(tmp_path / "de-en", content)) == ("de", "en")
    assert languages_of_folder(folder_with(tmp_path / "model", content)) is None
    assert languages_of_folder(tmp_path / "nowhere") is None


def test_the_config_goes_over_the_name(tmp_path: Path) -> None:
    assert languages_of_folder(folder_with(tmp_path / "de-en", as_config(("fr", "ro")))) == ("fr", "ro")


def test_the_name_of_a_multilingual_model_tells_nothing(tmp_path: Path) -> None:
    assert languages_of_folder(folder_with(tmp_path / "de-en", {}, {"deu_Latn": 5})) is None
    assert languages_of_folder(folder_with(tmp_path / "en-de", {}, {})) == ("en", "de")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("de-en", ("de", "en")),
        ("deu-eng", ("de", "en")),
        ("opus-mt-de-en", ("de", "en")),
        ("opus-mt-tc-big-en-fr", ("en", "fr")),
        ("Helsinki-NLP--opus-mt-en-hi", ("en", "hi")),
        ("opus-mt-en-ROMANCE", None),
        ("De-En", None),
        ("de-en-old", None),
        ("model", None),
    ],
)
def test_names(name: str, expected: tuple[str, str] | None) -> None:
    assert languages_of_name(Path("models") / name) == expected


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("train.de", "train.en", ("de", "en")),
        ("train.deu.gz", "train.eng.gz", ("de", "en")),
        ("flores.por", "flores.ron.xz", ("pt", "ro")),
        ("train.de-en.de", "train.de-en.en", ("de", "en")),
        ("train.src", "train.tgt", None),
        ("train.de", "train.txt", None),
        ("a.en", "b.en", None),
        ("source", "target", None),
        ("train.tsv", None, None),
    ],
)
def test_suffixes_of_files(source: str, target: str | None, expected: tuple[str, str] | None) -> None:
    assert languages_of_files(Path(source), None if target is None else Path(target)) == expected


@pytest.mark.parametrize("asked", [(None, None), ("", ""), ("de", None), ("German", "en-GB"), (None, "eng")])
def test_the_same_languages_in_other_words(asked: tuple[str | None, str | None]) -> None:
    check_languages(Path("run"), ("de", "en"), asked)
    check_languages(Path("run"), None, asked)


@pytest.mark.parametrize(
    ("asked", "said"), [(("en", None), "from en"), ((None, "fr"), "to fr"), (("en", "de"), "from en to de")]
)
def test_other_languages_are_refused(asked: tuple[str | None, str | None], said: str) -> None:
    with pytest.raises(LexalignError, match=rf"^run translates from de to en, not {said}; leave out --from"):
        check_languages(Path("run"), ("de", "en"), asked)
