"""The paper's tables are whole."""

from experiments.paper.pipeline.pairs import DIRECTIONS, PAIRS
from experiments.paper.report.paper_numbers import (
    AER,
    BLEU_C_BY_WINDOW,
    CONSTRAINED,
    P_VALUES,
    SYMMETRISED_AER,
    TERMS,
)


def test_every_direction_has_its_column() -> None:
    forward, backward = ({pair.direction(way) for pair in PAIRS.values()} for way in DIRECTIONS)
    assert set(AER) == forward | backward
    assert set(SYMMETRISED_AER) == forward
    assert all(set(columns) == forward for columns in CONSTRAINED.values())


def test_a_few_cells() -> None:
    assert AER["de-en"]["post-aln"] == (15.5,)
    assert AER["en-ja"]["shift-aet"] == (41.9,)
    assert "fast-align" not in AER["en-hi"]
    assert SYMMETRISED_AER["de-en"]["post-aln"] == (15.3,)
    assert CONSTRAINED[10]["de-en"]["align-vdba"] == (44.5, 98.6, 38.6, 357)
    assert CONSTRAINED[5]["ja-en"]["align-vdba-0"] == (22.5, 97.2, 21.0, 460)
    assert TERMS[20]["wikt.727"]["align-vdba"] == (38.0, 99.5, 31.3, 818)
    assert BLEU_C_BY_WINDOW["8"]["vdba"] == (42.6,)
    assert P_VALUES["de-en"]["vdba"] == (0.2666,)


def test_posterior_alignments_beat_prior_ones_everywhere() -> None:
    assert all(column["post-aln"] < column["prior-att"] for column in AER.values())
