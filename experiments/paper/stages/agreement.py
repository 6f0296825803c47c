"""AER of our own statistical aligner, `hmm-agreement`, over subwords; one alignment of both directions.

It learns from a sample of the training text with the gold sentences added, without their links.
"""

from itertools import chain

from experiments.paper.pipeline.gold_subwords import GoldSubwords, training_pairs
from experiments.paper.pipeline.stage import Stage
from experiments.paper.pipeline.workspace import Result, Workspace
from experiments.paper.stages.align import score_links
from lexalign.alignment.statistical.hmm import HmmOptions, align_by_agreement

METHOD = "hmm-agreement"


def run(workspace: Workspace, _: str) -> Result:
    gold = GoldSubwords(workspace)
    corpus = training_pairs(workspace, gold.tokenizer, workspace.pair.setting.agreement_pairs)
    found = align_by_agreement(
        chain(gold.pairs, corpus), HmmOptions(split=False, stem=0), device=workspace.device, say=workspace.say
    )
    points = [[link[:2] for link in found[row]] for row in range(len(gold.pairs))]
    score = score_links(gold.gold, gold.words(points), workspace.folder / "align", METHOD)
    return {"methods": {METHOD: {"symmetrised": score, "learnt_from": len(found)}}}


def options(workspace: Workspace) -> object:
    return [workspace.pair.setting.agreement_pairs]


STAGE = Stage(name="agreement", run=run, options=options, needs=("prepare",))
