"""Models in Marian's own formats compute what Marian's definitions say, and damaged ones are refused."""

import gzip
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from lexalign.cli.main import run
from lexalign.contracts.errors import LexalignError
from lexalign.decoding.lexical_shortlist import LexicalShortlist
from lexalign.interop.importing import import_model
from lexalign.models.folder import load_model, stored_precision
from lexalign.text.model_languages import languages_of_folder
from lexalign.text.tokenizer_files import load_tokenizer
from lexalign.translator import TranslateOptions, Translator
from tests.interop import marian_nmt_models as marian
from tests.interop.marian_nmt_models import OPTIONS, Tensors, logits, random_tensors, write_binary, write_npz

Ids = NDArray[np.int64]
SIZE = 104
SOURCE, TARGET = [5, 17, 40, 9, 33, 0], [7, 60, 21, 8, 90]
OPTIONS_OF_SEARCH = TranslateOptions(beam=2, workers=1, max_length=12).verbatim()
TEXTS = ["das Haus ist groß.", "der kleine Hund läuft über die Straße."]
KINDS: dict[str, dict[str, Any]] = {
    "ssru": {},
    "self-attention": {"transformer-decoder-autoreg": "self-attention"},
    "embedding norm": {"transformer-postprocess-emb": "nd"},
    "output tied": {"tied-embeddings-all": "false", "tied-embeddings": "true"},
    "source and target tied": {"tied-embeddings-all": "false", "tied-embeddings-src": "true"},
    "untied": {"tied-embeddings-all": "false"},
}
VOCABULARY = marian.train_vocabulary(SIZE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """As Firefox ships a model, but for the weights."""
    folder = tmp_path / "firefox"
    folder.mkdir()
    (folder / "vocab.deen.spm").write_bytes(VOCABULARY)
    return folder


def weights_file(folder: Path) -> Path:
    return folder / "model.deen.bin"


def write_model(folder: Path, **changed: Any) -> None:
    options = OPTIONS | changed
    write_binary(weights_file(folder), random_tensors(options, (SIZE, SIZE)), options)


def assert_computes(
    model: Path, tensors: Tensors, options: dict[str, Any], *, tolerance: float = 2e-4
) -> None:
    loaded, _ = load_model(model, precision="float32")
    target = torch.tensor([[loaded.vocabulary.pad_id, *TARGET]])
    found = loaded.force(loaded.encode(torch.tensor([SOURCE])), target).logits[0]
    expected = torch.from_numpy(logits(tensors, options, SOURCE, TARGET)).float()
    torch.testing.assert_close(found[:, : expected.shape[1]], expected, atol=tolerance, rtol=1e-4)


@pytest.mark.parametrize("suffix", ["npz", "bin"])
@pytest.mark.parametrize("changed", list(KINDS.values()), ids=list(KINDS))
def test_a_model_computes_what_marian_does(
    changed: dict[str, Any], suffix: str, folder: Path, tmp_path: Path
) -> None:
    options = OPTIONS | changed
    tensors = random_tensors(options, (SIZE, SIZE))
    write = write_npz if suffix == "npz" else write_binary
    write(folder / f"model.deen.{suffix}", tensors, options)
    import_model(folder, tmp_path / "ours")
    assert_computes(tmp_path / "ours", tensors, options)
    assert stored_precision(tmp_path / "ours") == "float32"
    assert languages_of_folder(tmp_path / "ours") == ("de", "en")


# Two types without tiles; with tiles of AVX2 and SSSE3.
@pytest.mark.parametrize(("kind", "register"), [(0x4101, 0), (0x10001, 0), (0x11001, 32), (0x18001, 16)])
def test_int8_weights_stay_as_they_are(kind: int, register: int, folder: Path, tmp_path: Path) -> None:
    tensors = random_tensors(OPTIONS, (SIZE, SIZE))
    write_binary(weights_file(folder), tensors, OPTIONS, int8=kind, register=register)
    import_model(weights_file(folder), tmp_path / "ours")
    assert stored_precision(tmp_path / "ours") == "int8"
    exact = {
        name: marian.as_rounded(value) if marian.is_matrix(name) else value for name, value in tensors.items()
    }
    assert_computes(tmp_path / "ours", exact, OPTIONS)


def test_a_type_that_cannot_be_read(folder: Path, tmp_path: Path) -> None:
    """Such as FBGEMM's."""
    write_binary(weights_file(folder), random_tensors(OPTIONS, (SIZE, SIZE)), OPTIONS, int8=0x1801)
    refused(folder, tmp_path, "Wemb has the type 0x1801")


def test_two_vocabularies_of_two_sizes(folder: Path, tmp_path: Path) -> None:
    (folder / "vocab.deen.spm").unlink()
    (folder / "srcvocab.deen.spm").write_bytes(VOCABULARY)
    (folder / "trgvocab.deen.spm").write_bytes(marian.train_vocabulary(SIZE - 8, seed=200))
    options = OPTIONS | {"tied-embeddings-all": "false", "tied-embeddings": "true"}
    tensors = random_tensors(options, (SIZE, SIZE - 8))
    write_binary(weights_file(folder), tensors, options)
    import_model(folder, tmp_path / "ours")
    assert_computes(tmp_path / "ours", tensors, options)
    tokenizer = load_tokenizer(tmp_path / "ours")
    assert tokenizer.source.encode(TEXTS[0]) != tokenizer.target.encode(TEXTS[0])
    unused = load_model(tmp_path / "ours")[0].vocabulary.never_generated
    assert set(range(SIZE - 8, SIZE + 1)) <= set(unused)


def test_a_vocabulary_in_yaml(folder: Path, tmp_path: Path) -> None:
    """As OPUS-MT's originals: pieces of two SentencePiece models, ids of one YAML file."""
    write_model(folder)
    import_model(folder, tmp_path / "plain")
    pieces = [load_tokenizer(tmp_path / "plain").target.piece(index) for index in range(SIZE)]
    (folder / "vocab.deen.spm").rename(folder / "source.spm")
    (folder / "target.spm").write_bytes(VOCABULARY)
    lines = (f'"{piece}": {index}\n' for index, piece in reversed(list(enumerate(pieces))))
    (folder / "opus.vocab.yml").write_text("".join(lines), encoding="utf-8")
    import_model(folder, tmp_path / "yaml")
    plain, by_yaml = (load_tokenizer(tmp_path / name) for name in ("plain", "yaml"))
    for text in TEXTS:
        assert by_yaml.source.encode(text) == plain.source.encode(text)
        assert by_yaml.target.decode(by_yaml.target.encode(text)) == text


def test_language_codes_of_a_yaml_vocabulary(folder: Path, tmp_path: Path) -> None:
    write_model(folder)
    import_model(folder, tmp_path / "plain")
    plain = load_tokenizer(tmp_path / "plain")
    pieces = [plain.target.piece(index) for index in range(SIZE - 2)] + [">>fra<<", ">>ron<<"]
    (folder / "vocab.deen.spm").rename(folder / "source.spm")
    (folder / "target.spm").write_bytes(VOCABULARY)
    lines = (f'"{piece}": {index}\n' for index, piece in enumerate(pieces))
    (folder / "opus.vocab.yml").write_text("".join(lines), encoding="utf-8")
    config = import_model(folder, tmp_path / "many")
    tokenizer = load_tokenizer(tmp_path / "many")
    assert tokenizer.languages == ("fra", "ron")
    assert tokenizer.between(("de", "ro")).source.encode(TEXTS[0])[0] == SIZE - 1
    assert {SIZE - 2, SIZE - 1} <= set(config.never_generated)
    assert config.unlinked == (SIZE - 2, SIZE - 1)
    with pytest.raises(LexalignError, match="many languages"):
        import_model(folder, tmp_path / "one", languages=("de", "fr"))


def test_gzipped_files_and_options_that_name_them(folder: Path, tmp_path: Path) -> None:
    write_model(folder)
    write_shortlist(folder / "lex.s2t.bin", offsets=np.arange(SIZE + 1), tokens=np.arange(SIZE))
    import_model(folder, tmp_path / "plain")
    for name in ("model.deen.bin", "vocab.deen.spm", "lex.s2t.bin"):
        (folder / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes()))
        (folder / name).unlink()
    (folder / "decoder.yml").write_text(
        "relative-paths: true\nmodels:\n  - model.deen.bin\nvocabs:\n  - vocab.deen.spm\n  - vocab.deen.spm\n"
        "shortlist:\n  - lex.s2t.bin\n  - false\n"
    )
    import_model(folder, tmp_path / "gzipped")
    for name in ("model.safetensors", "shortlist.safetensors"):
        assert (tmp_path / "plain" / name).read_bytes() == (tmp_path / "gzipped" / name).read_bytes()


