"""The aligner that a command uses, the same in all commands, and the note where a model has no head."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from lexalign.cli.messages import say
from lexalign.cli.options.sections import ALIGNMENT

if TYPE_CHECKING:
    from lexalign.alignment.attention_files import AttentionPlace

AlignerOption = Literal["auto", "naive-att", "shift-att", "prior-att", "shift-aet", "post-aln"]

Method = Annotated[
    AlignerOption,
    typer.Option(
        help="Alignment method; auto is the model's post-aln head or, without one, the attention that aligns "
        "best.",
        rich_help_panel=ALIGNMENT,
    ),
]
Layer = Annotated[
    str | None,
    typer.Option(
        metavar="LAYER[:HEAD]",
        help="naive-att and shift-att: decoder layer, and attention head, counted from 1; by default those "
        "that align best.",
        rich_help_panel=ALIGNMENT,
    ),
]


def attention_place(layer: str | None) -> "AttentionPlace | None":
    from lexalign.alignment.attention_files import parse_place

    return None if layer is None else parse_place(layer)


def note_missing_head(folder: Path, aligner: str, languages: tuple[str | None, str | None]) -> None:
    """Say once that a head would align better than attention, and how to get one."""
    from lexalign.alignment.head_files import saved_heads

    if aligner != "auto" or not folder.is_dir() or "post-aln" in saved_heads(folder):
        return
    text = f"text.{languages[0]}" if languages[0] else "text"
    say(
        f"lexalign: note: {folder} has no alignment head, so its attention aligns; a head aligns better: "
        f"lexalign train aligner --model {folder} --text {text}"
    )
