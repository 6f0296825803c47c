"""Terms that a model hardly knows are searched as stand-ins, and set into what is found.

    Nach der Gallenblasenentfernung kam es zu Vorhofflimmern.    the source, with two terms
    Nach der X1 kam es zu X2.                                    what is searched
    After X1, X2 occurred.                                       what is found
    After cholecystectomy, atrial fibrillation occurred.         with the terms

A model can only guess where the subwords of such a term come from, and what goes around them; of a stand-in
it knows that it is a name. So the search is for a sentence that it understands, and costs what plain search
does. A stand-in that is missing, or is there twice, leaves no translation: another search must find one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from lexalign.characters import continues_word
from lexalign.contracts.constraint import TokenConstraint
from lexalign.contracts.hypothesis import ConstraintResult, Hypothesis
from lexalign.text.subwords import SubwordTokenizer
from lexalign.text.word_starts import word_continuation_mask
from lexalign.translator.source_text import Sentence, TermStandIn

Constraints = Sequence[TokenConstraint]
_MOST_OTHER_FORMS = 64


@dataclass(frozen=True)
class WordEdges:
    """Of each vocabulary entry, whether it continues a word, and whether its end may be inside of one."""

    continues: Sequence[bool]
    ends_inside: Sequence[bool]

    @classmethod
    def of(cls, tokenizer: SubwordTokenizer) -> "WordEdges":
        pieces = [tokenizer.piece(index) for index in range(tokenizer.vocabulary_size)]
        return cls(
            continues=word_continuation_mask(tokenizer).tolist(),
            ends_inside=[piece != "" and continues_word(piece[-1]) for piece in pieces],
        )


def with_stand_ins(
    sentence: Sentence, constraints: Constraints, chosen: Sequence[int]
) -> tuple[Sentence, tuple[TokenConstraint, ...]]:
    """The sentence with stand-ins for the chosen constraints, and what else is asked of its translation."""
    ids: list[int] = []
    moved: dict[int, int] = {}  # places of tokens
    taken = set(chosen)
    exchanged = {place: index for index in chosen for place in constraints[index].source or ()}
    for place, token_id in enumerate(sentence.ids):
        if place not in exchanged:
            moved[place] = len(ids)
            ids.append(token_id)
        elif exchanged.get(place - 1) != exchanged[place]:
            ids += _stand_in(sentence, exchanged[place]).source_ids
    others = tuple(
        one if one.source is None else replace(one, source=tuple(moved[place] for place in one.source))
        for index, one in enumerate(constraints)
        if index not in taken
    )
    return Sentence(tuple(ids), others), others


def form_choices(sentence: Sentence, chosen: Sequence[int]) -> list[dict[int, int]]:
    """The first forms of all terms, and every other form of one of them with the first ones of the others.

    Of a sentence with very many of them, those of its first terms.
    """
    others = ({index: form} for index in chosen for form in range(1, _stand_in(sentence, index).num_forms))
    return [{}, *islice(others, _MOST_OTHER_FORMS)]


class StandInPlaces:
    """Where the stand-ins for the chosen constraints of a sentence are in a hypothesis."""

    def __init__(
        self,
        found: Hypothesis,
        sentence: Sentence,
        constraints: Constraints,
        chosen: Sequence[int],
        edges: WordEdges,
    ) -> None:
        self._found, self._constraints = found, constraints
        self._chosen = set(chosen)
        places = [(_places(found.token_ids, _stand_in(sentence, index), edges), index) for index in chosen]
        self.complete = all(len(spans) == 1 for spans, _ in places)
        self._spans = sorted((spans[0], index) for spans, index in places if spans)

    def with_terms(self, forms: Mapping[int, int]) -> Hypothesis:
        """The hypothesis with terms in place of stand-ins.

        `forms` say which form of a constraint is set, the first one if it is not among them.
        Log-probabilities are still those of the hypothesis with stand-ins.
        """
        ids: list[int] = []
        old = self._found.token_ids
        own: dict[int, ConstraintResult] = {}
        moved: list[int] = []  # where each token begins
        position = 0
        for (start, end), index in [*self._spans, ((len(old), len(old)), -1)]:
            moved += range(len(ids), len(ids) + start - position)
            ids += old[position:start]
            if index >= 0:
                form = self._constraints[index].alternatives[forms.get(index, 0)]
                own[index] = ConstraintResult(met=True, tokens=(len(ids), len(ids) + len(form)))
                moved += [len(ids)] * (end - start)
                ids += form
            position = end
        moved.append(len(ids))
        of_others = (_moved(result, moved) for result in self._found.constraint_results)
        results = tuple(
            own[index] if index in self._chosen else next(of_others)
            for index in range(len(self._constraints))
        )
        return replace(self._found, token_ids=tuple(ids), constraint_results=results, origins=(), coverage=())


def _places(ids: Sequence[int], stand_in: TermStandIn, edges: WordEdges) -> list[tuple[int, int]]:
    """Where a stand-in is as a whole word, behind a space or behind a mark."""
    found: dict[int, int] = {}  # where each begins, by where it ends
    for word in (stand_in.after_space, stand_in.after_mark):
        for start in range(len(ids) - len(word) + 1):
            end = start + len(word)
            if tuple(ids[start:end]) != word or (end < len(ids) and edges.continues[ids[end]]):
                continue
            if word == stand_in.after_space or start == 0 or not edges.ends_inside[ids[start - 1]]:
                found.setdefault(end, start)
    return [(start, end) for end, start in found.items()]


def _moved(result: ConstraintResult, moved: Sequence[int]) -> ConstraintResult:
    if result.tokens is None:
        return result
    first, last = result.tokens
    return replace(result, tokens=(moved[first], moved[last]))


def _stand_in(sentence: Sentence, index: int) -> TermStandIn:
    stand_in = sentence.term_stand_ins[index]
    assert stand_in is not None
    return stand_in
