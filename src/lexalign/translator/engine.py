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
from lexalign.decoding.constraints.results import with_probabilities
from lexalign.decoding.constraints.sentence_constraints import Matching
from lexalign.decoding.graph_search import GraphSearcher
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.policies.unconstrained import Unconstrained
from lexalign.decoding.policy import Policy
from lexalign.decoding.search import Part, join_parts, search_parts
from lexalign.models.folder import load_model
from lexalign.models.projection import Precision
from lexalign.models.transformer import Transformer
from lexalign.text.languages import primary
from lexalign.text.model_languages import check_languages, languages_of_folder
from lexalign.text.subwords import Languages, ModelTokenizer
from lexalign.text.word_starts import word_continuation_mask
from lexalign.translator.aligners import OnlineMethod, load_aligner
from lexalign.translator.oom_splitting import OomBatchSplitter, lacks_memory
from lexalign.translator.options import ConstraintOptions
from lexalign.translator.plan import Ids, SearchPlan, Sentence
from lexalign.translator.policies import make_policy
from lexalign.translator.streaming import StreamedToken, stream_tokens
from lexalign.translator.word_aligner import WordAligner

_ATTENTION = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]


class Engine:
    """A model with its tokenizer and what its folder holds beside them."""

    def __init__(
        self, model: Transformer, tokenizer: ModelTokenizer, folder: Path, languages: Languages | None = None
    ) -> None:
        """`languages` are those that a model of one pair translates between, where they are known."""
        self._weights, self._tokenizer, self._folder = model, tokenizer, folder
        self.languages = _primary(tokenizer.chosen) if tokenizer.languages else languages
        self._model = model = model.with_target_prefix(tokenizer.target_language_ids)
        vocabulary = model.vocabulary
        self._eos_id, self._pad_id, self._prefix = (
            vocabulary.eos_id,
            vocabulary.pad_id,
            vocabulary.target_prefix,
        )
        self.max_source = model.config.max_positions - 1  # end of sentence needs a position too
        self.max_target = model.config.max_positions - len(self._prefix)
        self._fitting = OomBatchSplitter()
        self._searchers: dict[tuple[SearchOptions, ConstraintOptions | None], GraphSearcher] = {}
        self._aligners: dict[OnlineMethod, Aligner] = {}
        self._missing: set[OnlineMethod] = set()
        self._policies: dict[ConstraintOptions, Policy] = {}

    @classmethod
    def load(
        cls, path: Path, device: str, precision: Precision | None, languages: Languages | None = None
    ) -> tuple["Engine", ModelTokenizer]:
        model, tokenizer = load_model(path, device=device, precision=precision)
        bound = tokenizer.between(languages)
        known = None if tokenizer.languages else languages_of_folder(path)
        check_languages(path, known, languages or (None, None))
        given = _primary(languages) if languages and all(languages) else None
        return cls(model, bound, path, known or given), bound

    def between(self, languages: Languages) -> tuple["Engine", ModelTokenizer]:
        """The same weights for other languages."""
        bound = self._tokenizer.between(languages)
        known = None if bound.languages else self.languages
        check_languages(self._folder, known, languages)
        return Engine(self._weights, bound, self._folder, known), bound

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
        for places, asked in self._divide(sentences, plan):
            group = [sentences[place] for place in places]
            for found, ranked in self._search_group(group, asked, plan, number):
                yield [places[place] for place in found], ranked

    def _divide(
        self, sentences: Sequence[Sentence], plan: SearchPlan
    ) -> Iterator[tuple[list[int], ConstraintOptions | None]]:
        """Which sentences are searched together, and how: those with stand-ins alone by replacement.

        It costs a sentence the least, and what it does not meet is set by the alignment. Sentences of which
        nothing is asked go with the others.
        """
        with_terms = plan.constraints.policy != "none" and any(one.constraints for one in sentences)
        copying = self._copying(plan) if any(one.stand_ins for one in sentences) else None
        if not with_terms or copying is None:
            yield list(range(len(sentences))), plan.constraints if with_terms else copying
            return
        apart = [place for place, one in enumerate(sentences) if one.stand_ins and not one.constraints]
        together = sorted(set(range(len(sentences))) - set(apart))
        yield from (
            (places, asked) for places, asked in ((together, plan.constraints), (apart, copying)) if places
        )

    def _copying(self, plan: SearchPlan) -> ConstraintOptions | None:
        """How stand-ins are copied; without an aligner they are left to the model."""
        method = plan.constraints.method
        return ConstraintOptions(policy="replace", method=method) if self.has_aligner(method) else None

    def _search_group(
        self, sentences: Sequence[Sentence], asked: ConstraintOptions | None, plan: SearchPlan, number: int
    ) -> Iterator[Part]:
        with self._ready():
            if not self.on_cpu:
                search = partial(self._search_recorded, plan, asked)
                yield from self._fitting.parts(sentences, search, self._forget_recorded)
                return
            constraints = _constraints(sentences, asked, plan)
            source_ids = self._sources([sentence.ids for sentence in sentences])
            source = self._model.encode(source_ids)
            policy = self._policy(asked)
            parts = search_parts(self._model, source_ids, source, plan.search, policy, constraints)
            for part in join_parts(parts, -(-len(sentences) // number), len(sentences)):
                yield self._with_origins(part, sentences, source_ids, source, constraints, plan)

    def _search_recorded(
        self, plan: SearchPlan, asked: ConstraintOptions | None, sentences: Sequence[Sentence]
    ) -> list[list[Hypothesis]]:
        constraints = _constraints(sentences, asked, plan)
        source_ids = self._sources([sentence.ids for sentence in sentences])
        found = self._searcher(plan.search, asked).search(source_ids, constraints)
        part = list(range(len(sentences))), found
        return self._with_origins(part, sentences, source_ids, None, constraints, plan)[1]

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

    def has_aligner(self, method: OnlineMethod) -> bool:
        """Whether the model's folder holds what a method needs."""
        if method not in self._missing:
            try:
                self.aligner(method)
            except LexalignError:
                self._missing.add(method)
        return method not in self._missing

    def word_aligner(self, method: OnlineMethod) -> WordAligner:
        return WordAligner(self._model, self._tokenizer, self.aligner(method))

    def check_streaming(self, method: OnlineMethod) -> None:
        """Raise an error where a method cannot tell a token's source with the token."""
        if self.aligner(method).delay:
            raise LexalignError(
                f"{method} knows the source of a token only after the next; "
                "use post-aln, prior-att or naive-att"
            )

    def stream(self, method: OnlineMethod, text: str, max_tokens: int) -> Iterator[StreamedToken]:
        return self._stream(cast(OnlineAligner, self.aligner(method)), text, max_tokens)

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
        marks = word_continuation_mask(self._tokenizer.target).to(self._model.device)
        return Matching(continues_word=marks, ordered=options.ordered)

    def _with_origins(
        self,
        part: Part,
        sentences: Sequence[Sentence],
        source_ids: Tensor,
        source: EncodedSource | None,
        constraints: Sequence[Sequence[TokenConstraint]],
        plan: SearchPlan,
    ) -> Part:
        """Hypotheses forced once more, and aligned, where that is asked for; the source may be encoded
        already. Of stand-ins no more is told."""
        places, found = part
        found = [
            [_without_stand_ins(one, sentences[place], plan) for one in ranked]
            for place, ranked in zip(places, found, strict=True)
        ]
        part = places, found
        method = plan.align or (
            plan.constraints.method if self.has_aligner(plan.constraints.method) else None
        )
        flat = [
            (row, rank)
            for row, ranked in enumerate(found)
            for rank in range(len(ranked))
            if plan.align or sentences[places[row]].align
        ]
        if not flat or method is None:
            return part
        aligner = self.aligner(method)
        hypotheses = [found[row][rank] for row, rank in flat]
        rows = torch.tensor([places[row] for row, _ in flat], device=source_ids.device)
        if source is not None:
            source = EncodedSource(states=source.states[rows], mask=source.mask[rows])
        # Without an end of sentence: a hypothesis as long as the model can see leaves no place for it.
        targets = self._pad([one.token_ids or (self._eos_id,) for one in hypotheses])
        forced = force_target(self._model, source_ids[rows], targets, aligner.layer, source)
        # An end of sentence is nothing that a word could come from.
        distributions = aligner.align(forced)  # (N, T, S)
        best = distributions.masked_fill(~forced.source_content[:, None], -1.0).max(dim=-1)
        sources, chances = best.indices.tolist(), best.values.clamp(max=1.0).tolist()
        for place, (row, rank) in enumerate(flat):
            hypothesis = hypotheses[place]
            pairs = zip(sources[place], chances[place], strict=True)
            origins = tuple(Origin(*pair) for pair in islice(pairs, len(hypothesis.token_ids)))
            constraint_results = with_probabilities(
                hypothesis.constraint_results, constraints[places[row]], distributions[place]
            )
            found[row][rank] = replace(hypothesis, origins=origins, constraint_results=constraint_results)
        return part

    def _searcher(self, options: SearchOptions, asked: ConstraintOptions | None) -> GraphSearcher:
        """With what it has recorded before; what other options have recorded is forgotten, for its memory."""
        if (options, asked) not in self._searchers:
            often = ((options, None), (options, ConstraintOptions(policy="replace")))
            kept = {one: self._searchers[one] for one in often if one in self._searchers}
            self._searchers = kept | {
                (options, asked): GraphSearcher(self._model, options, self._policy(asked))
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


def _constraints(
    sentences: Sequence[Sentence], asked: ConstraintOptions | None, plan: SearchPlan
) -> list[tuple[TokenConstraint, ...]]:
    if asked is None:
        return [()] * len(sentences)
    if asked is plan.constraints:
        return [(*one.constraints, *one.stand_ins) for one in sentences]
    return [one.stand_ins for one in sentences]


def _without_stand_ins(hypothesis: Hypothesis, sentence: Sentence, plan: SearchPlan) -> Hypothesis:
    if not sentence.stand_ins:
        return hypothesis
    told = 0 if plan.constraints.policy == "none" else len(sentence.constraints)
    return replace(hypothesis, constraint_results=hypothesis.constraint_results[:told])


def _primary(languages: Languages | None) -> Languages | None:
    return None if languages is None else (primary(languages[0]), primary(languages[1]))
