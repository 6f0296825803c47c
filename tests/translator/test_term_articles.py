"""The English indefinite article before a term follows the term."""

import re

import pytest

from lexalign.bundled import find_model
from lexalign.contracts.hypothesis import ConstraintResult
from lexalign.translator import Constraint, TranslateOptions, Translator
from lexalign.translator.term_articles import begins_with_vowel, fit_articles, fit_number

AN = ("otitis hour MRI X-ray umbrella 8 18-year 11th one OK API honour urgent uninstall Index SQL", {"one"})
A = "cat hotel European unit ureter uterus URL USB U-turn 180 used one-sided ewe T-shirt CT UI-less"


def test_the_first_sound() -> None:
    words, but = AN
    assert {word for word in words.split() if not begins_with_vowel(word)} == but
    assert not any(begins_with_vowel(word) for word in A.split())
    assert begins_with_vowel("RAM") is None


@pytest.mark.parametrize(
    ("text", "fitting"),
    [
        (" It is a otitis .", " It is an otitis ."),
        (" An cat sat .", " A cat sat ."),
        (" A otitis .", " An otitis ."),
        (" via otitis .", " via otitis ."),
        (" a  otitis .", " a  otitis ."),
        (" the otitis .", " the otitis ."),
    ],
)
def test_the_article_and_the_places_of_tokens(text: str, fitting: str) -> None:
    words = text.split(" ")[1:]
    starts = [sum(len(word) + 1 for word in words[:index]) for index in range(len(words))]
    spans = [(start, start + 1 + len(word)) for start, word in zip(starts, words, strict=True)]
    place = next(index for index, word in enumerate(words) if word in ("otitis", "cat"))
    met = ConstraintResult(met=True, tokens=(place, place + 1))
    found, moved = fit_articles(text, spans, [met, ConstraintResult(met=False, reason="not aligned")])
    assert found == fitting
    assert [found[slice(*span)] for span in moved] == [" " + word for word in fitting.split(" ")[1:]]


def test_in_a_translation() -> None:
    text = "Es ist eine Mittelohrentzündung."
    asked = [Constraint(targets=("otitis media",), source=(12, 31))]
    found = Translator.load(find_model("de", "en")).translate(
        text, TranslateOptions(workers=1, align="post-aln"), constraints=asked
    )
    assert "an otitis media" in found.text
    assert found.text[slice(*(found.terms[0].target or (0, 0)))] == "otitis media"


@pytest.mark.parametrize(
    ("text", "fitting"),
    [
        (" with a lymph node metastases .", " with a lymph node metastasis ."),
        (" Another lymph nodes .", " Another lymph node ."),
        (" every criteria .", " every criterion ."),
        (" two lymph nodes .", " two lymph nodes ."),
        (" via lymph nodes .", " via lymph nodes ."),
        (" a series .", " a series ."),
    ],
)
def test_no_plural_of_a_term_behind_a_word_for_one(text: str, fitting: str) -> None:
    terms = ("lymph node metastasis", "lymph node metastases", "lymph node", "lymph nodes")
    asked = [
        Constraint(targets=("missing",)),
        Constraint(targets=(*terms, "criterion", "criteria", "series")),
    ]
    tokens = re.findall(r" ?.[^ ]{0,4}", text)
    starts = [sum(map(len, tokens[:index])) for index in range(len(tokens))]
    spans = [(start, start + len(token)) for start, token in zip(starts, tokens, strict=True)]
    words = ("lymph", "crite", "serie")
    place = next(index for index, token in enumerate(tokens) if token.strip() in words)
    met = ConstraintResult(met=True, tokens=(place, len(tokens) - 1))
    found, moved = fit_number(text, spans, asked, [ConstraintResult(met=False, reason="not aligned"), met])
    assert found == fitting
    assert found[slice(*moved[-1])] == " ."
    assert "".join(found[slice(*span)] for span in moved) == found
