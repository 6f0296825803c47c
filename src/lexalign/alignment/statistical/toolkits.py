"""Statistical aligners of other toolkits: fast_align, the IBM models and the HMM of Thot, and eflomal.

They need the whole corpus before they align anything, so none of them is online. Points are (source, target),
counted from 0. Sentence pairs with an empty side get no links and are not trained on.
"""

import shutil
import subprocess
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any, Literal, get_args

from lexalign.alignment.statistical.fast_align import FastAlignTable
from lexalign.contracts.errors import LexalignError, MissingExtraError

SentencePair = tuple[Sequence[str], Sequence[str]]
Points = list[tuple[int, int]]
ThotModel = Literal["ibm1", "ibm2", "hmm", "ibm3", "ibm4", "fast-align"]
THOT_MODELS: tuple[ThotModel, ...] = get_args(ThotModel)

# Each model is initialised from the one before it, as in GIZA++.
_CHAINS: dict[ThotModel, tuple[str, ...]] = {
    "ibm1": ("Ibm1AlignmentModel",),
    "ibm2": ("Ibm1AlignmentModel", "Ibm2AlignmentModel"),
    "hmm": ("Ibm1AlignmentModel", "HmmAlignmentModel"),
    "ibm3": ("Ibm1AlignmentModel", "HmmAlignmentModel", "Ibm3AlignmentModel"),
    "ibm4": ("Ibm1AlignmentModel", "HmmAlignmentModel", "Ibm3AlignmentModel", "Ibm4AlignmentModel"),
    "fast-align": ("FastAlignModel",),
}


def fast_align(
    corpus: Iterable[SentencePair], pairs: Sequence[SentencePair], *, iterations: int = 5
) -> list[Points]:
    """Train on `corpus` in both directions and align `pairs`, symmetrised by grow-diag-final-and."""
    with _fast_align_tables(corpus, iterations) as paths:
        aligner = _import_extra("systran_align", "fast-align").Aligner(*map(str, paths))
        return [
            sorted(aligner.align(list(source), list(target))["alignments"]) if source and target else []
            for source, target in pairs
        ]


def fast_align_directions(
    corpus: Iterable[SentencePair], pairs: Sequence[SentencePair], *, iterations: int = 5
) -> tuple[list[Points], list[Points]]:
    """The same in the directions source→target and target→source, each point with the source first."""
    with _fast_align_tables(corpus, iterations) as (forward, backward):
        turned = [(target, source) for source, target in pairs]
        back = FastAlignTable.read(backward, turned).align(turned)
        ahead = FastAlignTable.read(forward, pairs).align(pairs)
    return ahead, [sorted((source, target) for target, source in points) for points in back]


@contextmanager
def _fast_align_tables(corpus: Iterable[SentencePair], iterations: int) -> Iterator[tuple[Path, Path]]:
    """The translation probabilities of both directions, as fast_align writes them.

    The options are fast_align's usual ones: favour the diagonal, learn its tension, use a Dirichlet prior.
    """
    systran_align = _import_extra("systran_align", "fast-align")
    with tempfile.TemporaryDirectory() as name:
        text, forward, backward = (Path(name) / part for part in ("text", "forward", "backward"))
        _write_pairs(text, corpus)
        systran_align.generate_alignment_probabilities(
            str(text),
            str(forward),
            str(backward),
            iterations=iterations,
            favor_diagonal=True,
            optimize_tension=True,
            variational_bayes=True,
        )
        yield forward, backward


def thot_align(
    corpus: Iterable[SentencePair],
    pairs: Sequence[SentencePair],
    *,
    model: ThotModel,
    iterations: int = 5,
) -> list[Points]:
    """Train on `corpus` and align `pairs`: one source word, or none, for each target word.

    Every model of the chain is trained for `iterations`. IBM model 4 has no word classes here.
    """
    thot = _import_extra("thot.alignment", "thot")
    trained: Any = None
    for name in _CHAINS[model]:
        first = trained is None
        trained = getattr(thot, name)() if first else getattr(thot, name)(trained)
        if first:  # the models of a chain share their sentences
            for source, target in _nonempty_pairs(corpus):
                trained.add_sentence_pair(list(source), list(target))
        trained.start_training()
        for _ in range(iterations):
            trained.train()
        trained.end_training()
    return [_thot_points(trained, index, pair) for index, pair in enumerate(pairs)]


