"""Reports of translations: terms, numbers, placeholders, tags, and what is consistent."""

from dataclasses import replace

from lexalign.contracts.alignment import SpanLink, TextAlignment
from lexalign.contracts.constraint import Constraint
from lexalign.glossary import Glossary, Matcher, parse_terms
from lexalign.markup import TaggedText
from lexalign.markup.inline.xml import PAIR, read_xml
from lexalign.report import (
    FileReportBuilder,
    Report,
    SegmentReport,
    TermReport,
    report_given,
    report_segment,
    report_text,
)
from lexalign.report.consistency import inconsistent_names, inconsistent_terms
from lexalign.translator import TermResult, Translation, UncoveredWord


def tagged(markup: str) -> TaggedText:
    return read_xml(markup, lambda *_: PAIR, "here")


def test_terms_are_told_with_their_forms_and_reasons() -> None:
    entries = [*parse_terms("Haus=house|home"), *parse_terms("Haus=building"), *parse_terms("Hund=dog")]
    matches = Matcher(Glossary(tuple(entries)), source_language="de").match("Die Häuser, der Hund.")
    results = (
        TermResult(constraint=matches[0].constraint, met=True, target=(4, 9), match=matches[0]),
        TermResult(constraint=matches[1].constraint, met=False, reason="not generable", match=matches[1]),
        TermResult(constraint=Constraint(targets=("x",), source=(0, 3), kind="prefer"), met=False),
    )
    translation = Translation(source="Die Häuser, der Hund.", text="The homes, the cat.", terms=results)
    report = report_text(7, "line 7", translation)
    house, dog, other = report.terms
    assert (house.source, house.term, house.form, house.ambiguous) == ("Häuser", "Haus", "homes", True)
    assert house.targets == ("house", "home", "building")
    assert (dog.met, dog.reason, dog.failed) == (False, "the model cannot write it", True)
    assert (other.source, other.failed) == ("Die", False)
    assert report.failed


def test_terms_of_a_given_translation_are_looked_for() -> None:
    matcher = Matcher(Glossary((*parse_terms("Haus=house"), *parse_terms("Hund=dog"))), source_language="de")
    terms = report_given("Das Haus, der Hund.", "The house, the cat.", matcher).terms
    assert [(term.source, term.met, term.form) for term in terms] == [
        ("Haus", True, "house"),
        ("Hund", False, ""),
    ]
    assert report_given("Das Haus.", "The house.", None).terms == ()


def test_content_that_is_likely_lost_fails() -> None:
    """Words that nothing comes from are told together; one that may well be translated by nothing is not."""
    words = [((4, 8), True), ((9, 13), True), ((20, 23), False)]
    uncovered = tuple(UncoveredWord(source=span, probability=0.9, lost=lost) for span, lost in words)
    translation = Translation(source="Das alte Haus steht da.", text="It stands.", uncovered=uncovered)
    report = report_text(1, "line 1", translation)
    assert [(one.kind, one.source_span, one.failure) for one in report.findings] == [
        ("omission", (4, 13), True)
    ]
    assert "alte Haus" in report.findings[0].message


def test_numbers_placeholders_and_tags_are_checked() -> None:
    source = tagged("In <b>3</b> Tagen sagt {name} {name}: <i>5</i> Euro.")
    tags = [source.tags[0], replace(source.tags[1], start=23, end=28)]
    target = TaggedText("In 3 days {name} says: euros.", tags)
    report = report_segment(1, "here", source, target, [])
    assert [(one.kind, one.message) for one in report.findings] == [
        ("number", "the number 5 is missing"),
        ("placeholder", "{name} is there 1 times, not 2"),
    ]
    assert (report.num_numbers, report.num_placeholders, report.num_tags) == (2, 2, 2)
    lacking = report_segment(1, "here", source, TaggedText(source.text, source.tags[:1]), [])
    assert [one.kind for one in lacking.findings] == ["tag"]
    assert lacking.failed


def test_an_empty_tag_is_a_note_unless_it_was_empty_before() -> None:
    source = tagged("a <b>b</b> <i></i>c")
    empty = TaggedText("A C", [tag.__class__(start=2, end=2, opening=tag.opening) for tag in source.tags])
    (finding,) = report_segment(1, "here", source, empty, []).findings
    assert (finding.message, finding.failure) == ("<b> encloses nothing", False)


def test_segments_without_anything_to_say_are_only_counted() -> None:
    builder = FileReportBuilder("file")
    builder.add(report_text(1, "line 1", Translation(source="Gut.", text="Good.")))
    builder.add(report_text(2, "line 2", Translation(source="3 Tage.", text="Days.", complete=False)))
    file = builder.build()
    assert [segment.number for segment in file.segments] == [2]
    assert (file.counts.segments, file.counts.numbers, file.counts.numbers_missing) == (2, 1, 1)
    assert (file.counts.cut_off, file.counts.segments_failed) == (1, 1)
    twice = Report(files=(file, file))
    assert twice.counts.segments == 4
    assert twice.failed


def met(number: int, form: str, targets: tuple[str, ...]) -> SegmentReport:
    term = TermReport(source="x", term="Abgeordnete", targets=targets, kind="must", met=True, form=form)
    return SegmentReport(number=number, where="", source="", target="", terms=(term,))


def test_a_term_may_vary_in_its_form_but_not_in_its_lemma() -> None:
    targets = ("deputy", "MP")
    assert inconsistent_terms([met(1, "deputy", targets), met(2, "Deputies", targets)]) == []
    (found,) = inconsistent_terms(
        [met(1, "deputies", targets), met(2, "MPs", targets), met(5, "MP", targets)]
    )
    assert [(one.form, one.segments) for one in found.variants] == [("MP", (2, 5)), ("deputy", (1,))]


def aligned(source: str, target: str, name: str, form: str) -> TextAlignment:
    start, place = source.index(name), target.index(form)
    link = SpanLink((start, start + len(name)), (place, place + len(form)), 0.9)
    return TextAlignment(source=source, target=target, links=(link,))


def test_names_with_several_translations_are_found() -> None:
    first = aligned("Hier liest Müllerin.", "Müllerin reads here.", "Müllerin", "Müllerin")
    second = aligned("Dort liest Müllerin.", "Miller reads there.", "Müllerin", "Miller")
    genitive = aligned("Dort ist Müllerin.", "It is Mullerins.", "Müllerin", "Mullerins")
    known = {"hier", "liest", "dort", "ist"}.__contains__
    assert inconsistent_names([(1, first), (2, first), (3, genitive)], known) == []
    (found,) = inconsistent_names([(1, first), (2, second), (3, first)], known)
    assert found.source == "Müllerin"
    assert [(one.form, one.segments) for one in found.variants] == [("Müllerin", (1, 3)), ("Miller", (2,))]
    assert inconsistent_names([(1, first), (2, second)], lambda _: True) == []
