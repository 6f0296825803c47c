"""Options for documents."""

from typing import TYPE_CHECKING, Annotated

import typer

from lexalign.cli.options.sections import DOCUMENT

if TYPE_CHECKING:
    from lexalign.markup import TagOptions

Columns = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="CSV and TSV: column to translate, by its header or number; SOURCE=TARGET to fill another.",
        rich_help_panel=DOCUMENT,
    ),
]
SplittingTags = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TAG", help="XML: element that ends a sentence. May be repeated.", rich_help_panel=DOCUMENT
    ),
]
NonSplittingTags = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TAG", help="XML: element inside a sentence. May be repeated.", rich_help_panel=DOCUMENT
    ),
]
IgnoreTags = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TAG", help="XML: element that is not translated. May be repeated.", rich_help_panel=DOCUMENT
    ),
]
OutlineDetection = Annotated[
    bool,
    typer.Option(
        help="XML: detect block elements by the vocabulary and by their surroundings.",
        rich_help_panel=DOCUMENT,
    ),
]
LineLength = Annotated[
    int | None,
    typer.Option(
        min=10,
        help="Subtitles: characters per line; by default as in the longest line.",
        rich_help_panel=DOCUMENT,
    ),
]


def tag_options(
    splitting: list[str] | None, non_splitting: list[str] | None, ignored: list[str] | None, outline: bool
) -> "TagOptions":
    from lexalign.markup import TagOptions

    return TagOptions(
        splitting_tags=TagOptions().splitting_tags | set(splitting or ()),
        non_splitting_tags=frozenset(non_splitting or ()),
        ignore_tags=frozenset(ignored or ()),
        outline_detection=outline,
    )
