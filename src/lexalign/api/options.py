"""The keywords of a translation, and the options of the engine that they become."""

from collections.abc import Sequence
from dataclasses import fields
from difflib import get_close_matches
from typing import Literal, TypedDict, Unpack

from lexalign.api.wording import in_python
from lexalign.contracts.errors import OptionError
from lexalign.translator import AlignerName, ConstraintOptions, PolicyName, TranslateOptions


class TranslateKeywords(TypedDict, total=False):
    """Every keyword of `translate`; each has a default.

    Attributes:
        beam: Beam size; 5.
        n_best: Translations of each text; 1. The others are in `alternatives`.
        length_penalty: Scores are log-probability / length^penalty; 1.0. With 0, short translations are
            favoured.
        max_length: Most tokens of a translation; 512.
        align: Tell which words come from which; True.
        coverage: Tell which source words nothing comes from; True, and always so with `align`.
        policy: How terms are met: guided (the default), align-vdba, vdba, replace, none.
        aligner: auto (the model's head, or its attention), post-aln, shift-att, naive-att, ...
        threshold: Least alignment probability of align-vdba.
        temperature: Of alignment probabilities in policies; 2.0.
        free_tokens: Of align-vdba: joint or literal.
        ordered: Terms come in the order in which they are given; False.
        sentences: Split texts into sentences; True.
        protect: Keep placeholders, addresses, code and numbers as they are; True.
        keep: Regular expressions (RE2) of more that is kept.
        skip_translated: Leave texts that are in the target language already; True.
        shortlist: Use the model's lexical shortlist, if it has one; True.
        batch_tokens: Source tokens in a batch; by default what suits the device.
        workers: Processes on a CPU for many texts; by default one for each core.
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
    keep: Sequence[str]
    skip_translated: bool
    shortlist: bool
    batch_tokens: int | None
    workers: int | None


_OF_CONSTRAINTS = {field.name for field in fields(ConstraintOptions)}


def as_options(**keywords: Unpack[TranslateKeywords]) -> TranslateOptions:
    """The engine's options; a keyword that there is not is a TypeError that names the nearest."""
    for name in keywords:
        if name not in TranslateKeywords.__annotations__:
            near = get_close_matches(name, TranslateKeywords.__annotations__, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise TypeError(f"there is no option {name!r}{hint}")
    given = dict(keywords)
    aligner = given.pop("aligner", "auto")
    given["align"] = aligner if given.pop("align", True) else None
    given["patterns"] = tuple(given.pop("keep", ()))  # type: ignore[arg-type]
    constraints = {name: given.pop(name) for name in _OF_CONSTRAINTS & given.keys()}
    with in_python(OptionError):
        asked = ConstraintOptions(method=aligner, **constraints)  # type: ignore[arg-type]
        return TranslateOptions(constraints=asked, **given)  # type: ignore[arg-type]
