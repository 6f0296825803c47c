"""What constraints cost: a step of each policy over a step of plain beam search, all of one length.

    python benchmarks/constrained.py --quick
    python benchmarks/constrained.py --batches 16 --json constrained.json
    python benchmarks/constrained.py --device cuda --batches 512

Up to three constraints a sentence, of one to six random tokens each, as the paper samples them. Searches of
real sentences, which also differ in their number of steps, are timed by `free_length.py`.
"""

import random

import torch

from harness.steps import SOURCE_LENGTH, Constraints, compare
from lexalign.alignment.aligner import LearnedAligner
from lexalign.alignment.learned import PosteriorHead
from lexalign.contracts.constraint import TokenConstraint
from lexalign.decoding.constraints.sentence_constraints import Matching
from lexalign.decoding.policies.align_vdba import AlignVdba
from lexalign.decoding.policies.guided import Guided
from lexalign.decoding.policies.token_replacement import TokenReplacement
from lexalign.decoding.policies.unconstrained import Unconstrained
from lexalign.decoding.policies.vdba import Vdba
from lexalign.decoding.policy import Policy
from lexalign.models.transformer import Transformer


def make_policies(model: Transformer) -> dict[str, Policy]:
    config = model.config
    head = PosteriorHead(config.width, config.decoder_heads).requires_grad_(False).to(model.device)
    aligner = LearnedAligner(head, model.target_embedding, layer=config.decoder_layers - 2)
    marks = torch.rand(config.vocabulary_size, device=model.device) < 0.4
    matching = Matching(continues_word=marks)
    return {
        "plain": Unconstrained(),
        "replace": TokenReplacement(aligner=aligner, matching=matching),
        "vdba": Vdba(matching=matching),
        "align-vdba": AlignVdba(aligner=aligner, matching=matching),
        "guided": Guided(aligner=aligner, matching=matching),
    }


def make_constraints(model: Transformer, batch: int) -> Constraints:
    generator = random.Random(1)

    def constraint() -> TokenConstraint:
        size = generator.choice([1, 1, 2, 2, 3, 4, 6])
        tokens = tuple(generator.randrange(4, model.config.vocabulary_size) for _ in range(size))
        first = generator.randrange(SOURCE_LENGTH - 3)
        return TokenConstraint(alternatives=(tokens,), source=(first, first + 1))

    return [[constraint() for _ in range(generator.choice([1, 2, 3]))] for _ in range(batch)]


if __name__ == "__main__":
    compare(__doc__, "A step with constraints", make_policies, make_constraints)
