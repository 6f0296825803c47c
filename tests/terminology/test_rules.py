"""The rules of a check, one by one, on units whose links are given."""

import json
import math
from collections import Counter
from pathlib import Path

import pytest

from lexalign.contracts.alignment import Link
from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Entry, Glossary, Matcher, TermPolicy
from lexalign.glossary.entries import Place
from lexalign.glossary.matching.words import split
from lexalign.terminology.alignment import AlignedUnit
from lexalign.terminology.checking import CheckOptions, CheckResult, Finding, check_units
from lexalign.terminology.checking.baseline import new_findings, read_baseline, write_baseline
from lexalign.terminology.checking.rules.numbers import NumberRule
from lexalign.terminology.checking.rules.omission import LengthRatios, OmissionRule
from lexalign.terminology.checking.rules.placeholders import PlaceholderRule
from lexalign.terminology.checking.rules.tags import TagRule
from lexalign.terminology.checking.rules.terms import TermRule
from lexalign.terminology.checking.rules.untranslated import UntranslatedRule
from lexalign.terminology.checking.target_terms import TargetTerms
from lexalign.terminology.consistency import inconsistent_segments
from lexalign.terminology.reading import Languages
from lexalign.terminology.reports.finding_files import CheckReport, write_report
from lexalign.terminology.units import Read, Rejected, Unit
from lexalign.terminology.usage import count_usage

FUNCTION_WORDS = frozenset({"die", "der", "den", "und", "sie"})
ORDER = Entry(source="order", targets=("Auftrag",), source_language="en", target_language="de")


def unit(source: str, target: str, line: int = 1) -> Unit:
    return Unit(source, target, Place("file.tsv", line))


def aligned(source: str, target: str, links: str = "") -> AlignedUnit:
    pairs = [link.split("-") for link in links.split()]
    points = [Link(int(first), int(second), 0.9) for first, second in pairs]
    return AlignedUnit(unit(source, target), split(source), split(target), tuple(points))


def verdicts(one: AlignedUnit, *entries: Entry) -> list[tuple[str, str]]:
    matcher = Matcher(Glossary(entries or (ORDER,)), source_language="en", target_language="de")
    rule = TermRule(matcher, TargetTerms("de"), FUNCTION_WORDS)
    return [(finding.kind, finding.found) for finding in rule.check(one)]


def entry(source: str, target: str, policy: TermPolicy) -> Entry:
    targets = () if policy == "keep" else (target,)
    return Entry(source=source, targets=targets, policy=policy, source_language="en", target_language="de")


@pytest.mark.parametrize(
    ("target", "links", "expected"),
    [
        ("Buchen Sie den Auftrag.", "0-0 1-2 2-3", ("as-asked", "Auftrag")),
        ("Buchen Sie den Auftrag.", "", ("as-asked", "Auftrag")),
        ("Buchen Sie den Auf-Trag.", "2-3", ("other-form", "Auf-Trag")),
        ("Buchen Sie die Aufträge.", "2-3", ("other-form", "Aufträge")),
        ("Buchen Sie die Auftragsposition.", "2-3", ("compound", "Auftragsposition")),
        ("Buchen Sie den Verkaufsauftrag.", "2-3", ("compound", "Verkaufsauftrag")),
        ("Buchen Sie die Bestellung.", "2-3", ("other-word", "Bestellung")),
        ("Buchen Sie sie.", "0-0 2-2", ("missing-term", "")),
        ("Buchen Sie.", "0-0", ("missing-term", "")),
    ],
)
def test_verdicts_on_a_term(target: str, links: str, expected: tuple[str, str]) -> None:
    assert verdicts(aligned("Post the order.", target, links)) == [expected]


def test_each_translation_serves_one_term_the_nearest_by_links() -> None:
    text = "Post the order and close the order.", "Die Bestellung schließen und den Auftrag buchen."
    assert verdicts(aligned(*text, "2-5 6-1")) == [("as-asked", "Auftrag"), ("other-word", "Bestellung")]
    assert verdicts(aligned(*text, "2-1 6-5")) == [("other-word", "Bestellung"), ("as-asked", "Auftrag")]


def test_two_mentions_may_share_a_translation() -> None:
    one = aligned("Open an order or a sales order.", "Öffnen Sie einen Auftrag.", "2-3 6-3")
    assert verdicts(one) == [("as-asked", "Auftrag")] * 2


