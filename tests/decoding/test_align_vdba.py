"""Align-VDBA on tables, against lists and loops, and what becomes of it without an opinion."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lexalign.alignment.attention import ShiftedAttention
from lexalign.alignment.table_aligner import TableAligner
from lexalign.contracts.alignment import AlignmentMemory, Delay, ForcedTarget
from lexalign.contracts.constraint import TokenConstraint
from lexalign.contracts.errors import LexalignError
from lexalign.contracts.model import DecoderOutput, EncodedSource
from lexalign.decoding.graph_search import GraphSearcher
from lexalign.decoding.policies.align_vdba import AlignVdba
from lexalign.decoding.policies.vdba import Vdba
from lexalign.decoding.search import search

from .cases import BATCH, TWICE, Case, assert_alike, assert_same, cases
from .exhaustive import random_tables, table_model
from .scoring_oracle import Scoring

Reading = Literal["literal", "joint"]
readings = st.sampled_from(["literal", "joint"])


def policy(case: Case, reading: Reading, temperature: float = 2.0, threshold: float = 0.0) -> AlignVdba:
    return AlignVdba(
        aligner=TableAligner(case.affinity()),
        matching=case.matching(),
        temperature=temperature,
        threshold=threshold,
        free_tokens=reading,
    )


# Both constraints begin with 3: after 3 3 one is met, and the other goes on below the threshold.
MET_AND_WITHIN = Case(
    seed=3,
    size=6,
    sharpness=0.5,
    beam=1,
    n_best=1,
    max_length=5,
    penalty=0.0,
    constraints=(
        (),
        (
            TokenConstraint(alternatives=((3,),)),
            TokenConstraint(alternatives=((3, 3, 3), (4, 3)), source=(1,), whole=False),
        ),
        (),
    ),
)


@settings(max_examples=150, deadline=None)
@given(
    case=cases(),
    reading=readings,
    temperature=st.sampled_from([1.0, 2.0]),
    threshold=st.sampled_from([0.0, 0.2, 0.6]),
)
@example(case=MET_AND_WITHIN, reading="literal", temperature=1.0, threshold=0.2)
def test_equals_the_oracle(case: Case, reading: Reading, temperature: float, threshold: float) -> None:
    found = case.search(policy(case, reading, temperature, threshold))
    for sentence in range(BATCH):
        rows = [case.mass(sentence, token).tolist() for token in range(case.size)]
        scoring = Scoring(partial(_mass, rows), temperature, threshold, reading == "joint")
        oracle = case.oracle(sentence, scoring=scoring)
        expected = oracle.search()
        if not (oracle.tied or oracle.undecided):
            assert_same(found[sentence], expected)


@settings(max_examples=60, deadline=None)
@given(case=cases(), reading=readings, beam=st.sampled_from([2, 9, 10, 11]))
def test_small_beams_alone_have_a_threshold(case: Case, reading: Reading, beam: int) -> None:
    """At a temperature at which most weights are under it."""
    case = replace(case, beam=beam)
    unasked = replace(policy(case, reading, 0.25), threshold=None)
    as_in_the_paper = policy(case, reading, 0.25, threshold=0.1 if beam < 10 else 0.0)
    assert case.search(unasked) == case.search(as_in_the_paper)


def _mass(rows: list[list[float]], token: int, place: int) -> float:
    return rows[token][place]


@dataclass(frozen=True)
class CertainAligner:
    """Aligns everything to every source token with mass 1. Implements `OnlineAligner`."""

    layer: int = 0
    threshold: float = 0.0
    signature: str = "certain"

    @property
    def delay(self) -> Delay:
        return 0

    def align(self, forced: ForcedTarget) -> torch.Tensor:
        return torch.ones(*forced.token_ids.shape, forced.source_ids.shape[1])

    def remember(self, source: EncodedSource) -> AlignmentMemory:
        return AlignmentMemory(mask=source.mask)

    def align_candidates(
        self,
        memory: AlignmentMemory,
        output: DecoderOutput,  # noqa: ARG002
        token_ids: torch.Tensor,
    ) -> torch.Tensor:
        return torch.ones(*token_ids.shape, memory.mask.shape[1])

    def align_pairs(
        self,
        memory: AlignmentMemory,
        output: DecoderOutput,
        rows: torch.Tensor,  # noqa: ARG002
        token_ids: torch.Tensor,
    ) -> torch.Tensor:
        return self.align_candidates(memory, output, token_ids)


@settings(max_examples=60, deadline=None)
@given(case=cases(), reading=readings)
def test_with_certain_alignments_and_no_threshold_it_is_vdba(case: Case, reading: Reading) -> None:
    case = replace(case, n_best=case.beam)
    aligned = AlignVdba(
        aligner=CertainAligner(), matching=case.matching(), threshold=0.0, free_tokens=reading
    )
    assert case.search(aligned) == case.search(Vdba(matching=case.matching()))


@settings(max_examples=30, deadline=None)
@given(case=cases(), reading=readings)
def test_static_tensors_give_the_same(case: Case, reading: Reading) -> None:
    align_vdba = policy(case, reading, threshold=0.2)
    searcher = GraphSearcher(case.model(), case.options(), align_vdba)
    searcher.search(case.source_ids().flip(0), case.constraints[::-1])
    assert_alike(searcher.search(case.source_ids(), case.constraints), case.search(align_vdba))


@settings(max_examples=60, deadline=None)
@given(case=cases(), reading=readings)
def test_a_sentence_without_constraints_gets_what_plain_search_gives(case: Case, reading: Reading) -> None:
    case = replace(case, constraints=((), case.constraints[1], ()))
    plain = search(case.model(), case.source_ids(), case.options())
    found = case.search(policy(case, reading))
    assert [found[0], found[2]] == [plain[0], plain[2]]


@settings(max_examples=60, deadline=None)
@given(case=cases(kinds=("must",), most=2), reading=readings)
@example(case=TWICE, reading="literal")
def test_constraints_are_met_wherever_there_is_room(case: Case, reading: Reading) -> None:
    """Also where no alignment passes the threshold."""
    case = replace(case, continuing=frozenset())
    lengths = [sum(max(map(len, c.alternatives)) for c in ours) for ours in case.constraints]
    for length, ranked in zip(lengths, case.search(policy(case, reading, threshold=1.0)), strict=True):
        if length <= case.max_length:
            assert all(result.met for result in ranked[0].constraint_results)


def test_a_constraint_goes_where_its_source_is() -> None:
    """Tokens 3 4 5 translate 3 4 5; instead of 4, 6 is asked for, which VDBA finds as good anywhere."""
    table = torch.full((1, 8, 7, 7), -6.0)
    for last, following in ((2, 3), (3, 4), (4, 5), (5, 1), (6, 5)):
        table[:, :, last, following] = -0.1
    table[..., 6] = -4.0
    model = table_model(table)
    affinity = torch.eye(7) + 0.01
    affinity[6] = affinity[4]
    wanted = [[TokenConstraint(alternatives=((6,),), source=(2,))]]
    source = torch.tensor([[0, 3, 4, 5]])
    case = Case(0, 7, 1.0, 4, 1, 8, 0.0, ())
    aligned = AlignVdba(aligner=TableAligner(affinity), threshold=0.1)
    found = search(model, source, case.options(), aligned, wanted)[0][0]
    assert found.constraint_results[0].met
    # The score counts how sure the alignment is, the log-probability does not.
    assert found.log_probability > found.score


def test_an_aligner_that_comes_late_is_refused() -> None:
    with pytest.raises(LexalignError, match="delay 0"):
        AlignVdba(aligner=ShiftedAttention(layer=1))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "message"), [({"temperature": 0.0}, "over 0"), ({"threshold": 2.0}, "between")]
)
def test_impossible_options_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(LexalignError, match=message):
        AlignVdba(aligner=CertainAligner(), **changes)


def test_source_tokens_outside_of_the_sentence_are_refused() -> None:
    model = table_model(random_tables(1, 6, seed=1))
    wanted = [[TokenConstraint(alternatives=((3,),), source=(9,))]]
    case = Case(0, 6, 1.0, 2, 1, 5, 0.0, ())
    with pytest.raises(LexalignError, match="outside of the sentence"):
        search(model, torch.tensor([[0, 1]]), case.options(), AlignVdba(aligner=CertainAligner()), wanted)