def write_shortlist(path: Path, *, offsets: Ids, tokens: Ids, frequent: int = 4) -> None:
    tables = np.asarray(offsets, "<u8").tobytes() + np.asarray(tokens, "<u4").tobytes()
    content = np.array([frequent, 50, len(offsets), len(tokens)], "<u8").tobytes() + tables
    seed = 0
    for place in range(0, len(content) - 7, 8):
        word = int.from_bytes(content[place : place + 8], "little")
        seed ^= (word + 0x9E3779B9 + (seed << 6) + (seed >> 2)) % 2**64
    path.write_bytes(np.array([0xF11A48D5013417F5, seed], "<u8").tobytes() + content)


def test_a_shortlist_in_text_has_the_best_of_each_word(folder: Path, tmp_path: Path) -> None:
    write_model(folder)
    import_model(folder, tmp_path / "plain")
    piece = load_tokenizer(tmp_path / "plain").target.piece
    rows = [(30, 5, 0.1), (31, 5, 0.5), (32, 5, 0.2), (40, 6, 0.9)]
    lines = [f"{piece(target)} {piece(source)} {score}" for target, source, score in rows]
    (folder / "lex.s2t").write_text("\n".join([*lines, f"NULL {piece(7)} 1.0", ""]), encoding="utf-8")
    (folder / "decoder.yml").write_text(
        "models: [model.deen.bin]\nvocabs: [vocab.deen.spm, vocab.deen.spm]\nshortlist: [lex.s2t, 3, 2]\n"
    )
    import_model(folder, tmp_path / "ours")
    shortlist = load_shortlist(tmp_path / "ours")
    lists = {i: shortlist.token_ids[a:b].tolist() for i, (a, b) in enumerate(pairs(shortlist)) if a < b}
    assert lists == {5: [31, 32], 6: [40]}
    assert shortlist.frequent == 3
    assert shortlist.shared


