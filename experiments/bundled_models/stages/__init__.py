"""The stages of a bundle, in their order; one file each."""

from experiments.bundled_models.stages import (
    card,
    distil,
    heads,
    labels,
    measure,
    prepare,
    quantize,
    student,
    teacher,
    teacher_heads,
)
from experiments.bundled_models.workspace import BundleWorkspace
from experiments.paper.pipeline.stage import Stage

_ORDER = (prepare, teacher, teacher_heads, distil, student, labels, heads, quantize, measure, card)
STAGES: dict[str, Stage[BundleWorkspace]] = {module.STAGE.name: module.STAGE for module in _ORDER}
