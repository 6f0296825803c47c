"""Translate the gold source with sampled constraints: every decoder, every beam, every set.

WORK/PAIR/decode-FINGERPRINT/*.json      the translations, one file for each; what is there is not done again
"""

from experiments.gold import read_gold
from experiments.scoring import Output, Scorer
from experiments.stage import Stage
from experiments.stages.sample import read_set
from experiments.systems import SYSTEMS, Decoding
from experiments.workspace import Result, Workspace


def run(workspace: Workspace, fingerprint: str) -> Result:
    references = read_gold(workspace).references
    setting = workspace.pair.setting
    sets = {number: read_set(workspace, number) for number in range(1, setting.sets + 1)}
    decoding = Decoding(workspace, "forward", workspace.folder / f"decode-{fingerprint}")
    scorer = Scorer.of(workspace.pair, workspace.pair.bleu_tokenizer)
    beams: Result = {}
    for beam in setting.beams:
        outputs: dict[str, list[Output]] = {}
        for system in SYSTEMS:
            for number, sentences in sets.items():
                # Without constraints all sets are the same text.
                found = decoding.decode(system, beam, f"set-{1 if system == 'none' else number}", sentences)
                output = Output(**found, references=references, sentences=sentences)
                outputs.setdefault(system, []).append(output)
        beams[str(beam)] = scorer.table(outputs)
        workspace.say(f"decode: beam {beam} is done")
    return {"beams": beams, "sets": setting.sets}


def options(workspace: Workspace) -> object:
    pair = workspace.pair
    setting = pair.setting
    measured = [setting.windows, setting.bootstrap_samples, pair.bleu_tokenizer, pair.lowercase]
    return [repr(SYSTEMS), setting.beams, measured]


STAGE = Stage(name="decode", run=run, options=options, needs=("heads", "sample"))
