"""Finding a model by languages, among folders with only a config."""

import json
from pathlib import Path

import pytest

import lexalign.bundled.cache as cache
from lexalign.bundled import BundledModels, find_model
from lexalign.contracts.errors import LexalignError


def stand_ins(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).mkdir(parents=True)
        (folder / name / "config.json").write_text("{}")
    return folder


def never() -> str:
    raise AssertionError("there is nothing to guess")


@pytest.fixture
def models(tmp_path: Path) -> BundledModels:
    return BundledModels.within(stand_ins(tmp_path, "de-en", "en-de", "en-fr"))


def test_folders_are_found_by_their_names(tmp_path: Path) -> None:
    stand_ins(tmp_path, "de-en", "en-de", "__pycache__", "De-En", "de-en-old")
    (tmp_path / "fr-en").mkdir()  # without a model in it
    (tmp_path / "ro-en").write_text("")
    found = BundledModels.within(tmp_path)
    assert found.folders == {("de", "en"): tmp_path / "de-en", ("en", "de"): tmp_path / "en-de"}
    assert found.find("de", "en") == tmp_path / "de-en"


def test_a_config_goes_over_a_name(tmp_path: Path) -> None:
    stand_ins(tmp_path, "small", "de-en", "ro-en")
    for name in ("small", "de-en"):
        languages = {"source": "fra" if name == "small" else "en", "target": "de"}
        (tmp_path / name / "config.json").write_text(json.dumps({"languages": languages}))
    (tmp_path / "ro-en" / "config.json").write_text("damaged")
    found = {("fr", "de"): "small", ("en", "de"): "de-en", ("ro", "en"): "ro-en"}
    assert BundledModels.within(tmp_path).folders == {pair: tmp_path / name for pair, name in found.items()}


def test_a_language_has_many_names(models: BundledModels) -> None:
    assert models.find("German", "en_GB") == models.find("de", "en")
    assert models.choose("DE", "eng", never) == ("de", "en")
    assert models.choose(None, "French", never) == ("en", "fr")
    assert list(models.between("deu", None)) == [("de", "en")]


def test_of_two_the_first_is_taken(tmp_path: Path) -> None:
    first, second = stand_ins(tmp_path / "a", "de-en"), stand_ins(tmp_path / "b", "de-en", "en-de")
    found = BundledModels.within(first, second)
    assert found.find("de", "en").parent == first
    assert found.find("en", "de").parent == second


def test_languages_that_are_given_are_taken(models: BundledModels) -> None:
    assert models.choose("en", "fr", never) == ("en", "fr")
    assert models.choose("de", None, never) == ("de", "en")
    assert models.choose(None, "fr", never) == ("en", "fr")


def test_what_is_not_given_is_guessed(models: BundledModels) -> None:
    assert models.choose(None, None, lambda: "Wo ist das Haus?") == ("de", "en")
    assert models.choose(None, "de", lambda: "Wo ist das Haus?") == ("en", "de")  # nothing else goes there
    assert models.choose(None, None, lambda: " \n") == ("de", "en")  # an empty text is empty in any language


@pytest.mark.parametrize(
    ("source", "target", "text", "message"),
    [
        (
            "de",
            "fr",
            "",
            r"no model from de to fr is installed; those installed are de to en, en to de, en to fr; "
            "get one, for example: lexalign models get Helsinki-NLP/opus-mt-de-fr",
        ),
        (None, "ro", "", r"no model to ro is installed; those installed are de to en"),
        (None, None, "2026", r"is not certain \(de or en\?\); give it with --from"),
        (None, None, "Where is the house?", r"translate from en to de or fr\? choose with --to"),
        ("ro", None, "", r"no model from ro is installed"),
        (None, None, "Tom", r"the language of the text is not certain"),
        (
            None,
            None,
            "Je vous remercie pour cette question.",
            r"seems to be in fr; .* no model from fr is installed",
        ),
    ],
)
def test_errors_say_what_to_do(
    models: BundledModels, source: str | None, target: str | None, text: str, message: str
) -> None:
    with pytest.raises(LexalignError, match=message):
        models.choose(source, target, lambda: text)


def test_without_a_model_there_is_only_one_s_own() -> None:
    with pytest.raises(
        LexalignError,
        match=r"^no model is installed; get one, for example: lexalign models get",
    ):
        BundledModels({}).choose(None, None, never)


def test_the_environment_names_more_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package, own = stand_ins(tmp_path / "package", "de-en", "en-de"), stand_ins(tmp_path / "own", "de-en")
    monkeypatch.setattr(cache, "_BUNDLED", package)
    monkeypatch.delenv("LEXALIGN_MODELS", raising=False)
    assert find_model("de", "en") == package / "de-en"
    monkeypatch.setenv("LEXALIGN_MODELS", str(own))
    assert find_model("de", "en") == own / "de-en"
    assert find_model("en", "de") == package / "en-de"
    monkeypatch.setenv("LEXALIGN_MODELS", str(tmp_path / "nowhere"))
    with pytest.raises(LexalignError, match="there is no such folder"):
        find_model("de", "en")


def test_models_that_are_here_have_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that `lexalign models list` shows may be given wherever a folder may."""
    monkeypatch.chdir(tmp_path)
    bundled = cache.find_folder("de-en")
    assert bundled == find_model("de", "en")
    monkeypatch.setenv("LEXALIGN_MODELS", str(stand_ins(tmp_path / "own", "de-en", "tuned")))
    assert cache.find_folder("de-en") == tmp_path / "own" / "de-en"
    assert cache.find_folder("tuned") == tmp_path / "own" / "tuned"
    stand_ins(tmp_path, "de-en")
    assert cache.find_folder("de-en") == Path("de-en")
    assert cache.find_folder("nothing") == Path("nothing")


def test_bundled_models_are_not_changed(tmp_path: Path) -> None:
    with pytest.raises(LexalignError, match="copy its folder"):
        cache.refuse_bundled(find_model("de", "en"))
    cache.refuse_bundled(tmp_path)
