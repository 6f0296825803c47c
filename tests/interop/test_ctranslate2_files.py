"""CTranslate2 folders and Argos packages: older files, invalid ones, and hostile ones."""

import json
import shutil
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest
import torch
from typer.testing import CliRunner

from lexalign.cli.main import app
from lexalign.contracts.errors import LexalignError
from lexalign.interop.ctranslate2.binary import BinaryModel, read_binary
from lexalign.interop.importing import import_model
from lexalign.models.folder import load_model
from lexalign.text.model_languages import languages_of_folder
from lexalign.text.tokenizer_files import load_tokenizer
from lexalign.translator import TranslateOptions, Translator
from tests.interop import ctranslate2_models, hub_models

ctranslate2 = pytest.importorskip("ctranslate2")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    ctranslate2_models.opennmt(folder / "model")
    return folder / "model"


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "model")
    return tmp_path / "model"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ctranslate2_models.argos(tmp_path_factory.mktemp("argos") / "de_en.argosmodel")


def refuse(path: Path, message: str) -> None:
    with pytest.raises(LexalignError, match=message) as raised:
        import_model(path, path.parent / "new")
    assert "\n" not in str(raised.value)
    assert not (path.parent / "new").exists()


def write_binary(path: Path, model: BinaryModel, *, version: int) -> None:
    """A file of an older version: flags and tokens are attributes, and there is no config."""

    def string(text: str) -> bytes:
        return struct.pack("<H", len(text) + 1) + text.encode() + b"\0"

    types = [torch.float32, torch.int8, torch.int16, torch.int32, torch.float16, torch.bfloat16]
    parts = [struct.pack("<I", version), string(model.specification), struct.pack("<I", model.revision)]
    parts.append(struct.pack("<I", len(model.variables)))
    for name, value in model.variables.items():
        size = value.element_size()
        kind, amount = (
            (types.index(value.dtype), value.numel() * size) if version > 3 else (size, value.numel())
        )
        shape = struct.pack(f"<B{value.dim()}I", value.dim(), *value.shape)
        parts += [string(name), shape, struct.pack("<BI", kind, amount), value.contiguous().numpy().tobytes()]
    parts.append(struct.pack("<I", len(model.aliases)))
    parts += [string(name) for pair in model.aliases.items() for name in pair]
    path.write_bytes(b"".join(parts))


@pytest.mark.parametrize("version", [3, 5])
def test_older_versions(folder: Path, version: int, tmp_path: Path) -> None:
    """Attributes of the whole model, one embedding without a number, vocabularies as lines."""
    import_model(folder, tmp_path / "current")
    found = read_binary(folder / "model.bin")
    root = {"num_heads", "pre_norm", "activation", "alignment_layer", "alignment_heads", "embeddings_merge"}
    variables = {}
    for name, value in found.variables.items():
        leaf = name.rpartition("/")[2]
        if value.dim() or leaf in root:
            variables[leaf if leaf in root else name.replace("embeddings_0", "embeddings")] = value.to(
                torch.int8 if leaf in root else value.dtype
            )
    flags = {
        "with_source_eos": torch.tensor(0, dtype=torch.int8),
        "with_target_bos": torch.tensor(1).to(torch.int8),
    }
    token = torch.tensor(list(b"</s>"), dtype=torch.int8)
    older = BinaryModel(
        specification="TransformerSpec",
        revision=4,
        variables=variables | flags | {"eos_token": token},
        aliases=found.aliases,
    )
    write_binary(folder / "model.bin", older, version=version)
    (folder / "config.json").unlink()
    for side in ("source", "target"):
        path = folder / f"{side}_vocabulary.json"
        (folder / f"{side}_vocabulary.txt").write_text(
            "".join(f"{t}\n" for t in json.loads(path.read_text()))
        )
        path.unlink()
    ctranslate2.Translator(str(folder))  # reads it too
    import_model(folder, tmp_path / "older")
    one, other = (load_model(tmp_path / name)[0] for name in ("current", "older"))
    assert one.config == other.config
    assert all(
        torch.equal(first, second) for first, second in zip(one.parameters(), other.parameters(), strict=True)
    )


