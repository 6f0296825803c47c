"""Paired bootstrap resampling against sacreBLEU's own and against plain loops."""

import random

import numpy as np
import pytest
from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest

from lexalign.contracts.errors import LexalignError
from lexalign.metrics import bootstrap
from lexalign.metrics.bootstrap import BootstrapOptions, compare, compare_all, confidence_interval, resample
from lexalign.metrics.ngram_statistics import bleu_statistics, chrf_statistics
from lexalign.metrics.segment_statistics import SegmentStatistics, ratio_statistics


@pytest.fixture(scope="module")
def corpus() -> tuple[list[str], list[str], list[str]]:
    """References, a baseline, and a system that is a little better."""
    generator = random.Random(3)
    references = [[str(generator.randrange(30)) for _ in range(generator.randint(4, 12))] for _ in range(60)]

    def damage(share: float) -> list[str]:
        return [" ".join("x" if generator.random() < share else word for word in line) for line in references]

    return [" ".join(line) for line in references], damage(0.25), damage(0.2)


def rates(*values: float) -> SegmentStatistics:
    return ratio_statistics("rate", [(value, 1) for value in values], "made up")


def test_bleu_is_sacrebleus(corpus: tuple[list[str], list[str], list[str]]) -> None:
    references, baseline, system = corpus
    systems = [("baseline", baseline), ("system", system)]
    test = PairedTest(systems, {"BLEU": BLEU(references=[references])}, None, test_type="bs", n_samples=300)
    theirs = test()[1]["BLEU"][1]
    options = BootstrapOptions(samples=300)
    ours = bleu_statistics(system, references)
    result = compare(ours, bleu_statistics(baseline, references), options)
    low, high = confidence_interval(ours, options)
    assert ours.value == pytest.approx(theirs.score)
    assert result.p_value == theirs.p_value
    # sacreBLEU sums in single precision.
    assert (high - low) / 2 == pytest.approx(theirs.ci, rel=1e-5)
    assert resample(ours, options).mean() == pytest.approx(theirs.mean, rel=1e-5)


def test_samples_are_what_a_loop_draws(corpus: tuple[list[str], list[str], list[str]]) -> None:
    references, _, system = corpus
    ours = chrf_statistics(system, references)
    drawn = np.random.default_rng(5).choice(len(references), size=(20, len(references)), replace=True)
    expected = [
        chrf_statistics([system[i] for i in sample], [references[i] for i in sample]).value
        for sample in drawn
    ]
    assert np.allclose(resample(ours, BootstrapOptions(samples=20, seed=5)), expected)


def test_blocks_do_not_change_the_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    values, options = rates(*range(10)), BootstrapOptions(samples=50)
    whole = resample(values, options)
    monkeypatch.setattr(bootstrap, "_BLOCK", 30)
    assert resample(values, options).tolist() == whole.tolist()


def test_systems_together_are_systems_alone(corpus: tuple[list[str], list[str], list[str]]) -> None:
    references, *texts = corpus
    baseline, system = [bleu_statistics(lines, references) for lines in texts]
    best = bleu_statistics(references, references)
    together = compare_all([system, best, baseline], baseline)
    assert together == [compare(one, baseline) for one in (system, best, baseline)]
    assert together[0].p_value > together[1].p_value


def test_the_seed_decides() -> None:
    first = confidence_interval(rates(*range(20)), BootstrapOptions(seed=1))
    assert first == confidence_interval(rates(*range(20)), BootstrapOptions(seed=1))
    assert first != confidence_interval(rates(*range(20)), BootstrapOptions(seed=2))


def test_a_clear_difference_is_significant_and_none_is_not() -> None:
    baseline = rates(*[0, 1] * 30)
    better = rates(*[1, 1] * 30)
    result = compare(better, baseline)
    assert result.difference == pytest.approx(50)
    assert result.p_value < 0.01
    assert 30 < result.interval[0] < 50 < result.interval[1] < 70
    assert compare(baseline, baseline).p_value == 1
    assert compare(baseline, baseline).interval == (0, 0)


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    """95 % of intervals of samples from a known distribution should hold its mean."""
    generator = np.random.default_rng(0)
    covered = 0
    for seed in range(200):
        low, high = confidence_interval(
            rates(*generator.random(50)), BootstrapOptions(samples=200, seed=seed)
        )
        covered += low <= 50 <= high
    assert 178 <= covered <= 200


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(LexalignError, match="2 segments of one system and 1 of the other"):
        compare(rates(1, 2), rates(1))
    with pytest.raises(LexalignError, match="no segments"):
        confidence_interval(rates())
    with pytest.raises(LexalignError, match="at least 1 sample"):
        BootstrapOptions(samples=0)
