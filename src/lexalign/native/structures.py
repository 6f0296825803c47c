"""The structures of `kernels/products.h` and `kernels/decoder.h`, field by field; addresses are integers."""

import ctypes

from torch import Tensor

_ADDRESS = ctypes.c_int64


class Product(ctypes.Structure):
    columns: int
    terms: int
    _fields_ = (
        *((name, _ADDRESS) for name in ("weights", "scales", "offsets", "bias")),
        *((name, ctypes.c_int64) for name in ("columns", "terms", "block", "zero_point")),
    )


class Norm(ctypes.Structure):
    _fields_ = (("weight", _ADDRESS), ("bias", _ADDRESS), ("epsilon", ctypes.c_double))


class Layer(ctypes.Structure):
    _fields_ = (
        *((name, Product) for name in ("qkv", "self_out", "query", "cross_out", "inner", "outer")),
        *((name, Norm) for name in ("self_norm", "cross_norm", "feedforward_norm")),
    )


class Decoder(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_int64) for name in ("num_layers", "width", "heads", "head_size")),
        *((name, ctypes.c_int64) for name in ("norm_first", "swish")),
        *((name, _ADDRESS) for name in ("embedding", "int8_embedding", "embedding_scales", "positions")),
        ("embedding_scale", ctypes.c_double),
        *((name, _ADDRESS) for name in ("embedding_norm", "final_norm", "output", "layers")),
    )


class Step(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_int64) for name in ("batch", "rows", "beam")),
        ("token_ids", _ADDRESS),
        ("token_stride", ctypes.c_int64),
        ("position", _ADDRESS),
        ("stored", ctypes.c_int64),
        *((name, _ADDRESS) for name in ("place", "slots")),
        *((name, ctypes.c_int64) for name in ("room", "span", "first_slot")),
        *((name, _ADDRESS) for name in ("shift", "visible", "source_keys", "source_values")),
        ("source_length", ctypes.c_int64),
        ("source_visible", _ADDRESS),
        ("attention_layer", ctypes.c_int64),
        *((name, _ADDRESS) for name in ("attention", "attention_query", "hidden", "logits")),
    )


def address(tensor: Tensor) -> ctypes.c_void_p:
    return ctypes.c_void_p(tensor.data_ptr())