def test_every_truncation_is_refused(folder: Path) -> None:
    content = (folder / "model.bin").read_bytes()
    for size in (*range(120), *range(120, len(content), 997), len(content) - 1):
        (folder / "model.bin").write_bytes(content[:size])
        refuse(folder, "model.bin")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (struct.pack("<I", 6), struct.pack("<I", 7), "binary version 7; versions 2 to 6"),
        (b"TransformerSpec\0\x07", b"TransformerSpec\0\x09", "revision 9 of TransformerSpec"),
        (b"TransformerSpec\0", b"WhisperXxxxSpec\0", "a model of the kind 'WhisperXxxxSpec'"),
        (b"decoder/alibi\0\0\x01\x01\0\0\0\0", b"decoder/alibi\0\0\x01\x01\0\0\0\x01", "decoder/alibi is 1"),
        (b"decoder/pre_norm", b"decoder/pre_xxxx", "decoder/pre_xxxx is 1; models with this feature"),
        (b"self_attention/linear_1/bias", b"self_attention/linear_9/bias", "linear_9/bias does not belong"),
        (b"self_attention/linear_1/weight", b"self_attention/linear_9/weight", "linear_1/weight is missing"),
        (b"\x02\x18\0\0\0\x18\0\0\0\0\x00\x09\0\0", b"\x02\x18\0\0\0\x19\0\0\0\0\x00\x09\0\0", "its shape"),
    ],
)  # fmt: skip
def test_other_kinds_are_named(folder: Path, old: bytes, new: bytes, message: str) -> None:
    content = (folder / "model.bin").read_bytes()
    assert old in content
    (folder / "model.bin").write_bytes(content.replace(old, new, 1))
    refuse(folder, message)


def test_an_unknown_activation(tmp_path: Path) -> None:
    ctranslate2_models.opennmt(tmp_path / "sigmoid", activation=4)
    refuse(tmp_path / "sigmoid", "activation 4 is not one of relu, gelu-tanh, swish, gelu")


def test_vocabularies(folder: Path) -> None:
    tokens = json.loads((folder / "target_vocabulary.json").read_text())
    for content, message in (
        ("{}", "target_vocabulary.json: not a list of tokens"),
        ("[", "target_vocabulary.json: not JSON"),
        ("[" * 100_000, "target_vocabulary.json: not JSON"),
        (json.dumps(tokens[:-1]), "the vocabulary has 100 tokens and decoder/embeddings 101 rows"),
        (json.dumps([one for one in tokens if one != "</s>"] + ["x"]), "has no </s>, its end of sentence"),
        (json.dumps(["y" if one == "<s>" else one for one in tokens]), "decoder_start_token is '<s>'"),
        (json.dumps(["y" if one == "<unk>" else one for one in tokens]), "has no <unk>"),
    ):
        (folder / "target_vocabulary.json").write_text(content)
        refuse(folder, message)
    (folder / "target_vocabulary.json").unlink()
    refuse(folder, "shared_vocabulary.json is missing, and so is")


def test_a_user_must_not_give_the_start(folder: Path) -> None:
    ctranslate2_models.change_config(folder, decoder_start_token=None)
    refuse(folder, "decoder_start_token is None")
    ctranslate2_models.change_config(folder, decoder_start_token="<s>", bos_token="<b>", add_source_bos=True)
    refuse(folder, "bos_token is '<b>', which is not in the vocabulary")


def test_without_a_tokenizer_text_comes_in_pieces(folder: Path, tmp_path: Path) -> None:
    for name in ("source.spm", "target.spm"):
        (folder / name).unlink()
    import_model(folder, tmp_path / "ours")
    tokenizer = load_model(tmp_path / "ours")[1]
    pieces = json.loads((folder / "source_vocabulary.json").read_text())[10:12]
    assert tokenizer.source.pieces(tokenizer.source.encode(" ".join(pieces))) == pieces


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, [*map(str, arguments)])
    return result.exit_code, result.stderr


