"""The parts of a stage in parallel, each in a process of its own: both directions of a training, all beams.

One of them does not fill a large GPU.
"""

import subprocess
from collections.abc import Sequence

from experiments.paper.pipeline.pairs import DIRECTIONS, Pair
from lexalign.contracts.errors import LexalignError


def parts_of(stage: str, pair: Pair) -> list[list[str]]:
    """The options of `experiments.paper.run` for each part; a stage that is a whole has none."""
    if stage == "train":
        return [["--only", direction] for direction in DIRECTIONS]
    if stage == "decode" or (stage == "terms" and pair.terms is not None):
        return [["--beam", str(beam)] for beam in pair.setting.beams]
    return []


def run_parallel(commands: Sequence[Sequence[str]]) -> None:
    """Wait until all commands have ended; those stopped with this process have time to save their work."""
    processes = [subprocess.Popen(command) for command in commands]
    try:
        statuses = [process.wait() for process in processes]
    except BaseException:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait()
        raise
    if any(statuses):
        raise LexalignError("a part of the stage has failed, see above; run it again to go on")
