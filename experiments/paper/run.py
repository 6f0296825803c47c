"""Run the experiments of a language pair: `python -m experiments.paper.run PAIR`.

    python -m experiments.paper.run de-en --data corpora             # everything, as far as it is not done
    python -m experiments.paper.run de-en --data corpora --parallel  # directions and beams in parallel
    python -m experiments.paper.run de-en --data corpora --stage align --stage decode
    python -m experiments.paper.run de-en --tiny                     # on synthetic text; minutes on a laptop

A stage that is done with the same options is skipped; one that was stopped goes on where it was.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from experiments.corpora.synthetic_pair import write_synthetic
from experiments.paper.pipeline.pairs import DIRECTIONS, PAIRS, Pair, tiny
from experiments.paper.pipeline.parallel import parts_of, run_parallel
from experiments.paper.pipeline.stage import is_done, run_stage
from experiments.paper.pipeline.workspace import DATA, RESULTS, WORK, Workspace
from experiments.paper.stages import STAGES
from lexalign.contracts.errors import LexalignError
from lexalign.models.folder import parse_device


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    pair = tiny(PAIRS[options.pair]) if options.tiny else PAIRS[options.pair]
    try:
        command = _command(options) if options.parallel else []
        workspace = open_workspace(pair, options)
        run_stages(workspace, options.stage or list(STAGES), again=options.again, parallel=command)
    except LexalignError as error:
        print(f"experiments: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; run it again to go on", file=sys.stderr)
        return 130
    return 0


def open_workspace(pair: Pair, options: argparse.Namespace) -> Workspace:
    """Write the text of a synthetic pair first; its numbers stay away from the results."""
    folder = options.work / (f"tiny-{pair.name}" if pair.synthetic else pair.name)
    if pair.synthetic:
        write_synthetic(folder / "text", pair.languages("forward"), pair.synthetic)
    return Workspace(
        pair=pair,
        data=folder / "text" if pair.synthetic else options.data / pair.name,
        folder=folder,
        results=folder / "results" if pair.synthetic else options.results / pair.name,
        device=str(parse_device(options.device)),
        only=options.only,
        beam=_beam(pair, options.beam),
        say=_say,
    )


def _beam(pair: Pair, beam: int | None) -> int | None:
    beams = pair.setting.beams
    if beam not in (None, *beams):
        raise LexalignError(f"--beam {beam}: the beams of {pair.name} are {', '.join(map(str, beams))}")
    return beam


def run_stages(
    workspace: Workspace, names: Sequence[str], *, again: bool = False, parallel: Sequence[str] = ()
) -> None:
    """Run stages; `parallel` is this command without them, by which the parts of a stage run first."""
    for name, stage in STAGES.items():
        if name not in names:
            continue
        parts = parts_of(name, workspace.pair) if parallel else []
        if parts and not is_done(stage, workspace):
            run_parallel([[*parallel, "--stage", name, *part] for part in parts])
        run_stage(stage, workspace, again=again)


def _command(options: argparse.Namespace) -> list[str]:
    if options.only or options.beam:
        raise LexalignError("--parallel runs all parts of a stage; leave out --only and --beam")
    places = {"--data": options.data, "--work": options.work, "--results": options.results}
    given = [str(word) for pair in places.items() for word in pair]
    tiny = ["--tiny"] if options.tiny else []
    return [
        sys.executable,
        "-m",
        "experiments.paper.run",
        options.pair,
        *given,
        "--device",
        options.device,
        *tiny,
    ]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.paper.run",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("pair", choices=list(PAIRS), nargs="?", default="de-en")
    parser.add_argument(
        "--stage", choices=list(STAGES), action="append", help="run only this stage; may be repeated"
    )
    parser.add_argument("--data", type=Path, default=DATA, help="where PAIR/train.de ... are")
    parser.add_argument("--work", type=Path, default=WORK, help="where models and all else go")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where numbers are written")
    parser.add_argument("--device", default="auto", help="cpu, cuda, cuda:1; auto is a GPU if there is one")
    parser.add_argument("--only", choices=DIRECTIONS, help="train this direction; two commands train both")
    parser.add_argument("--beam", type=int, help="decode with this beam; three commands decode with all")
    parser.add_argument(
        "--parallel", action="store_true", help="train both directions, and decode all beams, in parallel"
    )
    parser.add_argument(
        "--again", action="store_true", help="run stages again that are done; what they keep in files is used"
    )
    parser.add_argument("--tiny", action="store_true", help="a small model on synthetic text")
    return parser


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
