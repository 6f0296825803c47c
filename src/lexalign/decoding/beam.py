"""The state of a search: hypotheses that go on, those that ended, and the way back to their tokens."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from lexalign.contracts.hypothesis import Hypothesis
from lexalign.contracts.sentence_tensors import SentenceTensors
from lexalign.decoding.candidates import Candidates

_NEVER = float("-inf")

Array = npt.NDArray[Any]
# The tokens and scores so far (T, B, P) of hypotheses, from their sentences, lengths and last rows.
WalkBack = Callable[[Tensor, Array, Array], tuple[Array, Array]]


class Beam:
    """Running hypotheses (B, K) with the steps that led to them."""

    def __init__(self, batch: int, size: int, steps: int, device: torch.device) -> None:
        self.token_ids = torch.zeros(batch, size, dtype=torch.int64, device=device)
        self.scores = torch.zeros(batch, size, device=device)
        self.clock = torch.zeros(1, dtype=torch.int64, device=device)  # tokens generated so far
        self.past_tokens = torch.zeros(steps, batch, size, dtype=torch.int64, device=device)
        self.past_rows = torch.zeros(steps, batch, size, dtype=torch.int64, device=device)
        self.past_scores = torch.zeros(steps, batch, size, device=device)

    def reset(self, rows: int, prefix_id: int) -> None:
        """Every sentence starts from one hypothesis; further rows are there but can never win."""
        self.token_ids[:, :rows] = prefix_id
        self.scores[:, :1] = 0.0
        self.scores[:, 1:] = _NEVER
        self.clock.zero_()

    def advance(self, scores: Tensor, rows: Tensor, token_ids: Tensor) -> None:
        """Continue with these (B, K)."""
        self.past_scores.index_copy_(0, self.clock, scores[None])
        self.past_rows.index_copy_(0, self.clock, rows[None])
        self.past_tokens.index_copy_(0, self.clock, token_ids[None])
        self.scores.copy_(scores)
        self.token_ids.copy_(token_ids)
        self.clock += 1

    def keep(self, sentence_index: Tensor) -> None:
        self.token_ids = self.token_ids[sentence_index]
        self.scores = self.scores[sentence_index]
        self.past_tokens = self.past_tokens[:, sentence_index]
        self.past_rows = self.past_rows[:, sentence_index]
        self.past_scores = self.past_scores[:, sentence_index]

    def walk_back(self, sentences: Tensor, lengths: Array, rows: Array) -> tuple[Array, Array]:
        """The tokens and the scores so far (T, B, P) of hypotheses of these lengths, from their last rows."""
        longest = max(int(lengths.max()), 1)
        past_tokens, past_rows, past_scores = (
            _host(past[:longest, sentences]) for past in (self.past_tokens, self.past_rows, self.past_scores)
        )
        tokens = np.zeros((longest, *lengths.shape), dtype=np.int64)
        scores = np.zeros((longest, *lengths.shape), dtype=np.float32)
        for step in reversed(range(longest)):
            reached = step < lengths
            tokens[step] = np.take_along_axis(past_tokens[step], rows, axis=1)
            scores[step] = np.where(reached, np.take_along_axis(past_scores[step], rows, axis=1), 0.0)
            rows = np.where(reached, np.take_along_axis(past_rows[step], rows, axis=1), rows)
        return tokens, scores


@dataclass(kw_only=True)
class Finished(SentenceTensors):
    """The best hypotheses (B, P) that have ended, best first."""

    scores: Tensor  # after the length penalty
    log_probabilities: Tensor
    lengths: Tensor  # without end of sentence
    rows: Tensor  # where the last token stood

    @classmethod
    def start(cls, batch: int, size: int, device: torch.device) -> "Finished":
        never = torch.full((batch, size), _NEVER, device=device)
        nowhere = torch.zeros(batch, size, dtype=torch.int64, device=device)
        return cls(scores=never, log_probabilities=never.clone(), lengths=nowhere, rows=nowhere.clone())

    @property
    def any(self) -> Tensor:
        """The sentences (B,) that have something finished."""
        return self.scores[:, 0] > _NEVER

    def reset(self) -> None:
        self.scores.fill_(_NEVER)

    def add(self, ended: Candidates, ends: Tensor, clock: Tensor, length_penalty: float) -> None:
        """Take in those of this step's candidates (B, C) that end."""
        log_probabilities = torch.where(ends, ended.scores, _NEVER)
        ranks = log_probabilities if ended.bias is None else log_probabilities + ended.bias
        scores = ranks / (clock + 1).float() ** length_penalty
        lengths = clock.expand(ends.shape)
        best, index = torch.cat([self.scores, scores], dim=1).topk(self.scores.shape[1], dim=1)
        self.scores.copy_(best)
        self.log_probabilities.copy_(_pick(self.log_probabilities, log_probabilities, index))
        self.lengths.copy_(_pick(self.lengths, lengths, index))
        self.rows.copy_(_pick(self.rows, ended.beam_index, index))


def read_hypotheses(
    finished: Finished, sentences: Tensor, limits: Tensor, walk_back: WalkBack
) -> list[list[Hypothesis]]:
    """The finished hypotheses of some sentences, walked back from their ends."""
    totals, final = _host(finished.log_probabilities[sentences]), _host(finished.scores[sentences])
    lengths = np.where(final == _NEVER, 0, _host(finished.lengths[sentences]))
    tokens, scores = walk_back(sentences, lengths, _host(finished.rows[sentences]))
    at_limit = _host(limits[sentences])[:, None] == lengths + 1
    steps = np.diff(scores, axis=0, prepend=np.zeros_like(scores[:1]))
    last = np.take_along_axis(scores, np.maximum(lengths - 1, 0)[None], axis=0)[0]
    ends = totals - np.where(lengths > 0, last, 0.0)  # what an end of sentence has added
    columns = (
        tokens.transpose(1, 2, 0),
        steps.transpose(1, 2, 0),
        ends,
        lengths,
        final,
        totals,
        ~at_limit,
    )
    return [
        [
            Hypothesis(
                token_ids=tuple(token_ids[:length]),
                score=score,
                log_probability=total,
                token_log_probabilities=(*gains[:length], end),
                complete=complete,
            )
            for token_ids, gains, end, length, score, total, complete in zip(*sentence, strict=True)
            if score != _NEVER
        ]
        for sentence in zip(*(column.tolist() for column in columns), strict=True)
    ]


def _pick(mine: Tensor, new: Tensor, index: Tensor) -> Tensor:
    return torch.cat([mine, new], dim=1).gather(1, index)


def _host(values: Tensor) -> Array:
    host: Array = values.cpu().numpy()
    return host
