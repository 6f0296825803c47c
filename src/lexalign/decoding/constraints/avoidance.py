"""Phrases that must not be there: the token that would complete one is forbidden.

A phrase of whole words, "dog", is complete only when its last word is; so its last token may be generated,
but then nothing except a token that continues the word, as in "dogma".
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from lexalign.decoding.constraints.automaton import build_automata
from lexalign.decoding.constraints.requests import Phrase
from lexalign.decoding.scores import TokenScores

_COMPLETE, _TO_BE_CONTINUED = 1, 2  # bits


class Avoidance:
    """Where the hypotheses of a beam stand between the phrases that their sentences avoid."""

    def __init__(
        self,
        phrases: Sequence[Sequence[tuple[Phrase, bool]]],
        beam: int,
        continues_word: Tensor | None,
        device: torch.device,
        *,
        static: bool = False,
    ) -> None:
        """`phrases` of each sentence, and whether they are whole."""
        if continues_word is None:
            phrases = [[(phrase, False) for phrase, _ in ours] for ours in phrases]
        by_kind = [
            [[phrase for phrase, whole in ours if whole is kind] for kind in (False, True)]
            for ours in phrases
        ]
        self._automata = build_automata(
            by_kind, np.zeros((len(phrases), 2), dtype=np.float32), device, static
        )
        self._continues_word = continues_word
        self._any_whole = any(whole for ours in phrases for _, whole in ours)
        self.node = self._automata.root[:, None].repeat(1, beam)

    @property
    def layout(self) -> object:
        return self._automata.layout, self._any_whole

    def forbid(self, scores: TokenScores) -> None:
        node = self.node[:, : scores.rows]
        tokens, nodes, _ = self._automata.moves(node)
        complete = (self._ends(nodes) & _COMPLETE) != 0
        scores.forbid(tokens.clamp(min=0), complete & (tokens >= 0))
        if self._any_whole and self._continues_word is not None:
            scores.allow_only(self._continues_word, self.must_continue(node))

    def follow(self, rows: Tensor, token_ids: Tensor) -> Tensor:
        """The nodes (B, C) of rows that go on with tokens."""
        return self._automata.go(self.node.gather(1, rows), token_ids)

    def must_continue(self, node: Tensor) -> Tensor:
        """Whether an end of sentence here (B, C) would complete a phrase."""
        return (self._ends(node) & _TO_BE_CONTINUED) != 0

    def take(self, node: Tensor) -> None:
        self.node.copy_(node)

    def keep(self, sentence_index: Tensor) -> None:
        self._automata.keep(sentence_index)
        self.node = self.node[sentence_index]

    def restart(self, other: "Avoidance") -> None:
        self._automata.copy_(other._automata)
        self.node.copy_(other.node)

    def _ends(self, node: Tensor) -> Tensor:
        return self._automata.ends[node]
