"""A table of systems is what each metric says of each set, and of all sets in one."""

import random
from dataclasses import replace

import numpy as np
import pytest

from experiments.paper.pipeline.scoring import WINDOW, Output, Scorer
from experiments.paper.pipeline.systems import BASELINE
from lexalign.contracts.constraint import Constraint
from lexalign.metrics.bleu_c import bleu_c
from lexalign.metrics.bootstrap import BootstrapOptions, compare
from lexalign.metrics.ngram_statistics import bleu_statistics
from lexalign.metrics.segment_statistics import SegmentStatistics

NUM_SETS = 2
BOOTSTRAP = BootstrapOptions(samples=200)
Systems = dict[str, list[Output]]


@pytest.fixture(scope="module")
def systems() -> Systems:
    """The second system is worse than the baseline."""
    generator = random.Random(1)
    references = [[str(generator.randrange(20)) for _ in range(12)] for _ in range(25)]

    def output(share: float) -> Output:
        damaged = [["x" if generator.random() < share else word for word in line] for line in references]
        return Output(
            texts=[" ".join(line) for line in damaged],
            references=[" ".join(line) for line in references],
            sentences=[("", (Constraint(targets=(line[generator.randrange(12)],)),)) for line in references],
            seconds=share,
        )

    return {
        BASELINE: [output(0.1) for _ in range(NUM_SETS)],
        "other": [output(0.2) for _ in range(NUM_SETS)],
    }


def of_bleu(output: Output) -> SegmentStatistics:
    return bleu_statistics(output.texts, output.references)


def of_bleu_c(output: Output, window: int = WINDOW) -> SegmentStatistics:
    return bleu_c(output.texts, output.references, [asked for _, asked in output.sentences], window=window)


def in_one(outputs: list[Output]) -> Output:
    return Output(
        texts=[text for output in outputs for text in output.texts],
        references=[text for output in outputs for text in output.references],
        sentences=[sentence for output in outputs for sentence in output.sentences],
        seconds=0,
    )


def test_sets_and_windows(systems: Systems) -> None:
    table = Scorer(windows=(2, 5), bootstrap=BOOTSTRAP).table(systems)
    for name, outputs in systems.items():
        assert table[name]["bleu_sets"] == [round(of_bleu(output).value, 2) for output in outputs]
        assert table[name]["bleu_c_sets"] == [round(of_bleu_c(output).value, 2) for output in outputs]
        assert table[name]["bleu_c_signature"] == of_bleu_c(outputs[0]).signature
        assert table[name]["bleu_c_by_window"] == {
            str(window): round(of_bleu_c(in_one(outputs), window).value, 2) for window in (2, 5)
        }
    assert table["other"]["csr"] < table[BASELINE]["csr"]
    assert table["other"]["seconds"] == 0.2


def test_p_values_are_of_sentences_with_all_their_sets(systems: Systems) -> None:
    table = Scorer(bootstrap=BOOTSTRAP).table(systems)
    for column, metric in (("p_bleu", of_bleu), ("p_bleu_c", of_bleu_c)):
        other, baseline = (
            replace(metric(outputs[0]), rows=np.sum([metric(output).rows for output in outputs], axis=0))
            for outputs in (systems["other"], systems[BASELINE])
        )
        assert table["other"][column] == round(compare(other, baseline, BOOTSTRAP).p_value, 4) < 1
        assert column not in table[BASELINE]


def test_a_set_that_is_counted_twice_makes_nothing_surer(systems: Systems) -> None:
    once = Scorer(bootstrap=BOOTSTRAP).table({name: outputs[:1] for name, outputs in systems.items()})
    twice = Scorer(bootstrap=BOOTSTRAP).table({name: [outputs[0]] * 2 for name, outputs in systems.items()})
    for column in ("p_bleu", "p_bleu_c"):
        assert once["other"][column] == twice["other"][column]


def test_without_a_baseline_there_are_no_p_values(systems: Systems) -> None:
    (row,) = Scorer(bootstrap=BOOTSTRAP).table({"other": systems["other"]}).values()
    assert "p_bleu" not in row
    assert row["bleu_c_by_window"] == {}
