"""Anecdotes are chosen by their rule, and shown as they are."""

from experiments.paper.pipeline.pairs import PAIRS
from experiments.paper.pipeline.workspace import Result
from experiments.paper.report.anecdotes import emphasize, sections
from experiments.paper.report.markdown import Results
from experiments.paper.stages.anecdotes import Anecdote, choose
from experiments.paper.tables import make_page
from lexalign.contracts.constraint import Constraint
from lexalign.metrics.words import WordOptions


def anecdote(number: int, gain: float, *, set_number: int = 1, chrf_gain: float = 0.0) -> Anecdote:
    return Anecdote(
        number=number,
        set_number=set_number,
        sentence=("Das Haus.", (Constraint(targets=("house",), source=(4, 8)),)),
        reference="The house.",
        texts=("House the.", "The house."),
        bleu_c=(50.0, 50.0 + gain),
        chrf=(50.0, 50.0 + chrf_gain),
    )


FOUND = [
    anecdote(1, 10.0),
    anecdote(2, 20.0),
    anecdote(2, 30.0, set_number=2),
    anecdote(3, 10.0, chrf_gain=5.0),
    anecdote(4, -40.0),
    anecdote(5, -50.0),
    anecdote(6, 0.0, chrf_gain=9.0),
]


def test_the_largest_gains_are_chosen_each_sentence_once() -> None:
    chosen = [(one.number, one.set_number) for one in choose(FOUND, 5)]
    assert chosen == [(2, 2), (3, 1), (1, 1)]  # where nothing is gained there is nothing to tell


def test_the_largest_loss_is_found() -> None:
    assert [one.number for one in choose(FOUND, 1, largest=False)] == [5]


def test_constraints_are_set_in_bold_where_they_are_met() -> None:
    assert (
        emphasize("The dog, the dogma, dog.", ["dog", "cat"], WordOptions()) == "The **dog**, the dogma, dog."
    )
    assert emphasize("the dog saw the dog", ["dog", "dog"], WordOptions()) == "the **dog** saw the **dog**"
    assert emphasize("the dog show", ["dog", "dog show"], WordOptions()) == "the **dog show**"
    assert emphasize("The Dog", ["dog"], WordOptions(ignore_case=True)) == "The **Dog**"


def result(**changes: object) -> Result:
    told = {
        "beam": 5,
        "words": [8, 20],
        "decoded_on": "a GPU",
        "compared": 7,
        "better": 4,
        "worse": 2,
        "same_text": 0,
        "examples": [anecdote(2, 30.0).content()],
        "other_way": [anecdote(5, -50.0).content()],
    }
    return {"anecdotes": {"result": told | changes}}


def test_a_section_shows_the_texts() -> None:
    results: Results = {name: {} for name in PAIRS} | {"de-en": result()}
    page = "\n\n".join(sections(results))
    assert "| sentence 2, set 1 | Das Haus. |" in page
    assert "| constraints | Haus → **house** |" in page
    assert "| reference | The **house**. |" in page
    assert "| VDBA (50.0) | House the. |" in page  # another case is another word
    assert "| Align-VDBA (80.0) | The **house**. |" in page
    assert "higher with Align-VDBA in 4 and lower in 2" in page
    assert "the largest loss" in page
    results["de-en"] = result(other_way=[])
    assert "the largest loss" not in "\n\n".join(sections(results))


def test_without_anecdotes_there_is_no_section() -> None:
    assert "Anecdotes" not in make_page({name: {} for name in PAIRS}, {})
