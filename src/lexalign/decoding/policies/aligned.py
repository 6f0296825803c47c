"""What policies that weigh tokens by their alignment have in common."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

from lexalign.contracts.alignment import OnlineAligner
from lexalign.contracts.errors import LexalignError
from lexalign.decoding.constraints.requests import Matching, Request
from lexalign.decoding.policies.banked import BankSelector
from lexalign.decoding.policies.unconstrained import PlainSelector
from lexalign.decoding.policies.vdba import read_requests
from lexalign.decoding.policy import SearchBatch, Selector


@dataclass(frozen=True, kw_only=True)
class AlignedPolicy(ABC):
    """Needs an aligner that knows a token's source with the token."""

    aligner: OnlineAligner
    matching: Matching = field(default_factory=Matching)
    temperature: float = 2.0
    recordable: bool = True
    passive: bool = False

    def __post_init__(self) -> None:
        if self.aligner.delay:
            raise LexalignError(
                "this aligner knows an alignment only one step later; this policy needs one of delay 0"
            )
        if self.temperature <= 0:
            raise LexalignError(f"temperature is {self.temperature}; it must be over 0")

    @property
    def attention_layer(self) -> int:
        return self.aligner.layer

    def begin(self, batch: SearchBatch) -> Selector:
        requests = read_requests(batch, self.matching)
        if not any(request.constraints for request in requests):
            return PlainSelector(batch)
        return self.select(batch, requests)

    @abstractmethod
    def select(self, batch: SearchBatch, requests: Sequence[Request]) -> BankSelector:
        """For a batch in which something is asked for."""
