"""Which comparisons of the paper hold in ours: of two methods, the one better there is better here."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

from experiments.paper.pipeline.pairs import DIRECTIONS, PAIRS
from experiments.paper.report import paper_numbers
from experiments.paper.report.markdown import Results, arrow, methods_of, short_name, table, text_of

_METRICS = {"bleu_c": "BLEU-C", "csr": "CSR", "bleu": "BLEU"}


@dataclass(frozen=True, kw_only=True)
class Compared:
    """A measure by method, ours and the paper's; of AER less is better."""

    pair: str
    measure: str
    ours: dict[str, float]
    paper: dict[str, float]
    less: bool = False

    @property
    def shared(self) -> list[str]:
        return [method for method in self.paper if method in self.ours]

    def counts(self) -> tuple[int, list[tuple[str, str]]]:
        """How many comparisons hold, and those that do not, what is better in ours first.

        Numbers count as they are shown, and what is level on one of the sides says nothing of the other.
        """
        sign = -1 if self.less else 1
        held, turned = 0, []
        for better, worse in permutations(self.shared, 2):
            if sign * (round(self.ours[better], 1) - round(self.ours[worse], 1)) > 0:
                wanted = sign * (self.paper[better] - self.paper[worse])
                held += wanted > 0
                turned += [(better, worse)] if wanted < 0 else []
        return held, turned


def sections(results: Results) -> list[str]:
    compared = [one for pair in PAIRS for one in (*_aer(pair, results), *_constrained(pair, results))]
    rows = [_row(one) for one in compared if len(one.shared) > 1]
    if not rows:
        return []
    text = (
        "Any two methods of a column, at one beam, are a comparison, unless they are level in ours or in the "
        "paper. Those that turned out the other way are named, with the better one of ours first:"
    )
    header = ["pair", "measure", "hold", "do not hold"]
    return ["## The paper's comparisons", f"{text}\n\n{table(header, rows)}", text_of("comparisons")]


def _row(compared: Compared) -> list[str]:
    held, turned = compared.counts()
    names = [" over ".join(short_name(method) for method in pair) for pair in turned]
    return [compared.pair, compared.measure, f"{held} of {held + len(turned)}", "; ".join(names)]


def _aer(pair: str, results: Results) -> Iterator[Compared]:
    methods = methods_of(results, pair, "align", "agreement", "statistics")
    forward, backward = (PAIRS[pair].direction(one) for one in DIRECTIONS)
    columns = {
        "forward": (f"AER {arrow(forward)}", paper_numbers.AER[forward]),
        "backward": (f"AER {arrow(backward)}", paper_numbers.AER[backward]),
        "symmetrised": ("AER, both directions", paper_numbers.SYMMETRISED_AER[forward]),
    }
    for kind, (measure, paper) in columns.items() if methods else ():
        yield Compared(
            pair=pair,
            measure=measure,
            ours={method: found[kind]["aer"] for method, found in methods.items() if kind in found},
            paper={method: cell[0] for method, cell in paper.items()},
            less=True,
        )


def _constrained(pair: str, results: Results) -> Iterator[Compared]:
    """Sampled constraints, and terms where there are any."""
    scored = results[pair].get("score", {}).get("result", {"sampled": {}, "terms": {}})
    sets = {"": (scored["sampled"], paper_numbers.CONSTRAINED, PAIRS[pair].direction("forward"))}
    sets |= {f"{name}, ": (beams, paper_numbers.TERMS, name) for name, beams in scored["terms"].items()}
    for label, (beams, papers, column) in sets.items():
        for beam, rows in beams.items():
            paper = papers.get(int(beam), {}).get(column, {})
            for place, (metric, shown) in enumerate(_METRICS.items()):
                if paper:
                    yield Compared(
                        pair=pair,
                        measure=f"{label}{shown}, beam {beam}",
                        ours={system: row[metric] for system, row in rows.items()},
                        paper={system: cell[place] for system, cell in paper.items()},
                    )
