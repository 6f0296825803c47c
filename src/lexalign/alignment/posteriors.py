"""Word-level alignment posteriors from those of subwords, for whole batches, and links by agreement.

The posterior of a source word for a target subword is the sum over the source word's subwords; for a target
word it is the maximum over the target word's subwords. Two words are linked where the mean over both
directions is at least one half:

    source→target  .9   target→source  .3   mean .6    linked, although the second prefers another word
    source→target  .4   target→source  .5   mean .45   not linked, although both prefer it
"""

from collections.abc import Sequence

import torch
from torch import Tensor

LINK_THRESHOLD = 0.5


def word_indexes(token_ids: Tensor, continuing: Tensor) -> Tensor:
    """The index of the word of each token (B, S); `continuing` (V,) is a `word_continuation_mask`."""
    return (~continuing[token_ids]).cumsum(dim=1)


def source_word_posteriors(probabilities: Tensor, source_words: Tensor) -> Tensor:
    """The posteriors (B, T, S) of target tokens, summed over the word of each source token."""
    same = source_words[:, :, None] == source_words[:, None]  # (B, S, S)
    return probabilities @ same.to(probabilities.dtype)


def max_within_words(posteriors: Tensor, target_words: Tensor) -> Tensor:
    """The maximum over the rows (B, T, S) of each target word, for every token of it."""
    index = target_words[:, :, None].expand_as(posteriors)
    size = (len(posteriors), posteriors.shape[1] + 1, posteriors.shape[2])  # words count from 1, or from 0
    return posteriors.new_zeros(size).scatter_reduce_(1, index, posteriors, "amax").gather(1, index)


def word_posteriors(probabilities: Tensor, source_words: Tensor, target_words: Tensor) -> Tensor:
    """The posteriors (B, T, S) of links between the words of target and source tokens."""
    return max_within_words(source_word_posteriors(probabilities, source_words), target_words)


def linked_word_posteriors(
    probabilities: Tensor, links: Tensor, source_words: Tensor, target_words: Tensor
) -> Tensor:
    """The same as `word_posteriors`, with 0 between words of which no tokens are linked."""
    linked = word_posteriors(links.to(probabilities.dtype), source_words, target_words) > 0
    return word_posteriors(probabilities, source_words, target_words).masked_fill(~linked, 0.0)


def agreed_links(posteriors: Sequence[Tensor]) -> Tensor:
    """Links (B, T, S) where the mean of the directions' posteriors reaches the threshold."""
    return torch.stack(list(posteriors)).mean(dim=0) >= LINK_THRESHOLD


def first_tokens(words: Tensor, content: Tensor) -> Tensor:
    """The tokens (B, S) that begin a word and have content: one for each word."""
    before = torch.nn.functional.pad(words[:, :-1], (1, 0), value=-1)
    return (words != before) & content
