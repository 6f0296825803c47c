"""Sentences with terms are searched in one way after another, until a translation convinces.

Which ways there are, and which translation is taken, is in `search_choice.py`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Protocol

from lexalign.contracts.constraint import TokenConstraint
from lexalign.contracts.hypothesis import Hypothesis
from lexalign.decoding.search import Part
from lexalign.translator.forced_targets import SourceBatch
from lexalign.translator.options import ConstraintOptions, SearchPlan
from lexalign.translator.search_choice import (
    SEARCHES,
    Candidates,
    SearchKind,
    choose,
    exchanged_terms,
    is_convincing,
    least_judged,
    search_order,
    with_beside,
)
from lexalign.translator.source_text import Sentence
from lexalign.translator.stand_ins import StandInPlaces, WordEdges, form_choices, with_stand_ins

# By so many nats another form than the first must make a translation more probable: a model thinks less of a
# form that falls into rarer subwords, whatever stands around it.
FORM_MARGIN = 4.0

Constraints = tuple[TokenConstraint, ...]


class SingleSearch(Protocol):
    """One search for a batch, and what must be known of its translations."""

    @property
    def word_edges(self) -> WordEdges: ...

    def encode(self, sentences: Sequence[Sentence], asked: Sequence[Constraints]) -> SourceBatch | None: ...

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
    ) -> Iterator[Part]: ...

    def score(self, batch: SourceBatch, rows: Sequence[int], found: Sequence[Hypothesis]) -> list[Hypothesis]:
        """Given translations with their log-probabilities."""

    def align(
        self, batch: SourceBatch, rows: Sequence[int], found: Sequence[Hypothesis], plan: SearchPlan
    ) -> list[Hypothesis]:
        """Given translations with their alignments."""

    def batch(self, sentences: Sequence[Sentence], asked: Sequence[Constraints]) -> SourceBatch: ...


@dataclass(frozen=True)
class _Searched:
    """A sentence with what is asked of it, and what has been found for it so far."""

    sentence: Sentence
    asked: Constraints
    found: list[Candidates]

    def exchanged(self) -> list[int]:
        return exchanged_terms(self.sentence, self.asked, self.found)

    def best(self) -> list[Hypothesis]:
        return choose(self.found, self.asked) if self.asked else self.found[0].hypotheses


class TermSearch:
    def __init__(self, single: SingleSearch, options: ConstraintOptions, plan: SearchPlan) -> None:
        self._single, self._options, self._plan = single, options, plan
        self._ways: dict[SearchKind, ConstraintOptions] = {
            "plain": replace(options, policy="none"),
            "replacement": replace(options, policy="replace"),
            "guided": options,
        }

    def search(
        self, sentences: Sequence[Sentence], asked: Sequence[Constraints], number: int
    ) -> Iterator[Part]:
        """What is asked of each sentence, and its hypotheses, in about so many parts for each search."""
        batch = self._single.encode(sentences, asked)
        n_best = self._plan.search.n_best
        orders = [search_order(*pair, n_best) for pair in zip(sentences, asked, strict=True)]
        found: list[list[Candidates]] = [[] for _ in sentences]
        waiting = list(range(len(sentences)))
        for turn in count():
            if not waiting:
                return
            left: list[int] = []
            for kind in SEARCHES:
                places = [place for place in waiting if orders[place][turn] == kind]
                group = [_Searched(sentences[place], asked[place], found[place]) for place in places]
                part = None if batch is None or not places else batch.select(places)
                for rows in self._search_by(kind, group, part, number) if places else ():
                    ours = [(places[row], group[row]) for row in rows]
                    done = [
                        (place, one) for place, one in ours if self._is_done(one, orders[place][turn + 1 :])
                    ]
                    kept = {place for place, _ in done}
                    left += [place for place, _ in ours if place not in kept]
                    yield [place for place, _ in done], [one.best() for _, one in done]
            waiting = sorted(left)

    def _is_done(self, searched: "_Searched", rest: Sequence[SearchKind]) -> bool:
        """Whether the searches that are left are not needed."""
        last = searched.found[-1]
        if not rest or not searched.asked:
            return True
        if self._plan.search.n_best > 1 and last.kind != "guided":
            return False  # Only the guided search finds alternatives.
        if is_convincing(last, searched.asked, least_judged(searched.found)):
            return True
        return rest[0] == "stand-ins" and not searched.exchanged()

    def _search_by(
        self, kind: SearchKind, group: Sequence["_Searched"], batch: SourceBatch | None, number: int
    ) -> Iterator[Sequence[int]]:
        """The rows of the group for which something was found, which is added to them."""
        if kind == "stand-ins":
            yield self._search_by_stand_ins(group, batch)
            return
        asked = [with_beside(one.asked) if kind == "plain" else one.asked for one in group]
        parts = self._single.search_once(
            [one.sentence for one in group],
            asked,
            self._ways[kind],
            self._plan,
            number,
            batch=batch,
            align=True,
        )
        for rows, ranked in parts:
            for row, hypotheses in zip(rows, ranked, strict=True):
                group[row].found.append(Candidates(kind, hypotheses))
            yield rows

    def _search_by_stand_ins(self, group: Sequence["_Searched"], batch: SourceBatch | None) -> Sequence[int]:
        """The sentences with stand-ins are searched as any others."""
        chosen = [one.exchanged() for one in group]
        masked = [
            with_stand_ins(one.sentence, one.asked, ours) for one, ours in zip(group, chosen, strict=True)
        ]
        alone = replace(self._plan, search=replace(self._plan.search, n_best=1), coverage=False, align=None)
        searched = TermSearch(self._single, self._options, alone).search(
            [sentence for sentence, _ in masked], [others for _, others in masked], 1
        )
        rows: list[int] = []
        variants: list[Hypothesis] = []
        for places, ranked in searched:
            for row, hypotheses in zip(places, ranked, strict=True):
                for one in self._with_terms(hypotheses, group[row], chosen[row]):
                    rows.append(row)
                    variants.append(one)
        sentences, asked = [one.sentence for one in group], [one.asked for one in group]
        best = self._best(rows, variants, batch or self._single.batch(sentences, asked))
        for row, searched_one in enumerate(group):
            searched_one.found.append(Candidates("stand-ins", [best[row]] if row in best else []))
        return range(len(group))

    def _with_terms(
        self, found: Sequence[Hypothesis], searched: "_Searched", chosen: Sequence[int]
    ) -> Iterator[Hypothesis]:
        for hypothesis in found[:1]:
            sentence, edges = searched.sentence, self._single.word_edges
            places = StandInPlaces(hypothesis, sentence, searched.asked, chosen, edges)
            if not places.complete:
                return
            for forms in form_choices(sentence, chosen):
                one = places.with_terms(forms)
                if len(one.token_ids) <= self._plan.search.max_length:
                    yield one

    def _best(
        self, rows: Sequence[int], variants: Sequence[Hypothesis], batch: SourceBatch
    ) -> dict[int, Hypothesis]:
        """The first variant for each row, or one that is clearly better, aligned."""
        if not rows:
            return {}
        best: dict[int, Hypothesis] = {}
        least: dict[int, float] = {}
        for row, one in zip(rows, self._single.score(batch, rows, variants), strict=True):
            if row not in best:
                least[row] = one.log_probability + FORM_MARGIN
            if row not in best or one.log_probability > max(least[row], best[row].log_probability):
                best[row] = one
        return dict(
            zip(best, self._single.align(batch, list(best), list(best.values()), self._plan), strict=True)
        )
