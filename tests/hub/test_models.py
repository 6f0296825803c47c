"""Models by name, from a local server that plays the hub and the indexes, to a translation."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lexalign.bundled import BundledModels
from lexalign.bundled.cache import find_folder, folder_of_name, is_model_name
from lexalign.contracts.errors import LexalignError
from lexalign.hub.huggingface import _choose
from lexalign.hub.indexes import list_argos, list_firefox
from lexalign.hub.models import describe_model, describe_models, get_model, remove_model
from lexalign.interop.hub_export import export_huggingface
from lexalign.text.tokenizer import Tokenizer
from lexalign.text.tokenizer_training import TokenizerOptions
from lexalign.translator import TranslateOptions, Translator
from tests.alignment.small_models import small_model
from tests.cli.conftest import call
from tests.hub.local_hosts import Hosts, local_hosts

NAME = "Some-Group/opus-mt-de-en"


@pytest.fixture(scope="module")
def marian(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of a small model in Marian's HuggingFace format."""
    folder = tmp_path_factory.mktemp("marian")
    words = [f"{first}{second}" for first in "abcdefghij" for second in "klmnopqrst"]
    sentences = [" ".join(words[place : place + 5]) for place in range(90)]
    options = TokenizerOptions(vocabulary_size=300)
    tokenizer = Tokenizer.train(sentences, options, folder / "tokenizer.model")
    model = small_model(vocabulary_size=tokenizer.vocabulary_size)
    export_huggingface(model, tokenizer, folder / "hub", "de", "en")
    return {path.name: path.read_bytes() for path in (folder / "hub").iterdir()}


@pytest.fixture
def hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hosts]:
    pytest.importorskip("huggingface_hub")
    with local_hosts() as found:
        monkeypatch.setenv("LEXALIGN_HOME", str(tmp_path / "home"))
        monkeypatch.setenv("HF_ENDPOINT", found.address)
        monkeypatch.setenv("LEXALIGN_FIREFOX_INDEX", f"{found.address}/firefox")
        monkeypatch.setenv("LEXALIGN_FIREFOX_FILES", f"{found.address}/files")
        monkeypatch.setenv("LEXALIGN_ARGOS_INDEX", f"{found.address}/argos")
        yield found


def cache(tmp_path: Path) -> list[str]:
    home = tmp_path / "home"
    return sorted(str(path.relative_to(home)) for path in home.rglob("*") if path.is_file())


