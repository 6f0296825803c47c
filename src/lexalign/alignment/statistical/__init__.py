"""Word alignment from the statistics of a corpus: an HMM of our own (`hmm`), and other people's programs."""

from lexalign.alignment.statistical.toolkits import (
    THOT_MODELS,
    Points,
    SentencePair,
    ThotModel,
    check_installed,
    eflomal,
    fast_align,
    fast_align_directions,
    is_installed,
    thot_align,
)

__all__ = [
    "THOT_MODELS",
    "Points",
    "SentencePair",
    "ThotModel",
    "check_installed",
    "eflomal",
    "fast_align",
    "fast_align_directions",
    "is_installed",
    "thot_align",
]
