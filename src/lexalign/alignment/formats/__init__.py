"""Alignment files: Pharaoh and talp, NAACL .wa, JSON lines, and character spans as Azure writes them.

pharaoh   0-0 1-2:0.93        a sentence in a line, source first; a probability may follow
talp      0-0 1p2 1?3         as Pharaoh, with `p` or `?` for links that are only possible
naacl     7 1 3 P             sentence, source, target, sure (S) or possible, counted from 1
json      {"links": [{"source": 0, "target": 0, "probability": 0.93, "sure": true}]}
spans     0:2-0:3             first and last character of both sides; for writing and for single lines
"""

from lexalign.alignment.formats.reading import (
    FORMATS,
    AlignmentFile,
    Format,
    parse_span_line,
    read_alignments,
)
from lexalign.alignment.formats.writing import json_line, naacl_lines, pharaoh_line, span_line, talp_line

__all__ = [
    "FORMATS",
    "AlignmentFile",
    "Format",
    "json_line",
    "naacl_lines",
    "parse_span_line",
    "pharaoh_line",
    "read_alignments",
    "span_line",
    "talp_line",
]
