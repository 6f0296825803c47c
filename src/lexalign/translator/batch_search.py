"""Batches of sentences are searched, and their hypotheses aligned where that is asked for."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial

import torch
from torch import Tensor

from lexalign.contracts.alignment import Aligner
from lexalign.contracts.constraint import TokenConstraint
from lexalign.contracts.hypothesis import Hypothesis
from lexalign.decoding.graph_search import GraphSearcher
from lexalign.decoding.lexical_shortlist import LexicalShortlist
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.policy import Policy
from lexalign.decoding.search import Part, join_parts, search_parts
from lexalign.translator.execution import OomBatchSplitter, running
from lexalign.translator.forced_targets import SourceBatch, align_hypotheses, pad_sources, score_hypotheses
from lexalign.translator.model_resources import ModelResources
from lexalign.translator.options import ConstraintOptions, SearchPlan
from lexalign.translator.policies import make_policy
from lexalign.translator.source_text import Sentence
from lexalign.translator.stand_ins import WordEdges
from lexalign.translator.term_search import TermSearch

Constraints = tuple[TokenConstraint, ...]


class BatchSearcher:
    """Searches with one model; keeps its policies, and on a GPU the graphs of its searches."""

    def __init__(self, model: ModelResources) -> None:
        self.model = model
        self._splitter = OomBatchSplitter()
        self._policies: dict[ConstraintOptions | None, Policy] = {}
        self._graphs: dict[tuple[SearchOptions, bool, ConstraintOptions | None], GraphSearcher] = {}

    def prepare(self, plan: SearchPlan, *, constrained: bool) -> None:
        """Read what a plan needs, so that what is missing is known before anything is translated."""
        if plan.align is not None:
            self._result_aligner(plan)
        if constrained:
            self._policy(plan.constraints)

    def search(self, sentences: Sequence[Sentence], plan: SearchPlan) -> list[list[Hypothesis]]:
        results: list[list[Hypothesis]] = [[] for _ in sentences]
        for places, found in self.search_parts(sentences, plan, 1):
            for place, ranked in zip(places, found, strict=True):
                results[place] = ranked
        return results

    @torch.inference_mode()
    def search_parts(self, sentences: Sequence[Sentence], plan: SearchPlan, number: int) -> Iterator[Part]:
        """As `search`; on a CPU what is done is given before the rest, in about so many parts."""
        for places, options in self._divide(sentences, plan):
            group = [sentences[place] for place in places]
            with running(self.model.transformer.device):
                for found, ranked in self._search_group(group, options, plan, number):
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
            (places, options)
            for places, options in ((together, plan.constraints), (apart, copying))
            if places
        )

    def _copying(self, plan: SearchPlan) -> ConstraintOptions | None:
        """How stand-ins are copied; without an aligner that is sure enough, they are left to the model."""
        asked = plan.constraints
        if not self._overrules(asked) or self.model.find_aligner(asked.method, asked.attention) is None:
            return None
        return ConstraintOptions(policy="replace", method=asked.method, attention=asked.attention)

    def _overrules(self, asked: ConstraintOptions) -> bool:
        """Whether what the aligner says goes before what the model says.

        Attention that is nobody's choice is good enough to guide a search, not to overrule it.
        """
        return asked.method != "auto" or asked.attention is not None or self.model.has_head

    def _search_group(
        self, sentences: Sequence[Sentence], options: ConstraintOptions | None, plan: SearchPlan, number: int
    ) -> Iterator[Part]:
        asked = _constraints(sentences, options, plan)
        if options is not None and options.policy == "guided" and options.with_other_searches and any(asked):
            found = TermSearch(self, options, plan).search(sentences, asked, number)
        else:
            found = self.search_once(sentences, asked, options, plan, number)
        for places, ranked in found:
            yield (
                places,
                [
                    [_as_asked(one, sentences[place], plan) for one in hypotheses]
                    for place, hypotheses in zip(places, ranked, strict=True)
                ],
            )

    def search_once(
        self,
        sentences: Sequence[Sentence],
        asked: Sequence[Constraints],
        options: ConstraintOptions | None,
        plan: SearchPlan,
        number: int,
        *,
        batch: SourceBatch | None = None,
        align: bool = False,
    ) -> Iterator[Part]:
        """With alignments where they are asked for, or of all sentences of which something is asked.

        The batch may be encoded already.
        """
        if not self.model.on_cpu:
            pairs = list(zip(sentences, asked, strict=True))
            search = partial(self._search_by_graph, plan, options, align)
            yield from self._splitter.parts(pairs, search, self._forget_graphs)
            return
        transformer, policy = self.model.transformer, self._policy(options)
        batch = batch or self.encode(sentences, asked)
        assert batch is not None
        assert batch.source is not None
        shortlist, listed = self._shortlist(plan), _listed(sentences, asked)
        parts = search_parts(
            transformer, batch.source_ids, batch.source, plan.search, policy, asked, shortlist, listed
        )
        for part in join_parts(parts, -(-len(sentences) // number), len(sentences)):
            yield self._aligned(part, sentences, batch, plan, align=align)

    def encode(self, sentences: Sequence[Sentence], asked: Sequence[Constraints]) -> SourceBatch | None:
        """The sentences, encoded; on a GPU, where encoding is a part of a recorded search, None."""
        if not self.model.on_cpu:
            return None
        source_ids = self._source_ids(sentences)
        source = self.model.transformer.encode(source_ids)
        return SourceBatch(source_ids=source_ids, source=source, constraints=asked)

    def batch(self, sentences: Sequence[Sentence], asked: Sequence[Constraints]) -> SourceBatch:
        return SourceBatch(source_ids=self._source_ids(sentences), constraints=asked)

    @cached_property
    def word_edges(self) -> WordEdges:
        return WordEdges.of(self.model.tokenizer.target)

    def score(self, batch: SourceBatch, rows: Sequence[int], found: Sequence[Hypothesis]) -> list[Hypothesis]:
        return list(score_hypotheses(self.model.transformer, batch, rows, found))

    def align(
        self, batch: SourceBatch, rows: Sequence[int], found: Sequence[Hypothesis], plan: SearchPlan
    ) -> list[Hypothesis]:
        aligner = self._result_aligner(plan)
        if aligner is None:
            return list(found)
        return list(align_hypotheses(self.model.transformer, aligner, batch, rows, found))

    def _search_by_graph(
        self,
        plan: SearchPlan,
        options: ConstraintOptions | None,
        align: bool,
        pairs: Sequence[tuple[Sentence, Constraints]],
    ) -> list[list[Hypothesis]]:
        sentences, asked = [one for one, _ in pairs], [constraints for _, constraints in pairs]
        batch = self.batch(sentences, asked)
        searcher, listed = self._graph_searcher(plan, options), _listed(sentences, asked)
        found = searcher.search(batch.source_ids, batch.constraints, listed)
        return self._aligned((list(range(len(sentences))), found), sentences, batch, plan, align=align)[1]

    def _source_ids(self, sentences: Sequence[Sentence]) -> Tensor:
        return pad_sources(self.model.transformer, [sentence.ids for sentence in sentences])

    def _shortlist(self, plan: SearchPlan) -> LexicalShortlist | None:
        return self.model.shortlist if plan.shortlist else None

    def _graph_searcher(self, plan: SearchPlan, options: ConstraintOptions | None) -> GraphSearcher:
        """A searcher keeps the graphs of its options; those of most other options are dropped."""
        common = plan.search, plan.shortlist
        if (*common, options) not in self._graphs:
            often = ((*common, None), (*common, ConstraintOptions(policy="replace")))
            kept = {one: self._graphs[one] for one in often if one in self._graphs}
            shortlist = self._shortlist(plan)
            searcher = GraphSearcher(self.model.transformer, plan.search, self._policy(options), shortlist)
            self._graphs = kept | {(*common, options): searcher}
        return self._graphs[*common, options]

    def _forget_graphs(self) -> None:
        self._graphs.clear()
        torch.cuda.empty_cache()

    def _policy(self, options: ConstraintOptions | None) -> Policy:
        if options not in self._policies:
            self._policies[options] = make_policy(options, self.model)
        return self._policies[options]

    def _aligned(
        self,
        part: Part,
        sentences: Sequence[Sentence],
        batch: SourceBatch,
        plan: SearchPlan,
        *,
        align: bool,
    ) -> Part:
        """Hypotheses, aligned where that is asked for."""
        places, found = part
        chosen = [
            (row, rank)
            for row, ranked in enumerate(found)
            for rank in range(len(ranked))
            if plan.align
            or plan.coverage
            or sentences[places[row]].align
            or (align and batch.constraints[places[row]])
        ]
        if not chosen:
            return places, found
        hypotheses = [found[row][rank] for row, rank in chosen]
        aligned = self.align(batch, [places[row] for row, _ in chosen], hypotheses, plan)
        for (row, rank), hypothesis in zip(chosen, aligned, strict=True):
            found[row][rank] = hypothesis
        return places, found

    def _result_aligner(self, plan: SearchPlan) -> Aligner | None:
        """The aligner that is asked for; else, for untranslatables, that of the constraints, if any."""
        if plan.align is not None:
            return self.model.aligner(plan.align, plan.constraints.attention)
        return self.model.find_aligner(plan.constraints.method, plan.constraints.attention)


def _constraints(
    sentences: Sequence[Sentence], options: ConstraintOptions | None, plan: SearchPlan
) -> list[Constraints]:
    if options is None:
        return [()] * len(sentences)
    if options is plan.constraints:
        return [(*one.constraints, *one.stand_ins) for one in sentences]
    return [one.stand_ins for one in sentences]


def _listed(sentences: Sequence[Sentence], asked: Sequence[Constraints]) -> list[Constraints]:
    """What must be on a shortlist: stand-ins too where they are left to the model."""
    return [constraints or one.stand_ins for one, constraints in zip(sentences, asked, strict=True)]


def _as_asked(hypothesis: Hypothesis, sentence: Sentence, plan: SearchPlan) -> Hypothesis:
    """Without what became of stand-ins, and without alignments that nobody has asked for."""
    results, origins = hypothesis.constraint_results, hypothesis.origins
    if sentence.stand_ins:
        results = results[: 0 if plan.constraints.policy == "none" else len(sentence.constraints)]
    if not (plan.align or sentence.align):
        origins = ()
    if len(results) == len(hypothesis.constraint_results) and len(origins) == len(hypothesis.origins):
        return hypothesis
    return replace(hypothesis, constraint_results=results, origins=origins)
