"""Probabilities of words in place of subwords, for whole batches, and those of two directions made one.

A target subword comes from one source word with the sum of what it gives to the word's subwords; a target
word comes from it as surely as its surest subword does. Two words are linked where the directions, each with
its own distribution, hold it likelier than not on average:

    source→target  .9   target→source  .3   mean .6    linked, although the second direction prefers another
    source→target  .4   target→source  .5   mean .45   not linked, although it is the best of both
"""

from collections.abc import Sequence

import torch
from torch import Tensor

LIKELY = 0.5


def word_indexes(token_ids: Tensor, continuing: Tensor) -> Tensor:
    """To which word each token (B, S) belongs; `continuing` (V,) marks those that go on with a word."""
    return (~continuing[token_ids]).cumsum(dim=1)


def source_word_masses(probabilities: Tensor, source_words: Tensor) -> Tensor:
    """What target tokens (B, T, S) give to the whole word of each source token."""
    same = source_words[:, :, None] == source_words[:, None]  # (B, S, S)
    return probabilities @ same.to(probabilities.dtype)


def surest(masses: Tensor, target_words: Tensor) -> Tensor:
    """Every target token's row (B, T, S) as the largest of its word's rows."""
    index = target_words[:, :, None].expand_as(masses)
    size = (len(masses), masses.shape[1] + 1, masses.shape[2])  # words count from 1, or from 0
    return masses.new_zeros(size).scatter_reduce_(1, index, masses, "amax").gather(1, index)


def word_masses(probabilities: Tensor, source_words: Tensor, target_words: Tensor) -> Tensor:
    """How probably a target token's word comes from a source token's word, (B, T, S)."""
    return surest(source_word_masses(probabilities, source_words), target_words)


def linked_word_masses(
    probabilities: Tensor, links: Tensor, source_words: Tensor, target_words: Tensor
) -> Tensor:
    """The same, 0 between words of which no tokens are linked (B, T, S)."""
    linked = word_masses(links.to(probabilities.dtype), source_words, target_words) > 0
    return word_masses(probabilities, source_words, target_words).masked_fill(~linked, 0.0)


def agreed_links(masses: Sequence[Tensor]) -> Tensor:
    """Links (B, T, S), of masses of the same shape."""
    return torch.stack(list(masses)).mean(dim=0) >= LIKELY


def first_tokens(words: Tensor, content: Tensor) -> Tensor:
    """The tokens (B, S) that begin a word and have content: one for each word."""
    before = torch.nn.functional.pad(words[:, :-1], (1, 0), value=-1)
    return (words != before) & content