def test_a_model_of_the_hub_is_got_found_shown_and_removed(
    hosts: Hosts, marian: dict[str, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hosts.put_on_hub(NAME, {**marian, "tf_model.h5": b"not needed", "README.md": b"nor this"})
    assert call(("models", "get", NAME)) == 0
    assert "use it with --model Some-Group/opus-mt-de-en" in capsys.readouterr().err
    folder = tmp_path / "home" / "models" / "Some-Group--opus-mt-de-en"
    assert find_folder(NAME) == folder
    assert not (tmp_path / "home" / "downloads" / folder.name).exists()
    assert not any("tf_model" in path or "README" in path for path, _ in hosts.requests)
    assert BundledModels.installed().find("de", "en") == folder
    assert call(("translate", "--model", NAME, "--max-length", 8, "--device", "cpu", "das Haus")) == 0
    told = capsys.readouterr().out

    assert (
        call(("translate", "--from", "de", "--to", "en", "--max-length", 8, "--device", "cpu", "das Haus"))
        == 0
    )
    assert capsys.readouterr().out == told
    assert call(("models", "list")) == 0
    assert f"* {NAME}" in capsys.readouterr().out
    assert call(("models", "show", NAME)) == 0
    assert "version             abc123" in capsys.readouterr().out
    count = len(hosts.requests)
    get_model(NAME)
    assert len(hosts.requests) == count  # it is here
    assert call(("models", "remove", NAME)) == 0
    assert not folder.exists()
    assert call(("models", "remove", NAME)) == 2


def test_a_name_that_was_not_downloaded_says_how_to_get_it(
    hosts: Hosts, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in (
        ("translate", "--model", NAME, "text"),
        ("import", NAME, "--to", tmp_path / "model"),
        ("serve", "--model", "firefox:en-de"),
        ("quantize", NAME, "--to", tmp_path / "small"),
        ("train-aligner", "--model", NAME, "--text", "text"),
    ):
        assert call(command) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        assert "lexalign models get" in error
    assert hosts.requests == []


@pytest.mark.usefixtures("hosts")
def test_without_a_network_the_error_says_what_to_bring(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = "http://127.0.0.1:1"
    for variable in ("HF_ENDPOINT", "LEXALIGN_FIREFOX_INDEX", "LEXALIGN_ARGOS_INDEX"):
        monkeypatch.setenv(variable, nowhere)
    for name in (NAME, "firefox:en-de", "argos:de-en"):
        with pytest.raises(LexalignError, match=r"cannot be reached") as found:
            get_model(name)
        assert f"run `lexalign models get {name}` elsewhere" in str(found.value)
        assert str(folder_of_name(name)) in str(found.value)
    assert cache(tmp_path) == []


def test_a_model_that_is_not_there(hosts: Hosts) -> None:
    hosts.put_firefox("de", "en", {"model": b"m"})
    hosts.put_json("/argos", [{"from_code": "fr", "to_code": "en", "links": ["https://x/y"]}])
    with pytest.raises(LexalignError, match="has no such model"):
        get_model("Some-Group/nothing")
    with pytest.raises(LexalignError, match="from de to fr; those available are de-en"):
        get_model("firefox:de-fr")
    with pytest.raises(LexalignError, match="from de to en; those available are fr-en"):
        get_model("argos:de-en")
    with pytest.raises(LexalignError, match="not the name of a model"):
        get_model("opus")


def test_a_wrong_checksum_on_the_hub(hosts: Hosts, marian: dict[str, bytes]) -> None:
    """Of a small file, which git numbers, and of a large one."""
    for file in ("config.json", "model.safetensors"):
        hosts.put_on_hub(NAME, marian)
        content = bytearray(marian[file])
        content[-1] ^= 1
        hosts.put(f"/{NAME}/resolve/abc123/{file}", bytes(content))
        with pytest.raises(LexalignError, match=f"{file}: its checksum is wrong"):
            get_model(NAME)
        assert not folder_of_name(NAME).exists()
    hosts.put_on_hub(NAME, marian)
    assert get_model(NAME).is_dir()


def test_an_interrupted_import_leaves_no_model_and_downloads_nothing_twice(
    hosts: Hosts, marian: dict[str, bytes]
) -> None:
    hosts.put_on_hub(NAME, marian)

    def stop(path: Path, *_: Any, **__: Any) -> None:
        assert sorted(one.name for one in path.iterdir()) == sorted(
            name for name in marian if name != "README.md"
        )
        raise KeyboardInterrupt

    with_stop = pytest.MonkeyPatch()
    with_stop.setattr("lexalign.hub.models.import_model", stop)
    with pytest.raises(KeyboardInterrupt):
        get_model(NAME)
    assert describe_models()[0].name != NAME
    with_stop.undo()
    count = len(hosts.requests)
    get_model(NAME)
    assert [path for path, _ in hosts.requests[count:]] == [f"/api/models/{NAME}"]
    assert describe_model(NAME).languages == ("de", "en")


def test_a_damaged_model_is_one_line(hosts: Hosts, marian: dict[str, bytes], tmp_path: Path) -> None:
    hosts.put_on_hub(NAME, {**marian, "model.safetensors": marian["model.safetensors"][:-100]})
    with pytest.raises(LexalignError):
        get_model(NAME)
    assert not folder_of_name(NAME).exists()
    remove_model(NAME)  # what has come of the download
    assert cache(tmp_path) == []


def test_the_latest_release_of_firefox(hosts: Hosts) -> None:
    """A file that a release has not changed is of an earlier one; tests and other pairs are left out."""
    hosts.put_firefox("en", "de", {"model": b"old", "lex": b"old", "vocab": b"kept"}, "1.9")
    hosts.put_firefox("en", "de", {"model": b"new", "lex": b"new", "qualityModel": b"no"}, "1.10")
    hosts.put_firefox("en", "de", {"model": b"test"}, "2.0a1")
    hosts.put_firefox("de", "en", {"model": b"other"}, "3.0")
    found = list_firefox("en", "de")
    assert (found.version, found.languages) == ("1.10", ("en", "de"))
    assert sorted(file.url.rpartition("/")[2] for file in found.files) == [
        "ende-1.10-lex",
        "ende-1.10-model",
        "ende-1.9-vocab",
    ]
    assert all(file.size and file.checksum for file in found.files)


def test_vocabularies_of_firefox_are_shared_or_separate(hosts: Hosts) -> None:
    hosts.put_firefox("en", "ja", {"model": b"1", "vocab": b"1"}, "1.0")
    hosts.put_firefox("en", "ja", {"model": b"2", "srcvocab": b"2", "trgvocab": b"2"}, "2.0")
    assert sorted(file.name for file in list_firefox("en", "ja").files) == [
        "model.enja.bin",
        "srcvocab.enja.bin",
        "trgvocab.enja.bin",
    ]


def test_the_latest_package_of_argos(hosts: Hosts) -> None:
    hosts.put_json(
        "/argos",
        [
            {
                "from_code": "de",
                "to_code": "en",
                "package_version": "1.9",
                "links": ["https://x/old.argosmodel"],
            },
            {
                "from_code": "de",
                "to_code": "en",
                "package_version": "1.10",
                "links": ["ipfs://abc", "http://x/b.argosmodel", "https://x/new.argosmodel"],
            },
            {"code": "translate-sbd", "links": []},
        ],
    )
    found = list_argos("de", "en")
    assert (found.version, found.packed) == ("1.10", True)
    assert [file.url for file in found.files] == ["https://x/new.argosmodel"]


@pytest.mark.parametrize(
    "content",
    [{"data": 3}, [], {"data": [{"fromLang": "en", "toLang": "de", "fileType": "model", "version": "1.0"}]}],
)
def test_an_index_of_another_form_is_one_line(hosts: Hosts, content: Any) -> None:
    hosts.put_json("/firefox", content)
    with pytest.raises(LexalignError, match="the index has changed"):
        list_firefox("en", "de")


def test_one_form_of_the_weights_is_chosen() -> None:
    hub = ["config.json", "pytorch_model.bin", "model.safetensors", "tf_model.h5", "source.spm", "vocab.json"]
    assert _choose(hub) == ["config.json", "model.safetensors", "source.spm", "vocab.json"]
    hub.remove("model.safetensors")
    assert "pytorch_model.bin" in _choose(hub)
    shards = [
        "model-00001-of-00002.safetensors",
        "model-00002-of-00002.safetensors",
        "model.safetensors.index.json",
    ]
    assert _choose(shards) == sorted(shards)
    with pytest.raises(LexalignError, match="no weights"):
        _choose(["config.json"])


def test_names() -> None:
    for name in (NAME, "firefox:en-de", "argos:de-en", "firefox:en-zh_hant"):
        assert is_model_name(name)
    for name in ("model", "/abs/olute", "a/b/c", "../up", "firefox:en", "./a/b", "other:de-en"):
        assert not is_model_name(name)


def test_a_folder_of_the_same_name_goes_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Some-Group" / "opus-mt-de-en").mkdir(parents=True)
    assert find_folder(NAME) == Path(NAME)


def test_the_version_is_in_the_config(hosts: Hosts, marian: dict[str, bytes]) -> None:
    hosts.put_on_hub(NAME, marian)
    notes = json.loads((get_model(NAME) / "config.json").read_text())["notes"]
    assert (notes["name"], notes["version"]) == (NAME, "abc123")
    translator = Translator.load(find_folder(NAME), device="cpu")
    assert translator.translate("das Haus", TranslateOptions(max_length=5, workers=1)).source == "das Haus"


def test_a_bundled_model_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_folder("en-de") == BundledModels.installed().find("en", "de")
    (tmp_path / "en-de").mkdir()
    assert find_folder("en-de") == Path("en-de")
    assert find_folder("no-such") == Path("no-such")
    assert find_folder("..") == Path("..")
