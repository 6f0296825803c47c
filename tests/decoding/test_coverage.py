"""What hypotheses pay for source tokens that nothing comes from."""

import pytest
import torch

from lexalign.contracts.constraint import TokenConstraint
from lexalign.contracts.model import EncodedSource
from lexalign.decoding.candidates import Candidates
from lexalign.decoding.constraints.sentence_constraints import sort_constraints
from lexalign.decoding.policies.coverage import Coverage
from lexalign.decoding.policy import SearchBatch

from .exhaustive import EOS, PAD, table_vocabulary

# Six words and an end of sentence; the last word is what the constraint translates. The second asks nothing.
SOURCE = torch.tensor([[3, 4, 5, 6, 7, 8, EOS], [3, 4, 5, EOS, PAD, PAD, PAD]])
CONSTRAINTS = [[TokenConstraint(alternatives=((5,),), source=(5,))], []]


def coverage() -> Coverage:
    mask = SOURCE != PAD
    batch = SearchBatch(
        constraints=CONSTRAINTS,
        source_ids=SOURCE,
        source=EncodedSource(states=SOURCE[:, :, None].float(), mask=mask),
        limits=[9, 9],
        vocabulary=table_vocabulary(9),
        beam=2,
        length_penalty=1.0,
    )
    return Coverage.start(batch, [sort_constraints(ours, batch.vocabulary) for ours in CONSTRAINTS])


def commit(
    covered: Coverage, rows: list[list[int]], masses: list[list[list[float]]], index: tuple[int, int] = (0, 1)
) -> None:
    beam_index = torch.tensor(rows)
    going = Candidates(
        scores=torch.zeros(2, 2), beam_index=beam_index, token_ids=torch.zeros_like(beam_index)
    )
    covered.commit(going, torch.tensor(index).expand(2, 2), torch.tensor(masses))


def test_the_worked_example() -> None:
    covered = coverage()
    whole = [1.0, 0.9, 0.4, 1.0, 1.0, 0.0, 0.0]
    collapsed = [0.1, 0.0, 0.1, 0.0, 1.3, 0.0, 0.0]
    commit(covered, [[0, 0], [0, 0]], [[whole, collapsed], [whole, collapsed]])
    penalty = covered.penalty(2)
    assert penalty[0].tolist() == pytest.approx([0.0, -4 * (0.76 - 0.5)])
    assert penalty[1].tolist() == [0.0, 0.0]  # nothing is asked of it


def test_hypotheses_take_their_coverage_along() -> None:
    covered = coverage()
    nothing = [0.0] * 7
    everything = [1.0] * 7
    commit(covered, [[0, 0], [0, 0]], [[everything, nothing], [nothing, nothing]])
    commit(covered, [[1, 0], [0, 0]], [[nothing, nothing], [nothing, nothing]])
    assert covered.penalty(2)[0].tolist() == pytest.approx([-2.0, 0.0])


def test_tokens_of_constraints_cover_nothing_else() -> None:
    covered = coverage()
    everything = [1.0] * 7
    commit(covered, [[0, 0], [0, 0]], [[everything, everything]] * 2, index=(1, 2))
    assert covered.penalty(2)[0].tolist() == pytest.approx([0.0, -2.0])
