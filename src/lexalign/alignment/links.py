"""From distributions to links: each target token is linked to its most probable source token, or to none."""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from lexalign.contracts.alignment import Link, SubwordAlignment


@dataclass(frozen=True, kw_only=True)
class LinkOptions:
    """When a target token is linked to nothing.

    An end of sentence is never linked. With `end="masked"` the best of the other source tokens is taken, as
    in published evaluations; with `end="null"` a token that prefers the source's end has no link. Nor has a
    token whose best source token is less probable than `threshold`.
    """

    end: Literal["masked", "null"] = "masked"
    threshold: float = 0.0

    @property
    def signature(self) -> str:
        return f"end:{self.end}|threshold:{self.threshold:g}"


def best_links(
    probabilities: Tensor, source_content: Tensor, target_content: Tensor, options: LinkOptions | None = None
) -> Tensor:
    """Links (B, T, S) from distributions (B, T, S), between tokens with content (B, S) and (B, T)."""
    options = options or LinkOptions()
    linkable = source_content[:, None]  # (B, 1, S)
    if options.end == "masked":
        probabilities = probabilities.masked_fill(~linkable, -1.0)
    best, index = probabilities.max(dim=-1, keepdim=True)  # (B, T, 1)
    linked = target_content[:, :, None] & (best >= options.threshold)
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
