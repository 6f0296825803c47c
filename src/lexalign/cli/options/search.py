"""Options of a search that several commands have."""

from typing import Annotated, Literal

import typer

PolicyName = Literal["none", "replace", "vdba", "align-vdba", "guided"]
MethodName = Literal["naive-att", "shift-att", "prior-att", "shift-aet", "post-aln"]

Beam = Annotated[int, typer.Option(help="Hypotheses followed at a time.")]
MaxLength = Annotated[int, typer.Option(help="Tokens of a translation at most.")]
LengthPenalty = Annotated[float, typer.Option(help="0 favours short translations, 1 is even.")]
BatchTokens = Annotated[
    int | None, typer.Option(help="Source tokens searched together; by default what suits the device.")
]
Policy = Annotated[PolicyName, typer.Option(help="How constraints are met.")]
Method = Annotated[MethodName, typer.Option(help="Who tells where a word comes from.")]
Threshold = Annotated[
    float | None,
    typer.Option(
        help="align-vdba: tries a term only where it is at least so probable.",
        show_default="0.1, and 0 from beam 10 on",
    ),
]
Temperature = Annotated[float, typer.Option(help="Over 1 the alignment counts for less, under 1 for more.")]
FreeTokens = Annotated[
    Literal["joint", "literal"],
    typer.Option(help="align-vdba: whether terms are begun by their alignment alone, or by chance too."),
]
Ordered = Annotated[bool, typer.Option(help="Constraints are met in their given order.")]
Sentences = Annotated[
    bool,
    typer.Option("--sentences/--no-sentences", help="Texts are split into sentences before translation."),
]
Protect = Annotated[
    bool,
    typer.Option(
        "--protect/--no-protect",
        help="Placeholders, addresses, paths, versions, code and symbols are kept as they are.",
    ),
]
KeepPatterns = Annotated[
    list[str] | None,
    typer.Option(
        "--keep-pattern",
        metavar="REGEX",
        help="Text that this regular expression (RE2) matches is kept, too.",
    ),
]
