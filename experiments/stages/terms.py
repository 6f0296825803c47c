"""Translate sentences with terms from real glossaries (Dinu et al. 2019), where the data has them.

DATA/PAIR/terms/NAME.jsonl    {"src", "ref", "terms": [{"src", "tgt", "src_char"}, ...]}, a sentence in a line
WORK/PAIR/terms-FINGERPRINT/*.json      the translations, as in `decode`
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from experiments.pairs import Direction
from experiments.scoring import Output, Scorer
from experiments.stage import Stage, UnavailableError
from experiments.systems import SYSTEMS, Decoding
from experiments.workspace import Result, Workspace
from lexalign.contracts.constraint import Constraint
from lexalign.data.reader import read_lines
from lexalign.glossary.constraint_files import ConstrainedText


def run(workspace: Workspace, fingerprint: str) -> Result:
    direction, files = _find(workspace)
    decoding = Decoding(workspace, direction, workspace.folder / f"terms-{fingerprint}")
    scorer = replace(Scorer.of(workspace.pair, "13a"), windows=())
    found: Result = {}
    for path in files:
        pairs = list(read_terms(path))
        sentences = [sentence for sentence, _ in pairs]
        references = [reference for _, reference in pairs]
        found[path.stem] = {
            "sentences": len(sentences),
            "terms": sum(len(asked) for _, asked in sentences),
            "beams": {
                str(beam): scorer.table(
                    {
                        system: [
                            Output(
                                **decoding.decode(system, beam, path.stem, sentences),
                                references=references,
                                sentences=sentences,
                            )
                        ]
                        for system in SYSTEMS
                    }
                )
                for beam in workspace.pair.setting.beams
            },
        }
        workspace.say(f"terms: {path.stem} is done")
    return {"direction": direction, "sets": found}


def options(workspace: Workspace) -> object:
    setting = workspace.pair.setting
    return [repr(SYSTEMS), setting.beams, setting.bootstrap_samples, workspace.pair.terms]


def read_terms(path: Path) -> Iterator[tuple[ConstrainedText, str]]:
    """Sentences with their constraints, and their references."""
    for line in read_lines(path):
        content = json.loads(line)
        constraints = tuple(
            Constraint(targets=(term["tgt"],), source=(term["src_char"], term["src_char"] + len(term["src"])))
            for term in content["terms"]
        )
        yield (content["src"], constraints), content["ref"]


def _find(workspace: Workspace) -> tuple[Direction, list[Path]]:
    files = sorted((workspace.data / "terms").glob("*.jsonl"))
    if workspace.pair.terms is None or not files:
        raise UnavailableError("the data has no terms")
    return workspace.pair.terms, files


STAGE = Stage(name="terms", run=run, options=options, needs=("heads",))
