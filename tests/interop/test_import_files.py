"""Files of other toolkits: shards, PyTorch's files, fairseq's checkpoints, and invalid ones."""

import argparse
import json
import pickle
import sys
from collections import OrderedDict
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from lexalign.contracts.errors import LexalignError
from lexalign.interop.importing import import_model
from lexalign.models.folder import load_model
from lexalign.models.transformer import Transformer
from lexalign.text.model_languages import languages_of_folder
from lexalign.translator import Translator
from tests.interop import hub_models
from tests.interop.hub_models import SHAPE, write_json

transformers = pytest.importorskip("transformers")


@pytest.fixture
def marian(tmp_path: Path) -> Path:
    """A folder of transformers."""
    folder = tmp_path / "marian"
    folder.mkdir()
    size = hub_models.write_marian_tokenizer(folder)
    ends = {"pad_token_id": size - 1, "decoder_start_token_id": size - 1, "eos_token_id": 0}
    torch.manual_seed(2)
    config = transformers.MarianConfig(**(SHAPE | {"vocab_size": size} | ends))
    transformers.MarianMTModel(config).save_pretrained(folder)
    return folder


def weights(folder: Path) -> dict[str, Tensor]:
    return dict(load_model(folder)[0].state_dict())


def same(one: Path, other: Path) -> bool:
    first, second = weights(one), weights(other)
    return set(first) == set(second) and all(torch.equal(first[name], second[name]) for name in first)


def test_shards(marian: Path, tmp_path: Path) -> None:
    import_model(marian, tmp_path / "whole")
    tensors = load_file(marian / "model.safetensors")
    (marian / "model.safetensors").unlink()
    names = sorted(tensors)
    files = {name: f"model-0000{place % 3}-of-00003.safetensors" for place, name in enumerate(names)}
    for file in set(files.values()):
        save_file({name: tensors[name] for name in names if files[name] == file}, marian / file)
    write_json(marian / "model.safetensors.index.json", {"weight_map": files})
    import_model(marian, tmp_path / "shards")
    assert same(tmp_path / "whole", tmp_path / "shards")
    (marian / "model-00001-of-00003.safetensors").unlink()
    with pytest.raises(LexalignError, match=r"model-00001-of-00003\.safetensors is missing"):
        import_model(marian, tmp_path / "again")


@pytest.mark.parametrize("zipped", [True, False])
def test_pytorch_files_with_all_names_of_a_table(marian: Path, tmp_path: Path, zipped: bool) -> None:
    """As transformers wrote them for years: tied tables and sines under every name, in half precision."""
    import_model(marian, tmp_path / "whole")
    model = transformers.MarianMTModel.from_pretrained(marian)
    tensors = {name: value.half() for name, value in model.state_dict().items()}
    (marian / "model.safetensors").unlink()
    torch.save(tensors, marian / "pytorch_model.bin", _use_new_zipfile_serialization=zipped)
    config = import_model(marian, tmp_path / "again")
    assert config.tied_encoder_decoder
    assert config.tied_output
    assert (
        load_file(tmp_path / "again" / "model.safetensors")["encoder.embedding.tokens.weight"].dtype
        == torch.float16
    )
    first, second = weights(tmp_path / "whole"), weights(tmp_path / "again")
    assert all((first[name] - second[name]).abs().max() < 1e-2 for name in first)


def test_transformers_is_not_needed(marian: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("transformers", "tokenizers", "ctranslate2"):
        monkeypatch.setitem(sys.modules, package, None)
    import_model(marian, tmp_path / "ours")
    assert Translator.load(tmp_path / "ours", device="cpu").translate("das Haus").log_probability < 0


class Evil:
    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (Path("owned"),))


