"""Store the students and their heads in int8: the folders that go into the package."""

import shutil

from experiments.bundled_models.workspace import BundleWorkspace
from experiments.paper.pipeline.pairs import DIRECTIONS
from experiments.paper.pipeline.stage import Stage
from experiments.paper.pipeline.workspace import Result
from lexalign.interop.quantization import quantize_folder


def run(workspace: BundleWorkspace, _: str) -> Result:
    sizes = {}
    for direction in DIRECTIONS:
        folder = workspace.bundled(direction)
        shutil.rmtree(folder, ignore_errors=True)
        sizes[direction] = quantize_folder(workspace.student(direction), folder)
        workspace.say(f"{folder}: {sizes[direction] / 1e6:.1f} MB")
    return {"bytes": sizes}


def options(_: BundleWorkspace) -> object:
    return None


STAGE = Stage(name="quantize", run=run, options=options, needs=("heads",))
