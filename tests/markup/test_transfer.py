"""Tag transfer with any links: well-formed, every tag once, no word split, and the text unchanged."""

import re
from collections.abc import Iterable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from lexalign.contracts.alignment import SpanLink, TextAlignment
from lexalign.markup import (
    TaggedText,
    TagOptions,
    WordForWord,
    transfer_by_position,
    transfer_tags,
    translate_texts,
)
from lexalign.markup.inline.xml import PAIR, escape_xml, read_xml
from lexalign.markup.units import units_of
from tests.markup.random_markup import links, nested_markup, texts


def read(markup: str) -> TaggedText:
    return read_xml(markup, lambda _name, _attributes: PAIR, "here")


def splits_a_word(text: str, position: int) -> bool:
    """By a rule that is not the one under test."""
    return 0 < position < len(text) and text[position - 1].isalnum() and text[position].isalnum()


def parents(root: etree._Element) -> dict[str, str | None]:
    return {element.get("id"): element.getparent().get("id") for element in root.iterdescendants()}


def check(source: str, result: TaggedText, target: str) -> None:
    """Check the guarantees by another parser."""
    output = etree.fromstring(f"<x>{result.render(escape_xml)}</x>")
    original = etree.fromstring(f"<x>{source}</x>")
    assert sorted(parents(output).items()) == sorted(parents(original).items())
    assert result.text == target
    written = "".join(output.itertext())
    if not any(tag.space_before or tag.space_after for tag in result.tags):
        assert written == target
    assert "".join(written.split()) == "".join(target.split())
    for tag in result.tags:
        assert not splits_a_word(target, tag.start)
        assert not splits_a_word(target, tag.end)


@given(nested_markup(), texts(), st.data())
@settings(max_examples=200, deadline=None)
def test_the_guarantees(source: tuple[str, str, int], target: str, data: st.DataObject) -> None:
    markup, text, num_tags = source
    tagged = read(markup)
    assert "".join(tagged.text.split()) == "".join(text.split())
    assert len(tagged.tags) == num_tags
    check(markup, transfer_tags(tagged, target, data.draw(links(tagged.text, target))), target)


@given(nested_markup(), texts())
@settings(max_examples=50, deadline=None)
def test_the_guarantees_by_position(source: tuple[str, str, int], target: str) -> None:
    check(source[0], transfer_by_position(read(source[0]), target), target)


@given(nested_markup(), st.booleans())
@settings(max_examples=100, deadline=None)
def test_the_guarantees_sentence_by_sentence(source: tuple[str, str, int], reverse: bool) -> None:
    """The result without its tags is the result for a source without tags."""
    translator = WordForWord(reverse=reverse)
    tagged = read(source[0])
    inline = TagOptions(splitting_tags=frozenset(), outline_detection=False)
    (output,) = translate_texts([source[0]], translator, tag_handling="xml", options=inline)
    (plain,) = translate_texts([tagged.text], translator)
    written = "".join(etree.fromstring(f"<x>{output}</x>").itertext())
    assert "".join(written.split()) == "".join(plain.split())


@given(nested_markup())
@settings(max_examples=100, deadline=None)
def test_reading_and_rendering_keep_all(source: tuple[str, str, int]) -> None:
    tagged = read(source[0])
    rendered = tagged.render(escape_xml)
    assert "".join(rendered.split()) == "".join(source[0].split())
    if not any(tag.space_before for tag in tagged.tags):
        assert rendered == source[0]


@given(nested_markup())
@settings(max_examples=100, deadline=None)
def test_a_copy_has_its_tags_where_they_were(source: tuple[str, str, int]) -> None:
    """Pairs around whole words stay around the same words, where no other tag splits one."""
    tagged = read(source[0])
    if any(splits_a_word(tagged.text, edge) for tag in tagged.tags for edge in tag.span):
        return
    units = units_of(tagged.text)
    identity = [SpanLink(unit, unit, 1.0) for unit in units]
    copy = transfer_tags(tagged, tagged.text, identity)
    starts, ends = {start for start, _ in units}, {end for _, end in units}
    for before, after in zip(tagged.tags, copy.tags, strict=True):
        inside = tagged.text[before.start : before.end].strip()
        offset = tagged.text[before.start : before.end].find(inside)
        start = before.start + offset
        if inside and start in starts and start + len(inside) in ends:
            assert tagged.text[after.start : after.end].strip() == inside


