"""Searches with constraints find the same with kernels and without them."""

import copy
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, cast

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lexalign.alignment.aligner import LearnedAligner
from lexalign.alignment.learned import PosteriorHead
from lexalign.contracts.constraint import TokenConstraint
from lexalign.contracts.hypothesis import Hypothesis
from lexalign.contracts.sentence_tensors import SentenceTensors
from lexalign.decoding.constraints.sentence_constraints import Matching
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.policies.align_vdba import AlignVdba
from lexalign.decoding.policies.bank_kernels import BankKernels
from lexalign.decoding.policies.guided import Guided
from lexalign.decoding.policies.token_replacement import ReplacementSelector, TokenReplacement
from lexalign.decoding.policies.vdba import BankSelector, Vdba
from lexalign.decoding.policy import Policy, Selection, Step
from lexalign.decoding.search import search
from lexalign.models.config import ModelConfig
from lexalign.models.transformer import Transformer

VOCABULARY, SOURCE_LENGTH, BATCH = 60, 11, 4
POLICIES = (
    *("vdba", "vdba, averaged", "align-vdba", "align-vdba, literal", "align-vdba, threshold"),
    *("guided", "replace"),
)


@dataclass(frozen=True)
class Case:
    seed: int
    beam: int
    most: int  # constraints of a sentence
    words: bool
    n_best: int
    exact: bool
    repeated: bool

    def constraints(self) -> list[list[TokenConstraint]]:
        generator = random.Random(self.seed)
        return [self._sentence(generator) for _ in range(BATCH)]

    def _sentence(self, generator: random.Random) -> list[TokenConstraint]:
        ours = [self._constraint(generator) for _ in range(generator.randrange(self.most + 1))]
        return [*ours, *ours[:1]] if self.repeated else ours

    def _constraint(self, generator: random.Random) -> TokenConstraint:
        forms = tuple(
            tuple(generator.randrange(4, VOCABULARY) for _ in range(generator.choice([1, 1, 2, 3])))
            for _ in range(generator.choice([1, 1, 2]))
        )
        first = generator.randrange(SOURCE_LENGTH - 3)
        source = generator.choice([None, (first,), (first, first + 1)])
        return TokenConstraint(alternatives=forms, source=source, whole=generator.random() < 0.7)


def make_model(seed: int) -> Transformer:
    torch.manual_seed(seed)
    config = ModelConfig(
        vocabulary_size=VOCABULARY, width=32, feedforward_width=64, encoder_layers=1, decoder_layers=2
    )
    model = Transformer(config).eval().requires_grad_(False)
    for parameter in model.parameters():
        parameter.normal_(std=0.6)
    return model.pack("float32")


def make_policy(name: str, model: Transformer, words: bool) -> Policy:
    torch.manual_seed(3)
    head = PosteriorHead(model.config.width, model.config.decoder_heads).requires_grad_(False)
    aligner = LearnedAligner(head, model.target_embedding, layer=1, temperature=0.8)
    marks = torch.rand(VOCABULARY) < 0.3
    marks[:4] = False
    matching = Matching(continues_word=marks if words else None)
    made: dict[str, Policy] = {
        "vdba": Vdba(matching=matching),
        "vdba, averaged": Vdba(matching=matching, average_costs=True),
        "align-vdba": AlignVdba(aligner=aligner, matching=matching, threshold=0.0),
        "align-vdba, literal": AlignVdba(aligner=aligner, matching=matching, free_tokens="literal"),
        "align-vdba, threshold": AlignVdba(aligner=aligner, matching=matching, threshold=0.4),
        "guided": Guided(aligner=aligner, matching=matching),
        "replace": TokenReplacement(aligner=aligner, matching=matching),
    }
    return made[name]


def run(case: Case, name: str) -> list[list[Hypothesis]]:
    model = make_model(case.seed)
    generator = torch.Generator().manual_seed(case.seed)
    source_ids = torch.randint(4, VOCABULARY, (BATCH, SOURCE_LENGTH), generator=generator)
    source_ids[:, -1] = model.config.eos_id
    source_ids[1, 7:] = model.config.pad_id
    source_ids[1, 6] = model.config.eos_id
    options = SearchOptions(beam=case.beam, n_best=case.n_best, max_length=16, exact=case.exact)
    return search(model, source_ids, options, make_policy(name, model, case.words), case.constraints())