def pairs(shortlist: LexicalShortlist) -> list[tuple[int, int]]:
    return list(zip(shortlist.offsets[:-1], shortlist.offsets[1:], strict=True))


def load_shortlist(folder: Path) -> LexicalShortlist:
    tokenizer = load_tokenizer(folder)
    found = LexicalShortlist.load(folder, tokenizer.fingerprint, tokenizer.target_size)
    assert found is not None
    return found


def test_a_shortlist_of_another_model_in_the_folder(folder: Path, tmp_path: Path) -> None:
    write_model(folder)
    write_shortlist(folder / "lex.bin", offsets=np.arange(SIZE + 1), tokens=np.arange(SIZE))
    import_model(folder, tmp_path / "one")
    (folder / "vocab.deen.spm").write_bytes(marian.train_vocabulary(SIZE, seed=100))
    import_model(folder, tmp_path / "other")
    (tmp_path / "other" / "shortlist.safetensors").write_bytes(
        (tmp_path / "one" / "shortlist.safetensors").read_bytes()
    )
    Translator.load(tmp_path / "one", device="cpu")
    with pytest.raises(LexalignError, match="of another model"):
        Translator.load(tmp_path / "other", device="cpu")


def test_a_translation_has_only_tokens_of_its_shortlist(folder: Path, tmp_path: Path) -> None:
    write_model(folder)
    few = np.arange(10, 30)
    write_shortlist(folder / "lex.bin", offsets=np.minimum(np.arange(SIZE + 1) * 20, 20), tokens=few)
    import_model(folder, tmp_path / "ours")
    translator = Translator.load(tmp_path / "ours", device="cpu")
    tokenizer = load_tokenizer(tmp_path / "ours")
    for text in TEXTS:
        allowed = {*range(4), *few.tolist(), *tokenizer.source.encode(text)}
        pieces = {tokenizer.target.piece(index) for index in allowed}
        inside = [
            set(translator.translate(text, replace(OPTIONS_OF_SEARCH, shortlist=on)).tokens) <= pieces
            for on in (True, False)
        ]
        assert inside == [True, False]


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "average attention": (
        {"transformer-decoder-autoreg": "average-attention"},
        "transformer-decoder-autoreg",
    ),
    "gru": ({"dec-cell": "gru"}, "dec-cell is 'gru'"),
    "recurrent encoder": ({"type": "s2s"}, "type is 's2s'"),
    "norm before": ({"transformer-preprocess": "n"}, "transformer-preprocess is 'n'"),
    "width": ({"dim-emb": "many"}, "dim-emb is 'many'"),
    "depth": ({"enc-depth": 3}, "encoder_l3_"),
    "more layers than it says": ({"enc-depth": 1}, "is not known"),
    "heads": ({"transformer-heads": 5}, "encoder_heads 5"),
    "feed-forward": ({"transformer-dim-ffn": 48}, "ffn_"),
}


