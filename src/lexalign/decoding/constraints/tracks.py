"""All that is known of a batch's hypotheses: what they have met, what they have preferred and avoided."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from lexalign.decoding.constraints.avoidance import Avoidance
from lexalign.decoding.constraints.progress import Progress, Standing, aim, pick
from lexalign.decoding.constraints.requests import Matching, Request


@dataclass(frozen=True, kw_only=True)
class Outlook:
    """What would be known of candidates (B, C)."""

    standing: Standing
    unfinished: Tensor  # whether something is not met, even if nothing but an end of sentence followed
    worth: Tensor  # constraint tokens that are there
    secure: Tensor  # those of constraints that are met
    preferred: Standing | None
    bonus: Tensor | None
    kept_bonus: Tensor | None  # what is left of the bonus if nothing begun is continued
    avoiding: Tensor | None  # nodes
    may_end: Tensor | None  # without completing a phrase to avoid; None: all


class Tracks:
    """Of the hypotheses (B, K) of a beam; whatever no sentence of the batch asks for is not there."""

    def __init__(
        self,
        requests: Sequence[Request],
        beam: int,
        matching: Matching,
        device: torch.device,
        *,
        static: bool = False,
    ) -> None:
        words = None if matching.continues_word is None else matching.continues_word.to(device)
        must = aim([r.must for r in requests], [r.chains for r in requests], device, static=static)
        self.must = Progress(must, beam, words)
        self._values = torch.zeros(len(requests), beam, 2, device=device)  # secure, and worth
        self.prefer: Progress | None = None
        self.avoid: Avoidance | None = None
        if any(request.prefer for request in requests):
            wishes = [request.prefer for request in requests]
            self.prefer = Progress(
                aim(wishes, [()] * len(wishes), device, static=static, paid=True), beam, words
            )
        if any(request.avoid for request in requests):
            self.avoid = Avoidance([r.avoid for r in requests], beam, words, device, static=static)

    @property
    def layout(self) -> object:
        return (
            self.must.aims.layout,
            None if self.prefer is None else self.prefer.aims.layout,
            None if self.avoid is None else self.avoid.layout,
        )

    def present(self, rows: int) -> Outlook:
        """Of the first rows as they are; what it says of their worth outlasts `take`."""
        return self._outlook(
            self.must.first(rows),
            None if self.prefer is None else self.prefer.first(rows),
            None if self.avoid is None else self.avoid.node[:, :rows],
            self._values[:, :rows].clone(),
        )

    def follow(self, rows: Tensor, token_ids: Tensor, advance: Tensor | None = None) -> Outlook:
        """Of rows (B, C) that go on with tokens; where they do not `advance`, no constraint is served."""
        return self._outlook(
            self.must.follow(rows, token_ids, advance),
            None if self.prefer is None else self.prefer.follow(rows, token_ids),
            None if self.avoid is None else self.avoid.follow(rows, token_ids),
        )

    def take(self, outlook: Outlook, index: Tensor) -> None:
        """Candidates (B, K) have become the hypotheses."""
        self.must.take(outlook.standing, index)
        self._values.copy_(pick(torch.stack([outlook.secure, outlook.worth], dim=2), index))
        if self.prefer is not None and outlook.preferred is not None:
            self.prefer.take(outlook.preferred, index)
        if self.avoid is not None and outlook.avoiding is not None:
            self.avoid.take(outlook.avoiding.gather(1, index))

    def keep(self, sentence_index: Tensor) -> None:
        for part in (self.must, self.prefer, self.avoid):
            if part is not None:
                part.keep(sentence_index)
        self._values = self._values[sentence_index]

    def restart(self, other: "Tracks") -> None:
        self.must.restart(other.must)
        self._values.copy_(other._values)
        if self.prefer is not None and other.prefer is not None:
            self.prefer.restart(other.prefer)
        if self.avoid is not None and other.avoid is not None:
            self.avoid.restart(other.avoid)

    def _outlook(
        self,
        standing: Standing,
        preferred: Standing | None,
        avoiding: Tensor | None,
        values: Tensor | None = None,
    ) -> Outlook:
        bonus = kept_bonus = None
        if self.prefer is not None and preferred is not None:
            kept_bonus, begun = self.prefer.value(preferred)
            bonus = kept_bonus + begun
        if values is None:
            secure, begun = self.must.value(standing)
            worth = secure + begun
        else:
            secure, worth = values.unbind(dim=2)
        return Outlook(
            standing=standing,
            unfinished=standing.effective != self.must.aims.everything[:, None],
            worth=worth,
            secure=secure,
            preferred=preferred,
            bonus=bonus,
            kept_bonus=kept_bonus,
            avoiding=avoiding,
            may_end=None if avoiding is None or self.avoid is None else ~self.avoid.must_continue(avoiding),
        )
