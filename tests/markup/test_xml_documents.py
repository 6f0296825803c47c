"""XLIFF and TMX: where translations are written, and that the rest stays unchanged, to the byte."""

import re

import pytest
from hypothesis import given, settings
from lxml import etree

from lexalign.contracts.errors import LexalignError
from lexalign.markup import DocumentOptions, FormatName, WordForWord, read_document, translate_document
from tests.markup.random_markup import nested_markup

EN = DocumentOptions(target_language="en")
XLIFF1 = """<?xml version='1.0' encoding='UTF-8'?>
<!-- ein Kommentar -->
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2" xmlns:t='tool'>
 <file original="a.html" source-language="de"  datatype="html"><header><note>Notiz</note></header>
  <body>
{units}
  </body></file>
</xliff>
"""
XLIFF2 = """<xliff version="2.1" srcLang="de" {language}xmlns="urn:oasis:names:tc:xliff:document:2.0">
 <file id="f"><unit id="u">{segments}</unit></file></xliff>"""
TMX = """<?xml version="1.0"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="de" datatype="plaintext"/><body>
{units}
</body></tmx>"""
STATE = ' state="needs-review-translation" state-qualifier="leveraged-mt"'


def translated(text: str, name: FormatName, options: DocumentOptions = EN, *, reverse: bool = False) -> str:
    document = read_document(text.encode(), name, options)
    result = translate_document(document, WordForWord(reverse=reverse)).decode()
    etree.fromstring(result.encode())
    return result


def xliff1(units: str, options: DocumentOptions = EN, *, reverse: bool = False) -> str:
    """The units of the result; the rest must be what it was, but for the named language."""
    result = translated(XLIFF1.format(units=units), "xliff1", options, reverse=reverse)
    before, after = XLIFF1.split("{units}")
    if options.target_language:
        before = before.replace(
            '  datatype="html"', f'  datatype="html" target-language="{options.target_language}"'
        )
    assert result.startswith(before)
    assert result.endswith(after)
    return result[len(before) : -len(after)]


@pytest.mark.parametrize(
    ("unit", "target"),
    [
        ("<source>ein Wort</source>", f"<target{STATE}>EIN WORT</target>"),
        ("<source>a &amp; b</source>", f"<target{STATE}>A &amp; B</target>"),
        ('<source>a <g id="1">b</g> c</source>', f'<target{STATE}>A <g id="1">B</g> C</target>'),
        ('<source>a<x id="1"/> b</source>', f'<target{STATE}>A<x id="1"/> B</target>'),
        (
            '<source>a <bpt id="1">&lt;b></bpt>b<ept id="1">&lt;/b></ept></source>',
            f'<target{STATE}>A <bpt id="1">&lt;b></bpt>B<ept id="1">&lt;/b></ept></target>',
        ),
        (
            '<source>a <mrk mtype="protected">bleibt</mrk> c</source>',
            f'<target{STATE}>A <mrk mtype="protected">bleibt</mrk> C</target>',
        ),
        (
            '<source>a <ph id="1">x<sub>y</sub></ph> b</source>',
            f'<target{STATE}>A <ph id="1">x<sub>y</sub></ph> B</target>',
        ),
    ],
)  # fmt: skip
def test_xliff1_gets_a_target(unit: str, target: str) -> None:
    assert (
        xliff1(f'<trans-unit id="1">{unit}</trans-unit>') == f'<trans-unit id="1">{unit}{target}</trans-unit>'
    )


def test_xliff1_keeps_the_layout() -> None:
    unit = '   <trans-unit id="1">\n    <source>a</source>\n    <note>n</note>\n   </trans-unit>'
    expected = unit.replace("</source>", f"</source>\n    <target{STATE}>A</target>")
    assert xliff1(unit) == expected


@pytest.mark.parametrize(
    "unit",
    [
        '<trans-unit id="1" translate="no"><source>a</source></trans-unit>',
        '<group translate="no"><trans-unit id="1"><source>a</source></trans-unit></group>',
        '<trans-unit id="1"><source>a</source><target>b</target></trans-unit>',
        '<trans-unit id="1" approved="yes"><source>a</source><target state="new">b</target></trans-unit>',
        '<trans-unit id="1"><source/></trans-unit>',
        '<trans-unit id="1"><source> <x id="1"/> </source></trans-unit>',
        '<bin-unit id="1"><bin-source><external-file href="x"/></bin-source></bin-unit>',
    ],
)
def test_xliff1_leaves_alone(unit: str) -> None:
    assert xliff1(unit) == unit


