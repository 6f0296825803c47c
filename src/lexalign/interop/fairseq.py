"""Import of fairseq's translation models: settings, dictionaries and weights of a checkpoint.

    checkpoint_best.pt          settings (`args` or `cfg`) and weights
    dict.de.txt, dict.en.txt    a line `piece count` for each entry, behind <s>, <pad>, </s> and <unk>
    sentencepiece.bpe.model     the segmentation, by one of a few names; or source.spm and target.spm

Without a SentencePiece model, text must come as it was given to fairseq: tokenised, and split by BPE.
"""

from argparse import Namespace
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, get_args

from torch import Tensor

from lexalign.contracts.errors import LexalignError
from lexalign.interop.foreign_files import error_context, read_bytes
from lexalign.interop.hub_tokenizers import ForeignVocabulary, stated_pair
from lexalign.interop.key_map import FAIRSEQ
from lexalign.interop.transfer import ForeignModel
from lexalign.interop.weight_files import LoadedWeights, Weights, load_checkpoint
from lexalign.models.config import Activation, ModelConfig
from lexalign.text.foreign.segmenters import Segmenter, SentencePieceSegmenter, SpaceSegmenter
from lexalign.text.foreign.side import ForeignSide
from lexalign.text.foreign.tokenizer import ForeignTokenizer

_SPECIALS = ["<s>", "<pad>", "</s>", "<unk>"]
_BOS, _PAD, _EOS, _UNK = range(4)
_CHECKPOINTS = ("checkpoint_best.pt", "model.pt", "checkpoint_last.pt")
_PIECES = ("sentencepiece.bpe.model", "sentencepiece.model", "spm.model", "bpe.model")
_SHAPE = [
    f"{side}_{name}"
    for side in ("encoder", "decoder")
    for name in ("embed_dim", "ffn_embed_dim", "attention_heads", "layers")
]
# Features that our model does not have.
_UNSUPPORTED = (
    "adaptive_input", "adaptive_softmax_cutoff", "no_cross_attention", "cross_self_attention",
    "no_token_positional_embeddings", "character_embeddings", "encoder_langtok", "decoder_langtok",
)  # fmt: skip
_LAYER_NORMS = {  # by number in versions before 2019
    "encoder": ("self_attn_layer_norm", "final_layer_norm"),
    "decoder": ("self_attn_layer_norm", "encoder_attn_layer_norm", "final_layer_norm"),
}


def find_checkpoint(path: Path) -> Path | None:
    """The checkpoint file itself, or the best one of a folder."""
    if path.is_file():
        return path
    named = [path / name for name in _CHECKPOINTS if (path / name).is_file()]
    found = named or sorted(path.glob("*.pt"))
    return found[0] if found else None


def read_fairseq(checkpoint: Path) -> tuple[ForeignModel, Weights]:
    content = load_checkpoint(checkpoint)
    with error_context(checkpoint):
        if not isinstance(content.get("model"), dict):
            raise LexalignError("no weights under the name model; this is not a checkpoint of fairseq")
        settings = _settings(content)
        config = _config(settings)
        weights = LoadedWeights(_current_names(content["model"]))
    vocabulary = _vocabulary(checkpoint.parent, settings)
    return ForeignModel(config=config, vocabulary=vocabulary, key_map=FAIRSEQ), weights


def _settings(content: Mapping[str, Any]) -> dict[str, Any]:
    """The settings: `args` of fairseq up to 0.10, or the model's and the task's part of `cfg` since then."""
    found: dict[str, Any] = {}
    cfg = content.get("cfg")
    parts = [cfg.get("task"), cfg.get("model")] if isinstance(cfg, dict) else []
    for part in (*parts, content.get("args")):
        found |= vars(part) if isinstance(part, Namespace) else part if isinstance(part, dict) else {}
    for name in _SHAPE:
        if type(found.get(name)) is not int:
            raise LexalignError(f"neither args nor cfg tell the model's shape: {name} is {found.get(name)!r}")
    if found.get("activation_fn", "relu") not in get_args(Activation):
        raise LexalignError(f"the activation {found['activation_fn']!r} is not one of {get_args(Activation)}")
    for name in _UNSUPPORTED:
        if found.get(name):
            raise LexalignError(f"{name} is {found[name]!r}; models of this kind are not supported")
    return found


