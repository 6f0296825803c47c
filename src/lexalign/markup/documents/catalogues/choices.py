"""Messages with choices, taken apart: every branch is translated as a whole sentence, the syntax is kept.

    Sie haben {n, plural, one {# Datei} other {# Dateien}} gelöscht.

    {n, plural, one {Sie haben # Datei gelöscht.} other {Sie haben # Dateien gelöscht.}}

Text around a choice belongs to each of its branches, because other languages have another order of words. So
it is moved into the branches, unless there are too many of them, or the meaning of `#` would change; then its
pieces are translated one by one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

# Branches after text was moved into them; several choices in one message multiply.
_MAX_BRANCHES = 32


@dataclass(frozen=True, slots=True)
class Literal:
    """Text as it stands in the message."""

    text: str


@dataclass(frozen=True, slots=True)
class Placeholder:
    """Markup that is kept; `counts` is the `#` of a plural, which means the nearest choice around it."""

    markup: str
    counts: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """Branches, each with the syntax before it, and the syntax after the last; `counts` for a plural."""

    branches: tuple[tuple[str, "Pattern"], ...]
    end: str
    counts: bool = False


Pattern = tuple[Literal | Placeholder | Choice, ...]
Piece = str | tuple[Literal | Placeholder, ...]  # syntax, or a text to translate


def pieces(pattern: Pattern) -> Iterator[Piece]:
    """Syntax and texts in turn."""
    leaf = tuple(node for node in pattern if not isinstance(node, Choice))
    if len(leaf) == len(pattern):
        yield leaf
    elif len(pattern) == 1:
        (choice,) = pattern
        assert isinstance(choice, Choice)
        for syntax, branch in choice.branches:
            yield syntax
            yield from pieces(branch)
        yield choice.end
    elif _may_move(pattern):
        yield from pieces((_moved(pattern),))
    else:
        for node in pattern:
            yield from pieces((node,))


def num_branches(pattern: Pattern) -> int:
    """The branches of a pattern after all text was moved into them."""
    product = 1
    for node in pattern:
        if isinstance(node, Choice):
            product *= max(1, sum(num_branches(branch) for _, branch in node.branches))
    return product


def _may_move(pattern: Pattern) -> bool:
    choices = [node for node in pattern if isinstance(node, Choice)]
    if num_branches(pattern) > _MAX_BRANCHES:
        return False
    has_count = any(_has_count((node,)) for node in pattern if not isinstance(node, Choice))
    inner_counts = sum(choice.counts for choice in choices)
    # A # that is moved into a plural, or one plural's # into another's branch, would mean another number.
    return not (has_count and inner_counts) and inner_counts <= 1


def _has_count(nodes: Sequence[Literal | Placeholder | Choice]) -> bool:
    return any(isinstance(node, Placeholder) and node.counts for node in nodes)


def _moved(pattern: Pattern) -> Choice:
    """The first choice of a pattern, with all that stands around it in its branches."""
    index = next(index for index, node in enumerate(pattern) if isinstance(node, Choice))
    choice = pattern[index]
    assert isinstance(choice, Choice)
    before, after = pattern[:index], pattern[index + 1 :]
    branches = tuple((syntax, (*before, *branch, *after)) for syntax, branch in choice.branches)
    return Choice(branches, choice.end, choice.counts)
