"""An update that is recorded and replayed learns what a plain one learns."""

import torch

from lexalign.data.collate import TokenBatch
from lexalign.models.config import ModelConfig
from lexalign.models.transformer import Transformer
from lexalign.training.loss import TranslationLoss
from lexalign.training.options import TrainingOptions
from lexalign.training.ranks import Ranks
from lexalign.training.step import RecordedStep, Step


def batch(rows: int, source_length: int, target_length: int, seed: int) -> TokenBatch:
    generator = torch.Generator().manual_seed(seed)
    source, target = (
        torch.randint(4, 40, (rows, length), generator=generator) for length in (source_length, target_length)
    )
    target_input = torch.cat([torch.zeros(rows, 1, dtype=torch.int64), target[:, :-1]], dim=1)
    return TokenBatch(
        source_ids=source,
        target_input_ids=target_input,
        target_output_ids=target,
        target_tokens=rows * target_length,
    )


def learnt(kind: type[Step]) -> tuple[dict[str, torch.Tensor], torch.Tensor]:
    """Weights and losses after updates in which each of two shapes comes again."""
    torch.manual_seed(2)
    config = ModelConfig(
        vocabulary_size=40, width=16, feedforward_width=32, encoder_layers=1, decoder_layers=1, dropout=0.2
    )
    step = kind(TranslationLoss(Transformer(config).train(), 0.1), TrainingOptions(), Ranks())
    for number in range(8):
        shape = (4, 5, 6) if number % 3 else (3, 8, 4)
        given = batch(*shape, seed=number)
        step.run([given], [number], given.target_tokens, learning_rate=0.01 / (number + 1))
    return {name: value.detach().clone() for name, value in step._model.named_parameters()}, step.losses


def test_a_recorded_step_learns_the_same() -> None:
    weights, losses = learnt(Step)
    recorded_weights, recorded_losses = learnt(RecordedStep)
    torch.testing.assert_close(recorded_losses, losses, rtol=0, atol=0)
    for name, value in weights.items():
        torch.testing.assert_close(recorded_weights[name], value, rtol=0, atol=0, msg=name)
