"""The teachers' PostAln heads: trained from their attention, unless they have come with them."""

from dataclasses import asdict

from experiments.bundled_models.workspace import BundleWorkspace
from experiments.paper.pipeline.pairs import DIRECTIONS
from experiments.paper.pipeline.stage import Stage
from experiments.paper.pipeline.workspace import Result
from lexalign.alignment.head_files import load_head, saved_heads
from lexalign.contracts.errors import LexalignError
from lexalign.training.heads.run import train_aligner


def run(workspace: BundleWorkspace, fingerprint: str) -> Result:
    if workspace.setting.mixture is not None:
        return {"trained": False}
    lacking = [
        workspace.teacher(way) for way in DIRECTIONS if "post-aln" not in saved_heads(workspace.teacher(way))
    ]
    if lacking and workspace.given_teachers is not None:
        raise LexalignError(f"{lacking[0]} has no post-aln head; train one: lexalign train aligner")
    if lacking:
        corpora, languages = workspace.corpora, workspace.pair.languages("forward")
        train_aligner(
            workspace.teacher("forward"),
            workspace.teacher("backward"),
            [corpus.pairs(*languages) for corpus in corpora.parallel],
            workspace.text("valid"),
            workspace.folder / "teacher" / f"heads-{fingerprint}",
            workspace.setting.teacher_heads,
            filters=workspace.setting.teacher.filters,
            device=workspace.device,
            say=workspace.say,
        )
    layers = {way: load_head(workspace.teacher(way), "post-aln")[1].layer + 1 for way in DIRECTIONS}
    return {"trained": bool(lacking), "layers": layers}


def options(workspace: BundleWorkspace) -> object:
    return None if workspace.given_teachers else asdict(workspace.setting.teacher_heads)


STAGE = Stage(name="teacher-heads", run=run, options=options, needs=("teacher",))
