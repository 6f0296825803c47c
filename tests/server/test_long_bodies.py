"""Long bodies and responses are parsed and serialized in chunks, with the same result."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from lexalign.contracts.errors import LexalignError
from lexalign.server.http import bodies
from lexalign.server.http.errors import InvalidBodyError
from lexalign.server.http.json_responses import render


class Leaf(BaseModel):
    words: list[str] = []
    place: tuple[int, int] | None = None


class Node(BaseModel):
    text: str
    score: float
    leaves: list[Leaf]
    rows: list[list[float]] | None = None
    leaf: Leaf | None = None


LEAVES = st.builds(Leaf, words=st.lists(st.text(), max_size=3), place=st.none() | st.just((1, 2)))
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
NODES = st.builds(
    Node,
    text=st.text(),
    score=FLOATS,
    leaves=st.lists(LEAVES, max_size=3).map(lambda found: found * 150),
    rows=st.none() | st.lists(FLOATS, max_size=3).map(lambda row: [row * 100] * 3),
    leaf=st.none() | LEAVES,
)


@given(node=NODES, without_none=st.booleans())
def test_an_answer_is_what_pydantic_writes(node: Node, without_none: bool) -> None:
    assert render(node, without_none=without_none) == node.model_dump_json(exclude_none=without_none).encode()
    assert json.loads(render([node, node])) == [json.loads(node.model_dump_json())] * 2


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | FLOATS | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(value=VALUES, ascii=st.booleans(), indent=st.none() | st.just(1))
def test_a_long_body_is_read_as_a_short_one(value: Any, ascii: bool, indent: int | None) -> None:
    written = json.dumps(value, ensure_ascii=ascii, indent=indent)
    assert bodies._decoder(long=True).decode(written) == value
    assert bodies._decoder(long=False).decode(written) == value


@pytest.mark.parametrize("length", [1, 100_000])
@pytest.mark.parametrize("broken", ["[{}", '{"a" 1}', "[1,]", '"', "nul", "1 2", "[" * 100_000])
def test_broken_bodies(broken: str, length: int) -> None:
    class Anything(BaseModel):
        pass

    content = (broken + " " * length).encode()
    with pytest.raises((InvalidBodyError, LexalignError), match=r"not JSON|nested"):
        bodies._read_json(content, Anything)


@pytest.mark.parametrize("number", [201, 20_000])
def test_objects_of_very_many_fields_are_refused(number: int) -> None:
    content = json.dumps({"text": {str(place): 1 for place in range(number)}}).encode()
    with pytest.raises(LexalignError, match=f"{number} fields"):
        bodies._read_json(content, Node)
