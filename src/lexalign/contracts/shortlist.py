"""The shortlist of a batch: the tokens that each of its sentences may be translated with.

A model computes nothing for other tokens. Its logits have a column for each token of a sentence's shortlist,
in place of the whole vocabulary:

    column    0      1    2      ...  C-1
    token     </s>   die  Haus        none: its score is -inf

Sentences have shortlists of different lengths; the last column, at least, is of no token, and stands for all
tokens that are not on the list.
"""

from dataclasses import dataclass

from torch import Tensor

from lexalign.contracts.sentence_tensors import SentenceTensors


@dataclass(kw_only=True)
class Shortlist(SentenceTensors):
    """What is never generated is not on the list, and an end of sentence always is, first."""

    token_ids: Tensor  # (B, C), an end of sentence where there is no token
    columns: Tensor  # (B, V), the column of each token
    empty: Tensor  # (B, C), where there is no token

    def to_columns(self, token_ids: Tensor) -> Tensor:
        """The columns of tokens (B, ...)."""
        return self.columns.gather(1, token_ids.flatten(1)).view(token_ids.shape)

    def to_tokens(self, columns: Tensor) -> Tensor:
        """The tokens of columns (B, ...)."""
        return self.token_ids.gather(1, columns.flatten(1)).view(columns.shape)

    @property
    def excluded(self) -> Tensor:
        """The tokens (B, V) that are not on the list."""
        return self.columns == self.token_ids.shape[1] - 1
