"""A term at the beginning of a sentence has its capital, unless it was given in a case of its own."""

from typing import get_args

import pytest

from lexalign.contracts.constraint import Constraint
from lexalign.glossary import Entry, Glossary, Match, Matcher, parse_term
from lexalign.translator import ConstraintOptions, TermResult, TranslateOptions, Translator
from lexalign.translator.options import PolicyName
from lexalign.translator.sentence_case import with_sentence_capital


def result(form: str, text: str, *, match: Match | None, met: bool = True) -> TermResult:
    start = text.index(form)
    constraint = Constraint(targets=(form,))
    return TermResult(constraint=constraint, met=met, target=(start, start + len(form)), match=match)


def matched(entry: Entry) -> Match:
    return Matcher(Glossary((entry,))).match(f"- {entry.source}")[0]


PLAIN = matched(parse_term("Bericht=report"))


@pytest.mark.parametrize(
    ("text", "source", "expected"),
    [
        ("report is here", "Bericht ist hier", "Report is here"),
        ("“report” is here", "Er ist hier", "“Report” is here"),
        ("report is here", "報告があります", "Report is here"),
        ("report is here", "„Hier“ ist er", "Report is here"),
        ("report is here", "bericht ist hier", "report is here"),
        ("the report is here", "Bericht ist hier", "the report is here"),
        ("4 report is here", "Bericht ist hier", "4 report is here"),
    ],
)
def test_the_first_letter(text: str, source: str, expected: str) -> None:
    assert with_sentence_capital(text, source, [result("report", text, match=PLAIN)]) == expected


@pytest.mark.parametrize(
    ("form", "match", "met"),
    [
        ("iPad", PLAIN, True),
        ("report", None, True),
        ("report", PLAIN, False),
        ("report", matched(Entry(source="Bericht", targets=("report",), case="as-typed")), True),
        ("report", matched(Entry(source="report", policy="keep")), True),
        ("ŉ", PLAIN, True),
    ],
)
def test_what_is_written_as_it_was_given(form: str, match: Match | None, met: bool) -> None:
    text = f"{form} is here"
    assert with_sentence_capital(text, "Er ist da", [result(form, text, match=match, met=met)]) == text


@pytest.mark.parametrize("policy", get_args(PolicyName))
def test_by_every_policy(translator: Translator, policy: PolicyName) -> None:
    """The first word of the plain translation, as a term in small letters, begins the sentence again."""
    text = "Straße und Haus ist groß"
    word = translator.translate(text, TranslateOptions(beam=4, workers=1)).text.split()[0]
    glossary = Glossary((parse_term(f"Straße={word.lower()}"),))
    options = TranslateOptions(beam=4, workers=1, constraints=ConstraintOptions(policy=policy))
    (found, small) = translator.translate([text, text.lower()], options, glossary=glossary)
    for one in (found, *found.alternatives):
        if any(term.met and term.target and term.target[0] == 0 for term in one.terms):
            assert one.text[0].isupper()
    for term in small.terms:
        if term.target and term.target[0] == 0:
            assert small.text[0].islower()
