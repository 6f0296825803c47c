"""Of replacement's and the guided search's translations the better one, and nothing missing in it."""

from dataclasses import replace

import pytest

from lexalign.contracts.constraint import Constraint, TokenConstraint
from lexalign.contracts.hypothesis import ConstraintResult, Hypothesis, Origin
from lexalign.translator import ConstraintOptions, TranslateOptions, Translator
from lexalign.translator.replacement_first import choose, is_convincing, meets_all

# `Der Beschluss war richtig` with `Beschluss -> ruling`.
ASKED = (TokenConstraint(alternatives=((7,),), source=(1,)),)
MET = ConstraintResult(met=True, tokens=(1, 2))
UNMET = ConstraintResult(met=False, reason="not aligned")


def hypothesis(
    origins: list[int], *, average: float = -0.3, coverage: float = 0.98, result: ConstraintResult = MET
) -> Hypothesis:
    size = len(origins)
    return Hypothesis(
        token_ids=tuple(range(6, 6 + size)),
        score=-1.0,
        log_probability=-1.0,
        token_log_probabilities=(average,) * (size + 1),
        constraint_results=(result,),
        origins=tuple(Origin(source, 0.9) for source in origins),
        coverage=(coverage,) * 4,
    )


WITHOUT_REPETITION = hypothesis([0, 1, 2, 3], average=-0.35)
WITH_REPETITION = hypothesis([0, 1, 1, 2, 3])


def test_a_term_whose_source_is_said_again_is_worse() -> None:
    assert choose(WITH_REPETITION, [WITHOUT_REPETITION], ASKED) == [WITHOUT_REPETITION]
    assert not is_convincing(WITH_REPETITION, ASKED)


def test_replacement_wins_where_both_are_level() -> None:
    other = hypothesis([0, 1, 3, 2], average=-0.31)
    level = replace(other, token_ids=(9, 9, 9, 9))
    assert choose(WITHOUT_REPETITION, [level], ASKED)[0] == WITHOUT_REPETITION
    assert is_convincing(WITHOUT_REPETITION, ASKED)


@pytest.mark.parametrize(
    "doubtful",
    [
        hypothesis([0, 1, 2, 3], result=UNMET),
        hypothesis([0, 1, 2, 3], average=-0.9),
        hypothesis([0, 1, 2, 3], coverage=0.6),
        replace(WITHOUT_REPETITION, complete=False),
    ],
)
def test_what_is_doubtful_is_searched_again(doubtful: Hypothesis) -> None:
    assert not is_convincing(doubtful, ASKED)


def test_what_misses_a_term_is_never_chosen() -> None:
    missing = hypothesis([0, 1, 2, 3], average=-0.01, coverage=1.0, result=UNMET)
    assert not meets_all(missing, ASKED)
    assert choose(missing, [WITH_REPETITION], ASKED) == [WITH_REPETITION]


def test_alternatives_are_those_of_the_guided_search() -> None:
    others = [replace(WITH_REPETITION, token_ids=(20 + one,)) for one in range(3)]
    assert choose(WITHOUT_REPETITION, others, ASKED) == [WITHOUT_REPETITION, *others[:2]]


def test_a_translation_is_that_of_one_of_the_searches(translator: Translator, sentences: list[str]) -> None:
    texts = [text for text in sentences if len(text.split()) > 3][:24]
    asked = [[Constraint(targets=("Hund München",), source=(0, len(text.split()[0])))] for text in texts]

    def translate(options: ConstraintOptions) -> list[str]:
        chosen = TranslateOptions(beam=4, workers=1, constraints=options)
        found = translator.translate(texts, chosen, constraints=asked)
        if options.policy == "guided":
            assert all(term.met for one in found for term in one.terms)
        return [one.text for one in found]

    both = translate(ConstraintOptions())
    alone = translate(ConstraintOptions(replacement_first=False))
    replaced = translate(ConstraintOptions(policy="replace"))
    assert all(one in pair for one, *pair in zip(both, alone, replaced, strict=True))
