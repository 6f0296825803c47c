"""Links from alignment distributions: each target token has its most probable source token, or none."""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from lexalign.contracts.alignment import Link, SubwordAlignment

End = Literal["masked", "null"]


@dataclass(frozen=True, kw_only=True)
class LinkOptions:
    """When a target token or word has no link (null alignment).

    An end of sentence is never linked. With `end="masked"` the most probable other source token is linked, as
    in published evaluations; with `end="null"` a token that prefers the source's end has no link. Words are
    not linked below the probability `threshold`; None stands for the aligner's own.
    """

    end: End = "masked"
    threshold: float | None = None


def best_links(
    probabilities: Tensor, source_content: Tensor, target_content: Tensor, end: End = "masked"
) -> Tensor:
    """Links (B, T, S) from distributions (B, T, S), between tokens with content (B, S) and (B, T)."""
    linkable = source_content[:, None]  # (B, 1, S)
    if end == "masked":
        probabilities = probabilities.masked_fill(~linkable, -1.0)
    index = probabilities.argmax(dim=-1, keepdim=True)  # (B, T, 1)
    linked = target_content[:, :, None]
    return torch.zeros_like(probabilities, dtype=torch.bool).scatter_(2, index, linked) & linkable


def subword_alignment(probabilities: Tensor, links: Tensor) -> SubwordAlignment:
    """The alignment of one sentence, from its matrices (T, S)."""
    targets, sources = links.nonzero(as_tuple=True)
    chosen = probabilities[targets, sources].tolist()
    found = sorted(
        Link(source, target, probability)
        for source, target, probability in zip(sources.tolist(), targets.tolist(), chosen, strict=True)
    )
    return SubwordAlignment(probabilities=probabilities, links=tuple(found))
