"""The model of the other direction: the given one, a neighbour, the same if multilingual, a bundled one."""

import json
from pathlib import Path

import pytest

from lexalign.bundled import find_model
from lexalign.cli.options.model_choice import ChosenModel
from lexalign.cli.options.reverse_model import choose_reverse
from lexalign.contracts.errors import LexalignError


def make(folder: Path, languages: tuple[str, str] | None = None) -> Path:
    folder.mkdir(parents=True)
    named = languages and {"source": languages[0], "target": languages[1]}
    (folder / "config.json").write_text(json.dumps({"languages": named} if named else {}))
    return folder


def chosen(folder: Path, source: str | None = "de", target: str | None = "en") -> ChosenModel:
    return ChosenModel(folder=folder, source=source, target=target)


def test_a_neighbour_comes_before_a_bundled_model(tmp_path: Path) -> None:
    model = make(tmp_path / "de-en")
    found = choose_reverse(chosen(model), None)
    assert found is not None
    assert (found.folder, found.languages, found.required) == (find_model("en", "de"), ("en", "de"), False)
    make(tmp_path / "en-de")
    found = choose_reverse(chosen(model), None)
    assert found is not None
    assert found.folder == (tmp_path / "en-de").resolve()


def test_folders_of_runs_are_neighbours_too(tmp_path: Path) -> None:
    model = make(tmp_path / "de-en" / "model", ("de", "en"))
    make(tmp_path / "en-de" / "model", ("en", "de"))
    found = choose_reverse(chosen(model), None)
    assert found is not None
    assert found.folder == (tmp_path / "en-de" / "model").resolve()


def test_a_multilingual_model_is_its_own_reverse(tmp_path: Path) -> None:
    model = make(tmp_path / "any")
    (model / "tokenizer").mkdir()
    (model / "tokenizer" / "tokenizer.json").write_text('{"languages": {"de": 1, "en": 2}}')
    found = choose_reverse(chosen(model), None)
    assert found is not None
    assert found.folder == model.resolve()


def test_other_languages_have_none_unless_one_is_given(tmp_path: Path) -> None:
    model, back = make(tmp_path / "xx", ("fi", "sv")), make(tmp_path / "yy", ("sv", "fi"))
    assert choose_reverse(chosen(model, "fi", "sv"), None) is None
    assert choose_reverse(chosen(model, None, None), None) is None
    found = choose_reverse(chosen(model, "fi", "sv"), back)
    assert found is not None
    assert found.required
    with pytest.raises(LexalignError, match="translates from fi to sv"):
        choose_reverse(chosen(model, "fi", "sv"), model)
    with pytest.raises(LexalignError, match="--from and --to"):
        choose_reverse(chosen(model, None, None), back)
