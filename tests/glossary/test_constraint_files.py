"""Constraint files: what is read, what is refused, and that what is written is read again."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexalign.contracts.constraint import Constraint
from lexalign.contracts.errors import LexalignError
from lexalign.glossary.constraint_files import KINDS, constraint_line, detect_format, parse_constraints

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=12)
TARGET = TEXT.filter(lambda text: text.strip())


def refusal(*lines: str) -> str:
    with pytest.raises(LexalignError) as refused:
        parse_constraints(lines, name="terms")
    message = str(refused.value)
    assert "\n" not in message
    return message


def own(**constraint: object) -> str:
    return json.dumps({"text": "ein Haus", "constraints": [constraint]})


def test_fairseqs_form() -> None:
    lines = ["Das Haus ist alt.\thouse\tvery old", "Ja.", ""]
    assert parse_constraints(lines, name="terms") == [
        ("Das Haus ist alt.", (Constraint(targets=("house",)), Constraint(targets=("very old",)))),
        ("Ja.", ()),
        ("", ()),
    ]


def test_sockeyes_form() -> None:
    lines = ['{"text": "Ja."}', '{"text": "Nein.", "constraints": ["no"], "avoid": ["nope"], "sent_id": 7}']
    assert detect_format(lines) == "sockeye"
    assert parse_constraints(lines, name="terms") == [
        ("Ja.", ()),
        ("Nein.", (Constraint(targets=("no",)), Constraint(targets=("nope",), kind="avoid"))),
    ]


def test_our_own_form() -> None:
    entries = [
        {"source": [4, 8], "target": "house"},
        {"target": ["home", "house", "home"], "kind": "prefer", "bonus": 2},
        {"target": "hut", "kind": "avoid"},
    ]
    lines = ["\ufeff" + json.dumps({"text": "ein Haus", "constraints": entries})]
    assert detect_format(lines) == "lexalign"
    assert parse_constraints(lines, name="terms") == [
        (
            "ein Haus",
            (
                Constraint(targets=("house",), source=(4, 8)),
                Constraint(targets=("home", "house"), kind="prefer", bonus=2.0),
                Constraint(targets=("hut",), kind="avoid"),
            ),
        )
    ]


def test_an_empty_file_has_no_sentences() -> None:
    assert parse_constraints([], name="terms") == []


@pytest.mark.parametrize(
    ("constraint", "message"),
    [
        ({"target": ""}, "a target is empty"),
        ({"target": ["a", " "]}, "a target is empty"),
        ({"target": []}, '"target" lists no alternatives'),
        ({}, "a target must be text, not null"),
        ({"target": 3}, "a target must be text, not 3"),
        ({"target": "\ud800"}, "half of a surrogate pair"),
        ({"target": "a", "source": [0, 9]}, '"source" [0, 9] is not a span of a text of 8 characters'),
        ({"target": "a", "source": [3, 3]}, '"source" [3, 3] is not a span'),
        ({"target": "a", "source": [-1, 3]}, '"source" [-1, 3] is not a span'),
        ({"target": "a", "source": [3, 4]}, "nothing but white space"),
        ({"target": "a", "source": [0, True]}, "must be [start, end] in characters"),
        ({"target": "a", "source": [0.0, 3]}, "must be [start, end] in characters"),
        ({"target": "a", "source": "0-3"}, '"source" is "0-3"'),
        ({"target": "a", "kind": "may"}, '"kind" is "may"; it may be must, prefer, avoid'),
        ({"target": "a", "kind": ["must"]}, '"kind" is ["must"]'),
        ({"target": "a", "bonus": 2}, '"bonus" is only for constraints of kind prefer'),
        ({"target": "a", "kind": "prefer", "bonus": 0}, '"bonus" is 0; it must be a number above 0'),
        ({"target": "a", "kind": "prefer", "bonus": float("nan")}, '"bonus" is NaN'),
        ({"target": "a", "kind": "prefer", "bonus": True}, '"bonus" is true'),
        ({"target": "a", "tgt": "b"}, 'unknown field "tgt"; known are source, target, kind, bonus'),
    ],
)
def test_wrong_constraints(constraint: dict[str, object], message: str) -> None:
    fine = own(target="a")
    said = refusal(fine, fine, own(**constraint))
    assert said.startswith("terms, line 3: constraint 1: ")
    assert message in said


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["a\tb", "c\t\td"], "terms, line 2: constraint 1 is empty; is there a tab too many?"),
        (['{"text": "a"}', "plain"], "terms, line 2: not valid JSON, though the file begins as JSON lines"),
        (['{"text": "a"}', ""], "terms, line 2: not valid JSON"),
        (['{"text": "a"'], "terms, line 1: not valid JSON"),
        (['{"text": "a"}', '["a"]'], 'terms, line 2: not a JSON object with a "text"'),
        (['{"constraints": []}'], 'terms, line 1: there is no "text"'),
        (['{"text": 1}'], 'terms, line 1: there is no "text"'),
        (['{"text": "a", "constraint": []}'], 'unknown field "constraint"; known are text, constraints'),
        (['{"text": "a", "constraints": {}}'], '"constraints" is not a list'),
        (['{"text": "a", "constraints": [], "avoid": ["", "b"]}'], "a target is empty"),
        (['{"text": "a", "constraints": ["b", {"target": "c"}]}'], 'must be text, not {"target": "c"}'),
        (['{"text": "a", "constraints": [null]}'], 'constraint 1: not an object with a "target"'),
        (['{"text": ' + "[" * 100_000], "terms, line 1: not valid JSON"),
    ],
)
def test_wrong_lines(lines: list[str], message: str) -> None:
    assert message in refusal(*lines)


@st.composite
def sentences(draw: st.DrawFn) -> tuple[str, tuple[Constraint, ...]]:
    text = draw(TEXT)
    spans = [
        (start, end)
        for start in range(len(text))
        for end in range(start + 1, len(text) + 1)
        if text[start:end].strip()
    ]
    constraints = []
    for _ in range(draw(st.integers(0, 3))):
        kind = draw(st.sampled_from(KINDS))
        constraints.append(
            Constraint(
                targets=tuple(draw(st.lists(TARGET, min_size=1, max_size=3, unique=True))),
                source=draw(st.sampled_from([None, *spans])),
                kind=kind,
                bonus=draw(st.floats(0.1, 9)) if kind == "prefer" else 1.0,
            )
        )
    return text, tuple(constraints)


@given(st.lists(sentences(), min_size=1, max_size=3))
def test_what_is_written_is_read_again(written: list[tuple[str, tuple[Constraint, ...]]]) -> None:
    lines = [constraint_line(*sentence) for sentence in written]
    assert not any("\n" in line for line in lines)
    assert parse_constraints(lines, name="terms") == written


@given(st.lists(TEXT, min_size=1, max_size=3))
def test_any_text_is_read_or_refused(lines: list[str]) -> None:
    with suppress(LexalignError):
        assert len(parse_constraints(lines, name="terms")) == len(lines)