def test_kept_names() -> None:
    name = entry("Contoso", "", "keep")
    assert verdicts(aligned("Open Contoso.", "Contoso öffnen.", "1-0"), name) == [("as-asked", "Contoso")]
    assert verdicts(aligned("Open Contoso.", "Contoso-App öffnen.", "1-0"), name) == [
        ("compound", "Contoso-App")
    ]
    assert verdicts(aligned("Open Contoso.", "Kontoso öffnen.", "1-0"), name) == [("not-kept", "Kontoso")]
    assert verdicts(aligned("Open Contoso.", "contoso öffnen.", "1-0"), name) == [("not-kept", "contoso")]


def test_a_forbidden_word_counts_only_where_it_translates_the_term() -> None:
    forbidden = entry("report", "Meldung", "avoid")
    text = "The report has a message.", "Der Bericht hat eine Meldung."
    assert verdicts(aligned(*text, "1-1 4-4"), forbidden) == []
    assert verdicts(aligned(*text, "1-4"), forbidden) == [("forbidden-term", "Meldung")]
    assert verdicts(aligned(*text), forbidden) == [("forbidden-term", "Meldung")]


def test_preferred_terms_are_only_warnings() -> None:
    matcher = Matcher(Glossary((entry("order", "Auftrag", "prefer"),)))
    (finding,) = TermRule(matcher, TargetTerms("de"), FUNCTION_WORDS).check(
        aligned("An order.", "Eine Bestellung.", "1-1")
    )
    assert (finding.kind, finding.severity) == ("other-word", "warning")


@pytest.mark.parametrize(
    ("source", "target", "messages"),
    [
        ("It costs 1,234.50 on 3 May.", "Es kostet 1.234,50 am 3. Mai.", []),
        ("Add 3 lines.", "Fügen Sie 5 Zeilen hinzu.", ["3 has become 5"]),
        ("Add three lines.", "Fügen Sie 3 Zeilen hinzu.", []),
        ("Add lines.", "Fügen Sie 7 Zeilen hinzu.", ["7 is not in the source"]),
        ("Add 12 lines.", "Fügen Sie Zeilen hinzu.", ["12 is missing"]),
    ],
)
def test_numbers(source: str, target: str, messages: list[str]) -> None:
    assert [one.message for one in NumberRule().check(aligned(source, target))] == messages


def test_placeholders_tags_and_untranslated_units() -> None:
    (missing,) = PlaceholderRule().check(
        aligned("Hello {name}, see https://a.example/b.", "Hallo, siehe https://a.example/b.")
    )
    assert missing.expected == ("{name}",)
    messages = [one.message for one in PlaceholderRule().check(aligned("Hello {name}!", "Hallo {nome}!"))]
    assert messages == ["the placeholder {name} is missing", "the placeholder {nome} is not in the source"]
    tagged = Unit("a", "b", Place("x"), "", ("g 1", "x 2"), ("x 2", "x 3"))
    (tags,) = TagRule().check(AlignedUnit.unlinked(tagged))
    assert tags.message == "tags: g 1 missing; x 3 not in the source"
    rule = UntranslatedRule("en", "de")
    for target in ("", "Open the customer group now.", "You should open the customer group before that."):
        assert [one.kind for one in rule.check(aligned("Open the customer group now.", target))] == [
            "untranslated"
        ]
    assert not list(rule.check(aligned("Open the customer group now.", "Öffnen Sie jetzt die Kundengruppe.")))
    assert not list(rule.check(aligned("Dynamics 365", "Dynamics 365")))


def test_an_omission_is_unlinked_and_too_short() -> None:
    source = "Open the order, then select every customer group manually."
    rule = OmissionRule(LengthRatios(math.log(1.1), 0.2), frozenset({"the", "then", "every"}))
    (finding,) = rule.check(aligned(source, "Öffnen Sie den Auftrag.", "0-0 1-2 2-3"))
    assert finding.source_text == "select every customer group manually"
    whole = "Öffnen Sie den Auftrag, und wählen Sie dann jede Kundengruppe von Hand aus."
    assert not list(rule.check(aligned(source, whole, "0-0 1-2 2-3")))  # long enough, though not linked
    assert not list(rule.check(aligned(source, "Öffnen Sie den Auftrag.", "0-0 2-3 5-3 7-3 8-3 9-3")))


UNITS = [
    unit("Post the order.", "Buchen Sie die Bestellung.", 1),
    unit("Close the order.", "Schließen Sie den Auftrag.", 2),
    unit("Print 3 pages & go.", "Drucken Sie 4 Seiten & los.", 3),
    unit("", "", 4),
]


@pytest.fixture(scope="module")
def result() -> CheckResult:
    reads: list[Read] = [*UNITS, Rejected("more than one tab", Place("file.tsv", 5))]
    return check_units(reads, Glossary((ORDER,)), Languages("en", "de"), CheckOptions(aligner="none"))


