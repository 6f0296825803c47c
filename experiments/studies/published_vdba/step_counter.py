"""A model that counts how often it is asked."""

from typing import Generic

from torch import Tensor

from lexalign.contracts.model import DecoderOutput, EncodedSource, State, TranslationModel, Vocabulary
from lexalign.contracts.shortlist import Shortlist


class StepCounter(Generic[State]):
    """Implements `TranslationModel` by another one."""

    def __init__(self, model: TranslationModel[State]) -> None:
        self._model = model
        self.steps = 0

    @property
    def vocabulary(self) -> Vocabulary:
        return self._model.vocabulary

    def encode(self, source_ids: Tensor) -> EncodedSource:
        return self._model.encode(source_ids)

    def start(
        self,
        source: EncodedSource,
        *,
        beam: int,
        attention_layer: int | None = None,
        static: bool = False,
        into: State | None = None,
        shortlist: Shortlist | None = None,
    ) -> State:
        return self._model.start(
            source,
            beam=beam,
            attention_layer=attention_layer,
            static=static,
            into=into,
            shortlist=shortlist,
        )

    def step(self, state: State, token_ids: Tensor) -> DecoderOutput:
        self.steps += 1
        return self._model.step(state, token_ids)

    def force(
        self, source: EncodedSource, token_ids: Tensor, attention_layer: int | None = None
    ) -> DecoderOutput:
        return self._model.force(source, token_ids, attention_layer)
