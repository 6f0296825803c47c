"""Beam search on a GPU, its step recorded once as a CUDA graph and replayed.

A step of beam search is some three hundred small operations; launched one by one they take the host longer
than the GPU. Batches are therefore padded to few shapes, each shape has tensors of its own that are used
again for every batch, and the host looks at them only every few steps.
"""

import torch
from torch import Tensor
from torch.nn import functional as F

from lexalign.contracts.hypothesis import Hypothesis
from lexalign.contracts.model import State, TranslationModel
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.policies.unconstrained import Unconstrained
from lexalign.decoding.policy import Policy
from lexalign.decoding.search import STEPS_PER_RESERVE, BeamSearch
from lexalign.recording import Operations, recorder_for

_LENGTH_MULTIPLE = 16
_BATCH_MULTIPLE = 32
_MAX_SHAPES = 32  # each holds its tensors and graphs on the GPU


class CapturedSearcher:
    """Searches many batches; keeps the tensors and graphs of every shape it has met."""

    def __init__(
        self, model: TranslationModel[State], options: SearchOptions, policy: Policy | None = None
    ) -> None:
        self._model, self._options, self._policy = model, options, policy or Unconstrained()
        self._shapes: dict[tuple[int, int], ShapeSearch] = {}

    @torch.inference_mode()
    def search(self, source_ids: Tensor) -> list[list[Hypothesis]]:
        """As `search`, for padded sentences (B, S)."""
        vocabulary = self._model.vocabulary
        lengths = (source_ids != vocabulary.pad_id).sum(dim=1).tolist()
        limits = [self._options.limit(length) for length in lengths]
        batch, length = source_ids.shape
        padded = F.pad(
            source_ids, (0, -length % _LENGTH_MULTIPLE, 0, -batch % _BATCH_MULTIPLE), value=vocabulary.pad_id
        )
        padded[batch:, 0] = vocabulary.eos_id
        limits += [1] * (len(padded) - batch)
        shape = (padded.shape[0], padded.shape[1])
        if shape not in self._shapes:
            if len(self._shapes) == _MAX_SHAPES:
                self._shapes.pop(next(iter(self._shapes)))
            self._shapes[shape] = ShapeSearch(self._model, padded, self._options, self._policy)
        return self._shapes[shape].run(padded, limits)[:batch]


class ShapeSearch:
    """The search of batches of one shape."""

    def __init__(
        self, model: TranslationModel[State], source_ids: Tensor, options: SearchOptions, policy: Policy
    ) -> None:
        self._model = model
        batch, length = source_ids.shape
        state = model.start(model.encode(source_ids), beam=options.beam, static=True)
        limits = [options.limit(length)] * batch
        self._search = BeamSearch(model, state, limits, options, policy, source_ids.device, static=True)
        self._recorder = recorder_for(source_ids.device)
        self._recorded: dict[object, Operations] = {}

    def run(self, source_ids: Tensor, limits: list[int]) -> list[list[Hypothesis]]:
        search = self._search
        search.restart(
            self._model.start(self._model.encode(source_ids), beam=search.options.beam, into=search.state),
            limits,
        )
        search.begin()
        step, longest = 0, max(limits)
        while step < longest and not bool(search.done().all()):
            search.state.reserve(STEPS_PER_RESERVE)
            count = min(STEPS_PER_RESERVE, longest - step)
            self._advance(count)
            step += count
        return search.read(torch.arange(len(limits), device=source_ids.device))

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
