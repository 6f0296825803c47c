"""What the same recipe gave another time: the figures of the runs that are not in the tables.

RESULTS/other-runs.json      by pair and number of the run: what `summarize` keeps of a run's stages
"""

import json
from itertools import count
from pathlib import Path
from typing import Any

from experiments.paper.pipeline.pairs import PAIRS
from experiments.paper.report.markdown import MISSING, Results, number, table, text_of
from lexalign.storage import write_text

OTHER_RUNS = "other-runs.json"
_SYSTEMS = ("vdba", "align-vdba", "guided")
_BEAMS = ("5", "10", "20")
_DIRECTIONS = ("forward", "backward", "symmetrised")
_RULES = {"paper": "methods", "own": "own"}  # whose rules, and where the stage `align` has their figures

Run = dict[str, Any]  # the summary of a run
Runs = dict[str, dict[int, Run]]  # by pair


def sections(results: Results, others: Runs) -> list[str]:
    rows = [
        [pair, f"**{run}**" if run == in_tables(others, pair) else str(run), *_cells(found)]
        for pair in PAIRS
        for run, found in runs_of(results, others, pair).items()
    ]
    if not rows:
        return []
    header = [
        "pair",
        "run",
        "heads apart",
        "attention apart",
        "PostAln, the paper's rules",
        "our own",
        *(f"BLEU-C, beam {beam}" for beam in _BEAMS),
    ]
    return ["## Other runs", text_of("other-runs"), table(header, rows)]


def read_runs(folder: Path) -> Runs:
    """The summaries in a folder of results; none where there is no file."""
    path = folder / OTHER_RUNS
    content = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {pair: {int(run): found for run, found in runs.items()} for pair, runs in content.items()}


def add_run(folder: Path, pair: str, stages: dict[str, Any]) -> None:
    """Keep the summary of another run of a pair, under the next number that is free."""
    others, found = read_runs(folder), summarize(stages)
    if found is None:
        raise SystemExit(f"{pair}: the run lacks one of the stages heads, single-heads and align")
    runs = others.setdefault(pair, {})
    runs[max(*runs, in_tables(others, pair)) + 1 if runs else 2] = found
    write_text(folder / OTHER_RUNS, json.dumps(others, indent=2, ensure_ascii=False) + "\n")


def runs_of(results: Results, others: Runs, pair: str) -> dict[int, Run]:
    """The runs of a pair that was run more than once, that of the tables among them."""
    if not others.get(pair) or (shown := summarize(results[pair])) is None:
        return {}
    return dict(sorted({**others[pair], in_tables(others, pair): shown}.items()))


def in_tables(others: Runs, pair: str) -> int:
    """The number of the run that is in the tables is the first that no other run has."""
    return next(run for run in count(1) if run not in others.get(pair, {}))


def summarize(stages: dict[str, Any]) -> Run | None:
    """The figures that are shown of a run; None where it was not measured."""
    if not {"heads", "single-heads", "align"} <= stages.keys():
        return None
    heads, align = stages["heads"]["result"], stages["align"]["result"]
    summary = {
        "signature": stages["align"]["signature"],
        # AER between the two directions on validation text, by the heads that were chosen and by attention
        "heads_apart": heads["rounds"][str(heads["best"])]["agreement"]["post-aln"],
        "attention_apart": stages["single-heads"]["result"]["agreement"],
        "aer": {
            rules: {kind: align[place]["post-aln"][kind]["aer"] for kind in _DIRECTIONS}
            for rules, place in _RULES.items()
        },
    }
    if "score" in stages:
        sampled = stages["score"]["result"]["sampled"]
        summary["bleu_c"] = {
            beam: {system: rows[system]["bleu_c"] for system in _SYSTEMS} for beam, rows in sampled.items()
        }
    return summary


def _cells(run: Run) -> list[str]:
    return [
        number(100 * run["heads_apart"]),
        number(100 * run["attention_apart"]),
        *(_aer(run["aer"][rules]) for rules in _RULES),
        *(_bleu_c(run, beam) for beam in _BEAMS),
    ]


def _aer(found: dict[str, float]) -> str:
    forward, backward, both = (number(found[kind]) for kind in _DIRECTIONS)
    return f"{forward}, {backward} ({both})"


def _bleu_c(run: Run, beam: str) -> str:
    by_system = run.get("bleu_c", {}).get(beam)
    return ", ".join(number(by_system[system]) for system in _SYSTEMS) if by_system else MISSING
