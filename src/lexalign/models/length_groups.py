"""Groups of sentences that are padded to the same lengths, each by its own length alone.

So the shapes that a kernel sees do not depend on the other sentences of a batch. Lengths are rounded up to a
multiple of an eighth of a power of two, so that sentences sorted by length fall into few groups:

    length    1 .. 16    17 .. 24    ...    57 .. 64    65 .. 80    ...    113 .. 128    129 .. 160
    padded    16         24                 64          80                 128           160
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from lexalign.contracts.model import DecoderOutput, EncodedSource, LayerView

_MIN_LENGTH = 16
_MIN_MULTIPLE = 8

Groups = dict[tuple[int, ...], list[int]]  # rows of a batch by their padded lengths


@dataclass(frozen=True, kw_only=True)
class PairGroup:
    """Sources with forced targets that are padded to the same lengths, and their rows in the batch."""

    rows: list[int]
    source: EncodedSource
    token_ids: Tensor


def padded_length(length: int, limit: int) -> int:
    """The length that a sentence is padded to, within the model's limit of positions."""
    multiple = max(_MIN_MULTIPLE, (1 << (length - 1).bit_length()) // 8)
    return max(length, min(limit, max(_MIN_LENGTH, -(-length // multiple) * multiple)))


def length_groups(lengths: Sequence[tuple[int, ...]], limit: int) -> Groups:
    """The rows of the sentences that are padded to the same lengths."""
    groups: Groups = {}
    for row, own in enumerate(lengths):
        padded = tuple(padded_length(length, limit) for length in own)
        groups.setdefault(padded, []).append(row)
    return groups


def content_lengths(mask: Tensor) -> list[int]:
    """The length of each row (B, T) up to its last real token, at least 1."""
    positions = torch.arange(1, mask.shape[1] + 1)
    return (mask * positions).amax(dim=1).clamp_(min=1).tolist()


def resize(x: Tensor, dim: int, size: int, value: float | bool = 0) -> Tensor:
    """The tensor cut, or padded at the end, to a size."""
    missing = size - x.shape[dim]
    if missing <= 0:
        return x.narrow(dim, 0, size)
    behind = x.dim() - 1 - dim % x.dim()
    return F.pad(x, (*((0, 0) * behind), 0, missing), value=value)


def gather_groups(parts: Sequence[tuple[list[int], Tensor]]) -> Tensor:
    """The values of all parts, which have one shape, in the order of their rows."""
    if len(parts) == 1:
        return parts[0][1]
    order = torch.tensor([row for rows, _ in parts for row in rows])
    return torch.cat([values for _, values in parts]).index_select(0, order.argsort())


def pair_groups(source: EncodedSource, token_ids: Tensor, pad_id: int, limit: int) -> Iterator[PairGroup]:
    lengths = zip(content_lengths(source.mask), content_lengths(token_ids != pad_id), strict=True)
    for (source_length, target_length), rows in length_groups(list(lengths), limit).items():
        states, mask = source.states[rows], source.mask[rows]
        yield PairGroup(
            rows=rows,
            source=EncodedSource(
                states=resize(states, 1, source_length), mask=resize(mask, 1, source_length, False)
            ),
            token_ids=resize(token_ids[rows], 1, target_length, pad_id),
        )


def join_outputs(
    parts: Sequence[tuple[list[int], DecoderOutput]], target_length: int, source_length: int
) -> DecoderOutput:
    """The outputs of all groups in the order of their rows, with the lengths of the whole batch."""
    attention = [
        (rows, resize(resize(part.head_attention, 2, target_length), 3, source_length))
        for rows, part in parts
        if part.head_attention is not None
    ]
    query = [(rows, resize(part.query, 1, target_length)) for rows, part in parts if part.query is not None]
    return DecoderOutput(
        logits=gather_groups([(rows, resize(part.logits, 1, target_length)) for rows, part in parts]),
        head_attention=gather_groups(attention) if attention else None,
        query=gather_groups(query) if query else None,
    )


def join_views(
    parts: Sequence[tuple[list[int], LayerView]], target_length: int, source_length: int
) -> LayerView:
    return LayerView(
        attention=gather_groups(
            [
                (rows, resize(resize(view.attention, 2, target_length), 3, source_length))
                for rows, view in parts
            ]
        ),
        query=gather_groups([(rows, resize(view.query, 1, target_length)) for rows, view in parts]),
    )
