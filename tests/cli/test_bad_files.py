"""Fifty documents that cannot be translated: one clear line each, and nothing half-written."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run

XLIFF1 = (
    '<xliff version="1.2"><file source-language="de" original="x" datatype="x"><body>{}</body></file></xliff>'
)
UNIT = '<trans-unit id="7"><source>{}</source></trans-unit>'
XLIFF2 = (
    '<xliff version="2.0" srcLang="de" trgLang="en"><file id="f"><unit id="u"><segment>'
    "<source>{}</source></segment></unit></file></xliff>"
)
TMX = (
    '<tmx version="1.4"><header srclang="de"/><body><tu><tuv xml:lang="de">'
    "<seg>{}</seg></tuv></tu></body></tmx>"
)
BOMB = '<!DOCTYPE x [<!ENTITY a "1234567890"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
OUTSIDE = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
PARAMETER = '<!DOCTYPE x [<!ENTITY % a SYSTEM "http://127.0.0.1:9/x"> %a;]>'
PO_HEADER = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'
TO = ("--to", "en")

CASES: list[tuple[str, str | bytes, tuple[str, ...], str]] = [
    # plain text
    ("latin1.txt", b"eins\nzw\xe4i\n", (), "line 2 is not valid utf-8"),
    ("binary.txt", b"\x89PNG\r\n\x1a\n\0\0", (), "not valid utf-8"),
    ("nul.txt", b"eins\nzwei\0\n", (), "line 2: a NUL byte"),
    ("utf16.txt", "eins".encode("utf-16-le"), (), "a NUL byte"),
    ("odd.txt", b"\xff\xfee\0i\0n", (), "not valid utf-16-le"),
    ("surrogate.txt", b"\xed\xa0\x80", (), "not valid utf-8"),
    # names that say nothing
    ("document.odt", b"PK\3\4", (), "--format"),
    ("document.docx", b"PK\3\4", (), "not an Office document"),
    ("document", "text", (), "--format"),
    ("archive.zip", b"PK\3\4", (), "--format"),
    # HTML
    ("latin1.html", b"<p>sch\xf6n</p>", (), "not valid utf-8"),
    ("unknown.html", b'<meta charset="klingon"><p>a</p>', (), "unknown encoding 'klingon'"),
    ("codec.html", b'<meta charset="zlib"><p>a</p>', (), "unknown encoding 'zlib'"),
    ("wrong.html", b'<meta charset="ascii"><p>\xc3\xb6</p>', (), "not valid ascii"),
    ("nul.html", b"<p>a\0b</p>", (), "a NUL byte"),
    ("deep.html", "<p>" + "<b>" * 300 + "a" + "</b>" * 300, (), "more than 256 deep"),
    # XLIFF of either version
    ("empty.xlf", "", (), "no <xliff version"),
    ("text.xlf", "Guten Tag", (), "no <xliff version"),
    ("html.xliff", "<html></html>", (), "no <xliff version"),
    ("future.xlf", '<xliff version="3.0"/>', (), "version of XLIFF is not supported"),
    # XLIFF 1.2
    ("cut.xlf", XLIFF1.format(UNIT.format("a"))[:-30], (), "not well-formed XML"),
    ("crossed.xlf", XLIFF1.format(UNIT.format("<g><b></g></b>")), (), "mismatched tag"),
    ("ampersand.xlf", XLIFF1.format(UNIT.format("a & b")), (), "not well-formed"),
    ("attribute.xlf", XLIFF1.format(UNIT.format("<g id=1>a</g>")), (), "not well-formed"),
    ("twice.xlf", XLIFF1.format(UNIT.format('<g id="1" id="2">a</g>')), (), "duplicate attribute"),
    ("control.xlf", XLIFF1.format(UNIT.format("a\x01b")), (), "not well-formed"),
    ("entity.xlf", XLIFF1.format(UNIT.format("a &nbsp; b")), (), "undefined entity"),
    ("bomb.xlf", BOMB + XLIFF1.format(UNIT.format("&b;")), (), "declares the entity 'a'"),
    ("outside.xlf", OUTSIDE + XLIFF1.format(UNIT.format("&a;")), (), "declares the entity 'a'"),
    ("parameter.xlf", PARAMETER + XLIFF1.format(UNIT.format("a")), (), "declares the entity 'a'"),
    ("deep.xlf", XLIFF1.format(UNIT.format("<g>" * 300 + "a" + "</g>" * 300)), (), "more than 256 deep"),
    ("two-roots.xlf", XLIFF1.format("") * 2, (), "junk after document element"),
    ("latin1.xlf", XLIFF1.format(UNIT.format("schön")).encode("latin-1"), (), "not valid utf-8"),
    ("encoding.xlf", '<?xml version="1.0" encoding="klingon"?>' + XLIFF1.format(""), (), "unknown encoding"),
    ("language.xlf", XLIFF1.replace("source-l", 'target-language="fr" source-l').format(""), TO, "'fr'"),
    ("nul.xlf", XLIFF1.format(UNIT.format("a\0b")), (), "a NUL byte"),
    # XLIFF 2.x
    ("cut2.xlf", XLIFF2.format("a")[:-30], (), "not well-formed XML"),
    ("bomb2.xlf", BOMB + XLIFF2.format("&b;"), (), "declares the entity 'a'"),
    ("language2.xlf", XLIFF2.format("a").replace(' trgLang="en"', ""), (), "--to"),
    ("other2.xlf", XLIFF2.format("a"), ("--to", "fr"), "'en'"),
    ("prefix.xlf", XLIFF2.format('<pc id="1">a</ph>'), (), "mismatched tag"),
    # TMX
    ("nowhere.tmx", TMX.format("a"), (), "--to"),
    ("cut.tmx", TMX.format("a")[:-8], TO, "not well-formed XML"),
    ("empty.tmx", "", TO, "no element found"),
    ("bomb.tmx", BOMB + TMX.format("&b;"), TO, "declares the entity 'a'"),
    ("outside.tmx", OUTSIDE + TMX.format("&a;"), TO, "declares the entity 'a'"),
    ("source.tmx", TMX.format("a").replace('srclang="de"', 'srclang="*all*"'), TO, "--from"),
    # PO
    ("text.po", "Guten Tag\n", (), "not a PO file"),
    ("quote.po", PO_HEADER + 'msgid "a\nmsgstr ""\n', (), "not a PO file"),
    ("order.po", 'msgstr "b"\nmsgid "a"\n', (), "not a PO file"),
    ("latin1.po", PO_HEADER.encode() + b'msgid "\xe4"\nmsgstr ""\n', (), "not valid UTF-8"),
    ("charset.po", PO_HEADER.replace("UTF-8", "klingon") + 'msgid "a"\nmsgstr ""\n', (), "unknown encoding"),
    # not there, not a file
    ("missing.txt", b"", (), "No such file"),
    ("folder.txt", b"", (), "is a folder; give one document"),
]  # fmt: skip


def test_there_are_fifty() -> None:
    assert len(CASES) >= 50


@pytest.mark.parametrize(("name", "content", "options", "message"), CASES, ids=[case[0] for case in CASES])
def test_one_line_and_nothing_written(
    run: Run,
    model: Path,
    tmp_path: Path,
    name: str,
    content: str | bytes,
    options: tuple[str, ...],
    message: str,
) -> None:
    source = tmp_path / name
    if name.startswith("folder"):
        source.mkdir()
    elif not name.startswith("missing"):
        source.write_bytes(content.encode() if isinstance(content, str) else content)
    outcome = run(
        "translate-file", source, tmp_path / "to" / "out", "--model", model, "--device", "cpu", *options
    )
    assert outcome.status == 2
    assert outcome.output == ""
    assert outcome.errors.startswith("lexalign: error: ")
    assert outcome.errors.count("\n") == 1
    assert message in outcome.errors
    assert name in outcome.errors
    assert not (tmp_path / "to").exists()
