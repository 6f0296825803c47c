"""Sentences that are padded to the same lengths, each by its own length alone.

A kernel that sees nothing but one shape cannot tell a sentence's neighbours. Lengths are taken for the next
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

_LEAST = 16
_FINEST = 8

Groups = dict[tuple[int, ...], list[int]]


@dataclass(frozen=True, kw_only=True)
class PairGroup:
    """Sources with forced targets that are padded alike, and their places."""

    places: list[int]
    source: EncodedSource
    token_ids: Tensor


def padded_length(length: int, limit: int) -> int:
    """What a sentence of this length is padded to, within what the model has places for."""
    multiple = max(_FINEST, (1 << (length - 1).bit_length()) // 8)
    return max(length, min(limit, max(_LEAST, -(-length // multiple) * multiple)))


def length_groups(lengths: Sequence[tuple[int, ...]], limit: int) -> Groups:
    """The places of the sentences that are padded alike, by what they are padded to."""
    groups: Groups = {}
    for place, own in enumerate(lengths):
        padded = tuple(padded_length(length, limit) for length in own)
        groups.setdefault(padded, []).append(place)
    return groups


def content_lengths(mask: Tensor) -> list[int]:
    """Up to the last real token of each row (B, T), and at least 1."""
    positions = torch.arange(1, mask.shape[1] + 1)
    return (mask * positions).amax(dim=1).clamp_(min=1).tolist()


def resize(x: Tensor, dim: int, size: int, value: float | bool = 0) -> Tensor:
    """Cut, or padded at the end, to a size."""
    missing = size - x.shape[dim]
    if missing <= 0:
        return x.narrow(dim, 0, size)
    behind = x.dim() - 1 - dim % x.dim()
    return F.pad(x, (*((0, 0) * behind), 0, missing), value=value)


def gather_groups(parts: Sequence[tuple[list[int], Tensor]]) -> Tensor:
    """The rows of all parts, which have one shape, in the order of their places."""
    if len(parts) == 1:
        return parts[0][1]
    order = torch.tensor([place for places, _ in parts for place in places])
    return torch.cat([rows for _, rows in parts]).index_select(0, order.argsort())


def pair_groups(source: EncodedSource, token_ids: Tensor, pad_id: int, limit: int) -> Iterator[PairGroup]:
    lengths = zip(content_lengths(source.mask), content_lengths(token_ids != pad_id), strict=True)
    for (source_length, target_length), places in length_groups(list(lengths), limit).items():
        states, mask = source.states[places], source.mask[places]
        yield PairGroup(
            places=places,
            source=EncodedSource(
                states=resize(states, 1, source_length), mask=resize(mask, 1, source_length, False)
            ),
            token_ids=resize(token_ids[places], 1, target_length, pad_id),
        )


def join_outputs(
    parts: Sequence[tuple[list[int], DecoderOutput]], target_length: int, source_length: int
) -> DecoderOutput:
    """All of them in the order of their places, with the lengths of the whole batch."""
    attention = [
        (places, resize(resize(part.attention, 1, target_length), 2, source_length))
        for places, part in parts
        if part.attention is not None
    ]
    query = [
        (places, resize(part.query, 1, target_length)) for places, part in parts if part.query is not None
    ]
    return DecoderOutput(
        logits=gather_groups([(places, resize(part.logits, 1, target_length)) for places, part in parts]),
        attention=gather_groups(attention) if attention else None,
        query=gather_groups(query) if query else None,
    )


def join_views(
    parts: Sequence[tuple[list[int], LayerView]], target_length: int, source_length: int
) -> LayerView:
    return LayerView(
        attention=gather_groups(
            [
                (places, resize(resize(view.attention, 2, target_length), 3, source_length))
                for places, view in parts
            ]
        ),
        query=gather_groups([(places, resize(view.query, 1, target_length)) for places, view in parts]),
    )
