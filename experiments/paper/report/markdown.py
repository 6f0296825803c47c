"""Tables in Markdown, numbers in their cells, and the texts around them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

Results = dict[str, dict[str, dict[str, Any]]]  # by pair and stage

METHOD_NAMES = {
    "giza++": "GIZA++ (the paper's alone)",
    "fast-align": "FastAlign",
    "eflomal": "eflomal (not in the paper)",
    "hmm-agreement": "HMM by agreement (not in the paper)",
    "naive-att": "NaiveATT",
    "shift-att": "ShiftATT",
    "prior-att": "PriorATT",
    "shift-aet": "ShiftAET",
    "post-aln": "PostAln",
}
SYSTEM_NAMES = {
    "none": "no constraints",
    **{name: f"replacement, {shown}" for name, shown in METHOD_NAMES.items()},
    "vdba": "VDBA",
    "align-vdba-0": "Align-VDBA, threshold 0",
    "align-vdba-0.1": "Align-VDBA, threshold 0.1",
    "align-vdba": "Align-VDBA",
    "align-vdba-literal": "Align-VDBA, the other reading",
    "guided": "Guided (not in the paper)",
}
MISSING = "–"
_TEXTS = Path(__file__).with_name("texts")


def short_name(method: str) -> str:
    """The name of an aligner or a decoder, without what stands in brackets."""
    return METHOD_NAMES.get(method, SYSTEM_NAMES[method]).split(" (")[0]


def text_of(name: str) -> str:
    """A text that does not depend on the results."""
    return (_TEXTS / f"{name}.md").read_text(encoding="utf-8").strip()


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    # Even in code, a bar would end the cell.
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |" for cells in lines)


def number(value: float | None, digits: int = 1) -> str:
    return MISSING if value is None else f"{value:.{digits}f}"


def beside(ours: float | None, paper: float | None, digits: int = 1) -> str:
    """Our number and the paper's."""
    return f"{number(ours, digits)} / {number(paper, digits)}"


def arrow(direction: str) -> str:
    """`de-en` as people write it."""
    return direction.replace("-", "→")


def methods_of(results: Results, pair: str, *stages: str) -> dict[str, Any]:
    """What stages have found of alignment methods, by their names."""
    return {
        method: found
        for stage in stages
        for method, found in results[pair].get(stage, {}).get("result", {}).get("methods", {}).items()
    }
