"""Of the translations of several searches the better one, and nothing missing in it."""

from dataclasses import replace

import pytest

from lexalign.bundled import find_model
from lexalign.contracts.constraint import Constraint, TokenConstraint
from lexalign.contracts.hypothesis import ConstraintResult, Hypothesis, Origin
from lexalign.glossary import Glossary, parse_term
from lexalign.translator import ConstraintOptions, TranslateOptions, Translator
from lexalign.translator.search_choice import (
    LEAST_JUDGED,
    Candidates,
    SearchKind,
    choose,
    exchanged_terms,
    is_convincing,
    judge,
    least_judged,
    meets_all,
    says_all,
    search_order,
    with_beside,
)
from lexalign.translator.source_text import Sentence, TermStandIn

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
        log_probability=average * (size + 1),
        token_log_probabilities=(average,) * (size + 1),
        constraint_results=(result,),
        origins=tuple(Origin(source, 0.9) for source in origins),
        coverage=(coverage,) * 4,
    )


WITHOUT_REPETITION = hypothesis([0, 1, 2, 3], average=-0.35)
WITH_REPETITION = hypothesis([0, 1, 1, 2, 3])


def found(kind: SearchKind, *hypotheses: Hypothesis) -> Candidates:
    return Candidates(kind, list(hypotheses))


def chosen(replaced: Hypothesis, *guided: Hypothesis) -> list[Hypothesis]:
    return choose([found("replacement", replaced), found("guided", *guided)], ASKED)


def test_a_term_whose_source_is_said_again_is_worse() -> None:
    assert chosen(WITH_REPETITION, WITHOUT_REPETITION) == [WITHOUT_REPETITION]
    assert not is_convincing(found("replacement", WITH_REPETITION), ASKED)


def test_the_first_wins_where_both_are_level() -> None:
    level = replace(WITHOUT_REPETITION, token_ids=(9, 9, 9, 9))
    assert chosen(WITHOUT_REPETITION, level)[0] == WITHOUT_REPETITION
    assert is_convincing(found("replacement", WITHOUT_REPETITION), ASKED)


@pytest.mark.parametrize(
    "doubtful",
    [
        hypothesis([0, 1, 2, 3], result=UNMET),
        hypothesis([0, 1, 2, 3], average=-1.1),
        hypothesis([0, 1, 2, 3], coverage=0.6),
        replace(WITHOUT_REPETITION, complete=False),
        replace(WITHOUT_REPETITION, coverage=(*(0.98,) * 12, *(0.1,) * 4)),
    ],
)
def test_what_is_doubtful_is_searched_again(doubtful: Hypothesis) -> None:
    assert not is_convincing(found("replacement", doubtful), ASKED)


def test_short_gaps_in_the_source_are_no_doubt() -> None:
    scattered = replace(WITHOUT_REPETITION, coverage=(*(0.98, 0.1) * 2, *(0.98,) * 9, *(0.1,) * 3))
    assert is_convincing(found("replacement", scattered), ASKED)


def test_of_two_translations_the_more_probable_is_better_and_the_one_that_leaves_less_out() -> None:
    fluent, clumsy = hypothesis([0, 1, 2, 3], average=-0.5), hypothesis([0, 1, 3, 2], average=-0.9)
    assert judge(fluent, ASKED) > judge(clumsy, ASKED)
    assert judge(fluent, ASKED) > judge(replace(fluent, coverage=(0.7,) * 4), ASKED)
    longer = hypothesis([0, 1, 2, 3, 3, 3], average=-0.5)
    assert judge(fluent, ASKED) > judge(longer, ASKED), "nothing is gained by saying more"
    assert chosen(clumsy, fluent) == [fluent]


def test_no_more_is_asked_than_a_model_reaches_without_terms() -> None:
    plain = found("plain", hypothesis([0, 1, 2, 3], average=-1.0))
    doubtful = found("guided", hypothesis([0, 1, 2, 3], average=-1.3))
    assert least_judged([doubtful]) == LEAST_JUDGED
    fluent = found("plain", hypothesis([0, 1, 2, 3], average=-0.2))
    assert least_judged([fluent, doubtful]) == LEAST_JUDGED
    assert not is_convincing(doubtful, ASKED, least_judged([doubtful]))
    assert is_convincing(doubtful, ASKED, least_judged([plain, doubtful]))
    worse = found("guided", hypothesis([0, 1, 2, 3], average=-1.5))
    assert not is_convincing(worse, ASKED, least_judged([plain, worse]))


def test_what_misses_a_term_is_never_chosen() -> None:
    missing = hypothesis([0, 1, 2, 3], average=-0.01, coverage=1.0, result=UNMET)
    assert not meets_all(missing, ASKED)
    assert chosen(missing, WITH_REPETITION) == [WITH_REPETITION]


def test_alternatives_are_those_of_the_guided_search() -> None:
    others = [replace(WITH_REPETITION, token_ids=(20 + one,)) for one in range(3)]
    assert chosen(WITHOUT_REPETITION, *others) == [WITHOUT_REPETITION, *others[:2]]


