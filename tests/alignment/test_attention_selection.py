"""Alignment by leaving out, and the attention that is chosen by it, on a model without secrets."""

from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from torch import Tensor

from lexalign.alignment.attention_files import parse_place, read_attention, write_attention
from lexalign.alignment.attention_selection import choose_attention
from lexalign.alignment.leave_one_out import leave_one_out
from lexalign.contracts.errors import LexalignError
from lexalign.contracts.model import DecoderOutput, EncodedSource, LayerView, Vocabulary
from lexalign.contracts.table_model import TableModel

CPU = torch.device("cpu")
PAD, EOS, CODE = 0, 1, 3


class CopyModel(TableModel):
    """A target token is probable where it is in the source; its heads look where the methods need it.

    Head 1 of layer 2 looks at the source of the token that comes next, head 2 of layer 1 at that of the
    token that was fed; all others look at the end of the sentence.
    """

    def __init__(self, blurred: float = 0.0) -> None:
        super().__init__(torch.zeros(1, 1, 20, 20), _vocabulary())
        self._blurred = blurred
        self.decoder_layers = 2
        self.target_embedding = torch.zeros(20, 4)

    def force(
        self,
        source: EncodedSource,
        token_ids: Tensor,
        attention_layer: int | None = None,  # noqa: ARG002
    ) -> DecoderOutput:
        present = torch.nn.functional.one_hot(source.states[:, :, 0], 20).amax(dim=1)  # (B, V)
        logits = 4.0 * present[:, None].expand(-1, token_ids.shape[1], -1).float()
        return DecoderOutput(logits=logits)

    def observe(self, source: EncodedSource, token_ids: Tensor, layers: Sequence[int]) -> list[LayerView]:
        ids = source.states[:, :, 0]  # (B, S)
        fed = (token_ids[:, :, None] == ids[:, None]).float()  # (B, T, S)
        following = torch.nn.functional.pad(token_ids[:, 1:], (0, 1), value=EOS)
        coming = (following[:, :, None] == ids[:, None]).float()
        at_end = (ids == EOS).float()[:, None].expand_as(fed)
        heads = {0: [at_end, fed], 1: [coming, at_end]}
        views = []
        for layer in layers:
            attention = torch.stack(heads[layer], dim=1) + self._blurred
            attention = attention / attention.sum(dim=3, keepdim=True).clamp(min=1e-9)
            views.append(LayerView(attention=attention, query=torch.zeros(*token_ids.shape, 4)))
        return views


def _vocabulary() -> Vocabulary:
    return Vocabulary(size=20, pad_id=PAD, eos_id=EOS, target_prefix=(PAD,), unlinked=(CODE,))


def test_a_token_comes_from_what_it_cannot_do_without() -> None:
    lost = leave_one_out(CopyModel(), [5, 6, 7, 8], [8, 6, 5], CPU)
    assert lost.shape == (3, 4)
    assert lost.argmax(dim=1).tolist() == [3, 1, 0]
    # Without a source that a token does not need, there is one token less to share the probability.
    assert (lost > 1).sum(dim=1).tolist() == [1, 1, 1]


def test_language_codes_are_never_left_out() -> None:
    lost = leave_one_out(CopyModel(), [CODE, 5, 6], [CODE, 5], CPU)
    assert lost[:, 0].tolist() == [0.0, 0.0]
    assert lost[1].argmax() == 1


@pytest.mark.parametrize("blurred", [0.0, 0.01])
def test_the_heads_that_align_are_chosen(blurred: float) -> None:
    """Though the means of their layers have the same links: a head is surer of them."""
    pairs = [([5, 6, 7, 8], [8, 6, 5, 7]), ([9, 4, 11], [11, 9, 4]), ([12], [12])]
    found = choose_attention(CopyModel(blurred), pairs, CPU)
    assert found == {"naive-att": (1, 0), "shift-att": (0, 1)}


def test_without_translations_there_is_no_choice() -> None:
    with pytest.raises(LexalignError, match="choose it with --layer"):
        choose_attention(CopyModel(), [], CPU)


def test_places_are_kept_as_layers_or_heads_of_layers(tmp_path: Path) -> None:
    assert read_attention(tmp_path) == {}
    write_attention(tmp_path, {"naive-att": (1, None), "shift-att": (0, 2)})
    assert (tmp_path / "attention-layers.json").read_text().split() == (
        ["{", '"naive-att":', "2,", '"shift-att":', "[", "1,", "3", "]", "}"]
    )
    assert read_attention(tmp_path) == {"naive-att": (1, None), "shift-att": (0, 2)}


@pytest.mark.parametrize("content", ["[]", '{"naive-att": 0}', '{"naive-att": "2"}', '{"x": [1, 2, 3]}', "{"])
def test_a_damaged_file_is_one_line(tmp_path: Path, content: str) -> None:
    (tmp_path / "attention-layers.json").write_text(content)
    with pytest.raises(LexalignError, match="not a table of layers"):
        read_attention(tmp_path)


def test_places_of_the_command_line() -> None:
    assert parse_place("3") == (2, None)
    assert parse_place("3:1") == (2, 0)
    for text in ("0", "3:0", "x", "1:2:3", ""):
        with pytest.raises(LexalignError, match="is not a layer"):
            parse_place(text)
