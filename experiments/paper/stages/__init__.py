"""The stages of an experiment, in their order; one file each."""

from experiments.paper.pipeline.stage import Stage
from experiments.paper.pipeline.workspace import Workspace
from experiments.paper.stages import (
    agreement,
    align,
    anecdotes,
    decode,
    heads,
    heat_map,
    labels,
    layers,
    paper_heads,
    prepare,
    sample,
    score,
    single_heads,
    statistics,
    terms,
    train,
)

_ORDER = (
    prepare,
    labels,
    train,
    layers,
    single_heads,
    heads,
    paper_heads,
    align,
    heat_map,
    agreement,
    statistics,
    sample,
    decode,
    terms,
    score,
    anecdotes,
)
STAGES: dict[str, Stage[Workspace]] = {module.STAGE.name: module.STAGE for module in _ORDER}
