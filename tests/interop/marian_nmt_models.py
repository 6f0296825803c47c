"""Small random models in Marian's own formats, and what they compute, in NumPy and by Marian's names."""

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sentencepiece import SentencePieceTrainer

from tests.interop.hub_models import sentences

Array = NDArray[np.float32]
Tensors = dict[str, Array]
WIDTH, HEADS, FEEDFORWARD, LAYERS = 32, 4, 64, 2
OPTIONS: dict[str, Any] = {
    "type": "transformer",
    "dim-emb": WIDTH,
    "transformer-heads": HEADS,
    "transformer-dim-ffn": FEEDFORWARD,
    "enc-depth": LAYERS,
    "dec-depth": LAYERS,
    "transformer-decoder-autoreg": "rnn",
    "dec-cell": "ssru",
    "transformer-ffn-activation": "relu",
    "transformer-preprocess": "",
    "transformer-postprocess": "dan",
    "transformer-postprocess-emb": "d",
    "tied-embeddings-all": "true",
}


def train_vocabulary(size: int, seed: int = 0) -> bytes:
    """As Marian trains them: </s> is 0 and <unk> 1."""
    model = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(sentences()[seed:]),
        model_writer=model,
        vocab_size=size,
        character_coverage=1.0,
        eos_id=0,
        unk_id=1,
        bos_id=-1,
        minloglevel=2,
    )
    return model.getvalue()


def random_tensors(options: Mapping[str, Any], sizes: tuple[int, int], seed: int = 1) -> Tensors:
    generator = np.random.default_rng(seed)
    shapes: dict[str, tuple[int, int]] = {}
    for side in ("encoder", "decoder"):
        for layer in range(1, LAYERS + 1):
            shapes |= {f"{side}_l{layer}_{name}": shape for name, shape in _layer(side, options).items()}
        if "n" in options["transformer-postprocess-emb"]:
            shapes |= {f"{side}_emb_ln_{one}_pre": (1, WIDTH) for one in ("scale", "bias")}
    shapes |= _tables(options, sizes)
    return {name: generator.normal(0, 0.3, shape).astype(np.float32) for name, shape in shapes.items()}


