"""Translation memories on disk: what is written is read again, and harmful files are refused in one line."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from lxml import etree

from lexalign.contracts.errors import LexalignError
from lexalign.markup import TaggedText
from lexalign.markup.inline.xml import CODE, PAIR, read_xml
from lexalign.memory import fit_unit, read_memory, write_memory
from tests.markup.random_markup import nested_markup

LANGUAGES = ("en", "de")


def tagged(markup: str) -> TaggedText:
    return read_xml(markup, lambda name, _: CODE if name == "x" else PAIR, "here")


@given(nested_markup())
@settings(max_examples=50, deadline=None)
def test_what_is_written_is_found_again_with_its_tags(
    tmp_path_factory: pytest.TempPathFactory, source: tuple[str, str, int]
) -> None:
    text = tagged(source[0])
    if not text.text.strip():
        return
    path = tmp_path_factory.mktemp("memory") / "new.tmx"
    write_memory(path, [(text, text)], LANGUAGES)
    segment = etree.parse(path).find(".//seg")
    if not text.tags:
        assert "".join(segment.itertext()) == text.text
    (unit,) = read_memory(path, LANGUAGES)
    fitting = fit_unit(text, unit)
    assert fitting is not None
    assert "".join(fitting.render().split()) == "".join(text.render().split())


def test_units_are_added_to_a_file_that_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "old.tmx"
    old = (
        '<?xml version="1.0"?>\n<tmx version="1.4"><header srclang="en"/><body>\n<!-- kept -->'
        '<tu><tuv xml:lang="EN-us"><seg>One.</seg></tuv><tuv xml:lang="de"><seg>Eins.</seg></tuv>'
        '<tuv xml:lang="fr"><seg>Un.</seg></tuv></tu></body ></tmx>'
    )
    path.write_text(old)
    write_memory(path, [(TaggedText("Two & two."), TaggedText("Zwei & zwei."))], LANGUAGES)
    assert path.read_text().startswith(old[: old.index("</body")])
    assert path.read_text().endswith("</body ></tmx>")
    found = [(unit.source.text, unit.target.text) for unit in read_memory(path, LANGUAGES)]
    assert found == [("One.", "Eins."), ("Two & two.", "Zwei & zwei.")]
    assert [unit.source.text for unit in read_memory(path, ("fr", "en"))] == ["Un."]


def test_columns(tmp_path: Path) -> None:
    (tmp_path / "m.tsv").write_text("One.\tEins.\tnote\n\n \tx\nTwo.\tZwei.\n")
    found = [(unit.source.text, unit.target.text) for unit in read_memory(tmp_path / "m.tsv", LANGUAGES)]
    assert found == [("One.", "Eins."), ("Two.", "Zwei.")]


BOMB = '<!DOCTYPE tmx [<!ENTITY a "ha">]><tmx><body><tu><tuv xml:lang="en"><seg>&a;</seg></tuv></tu></body>'


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("bomb.tmx", BOMB.encode(), "entity"),
        ("half.tmx", b"<tmx><body><tu><tuv", "not well-formed"),
        ("deep.tmx", b"<tmx>" + b"<a>" * 300, "nested"),
        ("page.tmx", b"<html></html>", "not TMX"),
        ("latin.tmx", b'<tmx><body><tu><tuv xml:lang="en"><seg>\xff</seg></tuv></tu></body></tmx>', "line 1"),
        ("empty.tmx", b"", "no element"),
        ("text.tsv", b"a\tb\nno tab here\n", "line 2"),
        ("latin.tsv", b"a\tb\n\xff\tc\n", "line 2"),
        ("memory.xlsx", b"PK", ".tmx or a .tsv"),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(LexalignError, match=said) as error:
        list(read_memory(tmp_path / name, LANGUAGES))
    assert "\n" not in str(error.value)
    assert name in str(error.value)


@pytest.mark.parametrize("content", [b"<html/>", "<tmx><body></body></tmx>".encode("utf-16")])
def test_other_files_are_not_added_to(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "old.tmx").write_bytes(content)
    with pytest.raises(LexalignError, match="UTF-8"):
        write_memory(tmp_path / "old.tmx", [], LANGUAGES)
    assert (tmp_path / "old.tmx").read_bytes() == content
    assert [path.name for path in tmp_path.iterdir()] == ["old.tmx"]


def test_control_characters_leave_a_file_well_formed(tmp_path: Path) -> None:
    write_memory(tmp_path / "new.tmx", [(TaggedText("a\x01b"), TaggedText("\uffff]]>"))], LANGUAGES)
    (unit,) = read_memory(tmp_path / "new.tmx", LANGUAGES)
    assert (unit.source.text, unit.target.text) == ("a\ufffdb", "\ufffd]]>")
