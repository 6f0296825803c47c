"""The policy that a caller has named."""

from collections.abc import Callable
from typing import cast

from lexalign.contracts.alignment import Aligner, OnlineAligner
from lexalign.contracts.errors import LexalignError
from lexalign.decoding.constraints.sentence_constraints import Matching
from lexalign.decoding.policies.align_vdba import AlignVdba
from lexalign.decoding.policies.guided import Guided
from lexalign.decoding.policies.token_replacement import TokenReplacement
from lexalign.decoding.policies.vdba import Vdba
from lexalign.decoding.policy import Policy
from lexalign.translator.aligners import OnlineMethod
from lexalign.translator.options import ConstraintOptions


def make_policy(
    options: ConstraintOptions, find_aligner: Callable[[OnlineMethod], Aligner], matching: Matching
) -> Policy:
    if options.policy == "vdba":
        return Vdba(matching=matching)
    aligner = find_aligner(options.method)
    if options.policy == "replace":
        return TokenReplacement(aligner=aligner, matching=matching)
    if aligner.delay:
        raise LexalignError(
            f"{options.policy} must know the source of a token before it chooses it, and {options.method} "
            "knows it only after the next; use post-aln, prior-att or naive-att"
        )
    online = cast(OnlineAligner, aligner)
    if options.policy == "guided":
        return Guided(aligner=online, matching=matching, temperature=options.temperature)
    return AlignVdba(
        aligner=online,
        matching=matching,
        temperature=options.temperature,
        threshold=options.threshold,
        free_tokens=options.free_tokens,
    )
