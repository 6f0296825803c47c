"""Options of the search and of constraints."""

from typing import Annotated, Literal

import typer

from lexalign.cli.options.sections import ALIGNMENT, SEARCH, SPEED, TERMS, TEXT

PolicyName = Literal["none", "replace", "vdba", "align-vdba", "guided"]

Beam = Annotated[int, typer.Option(help="Beam size.", rich_help_panel=SEARCH)]
MaxLength = Annotated[
    int, typer.Option(help="Maximum length of a translation, in tokens.", rich_help_panel=SEARCH)
]
LengthPenalty = Annotated[
    float,
    typer.Option(
        help="Scores are log-probability / length^penalty; 0 favours short translations.",
        rich_help_panel=SEARCH,
    ),
]
BatchTokens = Annotated[
    int | None,
    typer.Option(help="Source tokens in a batch; the default depends on the device.", rich_help_panel=SPEED),
]
UseShortlist = Annotated[
    bool,
    typer.Option(
        "--shortlist/--no-shortlist",
        help="Use the model's lexical shortlist, if it has one: faster, with nearly the same translations.",
        rich_help_panel=SPEED,
    ),
]
Coverage = Annotated[
    bool,
    typer.Option(
        "--coverage/--no-coverage",
        help="Find source words that were not translated, and warn if content is likely lost.",
        rich_help_panel=TEXT,
    ),
]
Policy = Annotated[PolicyName, typer.Option(help="Decoding policy for constraints.", rich_help_panel=TERMS)]
Threshold = Annotated[
    float | None,
    typer.Option(
        help="align-vdba: minimum alignment probability at which a constraint is tried.",
        show_default="0.1, and 0 from beam 10 on",
        rich_help_panel=ALIGNMENT,
    ),
]
Temperature = Annotated[
    float,
    typer.Option(
        help="Temperature of alignment probabilities; above 1 they count for less.", rich_help_panel=ALIGNMENT
    ),
]
FreeTokens = Annotated[
    Literal["joint", "literal"],
    typer.Option(
        help="align-vdba: tokens advance a constraint only by the joint score with their alignment (joint), "
        "or also by their own score (literal).",
        rich_help_panel=ALIGNMENT,
    ),
]
Ordered = Annotated[
    bool, typer.Option(help="Meet constraints in the order in which they are given.", rich_help_panel=TERMS)
]
Sentences = Annotated[
    bool,
    typer.Option(
        "--sentences/--no-sentences",
        help="Split texts into sentences before translation.",
        rich_help_panel=TEXT,
    ),
]
Protect = Annotated[
    bool,
    typer.Option(
        "--protect/--no-protect",
        help="Keep placeholders, addresses, paths, versions, code and symbols as they are.",
        rich_help_panel=TEXT,
    ),
]
KeepPatterns = Annotated[
    list[str] | None,
    typer.Option(
        "--keep-pattern",
        metavar="REGEX",
        help="Also keep text that matches this regular expression (RE2). May be repeated.",
        rich_help_panel=TEXT,
    ),
]
