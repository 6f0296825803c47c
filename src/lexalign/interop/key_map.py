"""The names of weights in other toolkits, by our own names.

HuggingFace's BART, mBART, M2M100, Marian and Pegasus have fairseq's names, with another prefix and another
name of the output. A fused projection of ours is the concatenation of theirs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

Modules = Mapping[str, tuple[str, ...]]  # the names of their modules by that of ours


@dataclass(frozen=True, kw_only=True)
class KeyMap:
    """The names of a toolkit; of the names of an embedding the first that exists counts."""

    layer: str  # a pattern of the weights of a layer
    encoder: Modules
    decoder: Modules
    side: Mapping[str, str]  # patterns of the weights of encoder and decoder outside layers
    table: Mapping[str, str]  # the embedding of each side
    shared: str | None  # one embedding for all
    output: tuple[str, ...]
    bias: str | None
    ignored: tuple[str, ...]  # endings of names that are not weights
    kinds: Mapping[str, str] = field(default_factory=dict)  # their names of weights that are not of a norm
    norm_kinds: Mapping[str, str] = field(default_factory=dict)  # and of a norm's weight and bias


_SELF_ATTENTION = {
    "self_attention.attention.qkv": ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
    "self_attention.attention.out": ("self_attn.out_proj",),
    "self_attention.norm": ("self_attn_layer_norm",),
}
_CROSS_ATTENTION = {
    "cross_attention.attention.query": ("encoder_attn.q_proj",),
    "cross_attention.attention.memory": ("encoder_attn.k_proj", "encoder_attn.v_proj"),
    "cross_attention.attention.out": ("encoder_attn.out_proj",),
    "cross_attention.norm": ("encoder_attn_layer_norm",),
}
_FEEDFORWARD = {
    "feedforward.inner": ("fc1",),
    "feedforward.outer": ("fc2",),
    "feedforward.norm": ("final_layer_norm",),
}
HUGGINGFACE = KeyMap(
    layer="model.{side}.layers.{layer}.{module}.{kind}",
    encoder=_SELF_ATTENTION | _FEEDFORWARD,
    decoder=_SELF_ATTENTION | _CROSS_ATTENTION | _FEEDFORWARD,
    side={
        "embedding.positions": "model.{side}.embed_positions.weight",
        "embedding.norm.weight": "model.{side}.layernorm_embedding.weight",
        "embedding.norm.bias": "model.{side}.layernorm_embedding.bias",
        "final_norm.weight": "model.{side}.layer_norm.weight",
        "final_norm.bias": "model.{side}.layer_norm.bias",
    },
    table={side: f"model.{side}.embed_tokens.weight" for side in ("encoder", "decoder")},
    shared="model.shared.weight",
    output=("lm_head.weight",),
    bias="final_logits_bias",
    ignored=(),
)
FAIRSEQ = replace(
    HUGGINGFACE,
    layer=HUGGINGFACE.layer.removeprefix("model."),
    side={ours: theirs.removeprefix("model.") for ours, theirs in HUGGINGFACE.side.items()},
    table={side: theirs.removeprefix("model.") for side, theirs in HUGGINGFACE.table.items()},
    shared=None,
    output=("decoder.output_projection.weight", "decoder.embed_out"),
    bias=None,
    ignored=(".version", "._float_tensor"),
)


def _t5_feedforward(place: int, gated: bool) -> dict[str, tuple[str, ...]]:
    dense = f"layer.{place}.DenseReluDense"
    return {
        "feedforward.inner": (f"{dense}.wi_0", f"{dense}.wi_1") if gated else (f"{dense}.wi",),
        "feedforward.outer": (f"{dense}.wo",),
        "feedforward.norm": (f"layer.{place}.layer_norm",),
    }


def t5_key_map(*, gated: bool) -> KeyMap:
    own, cross = "layer.0.SelfAttention", "layer.1.EncDecAttention"
    self_attention = {
        "self_attention.attention.qkv": (f"{own}.q", f"{own}.k", f"{own}.v"),
        "self_attention.attention.out": (f"{own}.o",),
        "self_attention.norm": ("layer.0.layer_norm",),
    }
    cross_attention = {
        "cross_attention.attention.query": (f"{cross}.q",),
        "cross_attention.attention.memory": (f"{cross}.k", f"{cross}.v"),
        "cross_attention.attention.out": (f"{cross}.o",),
        "cross_attention.norm": ("layer.1.layer_norm",),
    }
    return KeyMap(
        layer="{side}.block.{layer}.{module}.{kind}",
        encoder=self_attention | _t5_feedforward(1, gated),
        decoder=self_attention | cross_attention | _t5_feedforward(2, gated),
        side={
            "final_norm.weight": "{side}.final_layer_norm.weight",
            "relative_bias.weight": f"{{side}}.block.0.{own}.relative_attention_bias.weight",
        },
        table={side: f"{side}.embed_tokens.weight" for side in ("encoder", "decoder")},
        shared="shared.weight",
        output=("lm_head.weight", "shared.weight"),
        bias=None,
        ignored=("EncDecAttention.relative_attention_bias.weight",),  # in old files, never used
    )


def ctranslate2_key_map(*, gated: bool) -> KeyMap:
    inner = ("ffn/linear_0", "ffn/linear_0_noact") if gated else ("ffn/linear_0",)
    encoder: Modules = {
        "self_attention.attention": ("self_attention",),
        "self_attention.attention.qkv": ("self_attention/linear_0",),
        "self_attention.attention.out": ("self_attention/linear_1",),
        "self_attention.norm": ("self_attention/layer_norm",),
        "feedforward.inner": inner,
        "feedforward.outer": ("ffn/linear_1",),
        "feedforward.norm": ("ffn/layer_norm",),
    }
    cross_attention: Modules = {
        "cross_attention.attention.query": ("attention/linear_0",),
        "cross_attention.attention.memory": ("attention/linear_1",),
        "cross_attention.attention.out": ("attention/linear_2",),
        "cross_attention.norm": ("attention/layer_norm",),
    }
    return KeyMap(
        layer="{side}/layer_{layer}/{module}/{kind}",
        encoder=encoder,
        decoder={**encoder, **cross_attention},
        side={
            "embedding.positions": "{side}/position_encodings/encodings",
            "embedding.norm.weight": "{side}/layernorm_embedding/gamma",
            "embedding.norm.bias": "{side}/layernorm_embedding/beta",
            "final_norm.weight": "{side}/layer_norm/gamma",
            "final_norm.bias": "{side}/layer_norm/beta",
            "relative_bias.weight": "{side}/layer_0/self_attention/relative_attention_bias",
        },
        table={"encoder": "encoder/embeddings_0/weight", "decoder": "decoder/embeddings/weight"},
        shared=None,
        output=("decoder/projection/weight",),
        bias="decoder/projection/bias",
        # Sines, and the bias that all layers share.
        ignored=("position_encodings/encodings", "relative_attention_bias"),
        kinds={"relative_keys": "relative_position_keys", "relative_values": "relative_position_values"},
        norm_kinds={"weight": "gamma", "bias": "beta"},
    )


def their_names(name: str, key_map: KeyMap) -> list[str]:
    """Their names of the parts of a weight of ours, except embeddings and output."""
    side, *path = name.split(".")
    if path[0] != "layers":
        return [key_map.side[".".join(path)].format(side=side)]
    _, layer, *module, kind = path
    names = (key_map.encoder if side == "encoder" else key_map.decoder)[".".join(module)]
    kind = (key_map.norm_kinds if module[-1] == "norm" else key_map.kinds).get(kind, kind)
    return [key_map.layer.format(side=side, layer=layer, module=theirs, kind=kind) for theirs in names]


# Marian's own files have a name for each weight and bias of a layer; a part without a name is zero.
_MARIAN_FEEDFORWARD = {
    "feedforward.inner.weight": ("ffn_W1",),
    "feedforward.inner.bias": ("ffn_b1",),
    "feedforward.outer.weight": ("ffn_W2",),
    "feedforward.outer.bias": ("ffn_b2",),
    "feedforward.norm.weight": ("ffn_ffn_ln_scale",),
    "feedforward.norm.bias": ("ffn_ffn_ln_bias",),
}
_MARIAN_LAYERS: dict[str, dict[str, tuple[str, ...]]] = {
    "encoder": {
        "self_attention.attention.qkv.weight": ("self_Wq", "self_Wk", "self_Wv"),
        "self_attention.attention.qkv.bias": ("self_bq", "self_bk", "self_bv"),
        "self_attention.attention.out.weight": ("self_Wo",),
        "self_attention.attention.out.bias": ("self_bo",),
        "self_attention.norm.weight": ("self_Wo_ln_scale",),
        "self_attention.norm.bias": ("self_Wo_ln_bias",),
        **_MARIAN_FEEDFORWARD,
    },
    "decoder": {
        "recurrence.unit.gates.weight": ("rnn_W", "rnn_Wf"),
        "recurrence.unit.gates.bias": ("", "rnn_bf"),
        "recurrence.norm.weight": ("rnn_ffn_ln_scale",),
        "recurrence.norm.bias": ("rnn_ffn_ln_bias",),
        "cross_attention.attention.query.weight": ("context_Wq",),
        "cross_attention.attention.query.bias": ("context_bq",),
        "cross_attention.attention.memory.weight": ("context_Wk", "context_Wv"),
        "cross_attention.attention.memory.bias": ("context_bk", "context_bv"),
        "cross_attention.attention.out.weight": ("context_Wo",),
        "cross_attention.attention.out.bias": ("context_bo",),
        "cross_attention.norm.weight": ("context_Wo_ln_scale",),
        "cross_attention.norm.bias": ("context_Wo_ln_bias",),
    },
}
_MARIAN_LAYERS["decoder"] |= _MARIAN_LAYERS["encoder"]
_MARIAN_SIDE = {
    "embedding.norm.weight": ("emb_ln_scale_pre",),
    "embedding.norm.bias": ("emb_ln_bias_pre",),
}


def marian_names(name: str) -> list[str]:
    """The names of the parts of a weight of ours in Marian's own files, except embeddings and output."""
    side, *path = name.split(".")
    if path[0] != "layers":
        return [f"{side}_{theirs}" for theirs in _MARIAN_SIDE[".".join(path)]]
    parts = _MARIAN_LAYERS[side][".".join(path[2:])]
    return [theirs and f"{side}_l{int(path[1]) + 1}_{theirs}" for theirs in parts]
