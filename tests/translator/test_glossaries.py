"""Glossaries in the translator: what they ask for is met, told of, and silent where the caller speaks."""

import pytest

from lexalign.contracts.alignment import Span
from lexalign.glossary import Entry, Glossary, Matcher, parse_term
from lexalign.glossary.matching.lemmas import TableLemmas
from lexalign.translator import Constraint, ConstraintOptions, TranslateOptions, Translator

OPTIONS = TranslateOptions(beam=4, workers=1, align="post-aln")
GLOSSARY = Glossary((parse_term("Hund=München"), parse_term("lange Straße=Haus|groß")))
TEXT = "der kleine Hund läuft über die lange Straße"


def sources(terms: tuple[object, ...]) -> list[Span | None]:
    return [term.constraint.source for term in terms]  # type: ignore[attr-defined]


def test_terms_are_met_and_explained(translator: Translator) -> None:
    found = translator.translate(TEXT, OPTIONS, glossary=GLOSSARY)
    assert sources(found.terms) == [(11, 15), (31, 43)]
    for term, entry in zip(found.terms, GLOSSARY, strict=True):
        assert term.met
        assert term.target is not None
        assert found.text[slice(*term.target)] in entry.targets
        assert term.match is not None
        assert term.match.entry == entry
        assert term.probability is not None
        assert 0 <= term.probability <= 1


def test_the_probability_is_the_mass_on_the_source(translator: Translator) -> None:
    """A term of the whole sentence has nearly all of it; the end of the sentence has the rest."""
    whole = translator.translate(TEXT, OPTIONS, glossary=Glossary((parse_term(f"{TEXT}=Hund"),)))
    part = translator.translate(TEXT, OPTIONS, glossary=Glossary((parse_term("der=Hund"),)))
    assert whole.terms[0].probability is not None
    assert part.terms[0].probability is not None
    assert part.terms[0].probability < whole.terms[0].probability <= 1.0 + 1e-6


def test_without_alignments_there_is_no_probability(translator: Translator) -> None:
    options = TranslateOptions(
        beam=4, workers=1, coverage=False, constraints=ConstraintOptions(with_other_searches=False)
    )
    found = translator.translate(TEXT, options, glossary=GLOSSARY)
    assert [term.probability for term in found.terms] == [None, None]


def test_a_glossary_gives_what_its_constraints_give(translator: Translator, sentences: list[str]) -> None:
    matcher = Matcher(GLOSSARY)
    asked = [matcher.constraints(text) for text in sentences[:15]]
    assert any(asked)
    by_hand = translator.translate(sentences[:15], OPTIONS, constraints=asked)
    for glossary in (GLOSSARY, matcher):
        found = translator.translate(sentences[:15], OPTIONS, glossary=glossary)
        assert [one.text for one in found] == [one.text for one in by_hand]
        assert [one.constraint for each in found for one in each.terms] == [
            one for each in asked for one in each
        ]
    streamed = list(translator.translate_stream(iter(sentences[:15]), OPTIONS, glossary=matcher))
    assert [one.text for one in streamed] == [one.text for one in by_hand]


def test_a_glossary_is_silent_where_the_caller_speaks(translator: Translator) -> None:
    own = Constraint(targets=("nach",), source=(4, 15))
    found = translator.translate(TEXT, OPTIONS, constraints=[own], glossary=GLOSSARY)
    assert sources(found.terms) == [(4, 15), (31, 43)]
    assert found.terms[0].match is None


def test_an_empty_sentence_and_one_without_terms(translator: Translator) -> None:
    found = translator.translate(["", "das ist"], OPTIONS, glossary=GLOSSARY)
    assert [one.terms for one in found] == [(), ()]


def test_policies_keep_and_avoid(translator: Translator) -> None:
    plain = translator.translate("das Haus ist groß", OPTIONS)
    word = plain.text.split()[0]
    entries = (
        Entry(source="Haus", policy="keep"),
        Entry(source="das", targets=(word,), policy="avoid", case="as-typed"),
    )
    found = translator.translate("das Haus ist groß", OPTIONS, glossary=Glossary(entries))
    assert [(term.constraint.kind, term.met) for term in found.terms] == [("avoid", True), ("must", True)]
    assert "Haus" in found.text.split()
    assert word not in found.text.split()


@pytest.mark.parametrize("policy", ["none", "vdba"])
def test_every_policy_tells_of_matches(translator: Translator, policy: str) -> None:
    options = TranslateOptions(beam=2, workers=1, constraints=ConstraintOptions(policy=policy))  # type: ignore[arg-type]
    lemmas = TableLemmas({"Hunde": "Hund"})
    found = translator.translate("zwei Hunde", options, glossary=Matcher(GLOSSARY, lemmas=lemmas))
    (term,) = found.terms
    assert term.match is not None
    assert term.match.kind == "inflected"
