"""From parallel text to a model folder, in stages that are skipped where they are done.

run/tokenizer.model          the joint vocabulary
run/data/{train,valid}       token stores
run/checkpoints, log.jsonl   the training run; `curve.png` draws the log
run/model                    the finished model
"""

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import torch

from lexalign import __version__
from lexalign.contracts.errors import LexalignError
from lexalign.data.preparation import file_digest
from lexalign.data.reader import ParallelText
from lexalign.data.store import TokenStore
from lexalign.models.folder import WEIGHTS, copy_weights, load_config, parse_device, save_model
from lexalign.models.transformer import Transformer
from lexalign.text.model_languages import languages_of_folder
from lexalign.text.subwords import Languages
from lexalign.text.tokenizer import Tokenizer
from lexalign.text.tokenizer_files import OWN
from lexalign.training.checkpoint import CHECKPOINT, load_weights, saved_batches, saved_update
from lexalign.training.portable import Identity, Manifest, PartOptions, unpack, unpack_vocabulary
from lexalign.training.ranks import Ranks, check_shared, join_ranks, share_batches
from lexalign.training.recipe import Recipe
from lexalign.training.stores import training_store, validation_store
from lexalign.training.trainer import Trainer
from lexalign.training.validation import Validator

# Options that change how a run is watched, spread or ended, but not what it learns until then.
_FREE_OPTIONS = (
    "updates",
    "minutes",
    "cooldown",
    "log_every",
    "validate_bleu",
    "save_every",
    "average",
    "patience",
    "optimizer_warmup",
    "compile",
    "cudnn_attention",
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
    start: Path | None = None,
    languages: Languages | None = None,
    parts: PartOptions | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Path:
    """Train, or go on training, and return the folder of the finished model, which will say its `languages`.

    `start` is a model whose weights and vocabulary are taken over; the recipe may then change its dropout.
    Where `parts` ends the run before it is finished, `PartEnd` is raised.
    """
    began = time.monotonic()
    chosen = parse_device(device)
    with join_ranks(chosen) as ranks:
        own = ranks.device(chosen)
        say = say if ranks.is_first else _quiet
        given = parts or PartOptions()
        return _train(
            corpora, valid, folder, recipe, own, tokenizer, start, languages, given, began, ranks, say
        )


def _train(
    corpora: Sequence[ParallelText],
    valid: ParallelText,
    folder: Path,
    recipe: Recipe,
    device: torch.device,
    tokenizer_path: Path | None,
    start: Path | None,
    languages: Languages | None,
    parts: PartOptions,
    began: float,
    ranks: Ranks,
    say: Callable[[str], None],
) -> Path:
    # Before hours are spent on the data: a wrong option shows here.
    if start is None:
        recipe.model_config(recipe.tokenizer.vocabulary_size)
    else:
        recipe, tokenizer_path = _continued(start, recipe, tokenizer_path)
        languages = languages or languages_of_folder(start)
    checkpoint = folder / "checkpoints" / CHECKPOINT
    carried = _carried(parts, checkpoint)
    folder.mkdir(parents=True, exist_ok=True)
    with ranks.in_turn():
        check_shared(folder / "tokenizer.model", ranks)
        if carried is not None and tokenizer_path is None and not (folder / "tokenizer.model").exists():
            unpack_vocabulary(carried, folder)
        tokenizer = _vocabulary(corpora, folder / "tokenizer.model", recipe, tokenizer_path, say)
        config = recipe.model_config(tokenizer.vocabulary_size)
        train_store = training_store(corpora, tokenizer, recipe.filters, config, folder, say)
        valid_store = validation_store(valid, tokenizer, config, folder, say)
    torch.manual_seed(recipe.training.seed)
    torch.set_float32_matmul_precision("high")
    model = Transformer(config)
    if start is not None:
        copy_weights(model, start)
    model.to(device)
    known = saved_batches(checkpoint) if carried is None else carried.batches
    options = replace(recipe.training, accumulate=share_batches(recipe.training.accumulate, ranks, known))
    validator = Validator(valid_store, tokenizer, options.batch_tokens, options.validate_bleu, ranks)
    identity = _identity(replace(recipe, training=options), tokenizer, train_store, ranks, start)
    if carried is not None:
        carried.check(identity)
        with ranks.in_turn():
            if ranks.is_first:
                unpack(carried, folder, checkpoint, _signature(identity))
    trainer = Trainer(
        model,
        train_store,
        validator,
        options,
        folder,
        ranks=ranks,
        identity=identity,
        signature=_signature(identity),
        parts=parts,
        began=began,
    )
    checkpoints = trainer.run()
    result = folder / "model"
    if ranks.is_first:
        load_weights(model, checkpoints.average())
        notes = {"lexalign": __version__, "training": asdict(options)}
        save_model(result, model, tokenizer, languages=languages, notes=notes)
        say(f"the model is in {result}")
    ranks.wait()
    return result


def _carried(parts: PartOptions, checkpoint: Path) -> Manifest | None:
    """The portable checkpoint to go on from, found whole, unless the run's own is as far."""
    if parts.continue_from is None:
        return None
    manifest = Manifest.read(parts.continue_from)
    if saved_update(checkpoint) >= manifest.update:
        return None
    manifest.read_parts()  # now, and not when the data is prepared: a missing part shows here
    return manifest


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
            raise LexalignError(f"{path} is not the vocabulary {given}; use another folder")
        tokenizer.save(path)
    elif path.exists():
        tokenizer = Tokenizer.load(path)
    else:
        say("learning the vocabulary")
        tokenizer = Tokenizer.train(_sentences(corpora), recipe.tokenizer, path)
    return tokenizer


def _sentences(corpora: Sequence[ParallelText]) -> Iterator[str]:
    for corpus in corpora:
        for source, target in corpus.read():
            yield source
            yield target


def _continued(start: Path, recipe: Recipe, tokenizer: Path | None) -> tuple[Recipe, Path]:
    """The recipe with the shape of the model to start from, and its vocabulary."""
    if tokenizer is not None:
        raise LexalignError("a run that starts from a model takes its vocabulary; leave out --tokenizer")
    shape = load_config(start).to_dict()
    if not (start / OWN).is_file():
        raise LexalignError(
            f"{start} is imported; training can only start from a model trained with Lexalign"
        )
    del shape["vocabulary_size"]
    for name, value in recipe.model.items():
        if name != "dropout" and shape.get(name) != value:
            raise LexalignError(
                f"{start} has {name} = {shape.get(name)!r}; the recipe says {value!r}, "
                "and only dropout may change"
            )
    return replace(recipe, model={**shape, **recipe.model}), start / OWN


def _identity(
    recipe: Recipe, tokenizer: Tokenizer, store: TokenStore, ranks: Ranks, start: Path | None
) -> Identity:
    """What tells runs apart that would learn something else."""
    training = {name: value for name, value in asdict(recipe.training).items() if name not in _FREE_OPTIONS}
    if not recipe.training.packed:  # which older runs do not name
        del training["packed"]
    identity: Identity = {
        "model": recipe.model_config(tokenizer.vocabulary_size).changes(),
        "training": training,
        "batches": ranks.world * recipe.training.accumulate,
        "tokenizer": tokenizer.fingerprint,
        "data": store.meta.fingerprint,
    }
    return identity if start is None else {**identity, "start": file_digest(start / WEIGHTS)}


def _signature(identity: Identity) -> str:
    return hashlib.sha256(json.dumps(list(identity.values()), sort_keys=True).encode()).hexdigest()


def _quiet(_: str) -> None:
    """Ranks other than the first say nothing."""
