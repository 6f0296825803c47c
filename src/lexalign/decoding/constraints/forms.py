"""The tokens of constraints as a table, for those who write them down one after another."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from lexalign.decoding.constraints.records import SentenceTensors, upload
from lexalign.decoding.constraints.requests import Goal, Request
from lexalign.decoding.constraints.trie import ranks_within


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
    listed = [
        [
            (1 << index, form, goal.source or ())
            for index, goal in enumerate(_with_source(r))
            for form in goal.forms
        ]
        for r in requests
    ]
    flat = [form for forms in listed for form in forms]
    counts = np.array([len(forms) for forms in listed], dtype=np.int64)
    sizes = np.array([len(form) for _, form, _ in flat], dtype=np.int64)
    most, longest = max(1, int(counts.max(initial=0))), max(1, int(sizes.max(initial=0)))
    if static:
        most, longest = -(-most // 4) * 4, -(-longest // 8) * 8
    num_sentences = len(requests)
    tokens = np.full((num_sentences, most, longest), -1)
    lengths, constraint = np.zeros((2, num_sentences, most), dtype=np.int64)
    source = np.zeros((num_sentences, source_length, most), dtype=bool)
    at = np.repeat(np.arange(num_sentences), counts), ranks_within(counts)
    lengths[at] = sizes
    constraint[at] = [bit for bit, _, _ in flat]
    tokens[np.repeat(at[0], sizes), np.repeat(at[1], sizes), ranks_within(sizes)] = [
        token for _, form, _ in flat for token in form
    ]
    widths = np.array([len(places) for _, _, places in flat], dtype=np.int64)
    places = np.array([place for _, _, places in flat for place in places], dtype=np.int64)
    source[np.repeat(at[0], widths), places, np.repeat(at[1], widths)] = True
    tensors = upload((tokens, lengths, constraint, source, counts > 0), device)
    return Forms(
        tokens=tensors[0], lengths=tensors[1], constraint=tensors[2], source=tensors[3], asks=tensors[4]
    )


def _with_source(request: Request) -> list[Goal]:
    return [goal for goal in (*request.must, *request.prefer) if goal.source]