@pytest.mark.parametrize(
    "old", ["<target/>", "<target></target>", '<target state="new">a</target>', "<target> </target>"]
)
def test_xliff1_fills_targets_that_are_none(old: str) -> None:
    unit = f'<trans-unit id="1"><source>a</source>{old}<alt-trans><target>x</target></alt-trans></trans-unit>'
    assert xliff1(unit) == unit.replace(old, f"<target{STATE}>A</target>")


def test_xliff1_translates_anew_when_asked() -> None:
    unit = '<trans-unit id="1"><source>a</source><target xml:lang="en" state="final">b</target></trans-unit>'
    options = DocumentOptions(target_language="en", retranslate=True)
    assert xliff1(unit, options) == unit.replace(
        '<target xml:lang="en" state="final">b', f'<target xml:lang="en"{STATE}>A'
    )


def test_xliff1_keeps_segments_apart() -> None:
    segments = (
        '<mrk mtype="seg" mid="0">a <g id="1">b.</g></mrk> \n<mrk mtype="seg" mid="1">c d.</mrk><x id="9"/>'
    )
    unit = f'<trans-unit id="1"><source>a b. c d.</source><seg-source>{segments}</seg-source></trans-unit>'
    target = (
        '<mrk mtype="seg" mid="0">. <g id="1">B</g> A</mrk> \n<mrk mtype="seg" mid="1">. D C</mrk><x id="9"/>'
    )
    assert xliff1(unit, reverse=True) == unit.replace(
        "</seg-source>", f"</seg-source><target{STATE}>{target}</target>"
    )


def test_xliff1_with_a_prefix() -> None:
    text = (
        '<l:xliff version="1.2" xmlns:l="urn:oasis:names:tc:xliff:document:1.2"><l:file target-language="en">'
        '<l:body><l:trans-unit id="1"><l:source>a <l:g id="1">b</l:g></l:source></l:trans-unit></l:body>'
        "</l:file></l:xliff>"
    )
    assert f'<l:target{STATE}>A <l:g id="1">B</l:g></l:target>' in translated(text, "xliff1")


def test_languages_that_differ_are_an_error() -> None:
    text = XLIFF1.format(units="").replace("  datatype", ' target-language="fr-FR" datatype')
    with pytest.raises(LexalignError, match=r"'fr-FR'.*'en'"):
        read_document(text.encode(), "xliff1", EN)
    read_document(text.encode(), "xliff1", DocumentOptions(target_language="fr"))
    read_document(text.encode(), "xliff1", DocumentOptions())


@given(nested_markup())
@settings(max_examples=60, deadline=None)
def test_xliff1_keeps_every_tag_once(source: tuple[str, str, int]) -> None:
    inline = (
        source[0]
        .replace("<b ", "<g ")
        .replace("</b>", "</g>")
        .replace("<i ", "<mrk ")
        .replace("</i>", "</mrk>")
    )
    inline = inline.replace("<a ", "<g ").replace("</a>", "</g>")
    result = xliff1(f'<trans-unit id="1"><source>{inline}</source></trans-unit>', reverse=True)
    wanted = sorted(re.findall(r"<[^>]*>", inline))
    if "<target" in result:
        target = re.search(r"<target[^>]*>(.*)</target>", result, re.DOTALL)
        assert target is not None
        assert sorted(re.findall(r"<[^>]*>", target[1])) == wanted


def test_xliff2_gets_targets_and_states() -> None:
    segments = (
        '<segment id="1">\n  <source>a <pc id="1">b</pc><ph id="2"/> c</source>\n</segment>'
        "<ignorable><source> x </source></ignorable>"
        '<segment state="initial"><source>d <sc id="3"/>e<ec startRef="3"/></source><target>zzz</target>'
        "</segment>"
        '<segment state="final"><source>f</source><target>F!</target></segment>'
        '<segment><source>g <mrk id="m" translate="no">bleibt</mrk> h</source><target/></segment>'
    )
    expected = (
        '<segment id="1" state="translated">\n  <source>a <pc id="1">b</pc><ph id="2"/> c</source>'
        '\n  <target>A <pc id="1">B</pc><ph id="2"/> C</target>\n</segment>'
        "<ignorable><source> x </source></ignorable>"
        '<segment state="translated"><source>d <sc id="3"/>e<ec startRef="3"/></source>'
        '<target>D <sc id="3"/>E<ec startRef="3"/></target></segment>'
        '<segment state="final"><source>f</source><target>F!</target></segment>'
        '<segment state="translated"><source>g <mrk id="m" translate="no">bleibt</mrk> h</source>'
        '<target>G <mrk id="m" translate="no">bleibt</mrk> H</target></segment>'
    )
    result = translated(XLIFF2.format(language="", segments=segments), "xliff2")
    wanted = XLIFF2.format(language="", segments=expected)
    assert result == wanted.replace('document:2.0">', 'document:2.0" trgLang="en">')