CASES = st.builds(
    Case,
    seed=st.integers(0, 10_000),
    beam=st.sampled_from([1, 2, 5, 7]),
    most=st.integers(1, 4),
    words=st.booleans(),
    n_best=st.just(1),
    exact=st.booleans(),
    repeated=st.booleans(),
)


@pytest.mark.parametrize("name", POLICIES)
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=CASES)
def test_finds_the_same_without_kernels(
    case: Case, name: str, without_kernels: Callable[[], None], with_kernels: Callable[[], None]
) -> None:
    """But for the last bits: hypotheses that can never win may differ, and with them the cache's places."""
    with_kernels()
    found = run(case, name)
    without_kernels()
    for ours, plain in zip(found, run(case, name), strict=True):
        assert [one.token_ids for one in ours] == [one.token_ids for one in plain]
        assert [one.score for one in ours] == pytest.approx([one.score for one in plain], abs=1e-5)


@pytest.mark.parametrize("name", POLICIES)
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=CASES)
def test_a_step_is_the_same_to_the_last_bit(case: Case, name: str) -> None:
    kind: Any = ReplacementSelector if name == "replace" else BankSelector
    select, commit = kind.select, kind.commit
    twins = []

    def select_both(self: Any, step: Step, prepared: Any) -> Selection[Any]:
        self._kernels, kernels = None, self._kernels
        twin = copy.deepcopy(self)
        self._kernels = kernels
        ours = select(self, step, prepared)
        twins.append((twin, select(twin, step, twin.prepare(step.scores.rows, step.clock))))
        return cast(Selection[Any], ours)

    def commit_both(self: Any, selection: Selection[Any]) -> None:
        twin, plain = twins.pop()
        commit(self, selection)
        commit(twin, plain)
        assert_same(selection, plain)
        alive = selection.going.scores > float("-inf")
        for ours, other in zip(tensors(self.state), tensors(twin.state), strict=True):
            by_slot = ours.shape[:2] == alive.shape
            assert torch.equal(ours[alive], other[alive]) if by_slot else torch.equal(ours, other)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kind, "select", select_both)
        patch.setattr(kind, "commit", commit_both)
        run(case, name)


def assert_same(ours: Selection[Any], plain: Selection[Any]) -> None:
    """Of those that go on or end, all is the same; and it is the same ones."""
    pairs = (
        (ours.going, plain.going, ours.going.scores > float("-inf")),
        (ours.ended, plain.ended, ours.ends),
    )
    assert torch.equal(ours.ends, plain.ends)
    for one, other, there in pairs:
        for values, others in (
            (one.scores, other.scores),
            (one.beam_index, other.beam_index),
            (one.token_ids, other.token_ids),
            (one.bias, other.bias),
        ):
            assert (values is None) == (others is None)
            if values is not None and others is not None:
                assert torch.equal(values[there], others[there])


def tensors(state: SentenceTensors) -> Iterator[torch.Tensor]:
    for _, value in state._items():
        if isinstance(value, SentenceTensors):
            yield from tensors(value)
        elif value is not None:
            yield value


def test_kernels_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not where something is preferred or avoided, which they do not know."""
    calls: list[int] = []
    commit = BankKernels.commit

    def count(kernels: BankKernels) -> None:
        calls.append(1)
        commit(kernels)

    monkeypatch.setattr(BankKernels, "commit", count)
    model = make_model(1)
    source_ids = torch.tensor([[5, 6, 7, 1]])
    for kind in ("must", "prefer", "avoid"):
        calls.clear()
        wish = TokenConstraint(alternatives=((9, 8),), source=(1,), kind=kind)
        must = TokenConstraint(alternatives=((7,),), source=(2,))
        search(model, source_ids, SearchOptions(), make_policy("guided", model, True), [[must, wish]])
        assert bool(calls) == (kind == "must")
