"""BLEU-C, CSR and BLEU of constrained translations, and whether systems differ by more than chance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from experiments.paper.pipeline.pairs import Pair
from experiments.paper.pipeline.systems import BASELINE
from experiments.paper.pipeline.workspace import Result
from lexalign.glossary.constraint_files import ConstrainedText
from lexalign.metrics.bleu_c import bleu_c_by_window
from lexalign.metrics.bootstrap import BootstrapOptions, compare_all
from lexalign.metrics.constraint_satisfaction import constraint_satisfaction
from lexalign.metrics.ngram_statistics import bleu_statistics
from lexalign.metrics.segment_statistics import SegmentStatistics, over_outputs
from lexalign.metrics.words import WordOptions

WINDOW = 3  # words on either side, for BLEU-C


@dataclass(frozen=True, kw_only=True)
class Output:
    """What a system made of one set of constraints."""

    texts: Sequence[str]
    references: Sequence[str]
    sentences: Sequence[ConstrainedText]
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One output by every metric."""

    bleu: SegmentStatistics
    csr: SegmentStatistics
    bleu_c: Mapping[int, SegmentStatistics]  # by window


@dataclass(frozen=True, kw_only=True)
class Scorer:
    tokenizer: str = "13a"
    words: WordOptions = field(default_factory=WordOptions)
    windows: Sequence[int] = ()
    bootstrap: BootstrapOptions = field(default_factory=BootstrapOptions)

    @classmethod
    def of(cls, pair: Pair, tokenizer: str) -> "Scorer":
        return cls(
            tokenizer=tokenizer,
            words=WordOptions(ignore_case=pair.lowercase),
            windows=pair.setting.windows,
            bootstrap=BootstrapOptions(samples=pair.setting.bootstrap_samples),
        )

    def table(self, systems: Mapping[str, Sequence[Output]]) -> Result:
        """The scores of every system over its sets of the same sentences; p-values are against Align-VDBA."""
        measured = self._measured(systems)
        rows: Result = {}
        for name, outputs in systems.items():
            seconds = [output.seconds for output in outputs]
            rows[name] = _means(measured[name])
            rows[name]["seconds"] = round(sum(seconds) / len(seconds), 3)
            rows[name]["bleu_c_by_window"] = {
                str(window): round(over_outputs([one.bleu_c[window] for one in measured[name]]).value, 2)
                for window in self.windows
            }
        if BASELINE in systems:
            self._add_p_values(rows, measured)
        return rows

    def _measured(self, systems: Mapping[str, Sequence[Output]]) -> dict[str, list[Measured]]:
        """Measure set by set: n-grams that systems share are counted once while they are remembered."""
        by_set = [
            [self._measure(output) for output in outputs] for outputs in zip(*systems.values(), strict=True)
        ]
        return {name: list(of_sets) for name, of_sets in zip(systems, zip(*by_set, strict=True), strict=True)}

    def _measure(self, output: Output) -> Measured:
        texts, references = output.texts, output.references
        constraints = [asked for _, asked in output.sentences]
        return Measured(
            bleu=bleu_statistics(
                texts, references, ignore_case=self.words.ignore_case, tokenizer=self.tokenizer
            ),
            csr=constraint_satisfaction(texts, constraints, self.words),
            bleu_c=bleu_c_by_window(
                texts,
                references,
                constraints,
                self.words,
                windows={WINDOW, *self.windows},
                tokenizer=self.tokenizer,
            ),
        )

    def _add_p_values(self, rows: Result, measured: Mapping[str, Sequence[Measured]]) -> None:
        others = [name for name in measured if name != BASELINE]
        together = {
            "p_bleu": {name: over_outputs([one.bleu for one in found]) for name, found in measured.items()},
            "p_bleu_c": {
                name: over_outputs([one.bleu_c[WINDOW] for one in found]) for name, found in measured.items()
            },
        }
        for column, by_name in together.items():
            compared = compare_all([by_name[name] for name in others], by_name[BASELINE], self.bootstrap)
            for name, comparison in zip(others, compared, strict=True):
                rows[name][column] = round(comparison.p_value, 4)


def _means(measured: Sequence[Measured]) -> Result:
    """Means over sets, and each set's."""
    by_metric = {
        "bleu_c": [one.bleu_c[WINDOW] for one in measured],
        "csr": [one.csr for one in measured],
        "bleu": [one.bleu for one in measured],
    }
    row: Result = {}
    for metric, statistics in by_metric.items():
        values = [round(one.value, 2) for one in statistics]
        row[metric] = round(sum(values) / len(values), 2)
        row[f"{metric}_sets"] = values
        row[f"{metric}_signature"] = statistics[0].signature
    return row
