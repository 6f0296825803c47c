"""Pictures of alignments and of how well layers agree."""

from lexalign.alignment.plot.heat_maps import (
    FORMATS,
    SentencePicture,
    draw_alignment,
    draw_layers,
    plot_alignment,
    plot_layers,
)

__all__ = ["FORMATS", "SentencePicture", "draw_alignment", "draw_layers", "plot_alignment", "plot_layers"]
