"""The stages of an experiment, in their order; one file each."""

from experiments.stage import Stage
from experiments.stages import (
    agreement,
    align,
    anecdotes,
    decode,
    heads,
    heat_map,
    labels,
    layers,
    prepare,
    sample,
    score,
    single_heads,
    statistics,
    terms,
    train,
)
from experiments.workspace import Workspace

_ORDER = (
    prepare,
    labels,
    train,
    layers,
    single_heads,
    heads,
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
