"""Texts of several sentences: split, translated by themselves, and one again, with offsets into the whole."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.studies.untranslatables.interfaces import Interfaces
from experiments.studies.untranslatables.strings import tricky_strings
from lexalign.contracts.constraint import Constraint
from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Glossary, parse_term
from lexalign.text.sentences import keep_together
from lexalign.translator import ConstraintOptions, TranslateOptions, Translator
from lexalign.translator.source_text import Text

SENTENCES = ["Das Haus ist groß.", "Der kleine Hund läuft über die lange Straße!", "Das ist groß?"]
LONG = "  ".join(SENTENCES * 4) + "\n"
ALONE = TranslateOptions(workers=1)
VDBA = TranslateOptions(workers=1, constraints=ConstraintOptions(policy="vdba"), align="naive-att")


def test_a_text_is_its_sentences_translated(translator: Translator) -> None:
    task = translator.prepare(LONG)
    assert [one.text for one in task.source.sentences[:2]] == SENTENCES[:2]
    alone = translator.translate([one.text for one in task.source.sentences], ALONE)
    before, whole, after = translator.translate(["das Haus", LONG, "der Hund"], ALONE)
    assert whole.text == "  ".join(part.text for part in alone) + "\n"
    assert whole.source == LONG
    assert whole.log_probability == pytest.approx(sum(part.log_probability for part in alone), abs=1e-3)
    assert [before.text, after.text] == [
        one.text for one in translator.translate(["das Haus", "der Hund"], ALONE)
    ]


def test_lines_are_told_apart_in_any_case(translator: Translator) -> None:
    text = "das Haus. Der Hund\n\n  ist groß \n"
    task = translator.prepare(text, TranslateOptions(sentences=False))
    assert [one.text for one in task.source.sentences] == ["das Haus. Der Hund", "ist groß"]
    found = translator.translate(text, TranslateOptions(workers=1, sentences=False))
    assert found.text.count("\n") >= 3
    assert found.text.endswith(" \n")


def test_constraints_go_to_their_sentences(translator: Translator) -> None:
    start = LONG.rindex("Hund")
    asked = [
        Constraint(targets=("München",), source=(start, start + 4)),
        Constraint(targets=("nach",), source=(4, 8)),
        Constraint(targets=("und",), kind="avoid"),
    ]
    found = translator.translate(LONG, VDBA, constraints=asked)
    assert [term.constraint for term in found.terms] == asked
    assert all(term.met for term in found.terms)
    for term in found.terms[:2]:
        assert term.target is not None
        assert found.text[slice(*term.target)].strip() == term.constraint.targets[0]
    assert max(link.source[0] for link in found.links) > start - 20
    for link in found.links:
        assert LONG[slice(*link.source)].strip()
        assert found.text[slice(*link.target)]


def test_a_constraint_without_a_source_keeps_a_text_together(translator: Translator) -> None:
    text = " ".join(SENTENCES[:2])
    task = translator.prepare((text, [Constraint(targets=("nach",))]), VDBA)
    assert [one.text for one in task.source.sentences] == [text]
    with pytest.raises(LexalignError, match=r"text 1: it must be split, .* give its source"):
        translator.prepare((LONG * 9, [Constraint(targets=("nach",))]), VDBA)


def test_a_constraint_joins_the_sentences_that_it_lies_across(translator: Translator) -> None:
    text = " ".join(SENTENCES)
    across = Constraint(targets=("nach",), source=(13, 25))
    task = translator.prepare((text, [across]), VDBA)
    assert [one.text for one in task.source.sentences] == [" ".join(SENTENCES[:2]), SENTENCES[2]]
    with pytest.raises(LexalignError, match="lies across a split"):
        translator.prepare((LONG * 9, [Constraint(targets=("nach",), source=(0, len(LONG) * 8))]), VDBA)


def test_a_glossary_is_heard_in_every_sentence(translator: Translator) -> None:
    glossary = Glossary((parse_term("Hund=München"),))
    asked = [Constraint(targets=("nach",), source=(4, 8))]
    found = translator.translate(LONG, VDBA, constraints=asked, glossary=glossary)
    assert found.terms[0].constraint == asked[0]
    assert len(found.terms) == 1 + LONG.count("Hund")
    for term in found.terms[1:]:
        assert term.met
        assert term.match is not None
        assert term.target is not None
        assert term.match.constraint == term.constraint
        assert LONG[slice(*term.match.span)] == "Hund"
        assert found.text[slice(*term.target)].strip() == "München"


def test_refused_texts_are_told_by_their_own_places(translator: Translator) -> None:
    window: list[Text] = [LONG, "a\0b", LONG, ("Hund", [Constraint(targets=("x",), source=(2, 9))])]
    refused: dict[int, str] = {}
    found = list(
        translator.translate_windows(
            [window, ["das Haus"]], ALONE, refuse=lambda place, error: refused.update({place: error.reason})
        )
    )
    assert [bool(one.text) for one in found] == [True, False, True, False, True]
    assert {place: reason[:20] for place, reason in refused.items()} == {
        1: "contains a NUL chara",
        3: "the source 2 to 9 of",
    }


@given(
    st.lists(
        st.sampled_from(["Das Haus. ", "{a. B} ", "https://a.de/b.C ", "ja ", "\n", "Gut! "]), max_size=15
    )
)
@settings(max_examples=100, deadline=None)
def test_everything_is_in_one_sentence_or_between_two(translator: Translator, pieces: list[str]) -> None:
    text = "".join(pieces)
    sentences = translator.prepare(text).source.sentences
    end = 0
    for one in sentences:
        assert not text[end : one.span[0]].strip()
        assert text[slice(*one.span)] == one.text
        end = one.span[1]
    assert not text[end:].strip()
    for kept in ("{a. B}", "https://a.de/b.C"):
        assert sum(one.text.count(kept) for one in sentences) == text.count(kept)


def test_terms_come_before_what_they_cover_and_not_inside_of_it(translator: Translator) -> None:
    glossary = Glossary((parse_term("Haus_Hund=München"), parse_term("Hund=nach")))
    text = "das Haus_Hund und https://Hund.de/Hund der Hund"
    found = translator.translate(text, VDBA, glossary=glossary)
    assert [text[slice(*term.constraint.source)] for term in found.terms if term.constraint.source] == [
        "Haus_Hund",
        "Hund",
    ]
    assert [one.text for one in found.protected] == ["https://Hund.de/Hund"]
    assert all(term.met for term in found.terms)


@pytest.mark.parametrize("policy", ["none", "replace", "vdba", "align-vdba", "guided"])
def test_stand_ins_are_not_told_as_terms(translator: Translator, policy: str) -> None:
    constraints = ConstraintOptions(policy=policy)  # type: ignore[arg-type]
    options = TranslateOptions(workers=1, constraints=constraints, n_best=2)
    glossary = Glossary((parse_term("Hund=München"),))
    texts = ["das {a} Haus", "der Hund {b} ist", "der Hund", "und"]
    for text, found in zip(texts, translator.translate(texts, options, glossary=glossary), strict=True):
        assert len(found.terms) == text.count("Hund")
        for one in (found, *found.alternatives):
            assert [kept.text for kept in one.protected] == [part for part in text.split() if "{" in part]
            assert all(one.text[slice(*kept.target)] == kept.text for kept in one.protected)


def test_a_stream_has_all_of_a_text(translator: Translator) -> None:
    text = "  Das {name} Haus 🎉 ist. Und https://example.com/a nicht.\n"
    tokens = list(translator.stream(text))
    joined = "".join(token.text for token in tokens)
    assert joined.startswith("  ")
    assert joined.endswith("\n")
    for kept in ("{name}", "🎉", "https://example.com/a"):
        assert joined.count(kept) == 1
    for token in tokens:
        assert 0 <= token.source[0] <= token.source[1] <= len(text)


def test_every_way_in_keeps_everything(model_folder: Path, tmp_path: Path) -> None:
    """A random model loses all that it is not made to keep."""
    strings = tricky_strings("de")[::9]
    texts = [text for text, _ in strings]
    ways = Interfaces(model=model_folder, languages=("de", "en"), folder=tmp_path, beam=1).all()
    for name, way in ways.items():
        for found, (text, kept) in zip(way(texts), strings, strict=True):
            for span in kept:
                assert found.count(span) >= kept.count(span), (name, text, found)


def test_numbers_that_are_lost_are_told(translator: Translator) -> None:
    found = translator.translate("Das Haus ist 4711 groß. Und 12.", ALONE)
    assert [found.source[slice(*span)] for span in found.missing_numbers] == ["4711", "12"]
    assert "the number 4711 is missing" in found.warnings


def test_neighbours_are_joined_across_what_belongs_together() -> None:
    assert keep_together([(0, 3), (4, 7), (8, 9)], [(2, 5)]) == [(0, 7), (8, 9)]
    assert keep_together([(0, 3), (4, 7), (8, 9)], [(0, 1), (2, 9)]) == [(0, 9)]
    assert keep_together([(0, 3), (4, 7)], []) == [(0, 3), (4, 7)]
