"""Options of the search and of constraints."""

from typing import Annotated, Literal

import typer

PolicyName = Literal["none", "replace", "vdba", "align-vdba", "guided"]

Beam = Annotated[int, typer.Option(help="Beam size.")]
MaxLength = Annotated[int, typer.Option(help="Maximum length of a translation, in tokens.")]
LengthPenalty = Annotated[
    float, typer.Option(help="Scores are log-probability / length^penalty; 0 favours short translations.")
]
BatchTokens = Annotated[
    int | None, typer.Option(help="Source tokens in a batch; the default depends on the device.")
]
UseShortlist = Annotated[
    bool,
    typer.Option(
        "--shortlist/--no-shortlist",
        help="Use the lexical shortlist of a model that has one: faster, with nearly the same translations.",
    ),
]
Coverage = Annotated[
    bool,
    typer.Option(
        "--coverage/--no-coverage",
        help="Tell which source words nothing comes from, and warn where content is likely lost.",
    ),
]
Policy = Annotated[PolicyName, typer.Option(help="Decoding policy for constraints.")]
Threshold = Annotated[
    float | None,
    typer.Option(
        help="align-vdba: minimum alignment probability at which a constraint is tried.",
        show_default="0.1, and 0 from beam 10 on",
    ),
]
Temperature = Annotated[
    float, typer.Option(help="Temperature of alignment probabilities; above 1 they count for less.")
]
FreeTokens = Annotated[
    Literal["joint", "literal"],
    typer.Option(
        help="align-vdba: tokens advance a constraint only by the joint score with their alignment (joint), "
        "or also by their own score (literal)."
    ),
]
Ordered = Annotated[bool, typer.Option(help="Meet constraints in the order in which they are given.")]
Sentences = Annotated[
    bool,
    typer.Option("--sentences/--no-sentences", help="Split texts into sentences before translation."),
]
Protect = Annotated[
    bool,
    typer.Option(
        "--protect/--no-protect",
        help="Keep placeholders, addresses, paths, versions, code and symbols as they are.",
    ),
]
KeepPatterns = Annotated[
    list[str] | None,
    typer.Option(
        "--keep-pattern",
        metavar="REGEX",
        help="Also keep text that matches this regular expression (RE2). May be repeated.",
    ),
]