def test_a_pickle_runs_nothing(marian: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (marian / "model.safetensors").unlink()
    torch.save({"weight": torch.zeros(2), "evil": Evil()}, marian / "pytorch_model.bin")
    with pytest.raises(LexalignError):
        import_model(marian, tmp_path / "new")
    assert not (tmp_path / "owned").exists()
    assert not (tmp_path / "new").exists()


def change(path: Path, **values: Any) -> None:
    write_json(path, json.loads(path.read_text(encoding="utf-8")) | values)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"model_type": "bert"}, "type 'bert' cannot be imported; those that can: marian"),
        ({"activation_function": "gelu_new"}, "config.json: the activation 'gelu_new'"),
        ({"decoder_ffn_dim": 64}, "encoder_ffn_dim and decoder_ffn_dim differ"),
        ({"d_model": None}, "config.json: d_model is None; a number is needed"),
        ({"normalize_before": True}, "normalize_before"),
        ({"encoder_layers": 3}, "weight model.encoder.layers.2.* is missing"),
        ({"encoder_layers": 1}, "weight model.encoder.layers.1.* does not belong"),
        ({"d_model": 64}, "which the config does not say"),
        ({"vocab_size": 20}, "the model 20 entries"),
        ({"vocab_size": None}, "config.json: vocab_size is missing"),
    ],
)
def test_configs_that_do_not_fit(marian: Path, tmp_path: Path, values: Any, message: str) -> None:
    change(marian / "config.json", **values)
    with pytest.raises(LexalignError, match=message):
        import_model(marian, tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("name", ["source.spm", "target.spm", "vocab.json", "config.json"])
def test_missing_files_are_named(marian: Path, tmp_path: Path, name: str) -> None:
    (marian / name).unlink()
    with pytest.raises(LexalignError, match=name.replace(".", r"\.")):
        import_model(marian, tmp_path / "new")


def test_damaged_files_are_named(marian: Path, tmp_path: Path) -> None:
    content = (marian / "model.safetensors").read_bytes()
    (marian / "model.safetensors").write_bytes(content[:1000])
    with pytest.raises(LexalignError, match=r"model\.safetensors: cannot be read"):
        import_model(marian, tmp_path / "new")
    (marian / "source.spm").write_bytes(b"nothing")
    with pytest.raises(LexalignError, match=r"source\.spm: not a SentencePiece model"):
        import_model(marian, tmp_path / "new")


def test_what_exists_is_not_overwritten(marian: Path, tmp_path: Path) -> None:
    with pytest.raises(LexalignError, match="exists; import into a new folder"):
        import_model(marian, marian)
    with pytest.raises(LexalignError, match="no such file"):
        import_model(tmp_path / "nowhere", tmp_path / "new")


def test_mbart_25_is_refused(tmp_path: Path) -> None:
    size = hub_models.write_shifted_tokenizer(tmp_path, "mbart")
    values = SHAPE | {"model_type": "mbart", "vocab_size": size, "pad_token_id": 1, "eos_token_id": 2}
    write_json(tmp_path / "config.json", values | {"decoder_start_token_id": 150})
    with pytest.raises(LexalignError, match="after the sentence, as in mBART-25"):
        import_model(tmp_path, tmp_path / "new")


# fairseq


def fairseq_settings(**values: Any) -> argparse.Namespace:
    sides = {
        f"{side}_{name}": value
        for side in ("encoder", "decoder")
        for name, value in {"embed_dim": 32, "ffn_embed_dim": 48, "attention_heads": 4, "layers": 2}.items()
    }
    common = {"source_lang": "de", "target_lang": "en", "activation_fn": "relu", "share_all_embeddings": True}
    return argparse.Namespace(
        **(sides | common | {"max_source_positions": 64, "max_target_positions": 64} | values)
    )


def write_dictionaries(folder: Path) -> int:
    content = hub_models.train_pieces("unigram", 100)
    (folder / "sentencepiece.bpe.model").write_bytes(content)
    pieces = [*hub_models.piece_list(content)[3:], "madeupword0000"]
    for language in ("de", "en"):
        text = "".join(f"{piece} {100 - place}\n" for place, piece in enumerate(pieces))
        (folder / f"dict.{language}.txt").write_text(text, encoding="utf-8")
    return len(pieces) + 4


def pre_norm(size: int) -> tuple[Any, dict[str, Any]]:
    values = SHAPE | {"vocab_size": size, "activation_function": "relu", "scale_embedding": True}
    settings = {"encoder_normalize_before": True, "decoder_normalize_before": True}
    return transformers.M2M100ForConditionalGeneration(transformers.M2M100Config(**values)), settings


def post_norm(size: int) -> tuple[Any, dict[str, Any]]:
    values = SHAPE | {"vocab_size": size, "activation_function": "gelu"}
    settings = {
        "encoder_learned_pos": True,
        "decoder_learned_pos": True,
        "layernorm_embedding": True,
        "no_scale_embedding": True,
        "activation_fn": "gelu",
    }
    return transformers.BartForConditionalGeneration(transformers.BartConfig(**values)), settings


def fairseq_names(tensors: dict[str, Tensor]) -> OrderedDict[str, Tensor]:
    """transformers kept fairseq's names below `model.`."""
    kept = {
        n.removeprefix("model."): v
        for n, v in tensors.items()
        if n.startswith("model.") and "shared" not in n
    }
    kept["decoder.output_projection.weight"] = tensors["lm_head.weight"]
    kept["encoder.version"] = torch.tensor([3.0])
    kept["encoder.embed_positions._float_tensor"] = torch.zeros(1)
    return OrderedDict(kept)


def in_the_old_way(tensors: OrderedDict[str, Tensor]) -> OrderedDict[str, Tensor]:
    """Queries, keys and values in one, and norms by number, as before 2019."""
    norms = {"self_attn_layer_norm": 0, "encoder_attn_layer_norm": 1}
    found: OrderedDict[str, Tensor] = OrderedDict()
    for name, value in tensors.items():
        head, _, last = name.rpartition(".")
        layer, _, module = head.rpartition(".")
        if module == "q_proj":
            parts = [tensors[f"{layer}.{one}_proj.{last}"] for one in "qkv"]
            found[f"{layer}.in_proj_{last}"] = torch.cat(parts)
        elif module in ("k_proj", "v_proj"):
            continue
        elif module in (*norms, "final_layer_norm"):
            place = norms.get(module, 2 if name.startswith("decoder") else 1)
            found[f"{layer}.layer_norms.{place}.{last}"] = value
        else:
            found[name] = value
    return found


@pytest.mark.parametrize("make", [pre_norm, post_norm])
@pytest.mark.parametrize("style", ["args", "cfg", "old"])
def test_fairseq(tmp_path: Path, make: Any, style: str) -> None:
    size = write_dictionaries(tmp_path)
    torch.manual_seed(4)
    theirs, changes = make(size)
    theirs.eval()
    tensors = fairseq_names(theirs.state_dict())
    settings = fairseq_settings(**changes)
    content: dict[str, Any] = {"model": in_the_old_way(tensors) if style == "old" else tensors}
    if style == "cfg":
        content |= {
            "args": None,
            "cfg": {"model": settings, "task": {"source_lang": "de", "target_lang": "en"}},
        }
    else:
        content |= {"args": settings, "extra_state": {"epoch": 3}, "optimizer_history": [{"name": "Adam"}]}
    torch.save(content, tmp_path / "checkpoint_best.pt")
    import_model(tmp_path, tmp_path / "ours")
    assert languages_of_folder(tmp_path / "ours") == ("de", "en")
    model, tokenizer = load_model(tmp_path / "ours")
    assert isinstance(model, Transformer)
    source_ids = torch.tensor([[*tokenizer.source.encode("das Haus ist groß."), 2]])
    target_ids = torch.tensor([[2, 5, 6, 7]])
    with torch.inference_mode():
        source = model.encode(source_ids)
        logits = model.force(source, target_ids).logits
        expected = theirs(input_ids=source_ids, decoder_input_ids=target_ids)
    assert (source.states - expected.encoder_last_hidden_state).abs().max() < 1e-4
    assert (logits - expected.logits).abs().max() < 1e-4
    assert Translator.load(tmp_path / "ours", device="cpu").translate("das Haus.").log_probability < 0


def test_fairseq_text_that_was_cut_before(tmp_path: Path) -> None:
    size = write_dictionaries(tmp_path)
    (tmp_path / "sentencepiece.bpe.model").unlink()
    (tmp_path / "dict.de.txt").write_text("das 3\nHa@@ 2\nus 1\n", encoding="utf-8")
    theirs, changes = pre_norm(size)
    tensors = fairseq_names(theirs.state_dict())
    tensors["encoder.embed_tokens.weight"] = torch.randn(7, 32)
    settings = fairseq_settings(**changes | {"share_all_embeddings": False})
    torch.save({"args": settings, "model": tensors}, tmp_path / "model.pt")
    config = import_model(tmp_path / "model.pt", tmp_path / "ours")
    assert (config.source_vocabulary_size, config.vocabulary_size) == (7, size)
    _, tokenizer = load_model(tmp_path / "ours")
    assert tokenizer.source.encode("das Ha@@ us fehlt") == [4, 5, 6, 3]
    assert tokenizer.source.decode([4, 5, 6]) == "das Haus"


def test_fairseq_of_another_kind(tmp_path: Path) -> None:
    size = write_dictionaries(tmp_path)
    tensors = fairseq_names(pre_norm(size)[0].state_dict())
    torch.save({"args": fairseq_settings(adaptive_input=True), "model": tensors}, tmp_path / "model.pt")
    with pytest.raises(LexalignError, match=r"model\.pt: adaptive_input is True"):
        import_model(tmp_path, tmp_path / "ours")
    for values, message in (
        ({"activation_fn": "tanh"}, "'tanh'"),
        ({"encoder_layers": None}, "encoder_layers"),
    ):
        torch.save({"args": fairseq_settings(**values), "model": tensors}, tmp_path / "model.pt")
        with pytest.raises(LexalignError, match=message):
            import_model(tmp_path, tmp_path / "ours")
    torch.save({"args": fairseq_settings(), "model": tensors}, tmp_path / "model.pt")
    (tmp_path / "dict.en.txt").unlink()
    with pytest.raises(LexalignError, match=r"dict\.en\.txt is missing"):
        import_model(tmp_path, tmp_path / "ours")
    (tmp_path / "model.pt").write_bytes(pickle.dumps([1]))
    with pytest.raises(LexalignError, match=r"model\.pt"):
        import_model(tmp_path, tmp_path / "ours")
