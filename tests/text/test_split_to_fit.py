"""Parts of a sentence that is too long."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexalign.text.sentences import split_to_fit

_CLUSTERS = ("a", "e\u0301", "👩\u200d💻", "🇩🇪", "क्षि", "👍🏽", "\u1112\u1161\u11ab", "好", "กำ")
_RUNS = st.lists(
    st.tuples(st.sampled_from([*_CLUSTERS, " ", ", ", "、", ". "]), st.integers(1, 20)), max_size=8
)


def parts_of(text: str, limit: int) -> list[str]:
    found = split_to_fit(text, (0, len(text)), lambda part: len(part) <= limit)
    return [text[start:end] for start, end in found]


@pytest.mark.parametrize(
    ("text", "limit", "parts"),
    [
        ("it fits", 7, ["it fits"]),
        ("  ", 1, []),
        ("one two three, four five", 20, ["one two three,", "four five"]),
        ("one two three four", 12, ["one two", "three four"]),
        ("Er kam am 3. Mai zu mir", 12, ["Er kam am 3.", "Mai zu mir"]),
        ("ab cd", 3, ["ab", "cd"]),
        ("今日は寒い、明日は暑い", 8, ["今日は寒い、", "明日は暑い"]),
        ("abcdefgh", 4, ["abcd", "efgh"]),
        ("🇩🇪🇫🇷🇮🇹", 4, ["🇩🇪", "🇫🇷🇮🇹"]),
        ("x " + "y" * 9, 5, ["x", "yyyy", "yyyyy"]),
        ("a" + "\u0301" * 9, 5, ["a" + "\u0301" * 9]),
    ],
)
def test_examples(text: str, limit: int, parts: list[str]) -> None:
    assert parts_of(text, limit) == parts


@given(_RUNS, st.integers(4, 30))
def test_all_parts_fit_and_clusters_stay_whole(runs: list[tuple[str, int]], limit: int) -> None:
    clusters = [unit for unit, count in runs for _ in range(count)]
    text = "".join(clusters)
    spans = split_to_fit(text, (0, len(text)), lambda part: len(part) <= limit)
    assert all(end - start <= limit for start, end in spans)
    assert all(text[slice(*span)] == text[slice(*span)].strip() for span in spans)
    assert "".join(text[slice(*span)] for span in spans).replace(" ", "") == text.replace(" ", "")
    starts = set(itertools.accumulate((len(cluster) for cluster in clusters), initial=0))
    assert {start for start, _ in spans} <= starts
    assert {end for _, end in spans} <= starts | {end - 1 for end in starts if text[end - 1 : end] == " "}


@given(_RUNS, _RUNS)
def test_the_span_is_all_that_is_looked_at(
    before: list[tuple[str, int]], runs: list[tuple[str, int]]
) -> None:
    head, text = ("".join(unit * count for unit, count in part) for part in (before, runs))
    alone = split_to_fit(text, (0, len(text)), lambda part: len(part) <= 5)
    inside = split_to_fit(f"{head}{text}zz", (len(head), len(head) + len(text)), lambda part: len(part) <= 5)
    assert inside == [(start + len(head), end + len(head)) for start, end in alone]


@pytest.mark.parametrize(
    "unit", ["a", "a ", "a, ", ". ", "、", "\u0301", "🇩", "\u200d", "ab, cdefghijklmnopqrstuvwxyz", "क्"]
)
@pytest.mark.parametrize("limit", [-1, 1, 50])
def test_few_characters_are_measured(unit: str, limit: int) -> None:
    text = ("x " + unit * 3000)[:3000]
    measured = 0

    def fits(part: str) -> bool:
        nonlocal measured
        measured += len(part)
        return len(part) <= limit

    split_to_fit(text, (0, len(text)), fits)
    assert measured <= 3 * len(text) * math.log2(len(text))
