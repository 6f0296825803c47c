"""The parts of a stage at once, each in a process of its own: both directions of a training, all beams.

A large GPU is not filled by one of them.
"""

import subprocess
from collections.abc import Sequence

from experiments.pairs import DIRECTIONS, Pair
from lexalign.contracts.errors import LexalignError


def parts_of(stage: str, pair: Pair) -> list[list[str]]:
    """What to ask `experiments.run` for, part by part; nothing where a stage is a whole."""
    if stage == "train":
        return [["--only", direction] for direction in DIRECTIONS]
    if stage == "decode" or (stage == "terms" and pair.terms is not None):
        return [["--beam", str(beam)] for beam in pair.setting.beams]
    return []


def run_at_once(commands: Sequence[Sequence[str]]) -> None:
    """Until all have ended; those that are stopped with this process have time to save what they have."""
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
