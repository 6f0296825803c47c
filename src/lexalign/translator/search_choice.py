"""Which searches a sentence with terms needs, and which of their translations is the best.

plain          knows nothing of the terms. Where it says all of them by itself, each in its place, its
               translation is the model's best, and stays. A term behind a hyphen or a bracket is one, too:
               "TDS-Komponente" has `component -> Komponente`.
stand-ins      for terms that the model hardly knows: another word is searched, and the term is set in its
               place (`stand_ins.py`). The sentence stays whole, whatever the model thinks of the term.
guided         misses nothing, and lets the model choose the form.
replacement    follows the model, and exchanges words as they come, so it hardly ever loses anything of the
               sentence; but it misses terms whose source no word is aligned to, often says the model's own
               word beside a term, and of several forms takes the likelier beginning.

So terms that fall into many subwords of the source are searched as stand-ins first. All others are searched
by replacement, which mostly meets them; terms of several forms, as those of glossaries mostly are, by plain
search, which costs less and mostly knows one of the forms, and then by the guided search. A translation that
leaves something to be desired is compared with that of the next search, and of those that meet every term the
best one is taken. Where all of them say a term and its source ("output device printer"), stand-ins are the
last resort. Translations are judged by

    the log-probability of all tokens, those of the terms among them, for each token of the source
    + the mean probability that something comes from a source token
    - three times the share of free tokens that come from a term's source all the same

All translations have the terms, so what they cost tells how well they fit what stands around them. Since the
length of the source is the same for all, nothing is gained by saying more; by saying less nothing is gained
because of the second part. `Beschluss -> ruling`, four source tokens, by replacement and by guided search:

    The ruling decision was right.     -5.2 / 4 + 0.98 - 3 * 1/6 = -0.82
    The ruling was right.              -4.1 / 4 + 0.98 - 0       = -0.05
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal, get_args

from lexalign.contracts.constraint import TokenConstraint
from lexalign.contracts.hypothesis import Hypothesis
from lexalign.translator.coverage import UNCOVERED
from lexalign.translator.source_text import Sentence

# Of the free tokens that come from a term's source, as a share of all free ones.
REPEATED = 3.0
# What leaves nothing to be desired: the judgement is at least this, the source is covered, and there are not
# so many source tokens side by side that nothing comes from.
LEAST_JUDGED = 0.1
LEAST_COVERED = 0.7
MOST_LOST = 3
# By so much a translation may be worse than that of plain search, where that is at hand.
LEAST_BELOW_PLAIN = 0.5
# What is found by stand-ins says no source again; it may leave more of the sentence out. The score is that of
# the search, which has seen the stand-ins alone.
LEAST_SCORE_BY_STAND_INS = -1.0
LEAST_COVERED_BY_STAND_INS = 0.8
# How probably a free token must come from a term's source to say it again.
_SURE = 0.5
# How probably a term that plain search says must come from its source, as a mean over its subwords.
OWN_TERM = 0.3

Constraints = Sequence[TokenConstraint]
SearchKind = Literal["plain", "stand-ins", "replacement", "guided"]
SEARCHES: tuple[SearchKind, ...] = get_args(SearchKind)


@dataclass(frozen=True)
class Candidates:
    """What a search has found, the best first."""

    kind: SearchKind
    hypotheses: list[Hypothesis]


def meets_all(hypothesis: Hypothesis, constraints: Constraints) -> bool:
    """Whether nothing is missing that must be there, and nothing there that must not."""
    pairs = zip(constraints, hypothesis.constraint_results, strict=True)
    return hypothesis.complete and all(result.met for one, result in pairs if one.kind != "prefer")


def with_beside(constraints: Constraints) -> tuple[TokenConstraint, ...]:
    """What is looked for in a translation that the model made by itself."""
    return tuple(replace(one, alternatives=(*one.alternatives, *one.beside)) for one in constraints)


def says_all(hypothesis: Hypothesis, constraints: Constraints) -> bool:
    """Whether the model says by itself, in its place, all that is asked for, also what is only preferred."""
    return hypothesis.complete and all(
        result.met and (one.kind == "avoid" or one.source is None or (result.probability or 0.0) >= OWN_TERM)
        for one, result in zip(constraints, hypothesis.constraint_results, strict=True)
    )


def unknown_terms(sentence: Sentence) -> list[int]:
    """The constraints that the model hardly knows, for which stand-ins may stand."""
    stand_ins = enumerate(sentence.term_stand_ins)
    return [index for index, one in stand_ins if one is not None and one.unknown]


def exchanged_terms(sentence: Sentence, constraints: Constraints, found: Sequence[Candidates]) -> list[int]:
    """The constraints that stand-ins are searched for.

    They are those that the model hardly knows; in the last resort those whose source is said beside them by
    all searches so far.
    """
    if unknown := unknown_terms(sentence):
        return unknown
    best = _able(found, constraints)
    if not best or any(_num_repeated(one.hypotheses[0], constraints) == 0 for one in best):
        return []
    said = {place for one in best for place in _repeated_places(one.hypotheses[0], constraints)}
    return [
        index
        for index, one in enumerate(sentence.term_stand_ins)
        if one is not None and said & set(constraints[index].source or ())
    ]


def search_order(sentence: Sentence, constraints: Constraints, n_best: int) -> tuple[SearchKind, ...]:
    """The searches for a sentence, each only if those before it have not convinced."""
    if not constraints:
        return ("plain",)
    if unknown_terms(sentence):
        return "stand-ins", "guided"
    forms = [one.alternatives for one in constraints if one.kind == "must"]
    if not forms:
        return ("guided",)
    if n_best > 1:
        return "guided", "replacement"
    if any(len(ours) > 1 for ours in forms):
        return "plain", "guided", "replacement", "stand-ins"
    return "replacement", "guided", "stand-ins"


def is_convincing(found: Candidates, constraints: Constraints, least: float = LEAST_JUDGED) -> bool:
    """Whether the best translation of a search needs no comparison."""
    if found.kind == "plain":
        return bool(found.hypotheses) and says_all(found.hypotheses[0], constraints)
    if not found.hypotheses or not meets_all(found.hypotheses[0], constraints):
        return False
    best = found.hypotheses[0]
    by_stand_ins = found.kind == "stand-ins"
    least_covered = LEAST_COVERED_BY_STAND_INS if by_stand_ins else LEAST_COVERED
    if _covered(best) < least_covered or _num_lost(best) > MOST_LOST:
        return False
    if by_stand_ins:
        return best.score >= LEAST_SCORE_BY_STAND_INS
    return judge(best, constraints) >= least


def least_judged(found: Sequence[Candidates]) -> float:
    """What a translation must reach: no more than the model reaches if it may say what it likes, or less."""
    plain = next((one.hypotheses[0] for one in found if one.kind == "plain" and one.hypotheses), None)
    if plain is None:
        return LEAST_JUDGED
    return min(LEAST_JUDGED, judge(plain, ()) - LEAST_BELOW_PLAIN)


def choose(found: Sequence[Candidates], constraints: Constraints) -> list[Hypothesis]:
    """The better translation, then the other ones of the guided search."""
    if found[-1].kind == "plain":
        return found[-1].hypotheses
    able = _able(found, constraints)
    guided = next((one.hypotheses for one in found if one.kind == "guided"), [])
    if not able:
        return guided
    # What convinces at once is taken; stand-ins of the last resort are judged as all others.
    first = [one for one in able[:1] if one is found[0] and is_convincing(one, constraints)]
    best = max(first or able, key=lambda one: judge(one.hypotheses[0], constraints)).hypotheses[0]
    others = [one for one in guided if one.token_ids != best.token_ids]
    return [best, *others][: max(1, len(guided))]


def _able(found: Sequence[Candidates], constraints: Constraints) -> list[Candidates]:
    """What meets every term, of the searches for them."""
    return [
        one
        for one in found
        if one.kind != "plain" and one.hypotheses and meets_all(one.hypotheses[0], constraints)
    ]


def judge(hypothesis: Hypothesis, constraints: Constraints) -> float:
    """How good a translation is that meets all constraints, beside others of the same source."""
    per_source_token = hypothesis.log_probability / max(1, len(hypothesis.coverage))
    share = _num_repeated(hypothesis, constraints) / (len(_free_tokens(hypothesis)) + 1)
    return per_source_token + _covered(hypothesis) - REPEATED * share


def _free_tokens(hypothesis: Hypothesis) -> list[int]:
    """The positions of tokens that belong to no term."""
    spans = [result.tokens for result in hypothesis.constraint_results if result.met and result.tokens]
    inside = {position for span in spans for position in range(*span)}
    return [position for position in range(len(hypothesis.token_ids)) if position not in inside]


def _num_repeated(hypothesis: Hypothesis, constraints: Constraints) -> int:
    """How many free tokens surely come from the source of a term."""
    return len(_repeated_places(hypothesis, constraints))


def _repeated_places(hypothesis: Hypothesis, constraints: Constraints) -> list[int]:
    """The source of a term, for every free token that surely comes from it."""
    sources = {place for one in constraints if one.kind == "must" for place in one.source or ()}
    origins = [hypothesis.origins[position] for position in _free_tokens(hypothesis)]
    return [one.source for one in origins if one.source in sources and one.probability > _SURE]


def _num_lost(hypothesis: Hypothesis) -> int:
    """Of how many source tokens side by side nothing comes, at most."""
    runs = groupby(hypothesis.coverage, lambda covered: covered <= 1.0 - UNCOVERED)
    return max((sum(1 for _ in run) for uncovered, run in runs if uncovered), default=0)


def _covered(hypothesis: Hypothesis) -> float:
    return sum(hypothesis.coverage) / max(1, len(hypothesis.coverage))
