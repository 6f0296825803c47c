"""What the same recipe gave another time: `experiments/results/PAIR/other-runs/RUN/STAGE.json`."""

from itertools import count
from pathlib import Path
from typing import Any

from experiments.pairs import PAIRS
from experiments.sections.markdown import MISSING, Results, number, table

_TEXT = Path(__file__).with_name("other-runs.md")
_SYSTEMS = ("vdba", "align-vdba", "guided")
_BEAMS = ("5", "10", "20")
_NEEDED = {"heads", "single-heads", "align"}  # of a run that is shown

Run = dict[str, dict[str, Any]]  # by stage


def sections(results: Results) -> list[str]:
    rows = [
        [pair, f"**{run}**" if run == in_tables(results, pair) else str(run), *_cells(found)]
        for pair in PAIRS
        for run, found in runs_of(results, pair).items()
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
    return ["## Other runs", _TEXT.read_text(encoding="utf-8").strip(), table(header, rows)]


def runs_of(results: Results, pair: str) -> dict[int, Run]:
    """The measured runs of a pair that was run more than once, that of the tables among them."""
    others = _others(results, pair)
    runs = sorted({**others, in_tables(results, pair): results[pair]}.items()) if others else []
    return {run: found for run, found in runs if found.keys() >= _NEEDED}


def in_tables(results: Results, pair: str) -> int:
    """The number that no other run has."""
    others = _others(results, pair)
    return next(run for run in count(1) if run not in others)


def agreement(run: Run) -> float:
    """AER between the two directions of PostAln on validation text, by the heads that were chosen."""
    heads = run["heads"]["result"]
    return float(heads["rounds"][str(heads["best"])]["agreement"]["post-aln"])


def _others(results: Results, pair: str) -> dict[int, Run]:
    return {
        int(name.removeprefix(f"{pair}/")): found
        for name, found in results.items()
        if name.startswith(f"{pair}/")
    }


def _cells(run: Run) -> list[str]:
    align = run["align"]["result"]
    return [
        number(100 * agreement(run)),
        number(100 * run["single-heads"]["result"]["agreement"]),
        *(_aer(align[rules]["post-aln"]) for rules in ("methods", "own")),
        *(_bleu_c(run, beam) for beam in _BEAMS),
    ]


def _aer(found: dict[str, Any]) -> str:
    ahead, back, both = (number(found[kind]["aer"]) for kind in ("forward", "backward", "symmetrised"))
    return f"{ahead}, {back} ({both})"


def _bleu_c(run: Run, beam: str) -> str:
    if "score" not in run:
        return MISSING
    rows = run["score"]["result"]["sampled"][beam]
    return ", ".join(number(rows[system]["bleu_c"]) for system in _SYSTEMS)