def _layer(side: str, options: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    square, vector = (WIDTH, WIDTH), (1, WIDTH)
    shapes = {"ffn_W1": (WIDTH, FEEDFORWARD), "ffn_b1": (1, FEEDFORWARD), "ffn_W2": (FEEDFORWARD, WIDTH)}
    shapes |= {"ffn_b2": vector, "ffn_ffn_ln_scale": vector, "ffn_ffn_ln_bias": vector}
    attentions = ["context"] if side == "decoder" else []
    if side == "decoder" and options["transformer-decoder-autoreg"] == "rnn":
        shapes |= {"rnn_W": square, "rnn_Wf": square, "rnn_bf": vector}
        shapes |= {"rnn_ffn_ln_scale": vector, "rnn_ffn_ln_bias": vector}
    else:
        attentions.append("self")
    for kind in attentions:
        shapes |= {f"{kind}_W{one}": square for one in "qkvo"} | {f"{kind}_b{one}": vector for one in "qkvo"}
        shapes |= {f"{kind}_Wo_ln_scale": vector, f"{kind}_Wo_ln_bias": vector}
    return shapes


def _tables(options: Mapping[str, Any], sizes: tuple[int, int]) -> dict[str, tuple[int, int]]:
    tied_all, tied_source = (options.get(f"tied-embeddings-{one}") == "true" for one in ("all", "src"))
    shapes = {"decoder_ff_logit_out_b": (1, sizes[1])}
    if tied_all or tied_source:
        shapes["Wemb"] = (sizes[0], WIDTH)
    else:
        shapes |= {"encoder_Wemb": (sizes[0], WIDTH), "decoder_Wemb": (sizes[1], WIDTH)}
    if not tied_all and options.get("tied-embeddings") != "true":
        shapes["decoder_ff_logit_out_W"] = (WIDTH, sizes[1])
    return shapes


def logits(tensors: Tensors, options: Mapping[str, Any], source: list[int], target: list[int]) -> Array:
    """The logits (T + 1, V) of every next token of one pair of sentences, by Marian's definitions."""
    model = _Oracle(tensors, options)
    memory = model.encode(source)
    return model.decode(memory, target)


class _Oracle:
    def __init__(self, tensors: Tensors, options: Mapping[str, Any]) -> None:
        self.tensors, self.options = tensors, options

    def encode(self, source: list[int]) -> Array:
        x = self.embed("encoder", [self.table("encoder")[token] for token in source])
        for layer in range(1, LAYERS + 1):
            name = f"encoder_l{layer}"
            x = self.norm(x + self.attend(f"{name}_self", x, x, causal=False), f"{name}_self_Wo_ln")
            x = self.feedforward(name, x)
        return x

    def decode(self, memory: Array, target: list[int]) -> Array:
        table = self.table("decoder")
        x = self.embed("decoder", [np.zeros(WIDTH, np.float32), *(table[token] for token in target)])
        for layer in range(1, LAYERS + 1):
            name = f"decoder_l{layer}"
            if f"{name}_rnn_W" in self.tensors:
                x = self.norm(x + self.recur(f"{name}_rnn", x), f"{name}_rnn_ffn_ln")
            else:
                x = self.norm(x + self.attend(f"{name}_self", x, x, causal=True), f"{name}_self_Wo_ln")
            attended = self.attend(f"{name}_context", x, memory, causal=False)
            x = self.feedforward(name, self.norm(x + attended, f"{name}_context_Wo_ln"))
        out = self.tensors.get("decoder_ff_logit_out_W")
        return x @ (table.T if out is None else out) + self.tensors["decoder_ff_logit_out_b"]

    def table(self, side: str) -> Array:
        return self.tensors["Wemb" if "Wemb" in self.tensors else f"{side}_Wemb"]

    def embed(self, side: str, vectors: list[Array]) -> Array:
        half = WIDTH // 2
        angles = np.arange(len(vectors))[:, None] / 10000 ** (np.arange(half) / half)
        positions = np.concatenate([np.sin(angles), np.cos(angles)], axis=1)
        x: Array = (np.sqrt(WIDTH) * np.stack(vectors) + positions).astype(np.float32)
        return self.norm(x, f"{side}_emb_ln", "_pre") if f"{side}_emb_ln_scale_pre" in self.tensors else x

    def norm(self, x: Array, name: str, suffix: str = "") -> Array:
        centred = x - x.mean(axis=1, keepdims=True)
        scaled: Array = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-9)
        return scaled * self.tensors[f"{name}_scale{suffix}"] + self.tensors[f"{name}_bias{suffix}"]

    def attend(self, name: str, x: Array, memory: Array, *, causal: bool) -> Array:
        query, key, value = (
            self.affine(f"{name}_", one, of).reshape(len(of), HEADS, -1).swapaxes(0, 1)
            for one, of in zip("qkv", (x, memory, memory), strict=True)
        )
        scores = query @ key.swapaxes(1, 2) / np.sqrt(WIDTH // HEADS)
        if causal:
            scores = scores + np.triu(np.full(scores.shape[1:], -np.inf), 1)
        weights = np.exp(scores - scores.max(axis=2, keepdims=True))
        weights /= weights.sum(axis=2, keepdims=True)
        return self.affine(f"{name}_", "o", (weights @ value).swapaxes(0, 1).reshape(len(x), -1))

    def recur(self, name: str, x: Array) -> Array:
        forget = 1 / (1 + np.exp(-self.affine(f"{name}_", "f", x)))
        inputs, cell, found = x @ self.tensors[f"{name}_W"], np.zeros(WIDTH), []
        for one, gate in zip(inputs, forget, strict=True):
            cell = gate * cell + (1 - gate) * one
            found.append(np.maximum(cell, 0))
        return np.stack(found).astype(np.float32)

    def feedforward(self, name: str, x: Array) -> Array:
        hidden = np.maximum(self.affine(f"{name}_ffn_", "1", x), 0)
        return self.norm(x + self.affine(f"{name}_ffn_", "2", hidden), f"{name}_ffn_ffn_ln")

    def affine(self, prefix: str, suffix: str, x: Array) -> Array:
        out: Array = x @ self.tensors[f"{prefix}W{suffix}"] + self.tensors[f"{prefix}b{suffix}"]
        return out


def settings_text(options: Mapping[str, Any]) -> bytes:
    return "".join(f'{name}: "{value}"\n' for name, value in options.items()).encode() + b"\0"


def write_npz(path: Path, tensors: Tensors, options: Mapping[str, Any]) -> None:
    settings = np.frombuffer(settings_text(options), np.int8)
    arrays: dict[str, Any] = {**tensors, "special:model.yml": settings}
    np.savez(path, **arrays)


def write_binary(
    path: Path, tensors: Tensors, options: Mapping[str, Any], *, int8: int = 0, register: int = 0
) -> None:
    """With a type `int8`, matrices are in int8, and in tiles if there is a `register`."""
    items = [(name, 0x404, value.shape, value.tobytes()) for name, value in tensors.items()]
    if int8:
        items = [_quantised(item, tensors[item[0]], int8, register) for item in items]
        items += [("none_QuantMultA", 0x404, (1, 1), np.float32(8).tobytes())]
    settings = settings_text(options)
    items += [("special:model.yml", 0x101, (len(settings),), settings)]
    content = np.array([1, len(items)], "<u8").tobytes()
    padded = [data + b"\0" * (-len(data) % 256) if kind != 0x101 else data for _, kind, _, data in items]
    for (name, kind, shape, _), data in zip(items, padded, strict=True):
        content += np.array([len(name) + 1, kind, len(shape), len(data)], "<u8").tobytes()
    content += b"".join(name.encode() + b"\0" for name, *_ in items)
    content += b"".join(np.array(shape, "<i4").tobytes() for _, _, shape, _ in items)
    gap = -(len(content) + 8) % 256
    path.write_bytes(content + np.array([gap], "<u8").tobytes() + b"\0" * gap + b"".join(padded))


def rounded(value: Array) -> tuple[NDArray[np.int8], np.float32]:
    multiplier = np.float32(127) / np.abs(value).max()
    return np.round(value * multiplier).astype(np.int8), multiplier


def as_rounded(value: Array) -> Array:
    values, multiplier = rounded(value)
    return (values / multiplier).astype(np.float32)


def is_matrix(name: str) -> bool:
    return "_W" in f"_{name}" and "ln" not in name


def _quantised(
    item: tuple[str, int, tuple[int, ...], bytes], value: Array, kind: int, register: int
) -> tuple[str, int, tuple[int, ...], bytes]:
    name, _, shape, _ = item
    if not is_matrix(name):
        return item
    values, multiplier = rounded(value if "Wemb" in name else value.T)  # (out, in)
    if register:
        rows, columns = values.shape
        values = values.reshape(rows // 8, 8, columns // register, register).swapaxes(1, 2)
    return name, kind, shape, values.tobytes() + multiplier.tobytes()
