"""Translate sentences with terms from real glossaries (Dinu et al. 2019), where the data has them.

DATA/PAIR/terms/NAME.jsonl    {"src", "ref", "terms": [{"src", "tgt", "src_char"}, ...]}, a sentence in a line
WORK/PAIR/terms-FINGERPRINT/*.json      the translations, as in `decode`
"""

import json
from collections.abc import Iterator
from pathlib import Path

from experiments.paper.pipeline.stage import Stage, UnavailableError
from experiments.paper.pipeline.systems import Decoding, described, systems
from experiments.paper.pipeline.workspace import Result, Workspace
from lexalign.contracts.constraint import Constraint
from lexalign.data.reader import read_lines
from lexalign.glossary.constraint_files import ConstrainedText


def run(workspace: Workspace, fingerprint: str) -> Result:
    if workspace.pair.terms is None or not (files := term_files(workspace)):
        raise UnavailableError("the data has no terms")
    decoding = Decoding(workspace, workspace.pair.terms, texts_folder(workspace, fingerprint))
    sets = {path.stem: [sentence for sentence, _ in read_terms(path)] for path in files}
    for name, sentences in sets.items():
        for beam in decoding.beams:
            for system in systems(beam):
                decoding.decode(system, beam, name, sentences)
        workspace.say(f"terms: {name} is done")
    found: Result = {}
    for name, sentences in sets.items():
        runs = {
            str(beam): {system: decoding.found(system, beam, name) for system in systems(beam)}
            for beam in workspace.pair.setting.beams
        }
        found[name] = {
            "sentences": len(sentences),
            "terms": sum(len(asked) for _, asked in sentences),
            "seconds": {
                beam: {system: one["seconds"] for system, one in made.items()} for beam, made in runs.items()
            },
            "devices": {
                beam: {system: one.get("device") for system, one in made.items()}
                for beam, made in runs.items()
            },
        }
    return {"direction": workspace.pair.terms, "sets": found}


def options(workspace: Workspace) -> object:
    return [described(workspace.pair.setting.beams), workspace.pair.terms]


def texts_folder(workspace: Workspace, fingerprint: str) -> Path:
    return workspace.folder / f"terms-{fingerprint}"


def term_files(workspace: Workspace) -> list[Path]:
    return sorted((workspace.data / "terms").glob("*.jsonl"))


def read_terms(path: Path) -> Iterator[tuple[ConstrainedText, str]]:
    """Sentences with their constraints, and their references."""
    for line in read_lines(path):
        content = json.loads(line)
        constraints = tuple(
            Constraint(targets=(term["tgt"],), source=(term["src_char"], term["src_char"] + len(term["src"])))
            for term in content["terms"]
        )
        yield (content["src"], constraints), content["ref"]


STAGE = Stage(name="terms", run=run, options=options, needs=("heads",))
