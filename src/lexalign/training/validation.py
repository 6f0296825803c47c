"""Loss and BLEU of a model on held-out sentences."""

import math
from dataclasses import dataclass
from itertools import chain

import numpy as np
import torch

from lexalign.contracts.errors import LexalignError
from lexalign.data.batching import BatchOptions, BatchPlan
from lexalign.data.collate import collate, pad_sentences
from lexalign.data.store import TokenStore
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.search import search
from lexalign.metrics.quality import bleu
from lexalign.models.transformer import Transformer
from lexalign.text.tokenizer import Tokenizer
from lexalign.training.loss import TranslationLoss
from lexalign.training.ranks import Ranks

# Sentences translated together for BLEU; greedy search keeps validation short.
_SENTENCES = 250


@dataclass(frozen=True, kw_only=True)
class Validation:
    """`loss` is the negative log-likelihood of a target token in nats, without label smoothing."""

    loss: float
    bleu: float | None


class Validator:
    """Held-out sentences, shared among ranks; all ranks come to the same result."""

    def __init__(
        self,
        store: TokenStore,
        tokenizer: Tokenizer,
        batch_tokens: int,
        with_bleu: bool,
        ranks: Ranks | None = None,
    ) -> None:
        self._store, self._ranks = store, ranks or Ranks()
        self._tokenizer = tokenizer
        self._with_bleu = with_bleu
        options = BatchOptions(max_tokens=batch_tokens)
        self._batches = BatchPlan(store.source_lengths, store.target_lengths, options).epoch(0)

    @torch.inference_mode()
    def run(self, model: Transformer) -> Validation:
        training = model.training
        model.eval()
        try:
            loss = self._loss(model)
            if not math.isfinite(loss):
                raise LexalignError(f"the validation loss is {loss}; lower the learning rate")
            return Validation(loss=loss, bleu=self._bleu(model) if self._with_bleu else None)
        finally:
            model.train(training)

    def _loss(self, model: Transformer) -> float:
        criterion = TranslationLoss(model, label_smoothing=0.0)
        total, tokens = torch.zeros((), device=model.device), 0  # of this rank
        config = model.config
        for planned in self._ranks.deal(self._batches):
            batch = collate(
                self._store,
                planned,
                pad_id=config.pad_id,
                eos_id=config.eos_id,
                target_prefix_id=config.target_prefix[-1],
            ).to(model.device)
            total += criterion(batch.source_ids, batch.target_input_ids, batch.target_output_ids)[1]
            tokens += batch.target_tokens
        sums = torch.stack([total.double(), torch.tensor(tokens, device=model.device).double()])
        loss, count = self._ranks.sum(sums).tolist()
        return float(loss / count)

    def _bleu(self, model: Transformer) -> float:
        vocabulary = model.vocabulary
        longest = model.config.max_positions - len(vocabulary.target_prefix)
        options = SearchOptions(beam=1, max_length=min(longest, SearchOptions().max_length))
        order = np.argsort(self._store.source_lengths, kind="stable").tolist()
        chunks = [order[first : first + _SENTENCES] for first in range(0, len(order), _SENTENCES)]
        found: list[list[str]] = []
        for rows in self._ranks.deal(chunks):
            sources = [[*self._store.source(row).tolist(), vocabulary.eos_id] for row in rows]
            results = search(model, pad_sentences(sources, vocabulary.pad_id).to(model.device), options)
            found.append([self._tokenizer.decode(ranked[0].token_ids) for ranked in results])
        gathered = self._ranks.gather(found)
        hypotheses = list(chain.from_iterable(gathered))
        references = [self._tokenizer.decode(self._store.target(row).tolist()) for row in order]
        return bleu(hypotheses, references).value
