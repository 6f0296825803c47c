"""AER of our own statistical aligner, `hmm-agreement`, over subwords; one alignment of both directions.

It learns from the training text, or from a sample of it, with the gold sentences added, without their links.
For each pair it needs some 20 KB of the host's memory; a GPU only needs room for a batch.
"""

from dataclasses import replace
from itertools import chain

from experiments.paper.pipeline.gold_subwords import GoldSubwords, training_pairs
from experiments.paper.pipeline.stage import Stage
from experiments.paper.pipeline.workspace import Result, Workspace
from experiments.paper.stages.align import score_links
from lexalign.alignment.statistical.hmm import HmmOptions, align_by_agreement

METHOD = "hmm-agreement"
_GPU_BATCH_CELLS = 8_000_000  # of so many word pairs a GPU makes no more steps than of a few


def run(workspace: Workspace, _: str) -> Result:
    gold = GoldSubwords(workspace)
    corpus = training_pairs(workspace, gold.tokenizer, workspace.pair.setting.agreement_pairs)
    options = HmmOptions(split=False, stem=0)
    if workspace.device.startswith("cuda"):
        options = replace(options, batch_cells=_GPU_BATCH_CELLS)
    found = align_by_agreement(chain(gold.pairs, corpus), options, device=workspace.device, say=workspace.say)
    points = [[link[:2] for link in found[row]] for row in range(len(gold.pairs))]
    score = score_links(gold.gold, gold.words(points), workspace.folder / "align", METHOD)
    return {"methods": {METHOD: {"symmetrised": score, "learnt_from": len(found)}}}


def options(workspace: Workspace) -> object:
    return [workspace.pair.setting.agreement_pairs]


STAGE = Stage(name="agreement", run=run, options=options, needs=("prepare",))
