"""Word links of the teachers' heads, both directions made one, over text that the students have learnt from.

WORK/de-en/labels/FINGERPRINT/{valid,0000,0001,...}/{text.de,text.en,links}
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random

from experiments.bundled_models.mixture import distilled_texts, original_texts
from experiments.bundled_models.mixture_recipe import described
from experiments.bundled_models.teacher_links import TeacherLinks
from experiments.bundled_models.workspace import BundleWorkspace
from experiments.paper.pipeline.stage import Stage
from experiments.paper.pipeline.workspace import Result
from lexalign.alignment.formats import pharaoh_line
from lexalign.contracts.alignment import Link
from lexalign.data.reader import ParallelText
from lexalign.storage import new_folder
from lexalign.text.tokenizer import Tokenizer
from lexalign.training.heads.labels import SECOND_OPINION, statistical_labels
from lexalign.training.stores import prepare_texts

_LONGEST = 600  # bytes of a sentence, and so more than its tokens

Pair = tuple[str, str]


def run(workspace: BundleWorkspace, fingerprint: str) -> Result:
    folder = workspace.folder / "labels" / fingerprint
    if workspace.setting.mixture is not None:
        return _by_statistics(workspace, folder)
    tokenizer, size = Tokenizer.load(workspace.tokenizer), workspace.setting.shard
    folders = workspace.teacher("forward"), workspace.teacher("backward")
    teachers = TeacherLinks.load(*folders, tokenizer, device=workspace.device)
    sample = _sample(workspace, min(_LONGEST, teachers.max_tokens))
    texts = {"valid": list(workspace.text("valid").read())}
    texts |= {f"{first // size:04}": sample[first : first + size] for first in range(0, len(sample), size)}
    for name, pairs in texts.items():
        if not (folder / name).exists():
            links = teachers.align(pairs, batch_tokens=workspace.setting.align_tokens)
            lines = (pharaoh_line([Link(*point) for point in points]) for points in links)
            _write(folder / name, workspace, pairs, lines)
            workspace.say(f"labels: {name}, {len(pairs):,} pairs")
    return {"folder": str(folder.relative_to(workspace.folder)), "pairs": len(sample)}


def _by_statistics(workspace: BundleWorkspace, folder: Path) -> Result:
    """The text, and the links that `hmm-agreement` finds in it: a second opinion for the students' heads."""
    sample = _sample(workspace, _LONGEST)
    if not (folder / "0000").exists():
        _write(folder / "0000", workspace, sample, ())
    setting, tokenizer = workspace.setting, Tokenizer.load(workspace.tokenizer)
    source, target = workspace.pair.languages("forward")
    texts = prepare_texts(
        [ParallelText(folder / "0000" / f"text.{source}", folder / "0000" / f"text.{target}")],
        workspace.text("valid"),
        tokenizer,
        setting.student.filters,
        setting.student.model_config(tokenizer.vocabulary_size),
        folder,
        workspace.say,
    )
    stores = [texts.train.store, texts.valid.store]
    symmetrization = setting.student_heads.symmetrization
    statistical_labels(SECOND_OPINION, stores, symmetrization, folder / "data", workspace.say)
    return {"folder": str(folder.relative_to(workspace.folder)), "pairs": len(sample)}


def options(workspace: BundleWorkspace) -> object:
    setting = workspace.setting
    return [
        setting.label_pairs,
        setting.repeats,
        setting.original_share,
        setting.seed,
        described(setting.mixture),
    ]


def label_shards(workspace: BundleWorkspace) -> list[Path]:
    folder = workspace.folder / str(workspace.result("labels")["folder"])
    return sorted(path for path in folder.iterdir() if path.name.isdigit())


def _sample(workspace: BundleWorkspace, longest: int) -> list[Pair]:
    """An even sample of what the forward student has learnt from, sentences up to `longest` bytes."""
    texts = [*distilled_texts(workspace, "forward"), *original_texts(workspace, "forward")]
    count, random = workspace.setting.label_pairs, Random(workspace.setting.seed)
    total = sum(_num_lines(text) for text in texts)
    share = min(1.0, 1.1 * count / max(total, 1))  # a little over, for those that are too long
    chosen = (pair for text in texts for pair in text.read() if random.random() < share)
    found = [pair for pair in chosen if _fits(pair, longest)]
    random.shuffle(found)
    return found[:count]


def _fits(pair: Pair, longest: int) -> bool:
    return all(side.strip() and len(side.encode()) <= longest for side in pair)


def _num_lines(text: ParallelText) -> int:
    with text.source.open("rb") as file:
        return sum(1 for _ in file)


def _write(folder: Path, workspace: BundleWorkspace, pairs: Sequence[Pair], links: Iterable[str]) -> None:
    source, target = workspace.pair.languages("forward")
    columns = {
        f"text.{source}": [pair[0] for pair in pairs],
        f"text.{target}": [pair[1] for pair in pairs],
        "links": list(links),
    }
    with new_folder(folder) as new:
        for name, lines in columns.items():
            (new / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8", newline="\n")


STAGE = Stage(name="labels", run=run, options=options, needs=("distil", "teacher-heads"))
