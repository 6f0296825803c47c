"""From parallel text to a model folder, in stages that are skipped where they are done.

run/tokenizer.model          the joint vocabulary
run/data/{train,valid}       token stores
run/checkpoints, log.jsonl   the training run; `curve.png` draws the log
run/model                    the finished model
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import torch

from lexalign import __version__
from lexalign.contracts.errors import LexalignError
from lexalign.data.batching import BatchOptions
from lexalign.data.filters import FilterOptions
from lexalign.data.preparation import prepare
from lexalign.data.reader import ParallelText
from lexalign.data.store import TokenStore
from lexalign.models.config import ModelConfig
from lexalign.models.folder import parse_device, save_model
from lexalign.models.transformer import Transformer
from lexalign.text.tokenizer import Tokenizer
from lexalign.training.checkpoint import load_weights
from lexalign.training.ranks import Ranks, join_ranks
from lexalign.training.recipe import Recipe
from lexalign.training.trainer import Trainer
from lexalign.training.validation import Validator

# Options that change how a run is watched or spread, but not what it learns.
_FREE_OPTIONS = (
    "updates",
    "log_every",
    "validate_bleu",
    "save_every",
    "average",
    "patience",
    "compile",
    "accumulate",
)


def train_model(
    corpora: Sequence[ParallelText],
    valid: ParallelText,
    folder: Path,
    recipe: Recipe,
    *,
    device: str = "auto",
    tokenizer: Path | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Path:
    """Train, or go on training, and return the folder of the finished model."""
    chosen = parse_device(device)
    with join_ranks(chosen) as ranks:
        if chosen.type == "cuda" and ranks.world > 1:
            chosen = torch.device("cuda", ranks.local_rank)
            torch.cuda.set_device(chosen)
        return _train(
            corpora, valid, folder, recipe, chosen, tokenizer, ranks, say if ranks.is_first else _quiet
        )


def _train(
    corpora: Sequence[ParallelText],
    valid: ParallelText,
    folder: Path,
    recipe: Recipe,
    device: torch.device,
    tokenizer_path: Path | None,
    ranks: Ranks,
    say: Callable[[str], None],
) -> Path:
    # Before hours are spent on the data: a wrong option shows here.
    longest = _longest(recipe.model_config(recipe.tokenizer.vocabulary_size))
    folder.mkdir(parents=True, exist_ok=True)
    if not ranks.is_first:
        ranks.wait()  # until the first rank has prepared what all will read
    tokenizer = _vocabulary(corpora, folder / "tokenizer.model", recipe, tokenizer_path, say)
    filters = replace(recipe.filters, max_tokens=min(recipe.filters.max_tokens, longest))
    train_store = _data(corpora, tokenizer, filters, folder / "data" / "train", say)
    everything = FilterOptions(max_tokens=longest, max_ratio=float("inf"))
    valid_store = _data([valid], tokenizer, everything, folder / "data" / "valid", say)
    if ranks.is_first:
        ranks.wait()
    torch.manual_seed(recipe.training.seed)
    torch.set_float32_matmul_precision("high")
    # cuDNN's attention plans anew for every shape it meets, which takes longer than the training step.
    torch.backends.cuda.enable_cudnn_sdp(False)
    model = Transformer(recipe.model_config(tokenizer.vocabulary_size)).to(device)
    validator = Validator(valid_store, tokenizer, recipe.training.batch_tokens, recipe.training.validate_bleu)
    signature = _signature(recipe, tokenizer, train_store, ranks)
    options = recipe.training
    trainer = Trainer(model, train_store, validator, options, folder, ranks=ranks, signature=signature)
    checkpoints = trainer.run()
    result = folder / "model"
    if ranks.is_first:
        load_weights(model, checkpoints.average())
        save_model(result, model, tokenizer, notes={"lexalign": __version__, "training": asdict(options)})
        say(f"the model is in {result}")
    ranks.wait()
    return result


def _vocabulary(
    corpora: Sequence[ParallelText],
    path: Path,
    recipe: Recipe,
    given: Path | None,
    say: Callable[[str], None],
) -> Tokenizer:
    if given is not None:
        tokenizer = Tokenizer.load(given)
        if path.exists() and Tokenizer.load(path).fingerprint != tokenizer.fingerprint:
            raise LexalignError(f"{path} is another vocabulary than {given}; use another folder")
        tokenizer.save(path)
    elif path.exists():
        tokenizer = Tokenizer.load(path)
    else:
        say("learning the vocabulary")
        tokenizer = Tokenizer.train(_sentences(corpora), recipe.tokenizer, path)
    return tokenizer


def _longest(config: ModelConfig) -> int:
    """Tokens of a sentence that, with its end and padded as batches are, still has a position for each."""
    multiple = BatchOptions().length_multiple
    return config.max_positions // multiple * multiple - 1


def _sentences(corpora: Sequence[ParallelText]) -> Iterator[str]:
    for corpus in corpora:
        for source, target in corpus.read():
            yield source
            yield target


def _data(
    corpora: Sequence[ParallelText],
    tokenizer: Tokenizer,
    filters: FilterOptions,
    path: Path,
    say: Callable[[str], None],
) -> TokenStore:
    store, report = prepare(corpora, tokenizer, filters, path, num_threads=os.cpu_count() or 1)
    for line in report.lines():
        say(f"{path.name}: {line}")
    return store


def _signature(recipe: Recipe, tokenizer: Tokenizer, store: TokenStore, ranks: Ranks) -> str:
    """Tells runs apart that would learn something else."""
    training = {name: value for name, value in asdict(recipe.training).items() if name not in _FREE_OPTIONS}
    batches = ranks.world * recipe.training.accumulate
    config = recipe.model_config(tokenizer.vocabulary_size).to_dict()
    content = [config, training, batches, tokenizer.fingerprint, store.meta.fingerprint]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _quiet(_: str) -> None:
    """Ranks other than the first say nothing."""
