"""From models and parallel text to alignment heads, in four stages that are skipped where they are done.

choose       what labels the text, by how well the attention of both models agrees
label        the sources of a round's labels, for the training and the held-out text
train        new heads, by the labels of the training text
calibrate    a temperature and a threshold for each head, by the labels of the held-out text

The last three are a round; the heads of a round label the text of the next. What the stages read and leave:

run/data/{train,valid}         token stores, shared with `lexalign train` in the same folder
run/data/labels-*.npz          labels from a file or by statistics, for the rows of the stores
run/layers.{json,png}          agreement of the two directions, layer by layer, and of single heads
run/teacher/                   the heads that label, if they were saved before
run/checkpoints/heads-1, ...   what each round needs to go on
run/heads-1.jsonl, ...         the log of each round
run/heads.json                 what held-out text says of the heads
model/post-aln.{json,safetensors}   the head, beside each of the models
model/attention-layers.json    which layers' attention agrees best
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import torch

from lexalign.data.filters import FilterOptions
from lexalign.data.preparation import file_digest
from lexalign.data.reader import ParallelText
from lexalign.models.folder import CONFIG, WEIGHTS, parse_device
from lexalign.training.checkpoint import CHECKPOINT, Checkpoints, saved_batches
from lexalign.training.heads.calibration import CalibratedHeads, calibrate_heads, save_heads
from lexalign.training.heads.inputs import HeadInputs, HeadRun, load_inputs, saved_heads_fingerprints
from lexalign.training.heads.label_choice import LabelChoice, check_labels, choose_labels, report_choice
from lexalign.training.heads.labelling import make_label_sources
from lexalign.training.heads.labels import LabelFiles
from lexalign.training.heads.options import HeadOptions
from lexalign.training.heads.trainer import RoundFiles, train_heads
from lexalign.training.ranks import join_ranks, share_batches


def train_aligner(
    model: Path,
    reverse_model: Path | None,
    corpora: Sequence[ParallelText],
    valid: ParallelText,
    folder: Path,
    options: HeadOptions,
    *,
    labels: LabelFiles | None = None,
    filters: FilterOptions | None = None,
    device: str = "auto",
    say: Callable[[str], None] = lambda _: None,
) -> None:
    """Train heads beside one model, or beside both directions' models, and save them there.

    `labels` are files of links; without them the options name the teacher.
    """
    chosen = parse_device(device)
    check_labels(options, labels, both_directions=reverse_model is not None)
    with join_ranks(chosen) as ranks:
        known = saved_batches(RoundFiles(folder, number=1).checkpoints / CHECKPOINT)
        run = HeadRun(
            model_folders=[model] if reverse_model is None else [model, reverse_model],
            corpora=corpora,
            valid=valid,
            labels=labels,
            filters=filters or FilterOptions(),
            folder=folder,
            options=replace(options, accumulate=share_batches(options.accumulate, ranks, known)),
            ranks=ranks,
            device=ranks.device(chosen),
            say=say if ranks.is_first else _quiet,
        )
        _run_stages(run)


def _run_stages(run: HeadRun) -> None:
    """Choose what labels the text; in each round label, train and calibrate; save the heads of the last."""
    _set_precision()
    inputs = load_inputs(run)
    choice = choose_labels(run, inputs)
    signature = _signature(run, inputs, choice)
    Checkpoints(RoundFiles(run.folder, number=1).checkpoints, keep=0).check(signature)
    report_choice(run, choice)
    heads: CalibratedHeads | None = None
    for number in range(1, run.options.rounds + 1):
        sources = make_label_sources(run, inputs, choice, heads)
        start = inputs
        if heads is not None and choice.teacher == "self":
            start = replace(inputs, saved=heads.as_saved())  # the labels are the same but for a few
        trained = train_heads(run, start, sources.train, number, signature)
        heads = calibrate_heads(inputs, trained, sources.valid, number)
        run.say(heads.summary())
    assert heads is not None  # there is at least one round
    save_heads(run, choice, heads)


def _set_precision() -> None:
    torch.set_float32_matmul_precision("high")
    torch.backends.cuda.enable_cudnn_sdp(False)  # it would plan for every shape of batch


def _signature(run: HeadRun, inputs: HeadInputs, choice: LabelChoice) -> str:
    """Tells runs apart that would learn something else."""
    content = [
        replace(run.options, teacher=choice.teacher).learnt(),
        [file_digest(folder / name) for folder in run.model_folders for name in (CONFIG, WEIGHTS)],
        inputs.texts.fingerprint,
        [] if run.labels is None else [file.fingerprint for file in run.labels.all],
        saved_heads_fingerprints(run.folder),
        None if choice.attention is None else choice.attention.places,
        run.ranks.world * run.options.accumulate,
    ]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _quiet(_: str) -> None:
    """Ranks other than the first say nothing."""
