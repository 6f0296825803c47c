"""Searches with constraints, of a small random model, and how steps of them are compared."""

import copy
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

import pytest
import torch

from lexalign.alignment.aligner import LearnedAligner
from lexalign.alignment.learned import PosteriorHead
from lexalign.contracts.constraint import TokenConstraint
from lexalign.contracts.hypothesis import Hypothesis
from lexalign.contracts.sentence_tensors import SentenceTensors
from lexalign.decoding.constraints.sentence_constraints import Matching
from lexalign.decoding.graph_search import GraphSearcher
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.policies.align_vdba import AlignVdba
from lexalign.decoding.policies.guided import Guided
from lexalign.decoding.policies.token_replacement import ReplacementSelector, TokenReplacement
from lexalign.decoding.policies.unconstrained import Unconstrained
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
EVERY_POLICY = ("plain", *POLICIES)


@dataclass(frozen=True)
class Case:
    seed: int
    beam: int
    most: int  # constraints of a sentence
    words: bool
    n_best: int
    exact: bool
    repeated: bool

    def options(self) -> SearchOptions:
        return SearchOptions(beam=self.beam, n_best=self.n_best, max_length=16, exact=self.exact)

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


def make_model(seed: int, device: str = "cpu") -> Transformer:
    torch.manual_seed(seed)
    config = ModelConfig(
        vocabulary_size=VOCABULARY, width=32, feedforward_width=64, encoder_layers=1, decoder_layers=2
    )
    model = Transformer(config).eval().requires_grad_(False)
    for parameter in model.parameters():
        parameter.normal_(std=0.6)
    return model.pack("float32") if device == "cpu" else model.to(device)


def make_policy(name: str, model: Transformer, words: bool) -> Policy:
    torch.manual_seed(3)
    head = PosteriorHead(model.config.width, model.config.decoder_heads).requires_grad_(False)
    head = head.to(model.device)
    aligner = LearnedAligner(head, model.target_embedding, layer=1, temperature=0.8)
    marks = torch.rand(VOCABULARY) < 0.3
    marks[:4] = False
    matching = Matching(continues_word=marks.to(model.device) if words else None)
    made: dict[str, Policy] = {
        "plain": Unconstrained(),
        "vdba": Vdba(matching=matching),
        "vdba, averaged": Vdba(matching=matching, average_costs=True),
        "align-vdba": AlignVdba(aligner=aligner, matching=matching, threshold=0.0),
        "align-vdba, literal": AlignVdba(aligner=aligner, matching=matching, free_tokens="literal"),
        "align-vdba, threshold": AlignVdba(aligner=aligner, matching=matching, threshold=0.4),
        "guided": Guided(aligner=aligner, matching=matching),
        "replace": TokenReplacement(aligner=aligner, matching=matching),
    }
    return made[name]


def make_sources(case: Case, model: Transformer) -> torch.Tensor:
    generator = torch.Generator().manual_seed(case.seed)
    source_ids = torch.randint(4, VOCABULARY, (BATCH, SOURCE_LENGTH), generator=generator)
    source_ids[:, -1] = model.config.eos_id
    source_ids[1, 7:] = model.config.pad_id
    source_ids[1, 6] = model.config.eos_id
    return source_ids.to(model.device)


def run(case: Case, name: str) -> list[list[Hypothesis]]:
    model = make_model(case.seed)
    options = case.options()
    policy = make_policy(name, model, case.words)
    return search(model, make_sources(case, model), options, policy, case.constraints())


def search_batches(name: str, beam: int, device: str = "cpu") -> list[list[Hypothesis]]:
    """Three batches by one searcher, the last of which replay what the first has recorded."""
    model = make_model(3, device)
    searcher: GraphSearcher | None = None
    found: list[list[Hypothesis]] = []
    for seed in (3, 4, 5):
        case = Case(seed=seed, beam=beam, most=3, words=True, n_best=1, exact=False, repeated=seed == 4)
        searcher = searcher or GraphSearcher(model, case.options(), make_policy(name, model, words=True))
        found += searcher.search(make_sources(case, model), None if name == "plain" else case.constraints())
    return found


def assert_alike(
    ours: Sequence[Sequence[Hypothesis]], others: Sequence[Sequence[Hypothesis]], tolerance: float
) -> None:
    for one, other in zip(ours, others, strict=True):
        assert [found.token_ids for found in one] == [found.token_ids for found in other]
        scores = [found.score for found in other]
        assert [found.score for found in one] == pytest.approx(scores, abs=tolerance)


@contextmanager
def comparing_steps(name: str, tolerance: float = 0.0) -> Iterator[None]:
    """Holds every step of a search with kernels against the same step without them, bit by bit."""
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
        assert_same(selection, plain, tolerance)
        alive = distinct(selection.going.scores, tolerance)
        for ours, other in zip(tensors(self.state), tensors(twin.state), strict=True):
            by_slot = ours.shape[:2] == alive.shape
            assert_equal(ours[alive] if by_slot else ours, other[alive] if by_slot else other, tolerance)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kind, "select", select_both)
        patch.setattr(kind, "commit", commit_both)
        yield


def assert_same(ours: Selection[Any], plain: Selection[Any], tolerance: float) -> None:
    """Of those that go on or end, all is the same; and it is the same ones."""
    assert_equal(ours.going.scores, plain.going.scores, tolerance)
    pairs = (
        (ours.going, plain.going, distinct(ours.going.scores, tolerance)),
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
                assert_equal(values[there], others[there], tolerance)


def distinct(scores: torch.Tensor, tolerance: float) -> torch.Tensor:
    """Those (B, K) that can win; with a tolerance, those alone that no other is level with."""
    alive = scores > float("-inf")
    near = (scores[:, :, None] - scores[:, None]).abs() <= tolerance
    return alive & (near.sum(dim=2) <= 1) if tolerance else alive


def assert_equal(ours: torch.Tensor, other: torch.Tensor, tolerance: float) -> None:
    torch.testing.assert_close(ours, other, rtol=0.0, atol=tolerance)


def tensors(state: SentenceTensors) -> Iterator[torch.Tensor]:
    for _, value in state._items():
        if isinstance(value, SentenceTensors):
            yield from tensors(value)
        elif value is not None:
            yield value
