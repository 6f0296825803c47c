"""What an engine is asked to search, small enough to be sent to another process."""

from collections.abc import Sequence
from dataclasses import dataclass

from lexalign.contracts.constraint import TokenConstraint
from lexalign.decoding.options import SearchOptions
from lexalign.translator.aligners import OnlineMethod
from lexalign.translator.options import ConstraintOptions

Ids = Sequence[int]


@dataclass(frozen=True)
class Sentence:
    """Source tokens, without end of sentence, and what is asked of their translation.

    `stand_ins` are words that stand for untranslatables and must be copied; `align` asks for alignments of
    this sentence, whether or not they are asked for of all.
    """

    ids: Ids
    constraints: tuple[TokenConstraint, ...] = ()
    stand_ins: tuple[TokenConstraint, ...] = ()
    align: bool = False


@dataclass(frozen=True, kw_only=True)
class SearchPlan:
    """How all sentences of a call are searched, and by what method their results are aligned."""

    search: SearchOptions
    constraints: ConstraintOptions
    align: OnlineMethod | None = None
