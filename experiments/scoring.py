"""BLEU-C, CSR and BLEU of constrained translations, and whether systems differ by more than chance."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from experiments.pairs import Pair
from experiments.systems import BASELINE
from experiments.workspace import Result
from lexalign.glossary.constraint_files import ConstrainedText
from lexalign.metrics.bleu_c import bleu_c
from lexalign.metrics.bootstrap import BootstrapOptions, compare
from lexalign.metrics.constraint_satisfaction import constraint_satisfaction
from lexalign.metrics.ngram_statistics import bleu_statistics
from lexalign.metrics.segment_statistics import SegmentStatistics
from lexalign.metrics.words import WordOptions

WINDOW = 3  # words on either side, for BLEU-C


@dataclass(frozen=True, kw_only=True)
class Output:
    """What a system made of one set of constraints."""

    texts: Sequence[str]
    references: Sequence[str]
    sentences: Sequence[ConstrainedText]
    seconds: float


Metric = Callable[[Output], SegmentStatistics]


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
        """Of every system, over its sets; p-values are against Align-VDBA on all sets together."""
        together = {name: _joined(outputs) for name, outputs in systems.items()}
        rows: Result = {}
        for name, outputs in systems.items():
            rows[name] = self._means(outputs)
            rows[name]["bleu_c_by_window"] = {
                str(window): round(self._bleu_c(together[name], window).value, 2) for window in self.windows
            }
            if name != BASELINE and BASELINE in together:
                rows[name]["p_bleu"] = self._p(self._bleu, together[name], together[BASELINE])
                rows[name]["p_bleu_c"] = self._p(self._bleu_c, together[name], together[BASELINE])
        return rows

    def _means(self, outputs: Sequence[Output]) -> Result:
        """Means over sets, and each set's."""
        measured = {
            "bleu_c": [self._bleu_c(output) for output in outputs],
            "csr": [self._csr(output) for output in outputs],
            "bleu": [self._bleu(output) for output in outputs],
        }
        row: Result = {}
        for metric, statistics in measured.items():
            values = [round(one.value, 2) for one in statistics]
            row[metric] = round(sum(values) / len(values), 2)
            row[f"{metric}_sets"] = values
            row[f"{metric}_signature"] = statistics[0].signature
        seconds = [output.seconds for output in outputs]
        return row | {"seconds": round(sum(seconds) / len(seconds), 3)}

    def _bleu(self, output: Output) -> SegmentStatistics:
        return bleu_statistics(
            output.texts, output.references, ignore_case=self.words.ignore_case, tokenizer=self.tokenizer
        )

    def _bleu_c(self, output: Output, window: int = WINDOW) -> SegmentStatistics:
        constraints = [asked for _, asked in output.sentences]
        return bleu_c(
            output.texts,
            output.references,
            constraints,
            self.words,
            window=window,
            tokenizer=self.tokenizer,
        )

    def _csr(self, output: Output) -> SegmentStatistics:
        return constraint_satisfaction(output.texts, [asked for _, asked in output.sentences], self.words)

    def _p(self, metric: Metric, system: Output, baseline: Output) -> float:
        return round(compare(metric(system), metric(baseline), self.bootstrap).p_value, 4)


def _joined(outputs: Sequence[Output]) -> Output:
    return Output(
        texts=[text for output in outputs for text in output.texts],
        references=[text for output in outputs for text in output.references],
        sentences=[sentence for output in outputs for sentence in output.sentences],
        seconds=sum(output.seconds for output in outputs),
    )
