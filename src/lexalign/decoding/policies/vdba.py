"""Vectorized dynamic beam allocation (Hu et al. 2019, after Post and Vilar 2018).

A step's candidates are the best continuations of the whole beam, each hypothesis's best token, and the tokens
that begin or continue an unmet constraint. Candidates with the same number of constraint tokens are a bank,
and banks share the slots of the beam, so that hypotheses which have constraints behind them need not compete
with those which have not. With a beam of 4 and the constraint `the dog`, best first:

    bank 2   saw the dog
    bank 1   saw the, dog the
    bank 0   saw a, saw one, see a

Of these go on: `saw the dog`, `saw the`, `saw a`, `dog the`. A hypothesis may end only when it has met
everything. Where the length that is left is no more than the tokens that are missing, only candidates that
can still meet everything are considered, so a sentence with room for its constraints meets them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from lexalign.decoding.constraints.requests import Matching, Request, read_request
from lexalign.decoding.policies.banked import BankSelector
from lexalign.decoding.policies.unconstrained import PlainSelector
from lexalign.decoding.policy import SearchBatch, Selector


@dataclass(frozen=True, kw_only=True)
class Vdba:
    """What constraints cost is kept apart from the length penalty, or averaged with everything else."""

    matching: Matching = field(default_factory=Matching)
    average_costs: bool = False
    attention_layer: int | None = None
    recordable: bool = True
    passive: bool = False

    def begin(self, batch: SearchBatch) -> Selector:
        requests = read_requests(batch, self.matching)
        if not any(request.constraints for request in requests):
            return PlainSelector(batch)
        return BankSelector(batch, requests, self.matching, average_costs=self.average_costs)


def read_requests(batch: SearchBatch, matching: Matching) -> Sequence[Request]:
    return [
        read_request(constraints, batch.vocabulary, matching.continuing, matching.ordered, limit - 1)
        for constraints, limit in zip(batch.constraints, batch.limits, strict=True)
    ]
