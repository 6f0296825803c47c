"""The options of a Marian model, from the YAML inside of it, as a `ModelConfig`.

`_SUPPORTED` has the values of options that our Transformer has a counterpart for; an option that is not there
has its default. So a model of another kind is refused, not translated with nonsense.
"""

from collections.abc import Mapping
from typing import Any, cast

from lexalign.contracts.errors import LexalignError
from lexalign.models.config import Activation, ModelConfig

Options = Mapping[str, Any]

_SUPPORTED: dict[str, tuple[str, ...]] = {
    "type": ("transformer",),
    "transformer-preprocess": ("", "d"),
    "transformer-postprocess": ("dan", "an"),
    "transformer-postprocess-emb": ("d", "", "nd", "n"),
    "transformer-postprocess-top": ("",),
    "transformer-decoder-autoreg": ("self-attention", "rnn"),
    "transformer-ffn-activation": ("relu", "swish", "gelu"),
    "transformer-ffn-depth": ("2",),
    "transformer-decoder-ffn-depth": ("0", "2"),
    "transformer-no-projection": ("false",),
    "transformer-rnn-projection": ("false",),
    "transformer-train-position-embeddings": ("false",),
    "transformer-train-positions": ("false",),
    "transformer-no-bias": ("false",),
    "transformer-no-affine": ("false",),
    "transformer-depth-scaling": ("false", "true"),  # of the initial weights
    "transformer-pool": ("false",),
    "lemma-dim-emb": ("0",),
    "right-left": ("false",),
    "ulr": ("false",),
}
_MAX_POSITIONS = 1024  # Marian has no limit of its own


def check_options(options: Options) -> None:
    for name, supported in _SUPPORTED.items():
        value = str(options.get(name, supported[0]))
        if value not in supported:
            raise LexalignError(
                f"{name} is {value!r}; only models with {' or '.join(map(repr, supported))} can be imported"
            )
    if is_recurrent(options) and (cell := options.get("dec-cell", "gru")) != "ssru":
        raise LexalignError(f"dec-cell is {cell!r}; only recurrent decoders with 'ssru' can be imported")
    if is_recurrent(options) and is_true(options, "layer-normalization"):
        raise LexalignError("layer-normalization is on inside of the recurrent cells; it cannot be imported")
    if options.get("transformer-tied-layers"):
        raise LexalignError("transformer-tied-layers is set; models with tied layers cannot be imported")
    width = number(options, "transformer-dim-ffn", 2048)
    if number(options, "transformer-decoder-dim-ffn", 0) not in (0, width):
        raise LexalignError("transformer-decoder-dim-ffn is another than transformer-dim-ffn; not supported")


def model_config(options: Options, size: int) -> ModelConfig:
    """`size` is that of both vocabularies; the last entry is the padding, which Marian does not have."""
    one_table = is_true(options, "tied-embeddings-all") or is_true(options, "tied-embeddings-src")
    tied_output = is_true(options, "tied-embeddings-all") or is_true(options, "tied-embeddings")
    heads = number(options, "transformer-heads", 8)
    return ModelConfig(
        vocabulary_size=size,
        width=number(options, "dim-emb", 512),
        feedforward_width=number(options, "transformer-dim-ffn", 2048),
        encoder_heads=heads,
        decoder_heads=heads,
        encoder_layers=number(options, "enc-depth", 1),
        decoder_layers=number(options, "dec-depth", 1),
        decoder_autoregression="ssru" if is_recurrent(options) else "self-attention",
        norm="post",
        activation=cast(Activation, str(options.get("transformer-ffn-activation", "swish"))),
        positions="sinusoidal",
        max_positions=_MAX_POSITIONS,
        embedding_norm="n" in str(options.get("transformer-postprocess-emb", "d")),
        tied_encoder_decoder=one_table,
        tied_output=tied_output,
        output_bias=not is_true(options, "output-omit-bias"),
        dropout=0.1,
        pad_id=size - 1,
    )


def is_recurrent(options: Options) -> bool:
    return options.get("transformer-decoder-autoreg") == "rnn"


def is_true(options: Options, name: str) -> bool:
    return str(options.get(name, "false")).lower() == "true"


def number(options: Options, name: str, default: int) -> int:
    value = options.get(name, default)
    try:
        return int(value)
    except (TypeError, ValueError):
        raise LexalignError(f"{name} is {value!r}; a number is needed") from None
