"""The tokens of constraints as a table, for those who write them down one after another."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from lexalign.decoding.constraints.records import SentenceTensors
from lexalign.decoding.constraints.requests import Request


@dataclass(kw_only=True)
class Forms(SentenceTensors):
    """All forms of a sentence's constraints: E of them, of up to L tokens."""

    tokens: Tensor  # (B, E, L)
    lengths: Tensor  # (B, E)
    constraint: Tensor  # (B, E), masks
    source: Tensor  # (B, S, E), whether a source token is the form's
    asks: Tensor  # (B,), whether there is any


def list_forms(
    requests: Sequence[Request], source_length: int, device: torch.device, *, static: bool
) -> Forms:
    """Of constraints that have a source; a preferred one is used like any other."""
    goals = [[goal for goal in (*r.must, *r.prefer) if goal.source] for r in requests]
    listed = [
        [(1 << index, form, goal.source or ()) for index, goal in enumerate(ours) for form in goal.forms]
        for ours in goals
    ]
    most, longest = 1, 1
    for forms in listed:
        most, longest = max(most, len(forms)), max([longest, *(len(form) for _, form, _ in forms)])
    if static:
        most, longest = -(-most // 4) * 4, -(-longest // 8) * 8
    num_sentences = len(requests)
    tokens = torch.full((num_sentences, most, longest), -1)
    lengths = torch.zeros(num_sentences, most, dtype=torch.int64)
    constraint = torch.zeros(num_sentences, most, dtype=torch.int64)
    source = torch.zeros(num_sentences, source_length, most, dtype=torch.bool)
    for b, forms in enumerate(listed):
        for e, (bit, form, places) in enumerate(forms):
            tokens[b, e, : len(form)] = torch.tensor(form)
            lengths[b, e], constraint[b, e] = len(form), bit
            source[b, list(places), e] = True
    return Forms(
        tokens=tokens.to(device),
        lengths=lengths.to(device),
        constraint=constraint.to(device),
        source=source.to(device),
        asks=torch.tensor([bool(forms) for forms in listed], device=device),
    )