def test_an_argos_package(package: Path, tmp_path: Path) -> None:
    """The same translations as CTranslate2's, by the same settings."""
    status, said = run("import", package, "--to", tmp_path / "ours")
    assert status == 0
    assert "2+3 layers of width 24" in said
    assert "de to en" in said
    assert languages_of_folder(tmp_path / "ours") == ("de", "en")
    with zipfile.ZipFile(package) as archive:
        archive.extractall(tmp_path)
    unpacked = tmp_path / "translate-de_en-1_0"
    translator = Translator.load(tmp_path / "ours", device="cpu", precision="float32")
    theirs = ctranslate2.Translator(str(unpacked / "model"), compute_type="float32", intra_threads=1)
    texts = hub_models.sentences()[:12]
    source = load_tokenizer(tmp_path / "ours").source
    pieces = [source.pieces(source.encode(text)) for text in texts]
    options = TranslateOptions(beam=4, max_length=12, length_penalty=0.2, workers=1)
    ours = translator.translate(texts, options.verbatim())
    results = theirs.translate_batch(
        pieces, beam_size=4, patience=12, length_penalty=0.2, max_decoding_length=13, min_decoding_length=0,
        disable_unk=True, suppress_sequences=[["<s>"], ["<blank>"]], return_scores=True,
    )  # fmt: skip
    ended = [(one, r) for one, r in zip(ours, results, strict=True) if len(r.hypotheses[0]) < 12]
    for one, result in ended:  # at the limit the rules differ
        assert one.text == "".join(result.hypotheses[0]).replace("▁", " ").strip()
    assert len({one.text for one, _ in ended}) > 2
    import_model(unpacked, tmp_path / "again")
    assert languages_of_folder(tmp_path / "again") == ("de", "en")


def repack(package: Path, path: Path, **changes: Any) -> Path:
    """The package with some members changed, added, or left out."""
    with zipfile.ZipFile(package) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = changes.pop(name.partition("/")[2], old.read(name))
            if content is not None:
                new.writestr(name, content)
        for name, content in changes.items():
            new.writestr(name, content)
    return path


ROOT = "translate-de_en-1_0"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"../evil": b""}, "'../evil' points outside of the package"),
        ({"/etc/evil": b""}, "'/etc/evil' points outside"),
        ({f"{ROOT}/model/../../../evil": b""}, "points outside"),
        ({"C:\\evil": b""}, "points outside"),
        ({f"{ROOT}/stanza/zeros": bytes(70 * 2**20)}, "bytes in an archive of .*; no real model"),
        ({"metadata.json": None}, "no metadata.json in the archive"),
        ({"metadata.json": b"["}, "translate-de_en-1_0/metadata.json: not JSON"),
        ({"metadata.json": b"[" * 100_000}, "translate-de_en-1_0/metadata.json: not JSON"),
        ({"metadata.json": b'{"type": "sbd"}'}, "a package of the type 'sbd'"),
        ({"model/model.bin": None}, "no model/model.bin in the archive"),
        ({"model/model.bin": b"\x06\0\0\0"}, "model.bin: it ends at 4 bytes"),
        ({"sentencepiece.model": None}, "sentencepiece.model is missing"),
        ({"sentencepiece.model": None, f"{ROOT}/bpe.model": b""}, "bpe.model: packages with Moses tokens"),
        ({"sentencepiece.model": b"nothing"}, "sentencepiece.model: not a SentencePiece model"),
    ],
)  # fmt: skip
def test_packages_that_are_refused(
    package: Path, tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    refuse(repack(package, tmp_path / "other.argosmodel", **changes), message)
    assert [path.name for path in tmp_path.iterdir()] == ["other.argosmodel"]


def test_links_and_broken_archives(package: Path, tmp_path: Path) -> None:
    content = package.read_bytes()
    for size in (0, 10, len(content) // 2, len(content) - 1):
        (tmp_path / "cut.argosmodel").write_bytes(content[:size])
        refuse(tmp_path / "cut.argosmodel", "not a complete zip archive")
    with zipfile.ZipFile(tmp_path / "link.argosmodel", "w") as archive:
        link = zipfile.ZipInfo(f"{ROOT}/model/model.bin")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    refuse(tmp_path / "link.argosmodel", "points outside of the package")
