"""The policy that a caller has named."""

from typing import cast

from lexalign.contracts.alignment import OnlineAligner
from lexalign.contracts.errors import LexalignError
from lexalign.decoding.constraints.sentence_constraints import Matching
from lexalign.decoding.policies.align_vdba import AlignVdba
from lexalign.decoding.policies.guided import Guided
from lexalign.decoding.policies.token_replacement import TokenReplacement
from lexalign.decoding.policies.unconstrained import Unconstrained
from lexalign.decoding.policies.vdba import Vdba
from lexalign.decoding.policy import Policy
from lexalign.text.word_starts import word_boundary_id, word_continuation_mask
from lexalign.translator.model_resources import ModelResources
from lexalign.translator.options import ConstraintOptions


def make_policy(options: ConstraintOptions | None, model: ModelResources) -> Policy:
    if options is None:
        return Unconstrained()
    matching = _matching(options, model)
    if options.policy == "none":
        return Unconstrained(matching=matching)
    if options.policy == "vdba":
        return Vdba(matching=matching)
    aligner = model.aligner(options.method, options.attention, online=True)
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


def _matching(options: ConstraintOptions, model: ModelResources) -> Matching:
    mask = word_continuation_mask(model.tokenizer.target).to(model.transformer.device)
    boundary_id = word_boundary_id(model.tokenizer.target)
    return Matching(continues_word=mask, boundary_id=boundary_id, ordered=options.ordered)
