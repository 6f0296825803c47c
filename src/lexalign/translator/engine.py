"""Token ids in, hypotheses or log-probabilities out: a model on its device."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import torch
from torch import Tensor

from lexalign.contracts.alignment import OnlineAligner
from lexalign.contracts.errors import LexalignError
from lexalign.contracts.hypothesis import Hypothesis
from lexalign.data.collate import pad_sentences
from lexalign.decoding.captured import CapturedSearcher
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.search import search
from lexalign.models.folder import load_model
from lexalign.models.projection import Precision
from lexalign.models.transformer import Transformer
from lexalign.text.tokenizer import Tokenizer
from lexalign.translator.aligners import OnlineMethod, load_aligner
from lexalign.translator.streaming import StreamedToken, stream_tokens

Ids = Sequence[int]


class Engine:
    """Sources are given without end of sentence."""

    def __init__(self, model: Transformer) -> None:
        self._model = model
        vocabulary = model.vocabulary
        self._eos_id, self._pad_id, self._prefix = (
            vocabulary.eos_id,
            vocabulary.pad_id,
            vocabulary.target_prefix,
        )
        self.max_source = model.config.max_positions - 1  # end of sentence needs a position too
        self._captured: tuple[SearchOptions, CapturedSearcher] | None = None
        self._aligners: dict[OnlineMethod, OnlineAligner] = {}
        self.max_target = model.config.max_positions - len(self._prefix)

    @classmethod
    def load(cls, path: Path, device: str, precision: Precision) -> tuple["Engine", Tokenizer]:
        model, tokenizer = load_model(path, device=device, precision=precision)
        return cls(model), tokenizer

    @property
    def on_cpu(self) -> bool:
        return self._model.device.type == "cpu"

    def search(self, sources: Sequence[Ids], options: SearchOptions) -> list[list[Hypothesis]]:
        with self._ready():
            if self.on_cpu:
                return search(self._model, self._sources(sources), options)
            return self._searcher(options).search(self._sources(sources))

    @torch.inference_mode()
    def force(self, sources: Sequence[Ids], targets: Sequence[Ids]) -> list[list[float]]:
        """The log-probability of every token of the targets, and of the end of each."""
        outputs = [[*target, self._eos_id] for target in targets]
        inputs = self._pad([[*self._prefix, *target] for target in targets])
        with self._ready():
            encoded = self._model.encode(self._sources(sources))
            logits = self._model.force(encoded, inputs).logits[:, len(self._prefix) - 1 :]  # (B, T, V)
            # As in a search, what is never generated takes no share of the probability.
            logits[:, :, list(self._model.vocabulary.never_generated)] = float("-inf")
            chosen = logits.gather(2, self._pad(outputs)[:, :, None])[:, :, 0].float()
            found = (chosen - logits.float().logsumexp(dim=2)).tolist()
        return [row[: len(output)] for row, output in zip(found, outputs, strict=True)]

    def aligner(self, folder: Path, tokenizer: Tokenizer, method: OnlineMethod) -> OnlineAligner:
        """The model's aligner of a method, read once; it must be one of delay 0."""
        if method not in self._aligners:
            aligner = load_aligner(folder, self._model, tokenizer, method)
            if aligner.delay:
                raise LexalignError(
                    f"{method} knows the source of a token only after the next; use post-aln, prior-att or "
                    "naive-att"
                )
            self._aligners[method] = cast(OnlineAligner, aligner)
        return self._aligners[method]

    def stream(
        self, tokenizer: Tokenizer, aligner: OnlineAligner, text: str, max_tokens: int
    ) -> Iterator[StreamedToken]:
        tokens = stream_tokens(self._model, tokenizer, aligner, text, max_tokens)
        while True:
            with self._ready():
                token = next(tokens, None)
            if token is None:
                return
            yield token

    def _searcher(self, options: SearchOptions) -> CapturedSearcher:
        """What the last call has recorded, unless it was recorded for other options."""
        if self._captured is None or self._captured[0] != options:
            self._captured = options, CapturedSearcher(self._model, options)
        return self._captured[1]

    def _sources(self, sources: Sequence[Ids]) -> Tensor:
        return self._pad([[*source, self._eos_id] for source in sources])

    def _pad(self, sentences: Sequence[Ids]) -> Tensor:
        return pad_sentences(sentences, self._pad_id).to(self._model.device)

    @contextmanager
    def _ready(self) -> Iterator[None]:
        """One thread on a CPU: those of a team wait for one another at each of many small operations."""
        num_threads = torch.get_num_threads()
        if self.on_cpu:
            torch.set_num_threads(1)
        try:
            yield
        except torch.OutOfMemoryError:
            raise LexalignError("the GPU's memory is too small for this; use smaller batches") from None
        finally:
            torch.set_num_threads(num_threads)
