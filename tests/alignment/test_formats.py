"""Alignment files are read as they were written, and invalid ones are refused with their line."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexalign.alignment.formats import (
    AlignmentFile,
    json_line,
    naacl_lines,
    parse_span_line,
    pharaoh_line,
    read_alignments,
    span_line,
    talp_line,
)
from lexalign.contracts.alignment import Link, SpanLink
from lexalign.contracts.errors import LexalignError


def read(folder: Path, text: str, **options: Any) -> AlignmentFile:
    path = folder / "links"
    path.write_text(text, encoding="utf-8")
    return read_alignments(path, **options)


def test_pharaoh_with_probabilities(tmp_path: Path) -> None:
    found = read(tmp_path, "0-0 1-2:0.93\n\n2-1:1e-3\n")
    assert found.format == "pharaoh"
    assert found.sentences == ((Link(0, 0), Link(1, 2, 0.93)), (), (Link(2, 1, 0.001),))


def test_talp_and_doubles(tmp_path: Path) -> None:
    """A link given twice is sure if it is so once."""
    found = read(tmp_path, "0-0 1p2 2?1 1-2 0-0\r\n")
    assert found.format == "talp"
    assert found.sentences == ((Link(0, 0), Link(1, 2), Link(2, 1, sure=False)),)


def test_naacl(tmp_path: Path) -> None:
    found = read(tmp_path, "0001 1 1 S\n0001 2 3 P\n3 1 2\n3 2 2 S 0.5\n", lengths=[(2, 3), (1, 1), (2, 2)])
    assert (found.format, found.base) == ("naacl", 1)
    assert found.sentences == ((Link(0, 0), Link(1, 2, sure=False)), (), (Link(0, 1), Link(1, 1, 0.5)))


def test_word_0_of_a_naacl_file_is_the_null_word(tmp_path: Path) -> None:
    found = read(tmp_path, "1 1 0\n1 0 2\n1 2 2\n", base=1)
    assert found.sentences == ((Link(1, 1),),)
    assert found.null_links == 2


@pytest.mark.parametrize(
    ("text", "lengths", "base", "reason"),
    [
        ("1-1\n2-0\n", None, 0, "line 2 has a word 0"),
        ("1-1\n2-3\n", [(1, 2), (2, 3)], 1, "line 1 has a last word"),
        ("1-1\n" * 10, None, 1, "no word 0 in 10 sentences"),
        ("1-1\n", None, 0, "assumed"),
        ("", None, 0, "assumed"),
    ],
)
def test_the_base_is_detected(
    tmp_path: Path, text: str, lengths: list[tuple[int, int]] | None, base: int, reason: str
) -> None:
    found = read(tmp_path, text, lengths=lengths)
    assert found.base == base
    assert reason in found.reason


def test_links_counted_from_1_come_out_counted_from_0(tmp_path: Path) -> None:
    assert read(tmp_path, "1-2\n", base=1).sentences == ((Link(0, 1),),)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("0-0\n1-1 2-x\n", {}, "line 2: '2-x' is not a link"),
        ("0-0 -1-2\n", {}, "line 1: '-1-2' is not a link"),
        ("0-0:1.5\n", {}, "line 1: 1.5 is not a probability"),
        ("0-0:nan\n", {}, "line 1: nan is not a probability"),
        ("0-0\n0-3\n", {"lengths": [(1, 1), (2, 3)]}, "line 1 has a word 0.* 0-3 in line 2 can only"),
        ("0-0\n0-4\n", {"lengths": [(1, 1), (2, 3)]}, "line 2: target word 4, counted from 0, .* 3 words"),
        ("0-0\n", {"lengths": [(0, 3)]}, "line 1: source word 0, counted from 0, of a sentence of 0 words"),
        ("1-1\n0-1\n", {"base": 1}, "line 2: word 0 in a file that counts from 1"),
        ("0-0\n", {"lengths": [(1, 1), (1, 1)]}, "1 lines of links, but there are 2 sentences"),
        ("0 1 1\n", {}, "line 1: sentence 0"),
        ("1 1 1\n1 1 x\n", {}, "line 2: not `sentence"),
        ("3 1 1\n", {"lengths": [(1, 1)]}, "line 1: sentence 3 of only 1"),
        ('{"links": [{"source": 0}]}\n', {}, "line 1: not a JSON object"),
        ('{"links": [{"source": -1, "target": 0}]}\n', {}, "line 1: not a JSON object"),
        ('{"links": []}\nnonsense\n', {}, "line 2: not a JSON object"),
        ('{"links": [{"source": 2, "target": 0}]}\n', {"lengths": [(2, 1)]}, "line 1: source word 2"),
    ],
)
def test_bad_files_are_refused_with_their_line(
    tmp_path: Path, text: str, options: dict[str, object], message: str
) -> None:
    with pytest.raises(LexalignError, match=message):
        read(tmp_path, text, **options)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(LexalignError, match="cannot read"):
        read_alignments(tmp_path / "nowhere")
    (tmp_path / "links").write_bytes(b"\xff\xfe0-0")
    with pytest.raises(LexalignError, match="not UTF-8"):
        read_alignments(tmp_path / "links")


links = st.dictionaries(
    st.tuples(st.integers(0, 30), st.integers(0, 30)),
    st.tuples(st.none() | st.floats(0, 1).map(lambda value: round(value, 4)), st.booleans()),
    max_size=8,
).map(lambda found: tuple(Link(*point, *rest) for point, rest in sorted(found.items())))
corpora = st.lists(links, min_size=1, max_size=5)


@settings(max_examples=40, deadline=None)
@given(corpus=corpora)
def test_what_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, corpus: list[tuple[Link, ...]]
) -> None:
    folder = tmp_path_factory.mktemp("links")
    strip = {
        "talp": lambda link: Link(link.source, link.target, sure=link.sure),
        "naacl": lambda link: Link(link.source, link.target, sure=link.sure),
        "pharaoh": lambda link: Link(link.source, link.target, link.probability),
        "json": lambda link: link,
    }
    written = {
        "talp": "\n".join(map(talp_line, corpus)) + "\n",
        "pharaoh": "\n".join(pharaoh_line(found, probabilities=True) for found in corpus) + "\n",
        "json": "\n".join(map(json_line, corpus)) + "\n",
        "naacl": "\n".join(naacl_lines(index, found) for index, found in enumerate(corpus)) + "\n",
    }
    for format, text in written.items():
        base = 1 if format == "naacl" else 0
        found = read(folder, text, format=format, base=base, lengths=[(31, 31)] * len(corpus))
        assert found.sentences == tuple(tuple(map(strip[format], sentence)) for sentence in corpus)


def test_json_may_carry_the_words() -> None:
    line = json_line([Link(0, 0, 0.5)], source=["東京"], target=["Tokyo"])
    assert line == (
        '{"source": ["東京"], "target": ["Tokyo"], "links": [{"source": 0, "target": 0, "probability": 0.5}]}'
    )


def test_words_with_odd_separators_do_not_break_lines(tmp_path: Path) -> None:
    lines = [json_line([Link(0, 0)], source=["a\u2028b\x85"], target=["c"])] * 2
    assert read(tmp_path, "\n".join(lines) + "\n").sentences == ((Link(0, 0),),) * 2


def test_spans_are_written_with_their_last_character() -> None:
    found = [SpanLink((0, 3), (0, 4)), SpanLink((4, 5), (5, 9))]
    assert span_line(found) == "0:2-0:3 4:4-5:8"
    assert parse_span_line("0:2-0:3 4:4-5:8") == found
    with pytest.raises(LexalignError, match="'3:2-0:3' is not a link of character spans"):
        parse_span_line("3:2-0:3")
