"""Check the data, sign it, and learn the vocabulary that both directions share."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from experiments.paper.pipeline.gold import read_gold
from experiments.paper.pipeline.stage import Stage, digest
from experiments.paper.pipeline.workspace import Result, Workspace
from lexalign.contracts.errors import LexalignError
from lexalign.data.reader import ParallelText
from lexalign.text.tokenizer import Tokenizer


def run(workspace: Workspace, _: str) -> Result:
    train = workspace.text("train")
    tokenizer = Tokenizer.train(_sentences(train), workspace.pair.recipe.tokenizer, workspace.tokenizer)
    gold = read_gold(workspace)
    return {
        "data": data_digest(workspace),
        "train_pairs": _count(train),
        "valid_pairs": _count(workspace.text("valid")),
        "gold_sentences": len(gold.pairs),
        "sure": sum(link.sure for links in gold.links for link in links),
        "possible_only": sum(not link.sure for links in gold.links for link in links),
        "vocabulary_size": tokenizer.vocabulary_size,
    }


def options(workspace: Workspace) -> object:
    pair = workspace.pair
    _check_files(workspace)
    spacings = [pair.source_spacing, pair.target_spacing]
    return [data_digest(workspace), repr(pair.recipe.tokenizer), spacings]


def data_digest(workspace: Workspace) -> str:
    """The digest of every file that the experiment reads."""
    files = sorted(path for path in workspace.data.rglob("*.*") if path.is_file())
    return digest({str(path.relative_to(workspace.data)): _file_digest(path) for path in files})


def _check_files(workspace: Workspace) -> None:
    for part in ("train", "valid", "gold"):
        for path in workspace.text(part).paths:
            _check_file(path)
    _check_file(workspace.data / "gold.talp")


def _check_file(path: Path) -> None:
    if not path.is_file():
        raise LexalignError(f"{path} is missing; docs/research/results.md says what data an experiment needs")


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sentences(text: ParallelText) -> Iterator[str]:
    for pair in text.read():
        yield from pair


def _count(text: ParallelText) -> int:
    return sum(1 for _ in text.read())


STAGE = Stage(name="prepare", run=run, options=options)
