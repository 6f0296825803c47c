"""Run the experiments of a language pair: `python -m experiments.run PAIR`.

    python -m experiments.run de-en --data corpora             # everything, as far as it is not done
    python -m experiments.run de-en --data corpora --at-once   # directions and beams side by side on a GPU
    python -m experiments.run de-en --data corpora --stage align --stage decode
    python -m experiments.run de-en --tiny                     # on made-up text; minutes on a laptop

A stage that is done with the same options is skipped; one that was stopped goes on where it was.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from experiments.at_once import parts_of, run_at_once
from experiments.pairs import DIRECTIONS, PAIRS, Pair, tiny
from experiments.stage import conduct, is_done
from experiments.stages import STAGES
from experiments.synthetic_pair import write_synthetic
from experiments.workspace import Workspace
from lexalign.contracts.errors import LexalignError
from lexalign.models.folder import parse_device

HERE = Path(__file__).parent


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    pair = tiny(PAIRS[options.pair]) if options.tiny else PAIRS[options.pair]
    try:
        command = _command(options) if options.at_once else []
        workspace = open_workspace(pair, options)
        run_stages(workspace, options.stage or list(STAGES), again=options.again, at_once=command)
    except LexalignError as error:
        print(f"experiments: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; run it again to go on", file=sys.stderr)
        return 130
    return 0


def open_workspace(pair: Pair, options: argparse.Namespace) -> Workspace:
    """Text is made up here where it has to be; its numbers stay away from the results."""
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
    workspace: Workspace, names: Sequence[str], *, again: bool = False, at_once: Sequence[str] = ()
) -> None:
    """`at_once` is this command without its stages: by it the parts of a stage are run first, together."""
    for name, stage in STAGES.items():
        if name not in names:
            continue
        parts = parts_of(name, workspace.pair) if at_once else []
        if parts and not is_done(stage, workspace):
            run_at_once([[*at_once, "--stage", name, *part] for part in parts])
        conduct(stage, workspace, again=again)


def _command(options: argparse.Namespace) -> list[str]:
    if options.only or options.beam:
        raise LexalignError("--at-once runs all parts of a stage; leave out --only and --beam")
    places = {"--data": options.data, "--work": options.work, "--results": options.results}
    given = [str(word) for pair in places.items() for word in pair]
    tiny = ["--tiny"] if options.tiny else []
    return [sys.executable, "-m", "experiments.run", options.pair, *given, "--device", options.device, *tiny]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.run",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("pair", choices=list(PAIRS), nargs="?", default="de-en")
    parser.add_argument("--stage", choices=list(STAGES), action="append", help="only this; may be repeated")
    parser.add_argument("--data", type=Path, default=HERE / "data", help="where PAIR/train.de ... are")
    parser.add_argument("--work", type=Path, default=HERE / "runs", help="models and all else that is made")
    parser.add_argument("--results", type=Path, default=HERE / "results", help="where numbers are written")
    parser.add_argument("--device", default="auto", help="cpu, cuda, cuda:1; auto is a GPU if there is one")
    parser.add_argument("--only", choices=DIRECTIONS, help="train this direction; two commands train both")
    parser.add_argument("--beam", type=int, help="decode with this one; three commands decode with all")
    parser.add_argument(
        "--at-once", action="store_true", help="both directions of train, and all beams, side by side"
    )
    parser.add_argument(
        "--again", action="store_true", help="also stages that are done; what they keep in files is used"
    )
    parser.add_argument("--tiny", action="store_true", help="a small model on made-up text")
    return parser


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
