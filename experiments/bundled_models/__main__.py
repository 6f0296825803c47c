"""Make the bundled models: `python -m experiments.bundled_models`.

    python -m experiments.bundled_models --data corpora --work runs               # all that is not done yet
    python -m experiments.bundled_models --data corpora --work runs --minutes 9   # what fits; run it again
    python -m experiments.bundled_models --teachers models --limit 500000         # with trained teachers
    python -m experiments.bundled_models --no-teacher                             # directly from the text
    python -m experiments.bundled_models --tiny --work runs                       # synthetic text; minutes

The result is WORK/de-en/bundled/{de-en,en-de}. A stage that is done with the same options is skipped; one
that was stopped goes on where it was.
"""

import argparse
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from experiments.bundled_models.settings import BundleSetting, full_size, tiny_size, without_teacher
from experiments.bundled_models.stages import STAGES
from experiments.bundled_models.synthetic_corpora import write_synthetic_corpora
from experiments.bundled_models.workspace import BundleWorkspace
from experiments.paper.pipeline.pairs import DIRECTIONS, PAIRS, Pair, Setting, tiny
from experiments.paper.pipeline.stage import run_stage
from experiments.paper.pipeline.workspace import DATA, WORK
from lexalign.contracts.errors import LexalignError
from lexalign.models.folder import parse_device


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        workspace = open_workspace(_setting(options), options)
        _stop_after(options.minutes)
        run_stages(workspace, options.stage or list(STAGES), again=options.again)
    except LexalignError as error:
        print(f"experiments: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; run it again to go on", file=sys.stderr)
        return 130
    return 0


def open_workspace(setting: BundleSetting, options: argparse.Namespace) -> BundleWorkspace:
    """Write the synthetic corpora of --tiny first."""
    pair = _pair(options.pair, setting, synthetic=options.tiny)
    folder = options.work / (f"tiny-{pair.name}" if options.tiny else pair.name)
    data = folder / "text" if options.tiny else options.data / pair.name
    if options.tiny:
        write_synthetic_corpora(data, pair)
    return BundleWorkspace(
        pair=pair,
        data=data,
        folder=folder,
        results=folder / "results",
        device=str(parse_device(options.device)),
        only=options.only,
        say=_say,
        setting=setting,
        tests=data / "tests" if options.tiny else options.tests or options.data / "tests",
        given_teachers=options.teachers,
    )


def run_stages(workspace: BundleWorkspace, names: Sequence[str], *, again: bool = False) -> None:
    """Run stages up to the first that a command for one direction cannot finish alone."""
    for name, stage in STAGES.items():
        if name in names and not run_stage(stage, workspace, again=again):
            return


def _pair(name: str, setting: BundleSetting, *, synthetic: bool) -> Pair:
    described = Setting(recipe=setting.student)
    return tiny(PAIRS[name], described) if synthetic else replace(PAIRS[name], setting=described)


def _setting(options: argparse.Namespace) -> BundleSetting:
    setting = tiny_size() if options.tiny else full_size(options.teacher_config, options.student_config)
    if options.no_teacher:
        setting = without_teacher(setting, options.mixture)
    given = {
        "limit": options.limit,
        "beam": options.beam,
        "batch_tokens": options.batch_tokens,
        "label_pairs": options.label_pairs,
        "original_share": options.original_share,
        "repeats": options.repeats,
    }
    setting = replace(setting, **{name: value for name, value in given.items() if value is not None})
    of_training = {"updates": options.updates, "minutes": options.training_minutes}
    if changed := {name: value for name, value in of_training.items() if value is not None}:
        training = replace(setting.student.training, **changed)
        setting = replace(setting, student=replace(setting.student, training=training))
    if options.head_updates is not None:
        heads = replace(setting.student_heads, updates=options.head_updates)
        setting = replace(setting, student_heads=heads)
    return setting


def _stop_after(minutes: float | None) -> None:
    """Stop as Ctrl-C would; what is being trained is saved first."""
    if minutes is not None:
        signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
        signal.setitimer(signal.ITIMER_REAL, minutes * 60)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.bundled_models",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("pair", choices=list(PAIRS), nargs="?", default="de-en")
    add("--stage", choices=list(STAGES), action="append", help="run only this stage; may be repeated")
    add("--data", type=Path, default=DATA, help="where PAIR/train.de ... are")
    add("--tests", type=Path, help="where the test sets are; by default DATA/tests")
    add("--work", type=Path, default=WORK, help="where models and all intermediate files go")
    add("--teachers", type=Path, metavar="DIR", help="teachers DIR/de-en and DIR/en-de, with heads")
    add("--no-teacher", action="store_true", help="students learn from the text by the recipe of --mixture")
    add("--mixture", type=Path, metavar="TOML", help="the share of each corpus, and what is changed in it")
    add("--teacher-config", type=Path, metavar="TOML", help="a recipe for the teacher")
    add("--student-config", type=Path, metavar="TOML", help="a recipe for the student")
    add("--updates", type=int, metavar="N", help="updates of the student, in place of its recipe's")
    add("--training-minutes", type=float, metavar="M", help="the most minutes that each student trains")
    add("--head-updates", type=int, metavar="N", help="updates of the student's head; 2,000")
    add("--limit", type=int, metavar="N", help="sentences that the teacher translates, each direction")
    add("--beam", type=int, metavar="N", help="beam size of the teacher; 1")
    add("--batch-tokens", type=int, metavar="N", help="tokens that the teacher translates together; 32,768")
    add("--label-pairs", type=int, metavar="N", help="pairs that the teacher aligns; 200,000")
    add(
        "--original-share",
        type=float,
        metavar="P",
        help="share of the largest corpus as people wrote it; 0.25",
    )
    add("--repeats", type=int, metavar="N", help="copies of the other corpora as people wrote them; 4")
    add("--device", default="auto", help="cpu, cuda, cuda:1; auto is a GPU if there is one")
    add(
        "--only", choices=DIRECTIONS, help="work on this direction; two commands, in parallel or not, do both"
    )
    add("--minutes", type=float, metavar="M", help="stop after so many minutes, as Ctrl-C does")
    add("--again", action="store_true", help="run stages again that are done")
    add("--tiny", action="store_true", help="small models on synthetic text")
    return parser


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
