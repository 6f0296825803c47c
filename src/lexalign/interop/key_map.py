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
