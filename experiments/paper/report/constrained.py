"""Constrained translation: sampled constraints, windows of BLEU-C, and terms from glossaries."""

from typing import Any

from experiments.paper.pipeline.pairs import PAIRS
from experiments.paper.report import paper_numbers
from experiments.paper.report.devices import devices
from experiments.paper.report.markdown import SYSTEM_NAMES, Results, arrow, beside, number, table, text_of

_METRICS = ("bleu_c", "csr", "bleu", "seconds")
_WINDOWS_OF_PAPER = "en-fr"


def sections(results: Results) -> list[str]:
    found = ["## Constrained translation", text_of("constrained")]
    measured = [pair for pair in PAIRS if "score" in results[pair]]
    if not measured:
        found.append("Not measured yet.")
    for pair in measured:
        found += _sampled(pair, results[pair]["score"]["result"]["sampled"], results[pair]["decode"])
    terms = [pair for pair in measured if results[pair]["score"]["result"]["terms"]]
    found.append("## Terms of Dinu et al. 2019")
    if not terms:
        found.append("Not measured yet.")
    for pair in terms:
        found += _terms(pair, results[pair]["score"]["result"]["terms"], results[pair]["terms"])
    return found


def _sampled(pair: str, tables: dict[str, Any], decoded: dict[str, Any]) -> list[str]:
    """The tables of the stage `score`, with what the stage `decode` says of them."""
    direction = PAIRS[pair].direction("forward")
    found = [
        f"### {arrow(direction)}{PAIRS[pair].mark}",
        f"Means of {decoded['result']['sets']} sets of constraints, ours / the paper's; seconds of ours are "
        f"on {devices(decoded)}.",
    ]
    for beam, rows in tables.items():
        chances = paper_numbers.P_VALUES.get(direction, {}) if beam == "10" else {}
        paper = paper_numbers.CONSTRAINED.get(int(beam), {}).get(direction, {})
        found.append(_table(beam, rows, paper, chances))
    windows = _windows(pair, tables)
    return [*found, windows] if windows else found


def _table(
    beam: str,
    rows: dict[str, Any],
    paper: paper_numbers.Column,
    chances: paper_numbers.Column,
) -> str:
    header = [f"beam {beam}", "BLEU-C", "CSR", "BLEU", "seconds", "p (BLEU)", "p (BLEU-C)"]
    cells = [_row(system, row, paper.get(system), chances.get(system)) for system, row in rows.items()]
    return table(header, cells)


def _row(
    system: str, row: dict[str, Any], paper: paper_numbers.Cell | None, chance: paper_numbers.Cell | None
) -> list[str]:
    wanted: list[float | None] = list(paper) if paper else [None] * len(_METRICS)
    numbers = [beside(row[metric], value) for metric, value in zip(_METRICS, wanted, strict=True)]
    of_bleu = beside(row["p_bleu"], chance[0], 4) if chance else number(row.get("p_bleu"), 4)
    return [SYSTEM_NAMES[system], *numbers, of_bleu, number(row.get("p_bleu_c"), 4)]


def _windows(pair: str, beams: dict[str, Any]) -> str:
    """BLEU-C by window at beam 10, as in the paper, or at the first beam there is."""
    beam = "10" if "10" in beams else next(iter(beams))
    windows = list(next(iter(beams[beam].values()))["bleu_c_by_window"])
    if not windows:
        return ""
    rows = [
        [SYSTEM_NAMES[system], *(_window(pair, system, window, row) for window in windows)]
        for system, row in beams[beam].items()
    ]
    papers = "; the paper's are of one set" if pair == _WINDOWS_OF_PAPER else ""
    text = (
        f"BLEU-C by window, beam {beam}, of all sets together and not the mean of them, so that the window "
        f"of 3 may differ a little from the table above{papers}:"
    )
    return f"{text}\n\n{table(['window', *windows], rows)}"


def _window(pair: str, system: str, window: str, row: dict[str, Any]) -> str:
    ours = row["bleu_c_by_window"][window]
    paper = paper_numbers.BLEU_C_BY_WINDOW.get(window, {}).get(system)
    return beside(ours, paper[0]) if paper and pair == _WINDOWS_OF_PAPER else number(ours)


def _terms(pair: str, tables: dict[str, Any], decoded: dict[str, Any]) -> list[str]:
    source, target = PAIRS[pair].languages(decoded["result"]["direction"])
    found = []
    for name, beams in tables.items():
        counts = decoded["result"]["sets"][name]
        found.append(
            f"### {name}, {source}→{target}\n\n{counts['sentences']} sentences, {counts['terms']} terms; "
            f"ours on {devices({**decoded, 'result': counts})}."
        )
        for beam, rows in beams.items():
            found.append(_table(beam, rows, paper_numbers.TERMS.get(int(beam), {}).get(name, {}), {}))
    return found