def aligned(source: str, target: str, pairs: str) -> list[SpanLink]:
    """Links of words between spaces, as `0-0 1-2:0.5`."""
    first, second = ([match.span() for match in re.finditer(r"\S+", text)] for text in (source, target))
    found = []
    for pair in pairs.split():
        link, _, probability = pair.partition(":")
        one, other = (int(number) for number in link.split("-"))
        found.append(SpanLink(first[one], second[other], float(probability or 1)))
    return found


@pytest.mark.parametrize(
    ("source", "target", "pairs", "expected"),
    [
        ("Das <b>alte</b> Haus", "The old house", "0-0 1-1 2-2", "The <b>old</b> house"),
        (
            "er hat <b>gestern</b> geraucht",
            "he smoked yesterday",
            "0-0 3-1 2-2",
            "he smoked <b>yesterday</b>",
        ),
        ("<b>a</b> <i>b</i> c", "B A C", "0-1 1-0 2-2", "<i>B</i> <b>A</b> C"),
        ("<b>a <i>b</i></b> c", "C B A", "0-2 1-1 2-0", "C <b><i>B</i> A</b>"),
        ("x <b>Defizit</b> von", "x deficit of", "0-0 1-1 1-2:0.6 2-2:0.1", "x <b>deficit</b> of"),
        ("<b>a b</b>", "A B C", "0-0 1-1", "<b>A B C</b>"),  # all of the source is all of the target
        ("a<x/> b c", "C A B", "0-1 1-2 2-0", "C A<x/> B"),  # what follows a word goes with it
        ("a <x/>b c", "C B A", "0-2 1-1 2-0", "C <x/>B A"),
        ("<x/>a b", "B A", "0-1 1-0", "<x/>B A"),  # what begins a text begins it
        ("a b<x/>", "B A", "0-1 1-0", "B A<x/>"),
        ("a <x/> b", "B A", "0-1 1-0", "B A <x/>"),  # never glued to a word
        ("a <b></b>b", "A B", "0-0 1-1", "A <b></b>B"),
        ("ein<b>zel</b>n", "single", "0-0", "<b>single</b>"),
        ("a <b>b</b> c", "A C", "0-0 2-1", "<b>A</b> C"),  # nothing translates it, yet it is never empty
        ("a <b>b</b>", "", "", "<b></b>"),
        ("<b>.</b> a", "A !", "0-1 1-0", "A <b>!</b>"),
    ],
)
def test_examples(source: str, target: str, pairs: str, expected: str) -> None:
    tagged = read(source)
    assert transfer_tags(tagged, target, aligned(tagged.text, target, pairs)).render(escape_xml) == expected


@given(texts(), st.integers(1, 6), st.data())
@settings(max_examples=100, deadline=None)
def test_no_pair_with_a_word_is_empty_while_words_are_left(
    target: str, num_pairs: int, data: st.DataObject
) -> None:
    tagged = read(" x ".join(f"<b>w{number}</b>" for number in range(num_pairs)))
    found = transfer_tags(
        tagged, target, data.draw(links(tagged.text, target)), mutual=data.draw(st.booleans())
    )
    num_filled = sum(bool(target[tag.start : tag.end].strip()) for tag in found.tags)
    assert num_filled == min(num_pairs, len(units_of(target)))


@pytest.mark.parametrize(
    ("mutual", "expected"), [(True, "<b>data source</b> tab"), (False, "<b>data</b> source tab")]
)
def test_links_of_both_directions_are_trusted_sooner(mutual: bool, expected: str) -> None:
    tagged = read("Tab <b>Datenquelle</b>")
    found = aligned(tagged.text, "data source tab", "1-0:0.9 1-1:0.6 0-2")
    assert transfer_tags(tagged, "data source tab", found, mutual=mutual).render(escape_xml) == expected


