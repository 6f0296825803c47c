"""The configuration of a Transformer: everything that distinguishes one model family from another."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from lexalign.contracts.errors import LexalignError
from lexalign.contracts.model import Vocabulary

Norm = Literal["pre", "post"]
Positions = Literal[
    "sinusoidal", "sinusoidal-fairseq", "sinusoidal-interleaved", "learned", "relative-bias",
    "relative-vectors",
]  # fmt: skip
Activation = Literal["relu", "gelu", "gelu-tanh", "swish"]
Autoregression = Literal["self-attention", "ssru"]


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """The default is the paper's model, fairseq's `transformer_iwslt_de_en`."""

    vocabulary_size: int
    source_vocabulary_size: int | None = None  # where the source has a vocabulary of its own
    width: int = 512
    feedforward_width: int = 1024
    encoder_heads: int = 4
    decoder_heads: int = 4
    encoder_layers: int = 6
    decoder_layers: int = 6
    head_width: int | None = None  # of an attention head, where it is not the width over the number of heads
    attention_scale: bool = True  # divide attention scores by the square root of a head's width
    decoder_autoregression: Autoregression = "self-attention"  # how the decoder sees its past tokens
    norm: Norm = "post"
    final_norm: bool = False  # a layer norm after the last layer, as in pre-norm models
    rms_norm: bool = False  # norms divide by the root mean square, without mean and bias
    norm_epsilon: float = 1e-5
    activation: Activation = "relu"
    gated_feedforward: bool = False  # the activation gates a second projection of the same width
    projection_bias: bool = True  # of all projections but the output
    positions: Positions = "sinusoidal"
    position_offset: int = (
        0  # of the first token, for learned tables and for fairseq's, which skip the padding
    )
    max_positions: int = 1024
    relative_buckets: int = 32  # distances that a relative bias distinguishes
    relative_distance: int = 128  # from here on, all distances are one
    embedding_scale: bool = True  # multiply embeddings by the square root of the width
    embedding_norm: bool = False
    tied_encoder_decoder: bool = True  # one embedding for both languages
    tied_output: bool = True  # the output projection is the target embedding
    output_bias: bool = False
    dropout: float = 0.3
    pad_id: int = 0
    eos_id: int = 1
    source_eos: bool = True  # whether the encoder reads the end of sentence
    target_prefix: tuple[int, ...] = (0,)  # the padding's embedding is zero: a start without a token
    never_generated: tuple[int, ...] = (0, 3)
    unlinked: tuple[int, ...] = ()  # entries that no word is aligned to, such as language codes

    def __post_init__(self) -> None:
        for name in ("vocabulary_size", "width", "feedforward_width", "encoder_layers", "decoder_layers"):
            if getattr(self, name) < 1:
                raise LexalignError(f"{name} is {getattr(self, name)}; it must be at least 1")
        for side, heads in (("encoder", self.encoder_heads), ("decoder", self.decoder_heads)):
            if heads < 1 or (self.head_width is None and self.width % heads):
                raise LexalignError(f"width {self.width} is not a multiple of {side}_heads {heads}")
        if self.source_vocabulary_size is not None and self.tied_encoder_decoder:
            raise LexalignError("source_vocabulary_size is for models with a table for each language")
        if not self.target_prefix:
            raise LexalignError("target_prefix is empty; a decoder needs a token to start from")

    @property
    def vocabulary(self) -> Vocabulary:
        return Vocabulary(
            size=self.vocabulary_size,
            pad_id=self.pad_id,
            eos_id=self.eos_id,
            target_prefix=self.target_prefix,
            never_generated=self.never_generated,
            unlinked=self.unlinked,
        )

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def changes(self) -> dict[str, Any]:
        """The fields that differ from their defaults; those of later versions are not among them."""
        return {
            field.name: value
            for field in fields(self)
            if (value := getattr(self, field.name)) != field.default
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "ModelConfig":
        known = {field.name for field in fields(cls)}
        if unknown := sorted(set(values) - known):
            raise LexalignError(
                f"the model's config has fields that this version does not know: {', '.join(unknown)}"
            )
        if "vocabulary_size" not in values:
            raise LexalignError("the model's config has no vocabulary_size")
        hints = get_type_hints(cls)
        for name, value in values.items():
            if not _fits(value, hints[name]):
                raise LexalignError(f"the model's config says {name} = {value!r}, which is not valid")
        read: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in values.items()
        }
        return cls(**read)


def _fits(value: object, hint: Any) -> bool:
    """Whether a value read from JSON has the type of a field."""
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    if get_origin(hint) is UnionType:
        return any(_fits(value, member) for member in get_args(hint))
    if get_origin(hint) is tuple:
        return isinstance(value, list | tuple) and all(type(item) is int for item in value)
    return (
        type(value) is hint
        or (hint is type(None) and value is None)
        or (hint is float and type(value) is int)
    )
