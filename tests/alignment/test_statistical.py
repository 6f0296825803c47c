"""Aligners of other toolkits: their links where they are installed, and the error where they are not."""

import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lexalign.alignment.statistical import (
    THOT_MODELS,
    ThotModel,
    eflomal,
    fast_align,
    fast_align_directions,
    thot_align,
    toolkits,
)
from lexalign.contracts.alignment import Link
from lexalign.contracts.errors import LexalignError
from lexalign.metrics.aer import score_alignments

NUMBERS = {"ein": "one", "zwei": "two", "drei": "three", "vier": "four", "rot": "red", "blau": "blue"}


def corpus(size: int = 300) -> list[tuple[list[str], list[str]]]:
    """Word by word translations, every pair of neighbours in the other order."""
    generator = random.Random(1)
    pairs = []
    for _ in range(size):
        source = generator.sample(list(NUMBERS), 4)
        pairs.append((source, [NUMBERS[source[index]] for index in (1, 0, 3, 2)]))
    return pairs


TRUE = [(0, 1), (1, 0), (2, 3), (3, 2)]


def test_fast_align_finds_the_translations() -> None:
    pytest.importorskip("systran_align")
    found = fast_align(corpus(), [*corpus(20), ([], ["one"])])
    gold, links = (
        [[Link(*point) for point in points] for points in side] for side in ([TRUE] * 20, found[:-1])
    )
    assert score_alignments(gold, links).aer < 0.2  # it is drawn to the diagonal
    assert found[-1] == []


def test_fast_align_finds_the_translations_in_each_direction() -> None:
    pytest.importorskip("systran_align")
    pairs = [*corpus(20), ([], ["one"]), (["unseen", "ein"], ["one", "unknown", "two"])]
    ahead, back = fast_align_directions(corpus(), pairs)
    assert ahead[:20] == back[:20] == [TRUE] * 20
    assert ahead[20] == back[20] == []
    # A target word has one source forward, and a source word one target backward.
    assert (1, 0) in ahead[21]
    assert len({target for _, target in ahead[21]}) == len(ahead[21])
    assert len({source for source, _ in back[21]}) == len(back[21])


@pytest.mark.parametrize("model", THOT_MODELS)
def test_thot_finds_the_translations(model: ThotModel) -> None:
    pytest.importorskip("thot")
    found = thot_align(corpus(100), [*corpus(20), (["ein"], [])], model=model, iterations=3)
    assert found[:-1] == [TRUE] * 20
    assert found[-1] == []


def test_thot_refuses_sentences_over_its_limit() -> None:
    pytest.importorskip("thot")
    with pytest.raises(LexalignError, match="sentence pair 2 has more than"):
        thot_align(corpus(20), [(["ein"], ["one"]), (["ein"] * 5000, ["one"])], model="hmm", iterations=1)


@pytest.mark.parametrize(
    ("aligner", "module", "extra"),
    [
        (fast_align, "systran_align", "fast-align"),
        (lambda *pairs: thot_align(*pairs, model="hmm"), "thot.alignment", "thot"),
    ],
)
def test_a_missing_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, aligner: Callable[..., object], module: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(LexalignError, match=rf"lexalign\[{extra}\]"):
        aligner([], [])


@pytest.mark.parametrize("word", ["|||", "two words", "", "line\nbreak"])
def test_words_that_would_break_the_files_are_refused(word: str) -> None:
    with pytest.raises(LexalignError, match="sentence pair 2"):
        list(toolkits._nonempty_pairs([(["a"], ["b"]), (["a", word], ["b"])]))


FAKE = """#!{python}
import sys
arguments = dict(zip(sys.argv[1::2], sys.argv[2::2]))
lines = open(arguments["-i"], encoding="utf-8").read().splitlines()
if "broken" in lines[0]:
    sys.exit("it is broken")
for option in ("-f", "-r"):
    with open(arguments[option], "w") as file:
        for line in lines:
            source, target = (side.split() for side in line.split(" ||| "))
            last = (len(source) - 1, len(target) - 1)
            print("0-0" if option == "-f" else "%d-%d" % last, file=file)
"""


@pytest.fixture
def fake_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Links the first words forward and the last ones backward."""
    program = tmp_path / "eflomal-align"
    program.write_text(FAKE.format(python=sys.executable))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.mark.usefixtures("fake_program")
def test_eflomal_is_run_as_a_program() -> None:
    learnt = [(["a"], ["b"]), (["a", "b", "c"], ["d"])]
    pairs = [(["a", "b"], ["c"]), ([], ["c"]), (["ä"], ["b", "c"])]
    assert eflomal(learnt, pairs) == ([[(0, 0)], [], [(0, 0)]], [[(1, 0)], [], [(0, 1)]])
    with pytest.raises(LexalignError, match="eflomal-align failed: it is broken"):
        eflomal([(["broken"], ["b"])], pairs)


def test_missing_eflomal_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(LexalignError, match="eflomal-align is not installed"):
        eflomal([(["a"], ["b"])], [])