def test_all_rules_together(result: CheckResult) -> None:
    kinds = [(one.kind, one.unit.place.line) for one in result.findings]
    assert kinds == [("missing-term", 1), ("number", 3), ("unreadable", 5)]
    assert result.num_units == 5
    assert result.counts == Counter({"missing-term": 1, "as-asked": 1, "number": 1, "unreadable": 1})
    assert result.worst() == "error"


def test_only_what_is_new_is_left_of_a_baseline(tmp_path: Path, result: CheckResult) -> None:
    path = tmp_path / "known.json"
    write_baseline(path, result.findings[:2])
    assert new_findings(result.findings, read_baseline(path)) == result.findings[2:]
    moved = [
        Finding(
            kind=one.kind,
            message="",
            unit=unit(one.unit.source, one.unit.target, 99),
            source_span=one.source_span,
            expected=one.expected,
        )
        for one in result.findings[:2]
    ]
    assert new_findings(moved, read_baseline(path)) == []
    assert new_findings([*moved, moved[0]], read_baseline(path)) == [moved[0]]
    path.write_text("[]")
    with pytest.raises(LexalignError, match="is not a baseline"):
        read_baseline(path)


def test_reports_have_every_finding(tmp_path: Path, result: CheckResult) -> None:
    report = CheckReport.of(result, result.findings[:1])
    for suffix in ("json", "csv", "html", "sarif"):
        write_report(tmp_path / f"r.{suffix}", report)
    content = json.loads((tmp_path / "r.json").read_text())
    assert [each["kind"] for one in content["units"] for each in one["findings"]] == [
        "missing-term",
        "number",
        "unreadable",
    ]
    assert len((tmp_path / "r.csv").read_text().splitlines()) == 4
    page = (tmp_path / "r.html").read_text()
    assert "pages &amp; go" in page
    assert "pages & go" not in page
    with pytest.raises(LexalignError, match="ends in"):
        write_report(tmp_path / "r.txt", report)


def test_sarif_keeps_to_its_standard(tmp_path: Path, result: CheckResult) -> None:
    """What SARIF 2.1.0 requires of runs, results and their places."""
    write_report(tmp_path / "r.sarif", CheckReport.of(result, result.findings[:1]))
    log = json.loads((tmp_path / "r.sarif").read_text())
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    assert [one["baselineState"] for one in run["results"]] == ["new", "unchanged", "unchanged"]
    for one in run["results"]:
        assert rules[one["ruleIndex"]]["id"] == one["ruleId"]
        assert one["message"]["text"]
        assert one["level"] in {"none", "note", "warning", "error"}
        assert 0 <= one["rank"] <= 100
        (location,) = one["locations"]
        assert location["physicalLocation"]["artifactLocation"]["uri"] == "file.tsv"
        assert location["physicalLocation"]["region"]["startLine"] >= 1
        assert all(isinstance(value, str) for value in one["partialFingerprints"].values())


def test_segments_are_held_against_the_majority() -> None:
    units = [
        unit("Open it.", "Öffnen.", 1),
        unit("Open it.", "Öffnen.", 2),
        unit("Open it.", "Aufmachen.", 3),
    ]
    (finding,) = inconsistent_segments(units)
    assert (finding.unit.place.line, finding.expected) == (3, ("Öffnen.",))


def test_usage_counts_every_entry() -> None:
    rare = entry("invoice", "Rechnung", "must")
    used, unused = count_usage(UNITS, Glossary((ORDER, rare)), Languages("en", "de"))
    assert (used.count, used.verdicts) == (2, Counter({"missing-term": 1, "as-asked": 1}))
    assert unused.count == 0


@pytest.mark.parametrize(
    ("term", "word", "is_part"),
    [
        ("Rat", "Ministerrates", True),
        ("Rat", "Ratsvorsitz", True),
        ("Rat", "Apparat", False),
        ("Tag", "Vertrag", False),
        ("Schutz", "Klimaschutzprotokoll", True),
        ("Verhandlungen", "Verhandlungsphase", True),
        ("Bericht", "Morgan-Berichtes", True),
        ("Dokument", "Budgetplan-Dokumentdaten", True),
        ("Zeile", "Projekt-Vertragszeilen", True),
        ("Rat", "Neben-Apparat", False),
    ],
)
def test_parts_of_compounds(term: str, word: str, is_part: bool) -> None:
    found = TargetTerms("de").occurrences([term], [], split(word), as_typed=False)
    assert [one.likeness for one in found] == (["compound"] if is_part else [])