def test_a_tag_may_end_at_the_hyphen_of_a_compound() -> None:
    tagged = read("the <b>ledger</b> page")
    links = [
        SpanLink((4, 10), (4, 13), 1.0),
        SpanLink((11, 15), (14, 19), 1.0),
        SpanLink((0, 3), (0, 3), 1.0),
    ]
    found = transfer_tags(tagged, "Die Sachkonto-Seite", links, mutual=True)
    assert found.render(escape_xml) == "Die <b>Sachkonto</b>-Seite"
    assert units_of("E-Mail") == [(0, 6)]


@given(st.data())
def test_no_tag_is_set_inside_of_an_untranslatable(data: st.DataObject) -> None:
    """Whatever the links say: `{<b>name</b>}` is no placeholder any more."""
    source = "Hallo <b>{name}</b>, <i>Ihre <u>Datei</u></i> ist <a>unter https://example.com/a/b?c=1 da</a>."
    target = "Your file is there, {name}, see https://example.com/a/b?c=1."
    text = read(source).text
    pairs = st.tuples(st.sampled_from(units_of(text)), st.sampled_from(units_of(target)), st.floats(0, 1))
    found = [SpanLink(*pair) for pair in data.draw(st.lists(pairs, max_size=20))]

    class Linked:
        def fits(self, _sentence: str) -> bool:
            return True

        def translate(self, sentences: Iterable[str]) -> Iterator[TextAlignment]:
            for sentence in sentences:
                yield TextAlignment(source=sentence, target=target, links=tuple(found))

    (result,) = translate_texts([source], Linked(), tag_handling="xml")
    assert "{name}" in result
    assert "https://example.com/a/b?c=1" in result
    assert re.sub("<[^>]*>", "", result) == target


def test_halves_stay_in_their_order() -> None:
    page = "<p>eins <b>zwei</p><p>drei</b> vier <b>fünf</p>"
    (translated,) = translate_texts([page], WordForWord(reverse=True), tag_handling="html")
    assert re.findall(r"<[^>]*>", translated) == re.findall(r"<[^>]*>", page)


@pytest.mark.parametrize(
    "tags",
    [
        [(0, 2, None), (1, 3, None)],  # crossing
        [(0, 1, None), (1, 2, 0)],  # outside of its parent
        [(0, 9, None)],
        [(0, 1, 0)],
    ],
)
def test_tags_that_make_no_tree_are_refused(tags: list[tuple[int, int, int | None]]) -> None:
    from lexalign.markup import Tag

    with pytest.raises(ValueError, match="tag"):
        TaggedText("abc", tuple(Tag(start=s, end=e, opening="<b>", parent=p) for s, e, p in tags))


@pytest.mark.parametrize(
    ("markup", "target", "expected"),
    [
        ("Wir trinken H<s>2</s>O.", "We drink H2O.", "We drink H<s>2</s>O."),
        ("C<s>6</s>H<s>12</s>O<s>6</s>", "C6H12O6", "C<s>6</s>H<s>12</s>O<s>6</s>"),
        ("H<s>2</s>O und H<s>2</s>O", "H2O, H2O", "H<s>2</s>O, H<s>2</s>O"),
        ("<b>H<s><i>2</i></s>O</b> hier", "here H2O", "here <b>H<s><i>2</i></s>O</b>"),
        ("<b>B</b>üro", "Büro", "<b>B</b>üro"),
        ("ein H<s>2</s>O", "water", None),  # not copied: as any other tag
    ],
)
def test_tags_inside_of_a_copied_word_stay_there(markup: str, target: str, expected: str | None) -> None:
    tagged = read(markup)
    same = [
        SpanLink(one, other, 1.0)
        for one in units_of(tagged.text)
        for other in units_of(target)
        if tagged.text[slice(*one)] == target[slice(*other)]
    ]
    result = transfer_tags(tagged, target, same)
    assert result.text == target
    assert expected is None or result.render(escape_xml) == expected
    if expected is None:
        check(markup, result, target)