def eflomal(
    corpus: Iterable[SentencePair], pairs: Sequence[SentencePair], *, model: int = 3
) -> tuple[list[Points], list[Points]]:
    """Train on `corpus` and `pairs`, and align `pairs`: source→target and target→source, the source first.

    The program `eflomal-align` must be installed.
    """
    program = shutil.which("eflomal-align")
    if program is None:
        raise MissingExtraError("the program eflomal-align is not installed; `pip install eflomal` builds it")
    nonempty = [index for index, (source, target) in enumerate(pairs) if source and target]
    with tempfile.TemporaryDirectory() as name:
        text, forward_path, backward_path = (Path(name) / part for part in ("text", "forward", "backward"))
        _write_pairs(text, chain(corpus, pairs))
        command = [
            program,
            "-i",
            str(text),
            "-f",
            str(forward_path),
            "-r",
            str(backward_path),
            "--model",
            str(model),
        ]
        process = subprocess.run(command, capture_output=True, text=True, check=False)
        if process.returncode:
            reason = process.stderr.strip().splitlines()
            raise LexalignError(f"eflomal-align failed: {reason[-1] if reason else process.returncode}")
        forward, backward = (
            _read_points(path, nonempty, len(pairs)) for path in (forward_path, backward_path)
        )
        return forward, backward


def check_installed(method: Literal["fast-align", "hmm-agreement", "hmm", "ibm4"]) -> None:
    """Raise an error, before long work begins, if the extra of a method is not installed."""
    if method == "hmm-agreement":  # our own
        return
    _import_extra(
        *(("systran_align", "fast-align") if method == "fast-align" else ("thot.alignment", "thot"))
    )


def is_installed(program: Literal["fast-align", "eflomal", "thot"]) -> bool:
    if program == "eflomal":
        return shutil.which("eflomal-align") is not None
    return find_spec("systran_align" if program == "fast-align" else "thot") is not None


def _import_extra(module: str, extra: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtraError(
            f"this aligner needs an extra; install it with: pip install 'lexalign[{extra}]'"
        ) from None


def _write_pairs(path: Path, pairs: Iterable[SentencePair]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for source, target in _nonempty_pairs(pairs):
            file.write(f"{' '.join(source)} ||| {' '.join(target)}\n")


def _nonempty_pairs(pairs: Iterable[SentencePair]) -> Iterator[SentencePair]:
    for index, (source, target) in enumerate(pairs):
        for word in (*source, *target):
            if word == "|||" or word.split() != [word]:
                raise LexalignError(f"sentence pair {index + 1}: {word!r} cannot be a word for this aligner")
        if source and target:
            yield source, target


def _thot_points(model: Any, index: int, pair: SentencePair) -> Points:
    source, target = pair
    if not source or not target:
        return []
    if max(len(source), len(target)) > model.max_sentence_length:
        raise LexalignError(
            f"sentence pair {index + 1} has more than {model.max_sentence_length} words; split it first"
        )
    _, matrix = model.get_best_alignment(list(source), list(target))
    origins = matrix.to_list()  # for each target word the source word, counted from 1, or 0
    return sorted((origin - 1, position) for position, origin in enumerate(origins) if origin)


def _read_points(path: Path, nonempty: Sequence[int], num_pairs: int) -> list[Points]:
    """The links of the last lines, which are those of the pairs that were asked for."""
    with path.open(encoding="utf-8") as file:
        lines = deque(file, maxlen=len(nonempty))
    if len(lines) != len(nonempty):
        raise LexalignError(f"eflomal-align gave {len(lines)} lines for {len(nonempty)} sentence pairs")
    found: list[Points] = [[] for _ in range(num_pairs)]
    for index, line in zip(nonempty, lines, strict=True):
        found[index] = [(int(s), int(t)) for s, t in (point.split("-") for point in line.split())]
    return found
