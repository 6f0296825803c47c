"""Heads can be trained, and are loaded as they were saved."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from lexalign.alignment.head_files import HeadSettings, load_head, save_head, saved_heads
from lexalign.alignment.learned import HEADS, PosteriorHead, alignment_loss, apply_temperature
from lexalign.contracts.errors import LexalignError


def test_post_aln_has_three_times_the_width_squared_parameters() -> None:
    assert sum(parameter.numel() for parameter in PosteriorHead(32, 4).parameters()) == 3 * 32**2


def test_loss_of_a_hand_made_example() -> None:
    probabilities = torch.tensor([[[0.5, 0.25, 0.25], [0.8, 0.1, 0.1], [0.2, 0.2, 0.6]]])
    links = torch.tensor([[[1, 1, 0], [0, 0, 0], [0, 0, 1]]], dtype=torch.bool)
    total, rows = alignment_loss(probabilities.log(), links)
    expected = -(0.5 * torch.tensor(0.5).log() + 0.5 * torch.tensor(0.25).log() + torch.tensor(0.6).log())
    torch.testing.assert_close(total, expected)
    assert rows == 2


def test_no_link_at_all_is_no_loss_and_no_gradient() -> None:
    scores = torch.randn(1, 2, 3, requires_grad=True)
    total, rows = alignment_loss(torch.log_softmax(scores, dim=-1), torch.zeros(1, 2, 3))
    total.backward()  # type: ignore[no-untyped-call]
    assert total == 0
    assert rows == 0
    assert scores.grad is not None
    assert scores.grad.abs().max() == 0


def test_gradients_are_numbers_with_padded_sources() -> None:
    torch.manual_seed(0)
    head = PosteriorHead(16, 4)
    mask = torch.tensor([[True] * 5, [True, True, False, False, False]])
    log_probabilities = head(
        torch.randn(2, 3, 16), torch.randn(2, 3, 16), head.keys(torch.randn(2, 5, 16)), mask
    )
    links = torch.zeros(2, 3, 5)
    links[:, :, 0] = links[0, 1, 4] = 1
    alignment_loss(log_probabilities, links)[0].backward()  # type: ignore[no-untyped-call]
    gradients = [parameter.grad for parameter in head.parameters()]
    assert all(gradient is not None and torch.isfinite(gradient).all() for gradient in gradients)
    assert log_probabilities.exp()[1, :, 2:].max() == 0


@pytest.mark.parametrize("kind", HEADS)
def test_training_and_aligning_give_the_same_distribution(kind: str) -> None:
    torch.manual_seed(4)
    head = HEADS[kind](16, 4)
    states, vectors, mask = torch.randn(2, 3, 16), torch.randn(2, 3, 16), torch.rand(2, 5) < 0.7
    mask[:, 0] = True
    keys = head.keys(torch.randn(2, 5, 16))
    found = head.attend(head.query(states, vectors), keys, mask)
    torch.testing.assert_close(head(states, vectors, keys, mask).exp(), found)


def test_only_the_posterior_head_can_learn_what_depends_on_the_token() -> None:
    """The state says nothing; token i comes from the source token of the same vector."""
    torch.manual_seed(1)
    vectors = torch.randn(12, 16)
    losses = {}
    for kind in ("prior-att", "post-aln"):
        head = HEADS[kind](16, 2)
        optimizer = torch.optim.Adam(head.parameters(), lr=0.02)
        for _ in range(150):
            source = torch.stack([torch.randperm(12)[:6] for _ in range(16)])
            order = torch.stack([torch.randperm(6) for _ in range(16)])
            tokens = source.gather(1, order)
            links = torch.nn.functional.one_hot(order, 6)
            keys, mask = head.keys(vectors[source]), torch.ones(16, 6, dtype=torch.bool)
            total, rows = alignment_loss(head(torch.ones(16, 6, 16), vectors[tokens], keys, mask), links)
            optimizer.zero_grad()
            (total / rows).backward()  # type: ignore[no-untyped-call]
            optimizer.step()
        losses[kind] = (total / rows).item()
    assert losses["post-aln"] < 0.1
    assert losses["prior-att"] > 1.5  # log 6 is 1.79


def test_temper_is_the_power_normalised_again() -> None:
    probabilities = torch.tensor([0.7, 0.2, 0.1])
    root = probabilities.sqrt()
    torch.testing.assert_close(apply_temperature(probabilities, 2.0), root / root.sum())


@pytest.mark.parametrize("kind", HEADS)
def test_heads_come_back_as_they_were(tmp_path: Path, kind: str) -> None:
    head = HEADS[kind](16, 4)
    settings = HeadSettings(layer=4, temperature=1.5, notes={"labels": "shift-att"})
    save_head(tmp_path, head, settings)
    loaded, found = load_head(tmp_path, kind)
    assert (type(loaded), loaded.heads, found) == (type(head), 4, settings)
    assert all(torch.equal(loaded.state_dict()[name], value) for name, value in head.state_dict().items())
    assert saved_heads(tmp_path) == [kind]
    assert not any(parameter.requires_grad for parameter in loaded.parameters())


def saved(folder: Path) -> Path:
    save_head(folder, PosteriorHead(16, 4), HeadSettings(layer=4))
    return folder


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 3}, "head format 3"),
        ({"kind": "prior-att"}, "describes a prior-att head"),
        ({"heads": 3}, "not a multiple of 3 heads"),
        ({"width": 8}, r"is \(16, 16\), the description says \(8, 8\)"),
        ({"temperature": 0}, "not positive"),
        ({"layer": None}, "not the description"),
    ],
)
def test_a_wrong_description_is_named(tmp_path: Path, change: dict[str, object], message: str) -> None:
    path = saved(tmp_path) / "post-aln.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(LexalignError, match=message):
        load_head(tmp_path, "post-aln")


def test_missing_and_damaged_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(LexalignError, match="train a post-aln head"):
        load_head(tmp_path, "post-aln")
    with pytest.raises(LexalignError, match="the kinds are prior-att, shift-aet, post-aln"):
        load_head(tmp_path, "postaln")
    (saved(tmp_path) / "post-aln.safetensors").write_bytes(b"not weights")
    with pytest.raises(LexalignError, match="copy the head again"):
        load_head(tmp_path, "post-aln")
    save_file({"key": torch.zeros(2, 2)}, tmp_path / "post-aln.safetensors")
    with pytest.raises(LexalignError, match=r"weight key is missing|key.weight is missing"):
        load_head(tmp_path, "post-aln")
