"""Translate the gold source with sampled constraints: every decoder, every beam, every set.

WORK/PAIR/decode-FINGERPRINT/*.json      the translations, one file for each; what is there is not done again
"""

from itertools import product
from pathlib import Path

from experiments.paper.pipeline.stage import Stage
from experiments.paper.pipeline.systems import Decoding, described, devices_of, systems
from experiments.paper.pipeline.workspace import Result, Workspace
from experiments.paper.stages.sample import read_set


def run(workspace: Workspace, fingerprint: str) -> Result:
    setting = workspace.pair.setting
    sets = {number: read_set(workspace, number) for number in range(1, setting.sets + 1)}
    decoding = Decoding(workspace, "forward", texts_folder(workspace, fingerprint))
    for beam in decoding.beams:
        for system, (number, sentences) in product(systems(beam), sets.items()):
            decoding.decode(system, beam, set_name(system, number), sentences)
        workspace.say(f"decode: beam {beam} is done")
    seconds: Result = {str(beam): {} for beam in setting.beams}
    devices: Result = {str(beam): {} for beam in setting.beams}
    for beam in setting.beams:
        for system in systems(beam):
            runs = [decoding.found(system, beam, set_name(system, number)) for number in sets]
            seconds[str(beam)][system] = [found["seconds"] for found in runs]
            devices[str(beam)][system] = devices_of(runs)
    return {"seconds": seconds, "devices": devices, "sets": setting.sets}


def options(workspace: Workspace) -> object:
    return described(workspace.pair.setting.beams)


def texts_folder(workspace: Workspace, fingerprint: str) -> Path:
    return workspace.folder / f"decode-{fingerprint}"


def set_name(system: str, number: int) -> str:
    """Without constraints all sets are the same text."""
    return f"set-{1 if system == 'none' else number}"


STAGE = Stage(name="decode", run=run, options=options, needs=("heads", "sample"))