def test_xliff2_needs_a_target_language() -> None:
    segments = "<segment><source>a</source></segment>"
    with pytest.raises(LexalignError, match="--to"):
        read_document(XLIFF2.format(language="", segments=segments).encode(), "xliff2", DocumentOptions())
    text = XLIFF2.format(language='trgLang="en" ', segments=segments)
    assert "<target>A</target>" in translated(text, "xliff2", DocumentOptions())


def test_xliff2_respects_units_that_are_not_to_be_translated() -> None:
    text = XLIFF2.format(language='trgLang="en" ', segments="<segment><source>a</source></segment>")
    text = text.replace('<unit id="u">', '<unit id="u" translate="no">')
    assert translated(text, "xliff2") == text


def test_tmx_gets_a_variant() -> None:
    unit = """<tu tuid="1">
  <tuv xml:lang="de-AT"><seg>a <bpt i="1">&lt;b></bpt>b<ept i="1">&lt;/b></ept><ph>x</ph></seg></tuv>
  <tuv xml:lang="fr"><seg>f</seg></tuv>
</tu>"""
    expected = unit.replace(
        "\n</tu>",
        '\n  <tuv xml:lang="en"><seg>A <bpt i="1">&lt;b></bpt>B<ept i="1">&lt;/b></ept><ph>x</ph></seg></tuv>'
        "\n</tu>",
    )
    assert translated(TMX.format(units=unit), "tmx") == TMX.format(units=expected)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('<tuv xml:lang="en"><seg>x</seg></tuv>', None),
        ('<tuv xml:lang="en-GB"><seg>x</seg></tuv>', None),
        ('<tuv xml:lang="EN"><seg></seg></tuv>', '<tuv xml:lang="EN"><seg>A</seg></tuv>'),
        ('<tuv lang="en"><seg/></tuv>', '<tuv lang="en"><seg>A</seg></tuv>'),
    ],
)
def test_tmx_keeps_variants_that_say_something(old: str, new: str | None) -> None:
    text = TMX.format(units=f'<tu><tuv xml:lang="de"><seg>a</seg></tuv>{old}</tu>')
    assert translated(text, "tmx") == text.replace(old, new or old)


def test_tmx_must_know_its_languages() -> None:
    text = TMX.format(units='<tu><tuv xml:lang="de"><seg>a</seg></tuv></tu>')
    with pytest.raises(LexalignError, match="--to"):
        read_document(text.encode(), "tmx", DocumentOptions())
    with pytest.raises(LexalignError, match="--from"):
        read_document(text.replace('"de" datatype', '"*all*" datatype').encode(), "tmx", EN)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
def test_the_encoding_stays(encoding: str) -> None:
    text = XLIFF1.format(units='<trans-unit id="ü"><source>schön</source></trans-unit>')
    content = text.replace("UTF-8", encoding).encode(encoding)
    result = translate_document(read_document(content, "xliff1", EN), WordForWord(lambda _word: "ß€"))
    root = etree.fromstring(result)
    assert root.xpath("string(//*[local-name()='target'])") == "ß€"
    assert result.startswith(content[:20])


HOSTILE = [
    '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>',
    '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
    '<!DOCTYPE x [<!ENTITY % a SYSTEM "http://127.0.0.1:1/x.dtd"> %a;]>',
]


@pytest.mark.parametrize("declaration", HOSTILE)
@pytest.mark.parametrize("name", ["xliff1", "xliff2", "tmx"])
def test_entities_are_refused(declaration: str, name: FormatName) -> None:
    with pytest.raises(LexalignError, match="declares the entity"):
        read_document(f"{declaration}<x>&b;</x>".encode(), name, EN)


def test_deep_nesting_is_refused() -> None:
    deep = "<g>" * 300 + "a" + "</g>" * 300
    with pytest.raises(LexalignError, match="more than 256 deep"):
        read_document(XLIFF1.format(units=deep).encode(), "xliff1", EN)


def test_an_unknown_entity_is_an_error_and_not_lost() -> None:
    text = TMX.format(units='<tu><tuv xml:lang="de"><seg>a &uuml; b</seg></tuv></tu>')
    with pytest.raises(LexalignError, match="undefined entity"):
        read_document(text.encode(), "tmx", EN)