@pytest.mark.parametrize(
    ("probability", "complete", "expected"),
    [(0.9, True, True), (0.1, True, False), (None, True, False), (0.9, False, False)],
)
def test_what_the_model_says_by_itself_counts_in_its_place(
    probability: float | None, complete: bool, expected: bool
) -> None:
    own = replace(hypothesis([0, 1, 2, 3], result=replace(MET, probability=probability)), complete=complete)
    assert says_all(own, ASKED) is expected
    assert is_convincing(Candidates("plain", [own]), ASKED) is expected
    assert not says_all(hypothesis([0, 1, 2, 3], result=UNMET), ASKED)


def test_plain_search_is_taken_where_it_was_the_last_and_never_after_another() -> None:
    plain = Candidates("plain", [replace(WITHOUT_REPETITION, token_ids=(9, 9, 9, 9))])
    replaced = Candidates("replacement", [WITH_REPETITION])
    assert choose([plain], ASKED) == plain.hypotheses
    assert choose([plain, replaced], ASKED) == [WITH_REPETITION]


def test_a_term_behind_a_mark_is_looked_for_where_the_model_speaks_alone() -> None:
    asked = (replace(ASKED[0], beside=((8,),)),)
    assert with_beside(asked)[0].alternatives == ((7,), (8,))


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
    alone = translate(ConstraintOptions(with_other_searches=False))
    replaced = translate(ConstraintOptions(policy="replace"))
    assert all(one in pair for one, *pair in zip(both, alone, replaced, strict=True))


def test_what_is_found_by_stand_ins_is_taken_if_nothing_is_left_out() -> None:
    worse = hypothesis([0, 1, 2, 3], average=-3.0, coverage=0.85)
    by_stand_ins, guided = found("stand-ins", worse), found("guided", WITHOUT_REPETITION)
    assert is_convincing(by_stand_ins, ASKED)
    assert choose([by_stand_ins, guided], ASKED) == [worse]
    for doubtful in (replace(worse, coverage=(0.75,) * 4), replace(worse, score=-1.5)):
        assert not is_convincing(found("stand-ins", doubtful), ASKED)
        assert choose([found("stand-ins", doubtful), guided], ASKED) == [WITHOUT_REPETITION]
    assert choose([found("stand-ins"), guided], ASKED) == [WITHOUT_REPETITION]


def test_searches_for_known_terms_forms_and_terms_that_are_hardly_known() -> None:
    long = TokenConstraint(alternatives=((7, 8, 9, 10, 11),), source=(1,))
    forms = TokenConstraint(alternatives=((7,), (7, 8)), source=(1,))
    sentence = Sentence((5, 6, 7))
    assert search_order(sentence, (), 1) == ("plain",)
    assert search_order(sentence, ASKED, 1) == ("replacement", "guided", "stand-ins")
    assert search_order(sentence, ASKED, 2) == ("guided", "replacement")
    assert search_order(sentence, (*ASKED, long), 1) == ("replacement", "guided", "stand-ins")
    assert search_order(sentence, (*ASKED, forms), 1) == ("plain", "guided", "replacement", "stand-ins")
    avoided = replace(long, kind="avoid")
    assert search_order(sentence, (avoided,), 1) == ("guided",)
    stand_in = TermStandIn(source_ids=(9,), after_space=(9,), after_mark=(8,), num_forms=1, unknown=True)
    unknown = replace(sentence, term_stand_ins=(stand_in,))
    assert search_order(unknown, ASKED, 1) == ("stand-ins", "guided")
    known = replace(sentence, term_stand_ins=(replace(stand_in, unknown=False), None))
    assert search_order(known, ASKED, 1) == ("replacement", "guided", "stand-ins")


def test_stand_ins_are_the_last_resort_where_every_search_says_a_term_and_its_source() -> None:
    stand_in = TermStandIn(source_ids=(9,), after_space=(9,), after_mark=(8,), num_forms=1, unknown=False)
    sentence = Sentence((5, 6, 7, 8), ASKED, term_stand_ins=(stand_in,))
    both = [found("replacement", WITH_REPETITION), found("guided", WITH_REPETITION)]
    assert exchanged_terms(sentence, ASKED, both) == [0]
    assert exchanged_terms(sentence, ASKED, [*both[:1], found("guided", WITHOUT_REPETITION)]) == []
    assert exchanged_terms(replace(sentence, term_stand_ins=()), ASKED, both) == []
    by_stand_ins = replace(WITHOUT_REPETITION, token_log_probabilities=(-0.6,) * 5)
    assert choose([*both, found("stand-ins", by_stand_ins)], ASKED)[0] == by_stand_ins


def test_a_word_is_not_said_beside_its_term() -> None:
    text, terms = "Wählen Sie im Menü den Drucker aus.", ["Drucker=output device", "Menü=main menu"]
    german = Translator.load(find_model("de", "en"))
    asked = Glossary(tuple(map(parse_term, terms)))
    text = german.translate(text, TranslateOptions(workers=1), glossary=asked).text
    assert "output device" in text
    assert "main menu" in text
    assert "printer" not in text
