"""Token ids in, hypotheses or log-probabilities out: a model on its device."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import cast

import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from lexalign.alignment.forced import force_target
from lexalign.contracts.alignment import Aligner, OnlineAligner
from lexalign.contracts.constraint import TokenConstraint
from lexalign.contracts.errors import LexalignError
from lexalign.contracts.hypothesis import Hypothesis, Origin
from lexalign.contracts.model import EncodedSource
from lexalign.data.collate import pad_sentences
from lexalign.decoding.captured import CapturedSearcher
from lexalign.decoding.constraints.fates import with_probabilities
from lexalign.decoding.constraints.requests import Matching
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.policies.unconstrained import Unconstrained
from lexalign.decoding.policy import Policy
from lexalign.decoding.search import Part, join_parts, search_parts
from lexalign.models.folder import load_model
from lexalign.models.projection import Precision
from lexalign.models.transformer import Transformer
from lexalign.text.subwords import Languages, ModelTokenizer
from lexalign.text.word_starts import continues_word
from lexalign.translator.aligners import OnlineMethod, load_aligner
from lexalign.translator.fitting import Fitting, lacks_memory
from lexalign.translator.options import ConstraintOptions
from lexalign.translator.plan import Ids, SearchPlan, Sentence
from lexalign.translator.policies import make_policy
from lexalign.translator.streaming import StreamedToken, stream_tokens
from lexalign.translator.word_aligner import WordAligner

_ATTENTION = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]


class Engine:
    """A model with its tokenizer and what its folder holds beside them."""

    def __init__(self, model: Transformer, tokenizer: ModelTokenizer, folder: Path) -> None:
        self._weights, self._tokenizer, self._folder = model, tokenizer, folder
        self._model = model = model.begun_by(tokenizer.target_marks)
        vocabulary = model.vocabulary
        self._eos_id, self._pad_id, self._prefix = (
            vocabulary.eos_id,
            vocabulary.pad_id,
            vocabulary.target_prefix,
        )
        self.max_source = model.config.max_positions - 1  # end of sentence needs a position too
        self.max_target = model.config.max_positions - len(self._prefix)
        self._fitting = Fitting()
        self._searchers: dict[tuple[SearchOptions, ConstraintOptions | None], CapturedSearcher] = {}
        self._aligners: dict[OnlineMethod, Aligner] = {}
        self._policies: dict[ConstraintOptions, Policy] = {}

    @classmethod
    def load(
        cls, path: Path, device: str, precision: Precision | None, languages: Languages | None = None
    ) -> tuple["Engine", ModelTokenizer]:
        model, tokenizer = load_model(path, device=device, precision=precision)
        bound = tokenizer.between(languages)
        return cls(model, bound, path), bound

    def between(self, languages: Languages) -> tuple["Engine", ModelTokenizer]:
        """The same weights for other languages."""
        bound = self._tokenizer.between(languages)
        return Engine(self._weights, bound, self._folder), bound

    @property
    def on_cpu(self) -> bool:
        return self._model.device.type == "cpu"

    def search(self, sentences: Sequence[Sentence], plan: SearchPlan) -> list[list[Hypothesis]]:
        results: list[list[Hypothesis]] = [[] for _ in sentences]
        for places, found in self.search_parts(sentences, plan, 1):
            for place, ranked in zip(places, found, strict=True):
                results[place] = ranked
        return results

    @torch.inference_mode()
    def search_parts(self, sentences: Sequence[Sentence], plan: SearchPlan, number: int) -> Iterator[Part]:
        """As `search`; on a CPU what is done is given before the rest, in about so many parts."""
        ignored = plan.constraints.policy == "none"
        constraints = [() if ignored else sentence.constraints for sentence in sentences]
        asked = plan.constraints if any(constraints) else None
        with self._ready():
            if not self.on_cpu:
                search = partial(self._search_recorded, plan, asked)
                yield from self._fitting.parts(sentences, search, self._forget_recorded)
                return
            source_ids = self._sources([sentence.ids for sentence in sentences])
            source = self._model.encode(source_ids)
            policy = self._policy(asked)
            parts = search_parts(self._model, source_ids, source, plan.search, policy, constraints)
            for part in join_parts(parts, -(-len(sentences) // number), len(sentences)):
                yield self._with_origins(part, source_ids, source, constraints, plan.align)

    def _search_recorded(
        self, plan: SearchPlan, asked: ConstraintOptions | None, sentences: Sequence[Sentence]
    ) -> list[list[Hypothesis]]:
        constraints = [() if asked is None else sentence.constraints for sentence in sentences]
        source_ids = self._sources([sentence.ids for sentence in sentences])
        found = self._searcher(plan.search, asked).search(source_ids, constraints)
        part = list(range(len(sentences))), found
        return self._with_origins(part, source_ids, None, constraints, plan.align)[1]

    def _forget_recorded(self) -> None:
        self._searchers.clear()
        torch.cuda.empty_cache()

    def prepare(self, plan: SearchPlan, *, constrained: bool) -> None:
        """Read what a plan needs, so that what is missing is known before anything is translated."""
        if plan.align is not None:
            self.aligner(plan.align)
        if constrained:
            self._policy(plan.constraints)

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
            log_probabilities = torch.log_softmax(logits.float(), dim=2)
            found = log_probabilities.gather(2, self._pad(outputs)[:, :, None])[:, :, 0].tolist()
        return [row[: len(output)] for row, output in zip(found, outputs, strict=True)]

    def aligner(self, method: OnlineMethod) -> Aligner:
        """The model's aligner of a method, read once."""
        if method not in self._aligners:
            self._aligners[method] = load_aligner(self._folder, self._model, self._tokenizer, method)
        return self._aligners[method]

    def word_aligner(self, method: OnlineMethod) -> WordAligner:
        return WordAligner(self._model, self._tokenizer, self.aligner(method))

    def stream(self, method: OnlineMethod, text: str, max_tokens: int) -> Iterator[StreamedToken]:
        aligner = self.aligner(method)
        if aligner.delay:
            raise LexalignError(
                f"{method} knows the source of a token only after the next; "
                "use post-aln, prior-att or naive-att"
            )
        return self._stream(cast(OnlineAligner, aligner), text, max_tokens)

    def _stream(self, aligner: OnlineAligner, text: str, max_tokens: int) -> Iterator[StreamedToken]:
        tokens = stream_tokens(self._model, self._tokenizer, aligner, text, max_tokens)
        while True:
            with self._ready():
                token = next(tokens, None)
            if token is None:
                return
            yield token

    def _policy(self, options: ConstraintOptions | None) -> Policy:
        if options is None or options.policy == "none":
            return Unconstrained()
        if options not in self._policies:
            self._policies[options] = make_policy(options, self.aligner, self._matching(options))
        return self._policies[options]

    def _matching(self, options: ConstraintOptions) -> Matching:
        marks = continues_word(self._tokenizer.target).to(self._model.device)
        return Matching(continues_word=marks, ordered=options.ordered)

    def _with_origins(
        self,
        part: Part,
        source_ids: Tensor,
        source: EncodedSource | None,
        constraints: Sequence[Sequence[TokenConstraint]],
        method: OnlineMethod | None,
    ) -> Part:
        """Every hypothesis forced once more, and aligned, where there is a method; the source may be encoded
        already."""
        places, found = part
        flat = [(row, hypothesis) for row, ranked in enumerate(found) for hypothesis in ranked]
        if not flat or method is None:
            return part
        aligner = self.aligner(method)
        rows = torch.tensor([places[row] for row, _ in flat], device=source_ids.device)
        if source is not None:
            source = EncodedSource(states=source.states[rows], mask=source.mask[rows])
        # Without an end of sentence: a hypothesis as long as the model can see leaves no place for it.
        targets = self._pad([hypothesis.token_ids or (self._eos_id,) for _, hypothesis in flat])
        forced = force_target(self._model, source_ids[rows], targets, aligner.layer, source)
        # An end of sentence is nothing that a word could come from.
        distributions = aligner.align(forced)  # (N, T, S)
        best = distributions.masked_fill(~forced.source_content[:, None], -1.0).max(dim=-1)
        sources, chances = best.indices.tolist(), best.values.clamp(max=1.0).tolist()
        results: list[list[Hypothesis]] = [[] for _ in found]
        for place, (row, hypothesis) in enumerate(flat):
            pairs = zip(sources[place], chances[place], strict=True)
            origins = tuple(Origin(*pair) for pair in islice(pairs, len(hypothesis.token_ids)))
            fates = with_probabilities(hypothesis.fates, constraints[places[row]], distributions[place])
            results[row].append(replace(hypothesis, origins=origins, fates=fates))
        return places, results

    def _searcher(self, options: SearchOptions, asked: ConstraintOptions | None) -> CapturedSearcher:
        """With what it has recorded before; what other options have recorded is forgotten, for its memory."""
        if (options, asked) not in self._searchers:
            plain = (options, None)
            kept = {plain: self._searchers[plain]} if plain in self._searchers else {}
            self._searchers = kept | {
                (options, asked): CapturedSearcher(self._model, options, self._policy(asked))
            }
        return self._searchers[options, asked]

    def _sources(self, sources: Sequence[Ids]) -> Tensor:
        return self._pad([[*source, self._eos_id] for source in sources])

    def _pad(self, sentences: Sequence[Ids]) -> Tensor:
        return pad_sentences(sentences, self._pad_id).to(self._model.device)

    @contextmanager
    def _ready(self) -> Iterator[None]:
        """One thread on a CPU: those of a team wait for one another at each of many small operations.

        On a GPU no attention that plans for every new shape, as cuDNN's does.
        """
        num_threads = torch.get_num_threads()
        if self.on_cpu:
            torch.set_num_threads(1)
        try:
            with sdpa_kernel(_ATTENTION):
                yield
        except RuntimeError as error:
            if not lacks_memory(error):
                raise
            raise LexalignError("the GPU's memory is too small for this; use smaller batches") from None
        finally:
            torch.set_num_threads(num_threads)
