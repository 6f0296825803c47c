"""The names of weights in other toolkits, by our own names.

HuggingFace's BART, mBART, M2M100 and Marian have fairseq's names, with another prefix and another name of the
output. A fused projection of ours is the concatenation of theirs.
"""

from dataclasses import dataclass

ENCODER_LAYER = {
    "self_attention.attention.qkv": ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
    "self_attention.attention.out": ("self_attn.out_proj",),
    "self_attention.norm": ("self_attn_layer_norm",),
    "feedforward.inner": ("fc1",),
    "feedforward.outer": ("fc2",),
    "feedforward.norm": ("final_layer_norm",),
}
DECODER_LAYER = {
    **ENCODER_LAYER,
    "cross_attention.attention.query": ("encoder_attn.q_proj",),
    "cross_attention.attention.memory": ("encoder_attn.k_proj", "encoder_attn.v_proj"),
    "cross_attention.attention.out": ("encoder_attn.out_proj",),
    "cross_attention.norm": ("encoder_attn_layer_norm",),
}
SIDE = {
    "embedding.positions": "embed_positions.weight",
    "embedding.norm.weight": "layernorm_embedding.weight",
    "embedding.norm.bias": "layernorm_embedding.bias",
    "final_norm.weight": "layer_norm.weight",
    "final_norm.bias": "layer_norm.bias",
}


@dataclass(frozen=True, kw_only=True)
class KeyMap:
    """The names of a toolkit; of the names of an embedding the first that exists counts."""

    root: str
    shared: str | None  # one embedding for all
    output: tuple[str, ...]
    bias: str | None
    ignored: tuple[str, ...]  # endings of names that are not weights

    def table(self, side: str) -> str:
        return f"{self.root}{side}.embed_tokens.weight"


HUGGINGFACE = KeyMap(
    root="model.",
    shared="model.shared.weight",
    output=("lm_head.weight",),
    bias="final_logits_bias",
    ignored=(),
)
FAIRSEQ = KeyMap(
    root="",
    shared=None,
    output=("decoder.output_projection.weight", "decoder.embed_out"),
    bias=None,
    ignored=(".version", "._float_tensor"),
)


def their_names(name: str, key_map: KeyMap) -> list[str]:
    """Their names of the parts of a weight of ours, except embeddings and output."""
    side, *path = name.split(".")
    if path[0] != "layers":
        return [f"{key_map.root}{side}.{SIDE['.'.join(path)]}"]
    _, layer, *module, kind = path
    names = (ENCODER_LAYER if side == "encoder" else DECODER_LAYER)[".".join(module)]
    return [f"{key_map.root}{side}.layers.{layer}.{theirs}.{kind}" for theirs in names]


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