@pytest.mark.parametrize(("changed", "message"), list(BROKEN.values()), ids=list(BROKEN))
def test_models_of_other_kinds_are_refused(
    changed: dict[str, Any], message: str, folder: Path, tmp_path: Path
) -> None:
    write_binary(weights_file(folder), random_tensors(OPTIONS, (SIZE, SIZE)), OPTIONS | changed)
    refused(folder, tmp_path, message)


def refused(folder: Path, tmp_path: Path, message: str) -> None:
    """One line that says what is wrong, and nothing is written."""
    before = set(tmp_path.iterdir())
    with pytest.raises(LexalignError, match=message) as error:
        import_model(folder, tmp_path / "refused")
    assert "\n" not in str(error.value)
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize("kept", [20, 300, 3000, -400])
@pytest.mark.parametrize("suffix", ["npz", "bin", "bin.gz"])
def test_truncated_weights(suffix: str, kept: int, folder: Path, tmp_path: Path) -> None:
    path, whole = folder / f"model.deen.{suffix}", folder / "whole.npz"
    tensors = random_tensors(OPTIONS, (SIZE, SIZE))
    (write_npz if suffix == "npz" else write_binary)(whole, tensors, OPTIONS)
    content = whole.read_bytes()
    whole.unlink()
    path.write_bytes((gzip.compress(content) if suffix.endswith("gz") else content)[:kept])
    refused(path, tmp_path, "copy it again")


def test_a_missing_vocabulary(folder: Path, tmp_path: Path) -> None:
    write_model(folder)
    (folder / "vocab.deen.spm").unlink()
    refused(folder, tmp_path, "the vocabulary is missing")


def test_a_vocabulary_of_another_model(folder: Path, tmp_path: Path) -> None:
    write_model(folder)
    (folder / "vocab.deen.spm").write_bytes(marian.train_vocabulary(SIZE - 4))
    refused(folder, tmp_path, "they belong to different models")


@pytest.mark.parametrize(
    ("offsets", "tokens", "message"),
    [
        (np.arange(SIZE), np.arange(SIZE - 1), "they belong to different models"),
        (np.arange(SIZE + 1), np.arange(SIZE) + 9, "they belong to different models"),
        (np.arange(SIZE + 1)[::-1], np.arange(SIZE), "out of order"),
    ],
)
def test_a_shortlist_of_another_model(
    offsets: Ids,
    tokens: Ids,
    message: str,
    folder: Path,
    tmp_path: Path,
) -> None:
    write_model(folder)
    write_shortlist(folder / "lex.bin", offsets=offsets, tokens=tokens)
    refused(folder, tmp_path, message)


def test_a_damaged_shortlist(folder: Path, tmp_path: Path) -> None:
    write_model(folder)
    path = folder / "lex.bin"
    write_shortlist(path, offsets=np.arange(SIZE + 1), tokens=np.arange(SIZE))
    content = path.read_bytes()
    path.write_bytes(content[:-4])
    refused(folder, tmp_path, "truncated")
    path.write_bytes(content[:100] + bytes([content[100] ^ 1]) + content[101:])
    refused(folder, tmp_path, "checksum")


def test_the_command_says_what_is_wrong(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_model(folder, **{"dec-cell": "gru"})
    monkeypatch.setattr("sys.argv", ["lexalign", "import", str(folder), "--to", str(tmp_path / "ours")])
    with pytest.raises(SystemExit) as stopped:
        run()
    assert stopped.value.code == 2
    assert "dec-cell" in capsys.readouterr().err
