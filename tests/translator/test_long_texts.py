"""Texts over the limit: split where sentences end, joined again, or refused."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexalign.contracts.constraint import Constraint
from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Glossary, parse_term
from lexalign.translator import ConstraintOptions, TranslateOptions, Translator
from lexalign.translator.long_texts import split_text
from lexalign.translator.reading import Text

SENTENCES = ["Das Haus ist groß.", "Der kleine Hund läuft über die lange Straße!", "das ist groß?"]
LONG = " ".join(SENTENCES * 4)
SPLIT = TranslateOptions(split=True)


def count(text: str) -> int:
    return len(text.split())


def parts(text: str, limit: int) -> list[str]:
    return [text[start:end] for start, end in split_text(text, count, limit)]


def test_parts_are_as_long_as_fits() -> None:
    assert parts("Das ist so. Es war so. Und es bleibt so.", 6) == [
        "Das ist so. Es war so.",
        "Und es bleibt so.",
    ]
    assert parts("kurz. kurz.", 6) == ["kurz. kurz."]


def test_marks_that_close_belong_to_their_sentence() -> None:
    assert parts("Er sagte: „Ja.“ (Sie: nein!) Gut.", 3) == ["Er sagte: „Ja.“", "(Sie: nein!) Gut."]


def test_points_that_end_nothing() -> None:
    text = "Am 3. Mai kam Dr. Ott, z. B. mit dem Zug. Er blieb. usw. nicht."
    assert parts(text, 11) == ["Am 3. Mai kam Dr. Ott, z. B. mit dem Zug.", "Er blieb. usw. nicht."]


def test_scripts_without_spaces() -> None:
    text = "東京へ行く。大阪へ行く。"
    assert [text[slice(*span)] for span in split_text(text, len, 6)] == ["東京へ行く。", "大阪へ行く。"]


def test_a_sentence_over_the_limit_is_refused() -> None:
    with pytest.raises(LexalignError, match="sentence 3 has 5 tokens, over the model's limit of 3"):
        split_text("a b c d e", count, 3, 3)


@given(st.lists(st.sampled_from(["A b.", "c", "D e f!", "\n", "g。", "  ", "H? "]), max_size=20))
def test_nothing_but_spaces_is_lost(pieces: list[str]) -> None:
    text = " ".join(pieces)
    try:
        spans = split_text(text, count, 4)
    except LexalignError:
        return
    assert all(count(text[start:end]) <= 4 for start, end in spans)
    assert spans == tuple(sorted(spans))
    lost = text[: spans[0][0]] + "".join(text[a[1] : b[0]] for a, b in pairwise(spans))
    assert not (lost + text[spans[-1][1] :]).strip()


def test_long_texts_are_refused_unless_split(translator: Translator) -> None:
    with pytest.raises(LexalignError, match="over the model's limit of 63; split it, or let it be split"):
        translator.translate(LONG)
    assert translator.translate(LONG, SPLIT).text


def test_a_split_text_is_its_parts_translated(translator: Translator) -> None:
    limit = translator.max_source_tokens
    spans = split_text(LONG, translator._reader.count, limit)
    assert len(spans) > 1
    alone = translator.translate([LONG[slice(*span)] for span in spans])
    texts = translator.translate(["das Haus", LONG, "der Hund"], SPLIT)
    assert texts[1].text == " ".join(part.text for part in alone)
    assert texts[1].log_probability == pytest.approx(sum(part.log_probability for part in alone), abs=1e-3)
    assert [texts[0].text, texts[2].text] == [
        one.text for one in translator.translate(["das Haus", "der Hund"])
    ]


def test_constraints_go_to_their_parts(translator: Translator) -> None:
    start = LONG.rindex("Hund")
    asked = [
        Constraint(targets=("München",), source=(start, start + 4)),
        Constraint(targets=("nach",), source=(4, 8)),
        Constraint(targets=("und",), kind="avoid"),
    ]
    options = TranslateOptions(split=True, constraints=ConstraintOptions(policy="vdba"), align="naive-att")
    found = translator.translate(LONG, options, constraints=asked)
    assert [term.constraint for term in found.terms] == asked
    assert all(term.met for term in found.terms)
    for term in found.terms[:2]:
        assert term.target is not None
        assert found.text[slice(*term.target)].strip() == term.constraint.targets[0]
    last = split_text(LONG, translator._reader.count, translator.max_source_tokens)[-1]
    assert max(link.source[0] for link in found.links) >= last[0]
    assert max(link.target[1] for link in found.links) <= len(found.text)


def test_a_glossary_is_heard_in_every_part(translator: Translator) -> None:
    glossary = Glossary((parse_term("Hund=München"),))
    asked = [Constraint(targets=("nach",), source=(4, 8))]
    options = TranslateOptions(split=True, constraints=ConstraintOptions(policy="vdba"))
    found = translator.translate(LONG, options, constraints=asked, glossary=glossary)
    assert found.terms[0].constraint == asked[0]
    matches = [term.match for term in found.terms[1:]]
    assert len(matches) == LONG.count("Hund")
    for term in found.terms[1:]:
        assert term.met
        assert term.match is not None
        assert term.target is not None
        assert term.match.constraint == term.constraint
        assert LONG[slice(*term.match.span)] == "Hund"
        assert found.text[slice(*term.target)].strip() == "München"


def test_refused_texts_are_told_by_their_own_places(translator: Translator) -> None:
    outside = (LONG, [Constraint(targets=("nach",), source=(len(LONG), len(LONG) + 3))])
    window: list[Text] = [
        LONG,
        "a\0b",
        LONG,
        "das " * 70,
        ("Hund", [Constraint(targets=("x",), source=(2, 9))]),
    ]
    refused: dict[int, str] = {}
    found = list(
        translator.translate_windows(
            [window, [outside]], SPLIT, refuse=lambda place, error: refused.update({place: error.reason})
        )
    )
    assert [bool(one.text) for one in found] == [True, False, True, False, False, False]
    assert {place: reason[:20] for place, reason in refused.items()} == {
        1: "contains a NUL chara",
        3: "has 211 tokens, over",
        4: "the source 2 to 9 of",
        5: "must be split, and a",
    }
    with pytest.raises(LexalignError, match="sentence 2: the source 2 to 9"):
        list(translator.translate_windows([[LONG, window[4]]], SPLIT))


@pytest.mark.parametrize(
    ("constraint", "message"),
    [
        (Constraint(targets=("nach",)), "give its source"),
        (Constraint(targets=("nach",), source=(0, len(LONG))), "lies across a split"),
    ],
)
def test_constraints_that_no_part_can_have(
    constraint: Constraint, message: str, translator: Translator
) -> None:
    with pytest.raises(LexalignError, match=message):
        translator.translate(LONG, SPLIT, constraints=[constraint])
