"""Counts what a reader must follow: the files and functions of one search step, and of one translation.

    python scripts/trace_calls.py            a table: files, functions and file boundaries crossed
    python scripts/trace_calls.py --path guided   the functions of one step of a policy, in the order of calls

A function counts once, however often it is called; a boundary is crossed where a function of one file calls
one of another. Only functions of the package count. The step is the fifth of a sentence with two constraints,
alone in its batch, with the bundled German-English model at beam 5.
"""

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import lexalign
from lexalign.contracts.constraint import Constraint
from lexalign.decoding.search import BeamSearch
from lexalign.translator import ConstraintOptions, TranslateOptions, Translator

ROOT = Path(lexalign.__file__).parent
POLICIES = ("none", "replace", "vdba", "align-vdba", "guided")
STEP = 5
TEXT = "Das neue Gesetz gilt auch für das Gericht in der Stadt, in der ich früher gewohnt habe."
CONSTRAINTS = (
    Constraint(targets=("statute",), source=(9, 15)),
    Constraint(targets=("tribunal",), source=(34, 41)),
)


@dataclass
class Trace:
    """What was called, by file and function."""

    functions: dict[tuple[str, str, int], None] = field(default_factory=dict)  # in the order of calls
    num_crossings: int = 0

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        if event != "call":
            return
        called = _place(frame)
        if called is None or frame.f_code.co_name.startswith("<"):  # a comprehension is no function
            return
        caller = _place(frame.f_back) if frame.f_back is not None else None
        if caller is not None and caller != called:
            self.num_crossings += 1
        self.functions[called, frame.f_code.co_qualname, frame.f_code.co_firstlineno] = None

    def of(self, work: Callable[[], Any]) -> Any:
        sys.setprofile(self)
        try:
            return work()
        finally:
            sys.setprofile(None)

    @property
    def files(self) -> list[str]:
        return list(dict.fromkeys(file for file, _, _ in self.functions))


def _place(frame: FrameType | None) -> str | None:
    """The file of a function, if it is one of the package's."""
    if frame is None:
        return None
    path = Path(frame.f_code.co_filename)
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else None


def trace_step(translator: Translator, policy: Any) -> Trace:
    """One step in the middle of a search."""
    trace, advance, num_steps = Trace(), BeamSearch.advance, 0

    def traced(search: "BeamSearch[Any]", step: int) -> None:
        nonlocal num_steps
        num_steps += 1
        if num_steps == STEP:
            trace.of(lambda: advance(search, step))
        else:
            advance(search, step)

    BeamSearch.advance = traced  # type: ignore[method-assign, assignment]
    try:
        _translate(translator, policy)
    finally:
        BeamSearch.advance = advance  # type: ignore[method-assign]
    return trace


def trace_translation(translator: Translator, policy: Any) -> Trace:
    """A text on its whole way, but for the steps of its search."""
    trace, run = Trace(), BeamSearch.run

    def untraced(search: "BeamSearch[Any]") -> Any:
        sys.setprofile(None)
        parts = list(run(search))
        sys.setprofile(trace)
        return iter(parts)

    BeamSearch.run = untraced  # type: ignore[method-assign, assignment]
    try:
        trace.of(lambda: _translate(translator, policy))
    finally:
        BeamSearch.run = run  # type: ignore[method-assign]
    return trace


def _translate(translator: Translator, policy: Any) -> None:
    constraints = () if policy == "none" else CONSTRAINTS
    options = TranslateOptions(workers=1, constraints=ConstraintOptions(policy=policy))
    translator.translate(TEXT, options, constraints=constraints)


def main() -> None:
    parser = argparse.ArgumentParser(description="Count the files and functions of a search step.")
    parser.add_argument("--path", choices=[*POLICIES, "translate"], help="list the functions instead")
    chosen = parser.parse_args().path
    translator = Translator.load(ROOT / "bundled" / "de-en", device="cpu")
    _translate(translator, "guided")  # what happens only once is not counted
    if chosen:
        of_text = chosen == "translate"
        trace = trace_translation(translator, "guided") if of_text else trace_step(translator, chosen)
        for file, name, line in trace.functions:
            print(f"{file}:{line}  {name}")
        return
    print(f"{'':24}{'files':>8}{'functions':>12}{'crossings':>12}")
    traces = [(f"step, {policy}", trace_step(translator, policy)) for policy in POLICIES]
    for name, trace in [*traces, ("translate, guided", trace_translation(translator, "guided"))]:
        print(f"{name:24}{len(trace.files):8}{len(trace.functions):12}{trace.num_crossings:12}")


if __name__ == "__main__":
    main()
