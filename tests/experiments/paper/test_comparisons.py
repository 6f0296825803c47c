"""Which comparisons of the paper hold, on numbers of our own."""

from experiments.paper.pipeline.pairs import PAIRS
from experiments.paper.report.comparisons import Compared, sections
from experiments.paper.report.markdown import Results


def _compared(ours: dict[str, float], paper: dict[str, float], *, less: bool = False) -> Compared:
    return Compared(pair="de-en", measure="a measure", ours=ours, paper=paper, less=less)


def test_a_comparison_holds_where_the_better_one_is_the_same() -> None:
    ours = {"vdba": 3.0, "align-vdba": 2.0, "none": 1.0}
    paper = {"vdba": 20.0, "align-vdba": 30.0, "none": 10.0}
    assert _compared(ours, paper).counts() == (2, [("vdba", "align-vdba")])
    assert _compared(ours, paper, less=True).counts() == (2, [("align-vdba", "vdba")])


def test_what_is_level_or_missing_is_no_comparison() -> None:
    ours = {"vdba": 1.0, "align-vdba": 1.0, "guided": 5.0}
    paper = {"vdba": 1.0, "align-vdba": 2.0, "none": 1.0}
    assert _compared(ours, paper).counts() == (0, [])
    assert _compared(paper, ours).counts() == (0, [])


def test_the_page_names_what_turned_out_the_other_way() -> None:
    found = {method: {kind: {"aer": aer} for kind in ("forward", "backward", "symmetrised")}
             for method, aer in {"post-aln": 16.0, "shift-aet": 15.0, "naive-att": 40.0}.items()}  # fmt: skip
    results: Results = {name: {} for name in PAIRS}
    assert sections(results) == []
    results["de-en"]["align"] = {"result": {"methods": found}}
    page = "\n".join(sections(results))
    assert "| de-en | AER de→en | 2 of 3 | ShiftAET over PostAln |" in page
    assert "| de-en | AER en→de | 2 of 2 |  |" in page  # level in the paper


def test_numbers_that_are_shown_alike_are_level() -> None:
    ours, paper = {"vdba": 3.04, "align-vdba": 2.96}, {"vdba": 20.0, "align-vdba": 30.0}
    assert _compared(ours, paper).counts() == (0, [])
