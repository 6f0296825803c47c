"""Notes in XLIFF: alternatives and states, in valid places, and everything else as it was."""

from lxml import etree

from lexalign.documents.xliff_notes import annotate_xliff
from lexalign.markup import DocumentOptions, TaggedText, read_document
from lexalign.report import Alternative, Finding, SegmentReport

ALTERNATIVE = Alternative(
    source="Op<en>.\x01", target="Ö & ffnen", similarity=80.5, place='m "1".tmx, line 2'
)
ONE = """<?xml version="1.0"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file source-language="en"
 target-language="de" original="x" datatype="x"><body>
<trans-unit id="1"><source>Fish &amp; chips.</source></trans-unit><trans-unit id="1" translate="no">
<source>No.</source></trans-unit><trans-unit id="1"><source>Open <g id="1">it</g>.</source></trans-unit>
</body></file></xliff>"""
TWO = """<xliff version="2.0" xmlns="urn:oasis:names:tc:xliff:document:2.0" srcLang="en" trgLang="de">
<file id="f"><unit id="1"><segment><source>Fish.</source></segment><segment id="s2"><source>Open it.</source>
</segment></unit>
<unit id="2"><segment><source>Close it.</source></segment></unit></file></xliff>"""
SPACE_1 = {"x": "urn:oasis:names:tc:xliff:document:1.2"}
SPACE_2 = {"x": "urn:oasis:names:tc:xliff:document:2.0", "m": "urn:oasis:names:tc:xliff:matches:2.0"}


def translate(content: str, name: str, reports: list[SegmentReport]) -> etree._Element:
    document = read_document(content.encode(), name, DocumentOptions())  # type: ignore[arg-type]
    translated = document.write(
        [TaggedText(one.text.text.upper(), one.text.tags) for one in document.segments]
    )
    places = [
        SegmentReport(**{**vars(report), "where": segment.where, "source": segment.text.text})
        for segment, report in zip(document.segments, reports, strict=True)
    ]
    result = annotate_xliff(name, content.encode(), translated, places)  # type: ignore[arg-type]
    return etree.fromstring(result)


def report(**values: object) -> SegmentReport:
    return SegmentReport(**{"number": 1, "where": "", "source": "", "target": "", **values})  # type: ignore[arg-type]


def test_xliff_1() -> None:
    root = translate(ONE, "xliff1", [report(origin="memory"), report(alternatives=(ALTERNATIVE,))])
    first, second, third = root.findall(".//x:trans-unit", SPACE_1)
    assert first.find("x:target", SPACE_1).get("state-qualifier") == "exact-match"
    assert second.find("x:target", SPACE_1) is None
    assert [etree.QName(child).localname for child in third] == ["source", "target", "alt-trans"]
    assert third.find("x:target", SPACE_1).get("state") == "needs-review-translation"
    alternative = third.find("x:alt-trans", SPACE_1)
    assert (alternative.get("match-quality"), alternative.get("origin")) == ("80.5%", ALTERNATIVE.place)
    assert [child.text for child in alternative] == ["Op<en>.\ufffd", "Ö & ffnen"]


def test_xliff_2() -> None:
    failed = report(findings=(Finding(kind="number", message="x"),), alternatives=(ALTERNATIVE,))
    root = translate(TWO, "xliff2", [failed, report(alternatives=(ALTERNATIVE,)), report(origin="memory")])
    one, two = root.findall(".//x:unit", SPACE_2)
    assert [segment.get("subState") for segment in root.iter("{*}segment")] == [
        "lexalign:needs-review",
        None,
        "lexalign:exact-match",
    ]
    assert etree.QName(one[0]).localname == "matches"
    names = [segment.get("id") for segment in one.findall("x:segment", SPACE_2)]
    assert len(set(names)) == 2
    matches = one.findall(".//m:match", SPACE_2)
    assert {match.get("ref") for match in matches} == {f"#{name}" for name in names}
    assert all(match.find("x:target", SPACE_2).text == "Ö & ffnen" for match in matches)
    assert two.find("m:matches", SPACE_2) is None