def _config(settings: Mapping[str, Any]) -> ModelConfig:
    def both(name: str, usual: Any = None) -> Any:
        ours, theirs = (settings.get(f"{side}_{name}", usual) for side in ("encoder", "decoder"))
        if ours != theirs:
            raise LexalignError(
                f"encoder_{name} is {ours} and decoder_{name} {theirs}; they must be the same"
            )
        return ours

    before = bool(both("normalize_before", False))
    return ModelConfig(
        vocabulary_size=1,  # replaced by the size of the embeddings
        width=both("embed_dim"),
        feedforward_width=both("ffn_embed_dim"),
        encoder_heads=settings["encoder_attention_heads"],
        decoder_heads=settings["decoder_attention_heads"],
        encoder_layers=settings["encoder_layers"],
        decoder_layers=settings["decoder_layers"],
        norm="pre" if before else "post",
        final_norm=before and not settings.get("no_decoder_final_norm", False),
        activation=settings.get("activation_fn", "relu"),
        positions="learned" if both("learned_pos", False) else "sinusoidal-fairseq",
        position_offset=_PAD + 1,
        max_positions=min(settings.get(f"max_{side}_positions") or 1024 for side in ("source", "target")),
        embedding_scale=not settings.get("no_scale_embedding", False),
        embedding_norm=bool(settings.get("layernorm_embedding", False)),
        tied_output=_is_tied(settings),
        dropout=float(settings.get("dropout", 0.1)),
        pad_id=_PAD,
        eos_id=_EOS,
        target_prefix=(_EOS,),
        never_generated=(_BOS, _PAD, _UNK),
    )


def _is_tied(settings: Mapping[str, Any]) -> bool:
    names = ("share_all_embeddings", "share_decoder_input_output_embed")
    return any(settings.get(name, False) for name in names)


def _vocabulary(folder: Path, settings: Mapping[str, Any]) -> ForeignVocabulary:
    languages = settings.get("source_lang"), settings.get("target_lang")
    if None in languages:
        raise LexalignError(f"{folder}: the checkpoint does not say source_lang and target_lang")
    pieces = [_read_dictionary(folder / f"dict.{language}.txt") for language in languages]
    sides = [
        _side(folder, name, vocabulary)
        for name, vocabulary in zip(("source.spm", "target.spm"), pieces, strict=True)
    ]
    one = pieces[0] == pieces[1] and sides[0].segmenter.content == sides[1].segmenter.content
    return ForeignVocabulary(
        tokenizer=ForeignTokenizer(source_side=sides[0], target_side=sides[0] if one else sides[1]),
        target_prefix=(_EOS,),
        never_generated=(_BOS, _PAD, _UNK),
        unlinked=(),
        languages=stated_pair(settings),
    )


def _side(folder: Path, name: str, vocabulary: list[str]) -> ForeignSide:
    path = next((folder / one for one in (name, *_PIECES) if (folder / one).is_file()), None)
    segmenter: Segmenter = SpaceSegmenter()
    if path is not None:
        with error_context(path):
            segmenter = SentencePieceSegmenter(path.read_bytes())
    return ForeignSide(
        segmenter,
        vocabulary,
        unk_id=_UNK,
        controls=[_BOS, _PAD, _EOS, *_unused_entries(vocabulary)],
        spelling="words" if path is None else "sentencepiece",
    )


def _unused_entries(vocabulary: Iterable[str]) -> list[int]:
    return [index for index, piece in enumerate(vocabulary) if piece.startswith("madeupword")]


def _read_dictionary(path: Path) -> list[str]:
    lines = read_bytes(path).decode("utf-8").split("\n")
    found = [line.removesuffix(" #fairseq:overwrite") for line in lines if line.strip()]
    return [*_SPECIALS, *(line.rpartition(" ")[0] for line in found)]


def _current_names(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights by their current names: older versions fused projections, and numbered norms."""
    found: dict[str, Tensor] = {}
    for name, value in tensors.items():
        head, _, last = name.rpartition(".")
        if last in ("in_proj_weight", "in_proj_bias"):
            kind = last.removeprefix("in_proj_")
            for projection, part in zip("qkv", value.chunk(3), strict=True):
                found[f"{head}.{projection}_proj.{kind}"] = part
        elif ".layer_norms." in name:
            layer, _, rest = name.partition(".layer_norms.")
            place, _, kind = rest.partition(".")
            found[f"{layer}.{_LAYER_NORMS[name.split('.')[0]][int(place)]}.{kind}"] = value
        else:
            found[name] = value
    return found
