"""Layer selection by agreement, and calibration."""

import math

import pytest
import torch

from lexalign.alignment.calibration import calibrate, expected_calibration_error
from lexalign.alignment.layer_selection import ChosenAttention, LayerTable, LinkAgreement
from lexalign.contracts.alignment import Link
from lexalign.metrics.aer import score_alignments


def test_agreement_is_the_aer_between_the_directions() -> None:
    torch.manual_seed(2)
    agreement = LinkAgreement(3, 2)
    batches = [(torch.rand(3, 4, 5, 6) < 0.3, torch.rand(2, 4, 6, 5) < 0.3) for _ in range(2)]
    for forward, backward in batches:
        agreement.add(forward, backward)
    table = agreement.table()
    for layer in range(3):
        for other in range(2):
            ahead = [[Link(s, t) for t, s in m.nonzero().tolist()] for f, _ in batches for m in f[layer]]
            back = [[Link(s, t) for s, t in m.nonzero().tolist()] for _, b in batches for m in b[other]]
            assert table.aer[layer][other] == pytest.approx(score_alignments(ahead, back).aer)


def test_the_papers_table_and_its_best_pair() -> None:
    """English-Hindi: layers 2 and 3, counted from 1."""
    table = LayerTable(aer=((0.655, 0.558, 0.561), (0.592, 0.475, 0.445), (0.626, 0.521, 0.483)))
    assert table.best == (1, 2)
    assert str(table).splitlines()[2].split() == ["2", "59.2", "47.5", "44.5*"]


def test_chosen_layers_and_heads_are_shown_counted_from_1() -> None:
    assert str(ChosenAttention(layers=(1, 0))) == "layer 2 and layer 1"
    assert str(ChosenAttention(layers=(1, 0), heads=(0, 1))) == "head 1 of layer 2 and head 2 of layer 1"


def test_no_links_at_all_agree_on_nothing() -> None:
    agreement = LinkAgreement(1, 1)
    agreement.add(torch.zeros(1, 2, 3, 3, dtype=torch.bool), torch.zeros(1, 2, 3, 3, dtype=torch.bool))
    assert agreement.table().aer == ((1.0,),)


@pytest.mark.parametrize("true_temperature", [0.5, 1.0, 2.5])
def test_the_temperature_that_made_the_labels_is_found(true_temperature: float) -> None:
    torch.manual_seed(3)
    log_probabilities = torch.log_softmax(3 * torch.randn(20000, 6), dim=-1)
    chosen = torch.softmax(log_probabilities / true_temperature, dim=-1).multinomial(1)[:, 0]
    labels = torch.nn.functional.one_hot(chosen, 6).bool()
    labels[:50] = False
    found = calibrate(log_probabilities, labels)
    assert found.temperature == pytest.approx(true_temperature, rel=0.05)
    assert found.error_after < 0.02
    assert found.rows == 19950
    if true_temperature != 1.0:
        assert found.error_before > 5 * found.error_after


def test_calibration_with_padding_and_without_rows() -> None:
    rows = torch.tensor([[0.0, -math.inf], [0.0, -math.inf]])
    assert calibrate(rows, torch.tensor([[1, 0], [1, 0]])).error_after == 0
    assert calibrate(rows, torch.zeros(2, 2)).temperature == 1.0


def test_calibration_error_of_a_hand_made_example() -> None:
    """Nine tenths sure and right one time in two, once; and sure and right."""
    probabilities = torch.tensor([[0.9, 0.1], [0.1, 0.9], [1.0, 0.0]])
    shares = torch.tensor([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
    assert expected_calibration_error(probabilities, shares, bins=10) == pytest.approx((1.8 - 1 + 0) / 3)
