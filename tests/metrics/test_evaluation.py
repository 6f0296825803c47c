"""Several systems by all metrics."""

import pytest

from lexalign.contracts.constraint import Constraint
from lexalign.contracts.errors import LexalignError
from lexalign.metrics.bootstrap import BootstrapOptions
from lexalign.metrics.evaluation import EvaluationOptions, System, evaluate
from lexalign.metrics.quality import bleu, chrf

REFERENCES = ["the old house burns down tonight", "a dog barks at the mailman", "no terms in here at all"]
GOOD = ["the old house burns down today", "a dog barks at the mailman", "no terms in here at all"]
POOR = ["the old home burns down tonight", "a cat barks at a mailman", "terms in here at all"]
CONSTRAINTS = [[Constraint(targets=("house",))], [Constraint(targets=("dog",))], []]
OPTIONS = EvaluationOptions(bootstrap=BootstrapOptions(samples=50))
SYSTEMS = [System(name="poor", hypotheses=POOR), System(name="good", hypotheses=GOOD, seconds=1.5)]


def test_every_metric_and_the_first_system_as_the_baseline() -> None:
    result = evaluate(SYSTEMS, REFERENCES, CONSTRAINTS, OPTIONS)
    poor, good = result.systems
    names = ["BLEU", "chrF", "CSR", "BLEU-C", "exact match", "overlap", "1-TERm"]
    assert [score.name for score in poor.scores] == [score.name for score in good.scores] == names
    assert all(score.against_first is None and not score.significant for score in poor.scores)
    for before, after in zip(poor.scores, good.scores, strict=True):
        assert after.against_first
        assert after.against_first.difference == pytest.approx(after.value - before.value)
        assert after.value > before.value
        assert after.interval[0] <= after.value + 1e-9
    assert (result.num_segments, result.num_constraints, good.seconds) == (3, 2, 1.5)


def test_values_are_those_of_score() -> None:
    scores = evaluate(SYSTEMS[1:], REFERENCES, CONSTRAINTS, OPTIONS).systems[0].scores
    assert scores[0].value == pytest.approx(bleu(GOOD, REFERENCES).value)
    assert scores[1].value == pytest.approx(chrf(GOOD, REFERENCES).value)
    assert scores[2].value == 100


def test_without_constraints_only_quality() -> None:
    none: list[list[Constraint]] = [[]] * 3
    for constraints in (None, none):
        scores = evaluate(SYSTEMS, REFERENCES, constraints, OPTIONS).systems[0].scores
        assert [score.name for score in scores] == ["BLEU", "chrF"]


def test_words_to_avoid_have_their_own_column() -> None:
    constraints = [[Constraint(targets=("home",), kind="avoid")], [], []]
    poor, good = evaluate(SYSTEMS, REFERENCES, constraints, OPTIONS).systems
    assert [score.name for score in poor.scores] == ["BLEU", "chrF", "avoided"]
    assert (poor.scores[2].value, good.scores[2].value) == (0, 100)


def test_nothing_to_evaluate() -> None:
    with pytest.raises(LexalignError, match="nothing to evaluate"):
        evaluate([], REFERENCES)
    with pytest.raises(LexalignError, match="nothing to evaluate"):
        evaluate([System(name="a", hypotheses=[])], [])
    with pytest.raises(LexalignError, match="1 hypotheses and 3 references"):
        evaluate([System(name="a", hypotheses=["a"])], REFERENCES)
