"""BLEU and chrF of the teacher if there is one, of the student, and of the student in int8, on held-out text
and the test sets.

WORK/de-en/measured/FINGERPRINT/de-en.SYSTEM.SET.txt      translations; what is there is not made again
"""

from pathlib import Path

from experiments.bundled_models.workspace import TEST_SETS, BundleWorkspace
from experiments.paper.pipeline.pairs import DIRECTIONS, Direction
from experiments.paper.pipeline.stage import Stage
from experiments.paper.pipeline.workspace import Result
from lexalign.data.reader import ParallelText
from lexalign.metrics.quality import bleu, chrf
from lexalign.storage import write_text
from lexalign.translator import TranslateOptions, Translator


def run(workspace: BundleWorkspace, fingerprint: str) -> Result:
    folder = workspace.folder / "measured" / fingerprint
    return {
        "beam": workspace.setting.test_beam,
        "directions": {direction: _direction(workspace, direction, folder) for direction in DIRECTIONS},
    }


def options(workspace: BundleWorkspace) -> object:
    sets = [str(path) for text in workspace.test_sets("forward").values() for path in text.paths]
    return [workspace.setting.test_beam, sorted(TEST_SETS), sets]


def _direction(workspace: BundleWorkspace, direction: Direction, folder: Path) -> Result:
    """The scores of all systems; the int8 model is measured on a CPU, which packed 8-bit products are for."""
    systems = {
        "student": (workspace.student(direction), workspace.device),
        "student in int8": (workspace.bundled(direction), "cpu"),
    }
    if workspace.setting.mixture is None:
        systems = {"teacher": (workspace.teacher(direction), workspace.device), **systems}
    sets = workspace.test_sets(direction)
    rows: Result = {name: {"sentences": sum(1 for _ in text.read())} for name, text in sets.items()}
    for system, (model, device) in systems.items():
        translator: Translator | None = None
        for name, text in sets.items():
            file = folder / f"{workspace.name(direction)}.{system}.{name}.txt".replace(" ", "-")
            if not file.exists():
                translator = translator or Translator.load(model, device=device)
                _translate(workspace, translator, text, file)
            rows[name][system] = _scores(file, text)
        workspace.say(f"{workspace.name(direction)}, {system}: {_line(rows, system)}")
    return rows


def _translate(workspace: BundleWorkspace, translator: Translator, text: ParallelText, file: Path) -> None:
    chosen = TranslateOptions(beam=workspace.setting.test_beam, workers=workspace.setting.workers).verbatim()
    found = translator.translate_stream((source for source, _ in text.read()), chosen)
    write_text(file, "".join(" ".join(one.text.split()) + "\n" for one in found))


def _scores(file: Path, text: ParallelText) -> Result:
    hypotheses = file.read_text(encoding="utf-8").split("\n")[:-1]
    references = [target for _, target in text.read()]
    scores = [bleu(hypotheses, references), chrf(hypotheses, references)]
    return {score.name: {"value": round(score.value, 2), "signature": score.signature} for score in scores}


def _line(rows: Result, system: str) -> str:
    return ", ".join(f"{name} {row[system]['BLEU']['value']}" for name, row in rows.items())


STAGE = Stage(name="measure", run=run, options=options, needs=("quantize",))
