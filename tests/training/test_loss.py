"""The loss is torch's own, and padding has no part in it."""

import pytest
import torch
from torch.nn import functional as F

from lexalign.training.loss import SmoothedCrossEntropy

PAD_ID = 0


@pytest.fixture
def logits() -> torch.Tensor:
    """(B, T, V)"""
    torch.manual_seed(1)
    return (torch.randn(4, 6, 30) * 3).requires_grad_()


@pytest.fixture
def labels() -> torch.Tensor:
    """(B, T), with padding at the ends."""
    torch.manual_seed(2)
    labels = torch.randint(1, 30, (4, 6))
    labels[1, 4:], labels[3, 1:] = PAD_ID, PAD_ID
    return labels


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.5])
def test_smoothed_loss_is_torchs(logits: torch.Tensor, labels: torch.Tensor, smoothing: float) -> None:
    loss, nll = SmoothedCrossEntropy(PAD_ID, smoothing)(logits, labels)
    flat = logits.flatten(0, 1), labels.flatten()
    expected = F.cross_entropy(*flat, label_smoothing=smoothing, reduction="sum", ignore_index=PAD_ID)
    torch.testing.assert_close(loss, expected)
    torch.testing.assert_close(nll, F.cross_entropy(*flat, reduction="sum", ignore_index=PAD_ID).detach())
    assert not nll.requires_grad
    (found,) = torch.autograd.grad(loss, logits)
    torch.testing.assert_close(found, torch.autograd.grad(expected, logits)[0])


def test_padding_contributes_nothing(logits: torch.Tensor, labels: torch.Tensor) -> None:
    criterion = SmoothedCrossEntropy(PAD_ID, 0.1)
    loss, nll = criterion(logits, labels)
    (gradient,) = torch.autograd.grad(loss, logits)
    assert not gradient[labels == PAD_ID].any()
    longer = torch.cat([logits, torch.full((4, 3, 30), 50.0)], dim=1)
    padded = criterion(longer, F.pad(labels, (0, 3), value=PAD_ID))
    torch.testing.assert_close(torch.stack(padded), torch.stack([loss, nll]))


def test_a_batch_of_padding_alone_costs_nothing(logits: torch.Tensor) -> None:
    loss, nll = SmoothedCrossEntropy(PAD_ID, 0.1)(logits.detach(), torch.full((4, 6), PAD_ID))
    assert float(loss) == float(nll) == 0.0


def test_half_precision_logits_are_summed_in_full(logits: torch.Tensor, labels: torch.Tensor) -> None:
    rounded = logits.detach().bfloat16()
    criterion = SmoothedCrossEntropy(PAD_ID, 0.1)
    found = criterion(rounded, labels)
    assert found[0].dtype == torch.float32
    torch.testing.assert_close(torch.stack(found), torch.stack(criterion(rounded.float(), labels)))
