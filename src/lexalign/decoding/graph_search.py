"""Beam search on a GPU, its step recorded once as a CUDA graph and replayed.

A step of beam search is some three hundred small operations; launched one by one they take the host longer
than the GPU. Batches are therefore padded to few shapes, each shape has tensors of its own that are used
again for every batch, and the host looks at them only every few steps.
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

from lexalign.contracts.constraint import TokenConstraint
from lexalign.contracts.hypothesis import Hypothesis
from lexalign.contracts.model import State, TranslationModel
from lexalign.cuda_graphs import Operations, recorder_for
from lexalign.decoding.constraints.results import add_constraint_results
from lexalign.decoding.lexical_shortlist import LexicalShortlist
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.policies.unconstrained import Unconstrained
from lexalign.decoding.policy import AnySelector, Policy, SearchBatch
from lexalign.decoding.search import STEPS_PER_RESERVE, BeamSearch, search

_LENGTH_MULTIPLE = 16
_BATCH_MULTIPLE = 32
_MAX_SHAPES = 32  # each holds its tensors and graphs on the GPU


class GraphSearcher:
    """Searches many batches; keeps the tensors and graphs of every shape it has met."""

    def __init__(
        self,
        model: TranslationModel[State],
        options: SearchOptions,
        policy: Policy | None = None,
        shortlist: LexicalShortlist | None = None,
    ) -> None:
        self._model, self._options, self._policy = model, options, policy or Unconstrained()
        self._shortlist = shortlist
        self._shapes: dict[tuple[object, ...], ShapeSearch] = {}

    @torch.inference_mode()
    def search(
        self,
        source_ids: Tensor,
        constraints: Sequence[Sequence[TokenConstraint]] | None = None,
        listed: Sequence[Sequence[TokenConstraint]] | None = None,
    ) -> list[list[Hypothesis]]:
        """As `search`, for padded sentences (B, S); `listed` must be on their shortlists."""
        if not self._policy.recordable:
            return search(self._model, source_ids, self._options, self._policy, constraints, self._shortlist)
        number = len(source_ids)
        batch = self._pad(source_ids, constraints or [()] * number, listed)
        selector = self._policy.begin(batch)
        shape = (*batch.source_ids.shape, type(selector), selector.state.layout)
        if shape not in self._shapes:
            if len(self._shapes) == _MAX_SHAPES:
                self._shapes.pop(next(iter(self._shapes)))
            self._shapes[shape] = ShapeSearch(
                self._model, batch, self._options, self._policy, self._shortlist
            )
        found = self._shapes[shape].run(batch, selector)
        return add_constraint_results(
            found, selector.constraints, guaranteed=self._policy.guarantees_constraints
        )[:number]

    def _pad(
        self,
        source_ids: Tensor,
        constraints: Sequence[Sequence[TokenConstraint]],
        listed: Sequence[Sequence[TokenConstraint]] | None,
    ) -> SearchBatch:
        """To one of few shapes; further sentences are but an end of sentence."""
        vocabulary = self._model.vocabulary
        lengths = (source_ids != vocabulary.pad_id).sum(dim=1).tolist()
        batch, length = source_ids.shape
        missing = -batch % _BATCH_MULTIPLE
        padded = F.pad(source_ids, (0, -length % _LENGTH_MULTIPLE, 0, missing), value=vocabulary.pad_id)
        padded[batch:, 0] = vocabulary.eos_id
        return SearchBatch(
            constraints=[*constraints, *[()] * missing],
            source_ids=padded,
            source=self._model.encode(padded),
            limits=[*(self._options.limit(length) for length in lengths), *[1] * missing],
            vocabulary=vocabulary,
            beam=self._options.beam,
            length_penalty=self._options.length_penalty,
            exact=self._options.exact,
            static=True,
            listed=None if listed is None else [*listed, *[()] * missing],
        )


class ShapeSearch:
    """The search of batches of one shape."""

    def __init__(
        self,
        model: TranslationModel[State],
        batch: SearchBatch,
        options: SearchOptions,
        policy: Policy,
        shortlist: LexicalShortlist | None,
    ) -> None:
        self._model, self._shortlist = model, shortlist
        size, length = batch.source_ids.shape
        device = batch.source_ids.device
        state = model.start(
            batch.source,
            beam=options.beam,
            attention_layer=policy.attention_layer,
            static=True,
            shortlist=batch.select(shortlist),
        )
        limits = [options.limit(length)] * size
        self._search = BeamSearch(model, state, limits, options, policy.begin(batch), device, static=True)
        self._recorder = recorder_for(device)
        self._recorded: dict[object, Operations] = {}

    def run(self, batch: SearchBatch, selector: AnySelector) -> list[list[Hypothesis]]:
        search = self._search
        shortlist = batch.select(self._shortlist)
        state = self._model.start(
            batch.source, beam=search.options.beam, into=search.state, shortlist=shortlist
        )
        search.restart(state, batch.limits, selector)
        search.begin()
        step, longest = 0, max(batch.limits)
        while step < longest and not bool(search.done().all()):
            search.state.reserve(STEPS_PER_RESERVE)
            count = min(STEPS_PER_RESERVE, longest - step)
            self._advance(count)
            step += count
        return search.read(torch.arange(len(batch.limits), device=batch.source_ids.device))

    def _advance(self, count: int) -> None:
        """So many steps between which no shape changes."""
        key = self._search.state.layout
        if key not in self._recorded:
            self._recorder.rehearse(self._step)
            count -= 1
            self._recorded[key] = self._recorder.record(self._step)
        for _ in range(count):
            self._recorded[key]()

    def _step(self) -> None:
        self._search.advance(1)
