"""Terms that a model hardly knows are searched as stand-ins, and set into what is found."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexalign.bundled import find_model
from lexalign.contracts.constraint import Constraint, TokenConstraint
from lexalign.contracts.hypothesis import ConstraintResult, Hypothesis
from lexalign.glossary import Glossary, parse_term
from lexalign.translator import ConstraintOptions, TranslateOptions, Translation, Translator
from lexalign.translator.search_choice import unknown_terms
from lexalign.translator.source_text import Sentence, TermStandIn
from lexalign.translator.stand_ins import StandInPlaces, WordEdges, form_choices, with_stand_ins

OPTIONS = TranslateOptions(workers=1, align="post-aln")
TEXT = "Nach der Gallenblasenentfernung trat bei zwei Patienten ein Vorhofflimmern auf."
TERMS = {"Gallenblasenentfernung": "cholecystectomy", "Vorhofflimmern": "atrial fibrillation"}
SPACE, MARK = (90, 91), (92, 91)  # a stand-in behind a space and behind a mark
STAND_IN = TermStandIn(source_ids=(80, 81), after_space=SPACE, after_mark=MARK, num_forms=2, unknown=True)
EDGES = WordEdges(
    continues=[50 <= one < 60 for one in range(100)], ends_inside=[one < 60 for one in range(100)]
)


@pytest.fixture(scope="module")
def german() -> Translator:
    return Translator.load(find_model("de", "en"))


def ask(text: str, terms: dict[str, str]) -> list[Constraint]:
    return [
        Constraint(targets=(target,), source=(text.index(source), text.index(source) + len(source)))
        for source, target in terms.items()
    ]


def read(translator: Translator, text: str, constraints: list[Constraint]) -> Sentence:
    return translator.prepare((text, constraints)).source.sentences[0].sentence


def hypothesis(ids: list[int], *results: ConstraintResult) -> Hypothesis:
    return Hypothesis(
        token_ids=tuple(ids),
        score=-0.5,
        log_probability=-1.0,
        token_log_probabilities=(-0.1,) * (len(ids) + 1),
        constraint_results=results,
    )


def test_every_term_is_met_once_in_a_whole_sentence(german: Translator) -> None:
    found = german.translate(TEXT, OPTIONS, constraints=ask(TEXT, TERMS))
    assert [found.text.count(target) for target in TERMS.values()] == [1, 1]
    assert "two patients" in found.text
    assert [found.text[slice(*(term.target or (0, 0)))] for term in found.terms] == list(TERMS.values())
    assert [term.probability is not None for term in found.terms] == [True, True]
    assert "X" not in found.text


def test_log_probabilities_are_those_of_the_model(german: Translator) -> None:
    constraints = ask(TEXT, {**TERMS, "Vorhofflimmern": "flutter"})
    found = german.translate(TEXT, OPTIONS, constraints=constraints)
    (scored,) = german.score([TEXT], [found.text])
    assert found.tokens == scored.tokens
    assert found.log_probability == pytest.approx(scored.log_probability, abs=1e-3)


def test_the_same_alone_and_among_others(german: Translator) -> None:
    texts = [TEXT, "Der Ausschuss tagt.", "Bei einer Leberzirrhose hilft das nicht, sagte der Arzt."]
    asked = [ask(TEXT, TERMS), [], ask(texts[2], {"Leberzirrhose": "liver cirrhosis"})]
    together = german.translate(texts, OPTIONS, constraints=asked)
    alone = [german.translate(text, OPTIONS, constraints=own) for text, own in zip(texts, asked, strict=True)]
    assert together == alone


def test_known_terms_beside_them_are_met_too(german: Translator) -> None:
    terms = {**TERMS, "zwei Patienten": "two individuals"}
    constraints = ask(TEXT, terms)
    assert unknown_terms(read(german, TEXT, constraints)) == [0, 1]
    found = german.translate(TEXT, OPTIONS, constraints=constraints)
    assert all(term.met for term in found.terms)
    assert [found.text.count(target) for target in terms.values()] == [1, 1, 1]


def test_the_form_is_chosen_by_the_whole_translation(german: Translator) -> None:
    glossary = Glossary((parse_term("Schilddrüsenvergrößerung=goitre|goitres"),))
    one = german.translate("Eine Schilddrüsenvergrößerung ist gut zu erkennen.", OPTIONS, glossary=glossary)
    many = german.translate("Drei große Schilddrüsenvergrößerungen sind bekannt.", OPTIONS, glossary=glossary)
    assert "goitre " in one.text
    assert "goitres" in many.text


def test_alternatives_begin_with_the_best_one(german: Translator) -> None:
    constraints = ask(TEXT, TERMS)
    best = german.translate(TEXT, OPTIONS, constraints=constraints)
    several = german.translate(TEXT, replace(OPTIONS, n_best=3), constraints=constraints)
    found: list[Translation] = [several, *several.alternatives]
    assert several.text == best.text
    assert len({one.text for one in found}) == 3
    assert all(term.met for one in found for term in one.terms)


def test_the_guided_search_alone_uses_no_stand_ins(german: Translator) -> None:
    alone = replace(OPTIONS, constraints=ConstraintOptions(with_other_searches=False))
    found = german.translate(TEXT, alone, constraints=ask(TEXT, TERMS))
    assert found.text != german.translate(TEXT, OPTIONS, constraints=ask(TEXT, TERMS)).text


@pytest.mark.parametrize(
    ("text", "source", "places"),
    [
        (TEXT, "Gallenblasenentfernung", [0]),
        (TEXT, "Gallenblasen", []),  # a part of a word
        (TEXT, "Patienten", []),  # known
        ("Siehe GallenblasenEntfernung.", "GallenblasenEntfernung", []),  # a name of code
        ("(Gallenblasenentfernung)", "Gallenblasenentfernung", [0]),
    ],
)
def test_which_terms_are_exchanged(german: Translator, text: str, source: str, places: list[int]) -> None:
    assert unknown_terms(read(german, text, ask(text, {source: "term"}))) == places


def test_terms_that_share_words_are_not_exchanged(german: Translator) -> None:
    shared = {"Gallenblasenentfernung": "cholecystectomy", "der Gallenblasenentfernung": "surgery"}
    assert unknown_terms(read(german, TEXT, ask(TEXT, shared))) == []
    avoided = [replace(one, kind="avoid") for one in ask(TEXT, {"Gallenblasenentfernung": "surgery"})]
    assert unknown_terms(read(german, TEXT, avoided)) == []


def test_numbers_of_the_text_are_not_taken(german: Translator) -> None:
    text = "Die X1 und die Gallenblasenentfernung."
    (stand_in,) = read(german, text, ask(text, {"Gallenblasenentfernung": "surgery"})).term_stand_ins
    other = read(german, TEXT, ask(TEXT, {"Gallenblasenentfernung": "surgery"})).term_stand_ins[0]
    assert stand_in is not None
    assert other is not None
    assert stand_in.after_space != other.after_space


def test_sources_of_other_constraints_move() -> None:
    """Tokens 2 to 4 become two, and tokens 6 and 7 too."""
    asked = (
        TokenConstraint(alternatives=((1,),), source=(2, 3, 4)),
        TokenConstraint(alternatives=((2,),), source=(1, 5)),
        TokenConstraint(alternatives=((3,),), source=(6, 7)),
        TokenConstraint(alternatives=((4,),)),
    )
    stand_ins = (STAND_IN, None, replace(STAND_IN, source_ids=(82, 83)), None)
    sentence = Sentence((10, 11, 12, 13, 14, 15, 16, 17, 18), asked, term_stand_ins=stand_ins)
    masked, others = with_stand_ins(sentence, asked, [0, 2])
    assert masked.ids == (10, 11, 80, 81, 15, 82, 83, 18)
    assert others == masked.constraints == (replace(asked[1], source=(1, 4)), asked[3])


ONE = (TokenConstraint(alternatives=((70, 71, 72), (73,)), source=(0,)),)
SENTENCE = Sentence((5, 6), ONE, term_stand_ins=(STAND_IN,))


@given(before=st.lists(st.integers(1, 79), max_size=5), after=st.lists(st.integers(60, 79), max_size=5))
def test_a_term_takes_the_place_of_its_stand_in(before: list[int], after: list[int]) -> None:
    found = hypothesis([*before, *SPACE, *after])
    places = StandInPlaces(found, SENTENCE, ONE, [0], EDGES)
    assert places.complete
    for forms, form in zip(form_choices(SENTENCE, [0]), ONE[0].alternatives, strict=True):
        one = places.with_terms(forms)
        assert one.token_ids == (*before, *form, *after)
        assert one.constraint_results == (
            ConstraintResult(met=True, tokens=(len(before), len(before) + len(form))),
        )


@pytest.mark.parametrize(
    ("ids", "complete"),
    [
        ([1, 2], False),  # missing
        ([*SPACE, 60, *SPACE], False),  # there twice
        ([*SPACE, 60, *MARK], False),
        ([*SPACE, 50], False),  # goes on as a longer word
        ([60, *MARK, 61], True),
        ([1, *MARK], False),  # inside of a word
        ([*MARK], True),
    ],
)
def test_a_stand_in_is_there_once_as_a_whole_word(ids: list[int], complete: bool) -> None:
    assert StandInPlaces(hypothesis(ids), SENTENCE, ONE, [0], EDGES).complete is complete


def test_places_of_other_terms_move() -> None:
    asked = (ONE[0], TokenConstraint(alternatives=((61,),)), replace(ONE[0], source=(1,)))
    second = replace(STAND_IN, after_space=(94, 95), after_mark=(96, 95))
    sentence = Sentence((5, 6), asked, term_stand_ins=(STAND_IN, None, second))
    met = ConstraintResult(met=True, tokens=(3, 4))
    found = hypothesis([60, *SPACE, 61, 94, 95, 62], met)
    one = StandInPlaces(found, sentence, asked, [0, 2], EDGES).with_terms({2: 1})
    assert one.token_ids == (60, 70, 71, 72, 61, 73, 62)
    assert [result.tokens for result in one.constraint_results] == [(1, 4), (4, 5), (5, 6)]
