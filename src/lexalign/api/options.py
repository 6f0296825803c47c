"""The keywords of a translation, and the options of the engine that they become."""

from collections.abc import Iterable, Sequence
from dataclasses import fields
from difflib import get_close_matches
from math import isfinite
from numbers import Integral, Real
from typing import Literal, TypedDict, Unpack

from lexalign.api.wording import in_python
from lexalign.contracts.errors import OptionError
from lexalign.translator import AlignerName, ConstraintOptions, PolicyName, TranslateOptions
from lexalign.translator.aligners import ONLINE_METHODS


class TranslateKeywords(TypedDict, total=False):
    """Every keyword of `translate`; each has a default.

    Attributes:
        beam: Beam size; 5.
        n_best: Number of translations of each text; 1. All but the best are in `alternatives`.
        length_penalty: Scores are log-probability / length^penalty; 1.0. With 0, short translations are
            favoured.
        max_length: Maximum length of a translation, in tokens; 512.
        align: Align the words of the translation with those of the text; True.
        coverage: Find source words that were not translated; True, and always on with `align`.
        policy: How terms are met: guided (the default), align-vdba, vdba, replace, none.
        aligner: Alignment method: auto (the model's head or attention), post-aln, shift-att, naive-att, ...
        threshold: align-vdba: minimum alignment probability at which a term is tried.
        temperature: Temperature of the policy's alignment probabilities; 2.0. Above 1 they count for less.
        free_tokens: align-vdba: joint or literal.
        ordered: Meet terms in the order in which they are given; False.
        sentences: Split texts into sentences; True.
        protect: Keep placeholders, addresses, code and symbols as they are; True.
        keep: Also keep what matches these regular expressions (RE2); one, or a list.
        skip_translated: Return texts that are already in the target language as they are; True.
        shortlist: Use the model's lexical shortlist, if it has one; True.
        batch_tokens: Source tokens in a batch; the default depends on the device.
        workers: Number of processes on a CPU, for many texts; by default one for each core.
    """

    beam: int
    n_best: int
    length_penalty: float
    max_length: int
    align: bool
    coverage: bool
    policy: PolicyName
    aligner: AlignerName
    threshold: float | None
    temperature: float
    free_tokens: Literal["joint", "literal"]
    ordered: bool
    sentences: bool
    protect: bool
    keep: str | Sequence[str]
    skip_translated: bool
    shortlist: bool
    batch_tokens: int | None
    workers: int | None


_KINDS = {
    **dict.fromkeys(
        ("beam", "n_best", "max_length", "batch_tokens", "workers"), (Integral, "a whole number")
    ),
    **dict.fromkeys(("length_penalty", "threshold", "temperature"), (Real, "a number")),
    **dict.fromkeys(
        ("align", "coverage", "ordered", "sentences", "protect", "skip_translated", "shortlist"),
        (bool, "True or False"),
    ),
}
_ALIGNERS = ("auto", *ONLINE_METHODS)
_MAY_BE_NONE = {"threshold", "batch_tokens", "workers"}
_OF_CONSTRAINTS = {field.name for field in fields(ConstraintOptions)}


def as_options(**keywords: Unpack[TranslateKeywords]) -> TranslateOptions:
    """The engine's options; a keyword that there is not is a TypeError that names the nearest."""
    for name in keywords:
        if name not in TranslateKeywords.__annotations__:
            near = get_close_matches(name, TranslateKeywords.__annotations__, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise TypeError(f"there is no option {name!r}{hint}")
        _check_kind(name, keywords[name])  # type: ignore[literal-required]
    given = dict(keywords)
    aligner = given.pop("aligner", "auto")
    if aligner not in _ALIGNERS:
        raise OptionError(f"unknown aligner {aligner!r}; choose from {', '.join(_ALIGNERS)}")
    given["align"] = aligner if given.pop("align", True) else None
    keep = given.pop("keep", ())
    given["patterns"] = (keep,) if isinstance(keep, str) else tuple(keep)  # type: ignore[arg-type]
    constraints = {name: given.pop(name) for name in _OF_CONSTRAINTS & given.keys()}
    with in_python(OptionError):
        asked = ConstraintOptions(method=aligner, **constraints)  # type: ignore[arg-type]
        return TranslateOptions(constraints=asked, **given)  # type: ignore[arg-type]


def _check_kind(name: str, value: object) -> None:
    kind, said = _KINDS.get(name, (object, ""))
    if value is None and name in _MAY_BE_NONE:
        return
    if not isinstance(value, kind) or (isinstance(value, Real) and not isfinite(value)):
        raise OptionError(f"{name} is {value!r}; it must be {said}")
    if name == "keep" and not _are_texts(value):
        raise OptionError(f"keep is {value!r}; it must be a regular expression, or a list of them")


def _are_texts(value: object) -> bool:
    return isinstance(value, str) or (
        isinstance(value, Iterable) and all(isinstance(one, str) for one in value)
    )
