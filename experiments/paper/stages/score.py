"""BLEU-C, CSR and BLEU of all that was translated with constraints, with p-values; needs no GPU."""

from collections.abc import Sequence
from dataclasses import replace

from experiments.paper.pipeline.gold import read_gold
from experiments.paper.pipeline.scoring import Output, Scorer
from experiments.paper.pipeline.stage import Stage
from experiments.paper.pipeline.systems import read_texts, systems
from experiments.paper.pipeline.workspace import Result, Workspace
from experiments.paper.stages import decode, terms
from experiments.paper.stages.sample import read_set
from lexalign.glossary.constraint_files import ConstrainedText


def run(workspace: Workspace, _: str) -> Result:
    return {"sampled": _sampled(workspace), "terms": _terms(workspace)}


def options(workspace: Workspace) -> object:
    pair = workspace.pair
    found = workspace.found("terms")
    measured = [pair.setting.windows, pair.setting.bootstrap_samples, pair.bleu_tokenizer, pair.lowercase]
    return [measured, found and found["fingerprint"]]


def _sampled(workspace: Workspace) -> Result:
    """The scores of sampled constraints by beam and system."""
    references = read_gold(workspace).references
    folder = decode.texts_folder(workspace, workspace.fingerprint("decode"))
    scorer = Scorer.of(workspace.pair, workspace.pair.bleu_tokenizer)
    sets = {number: read_set(workspace, number) for number in range(1, workspace.pair.setting.sets + 1)}
    tables: Result = {}
    for beam in workspace.pair.setting.beams:
        outputs = {
            system: [
                _output(
                    read_texts(folder, system, beam, decode.set_name(system, number)), references, sentences
                )
                for number, sentences in sets.items()
            ]
            for system in systems(beam)
        }
        tables[str(beam)] = scorer.table(outputs)
        workspace.say(f"score: beam {beam} is done")
    return tables


def _output(found: Result, references: Sequence[str], sentences: Sequence[ConstrainedText]) -> Output:
    return Output(texts=found["texts"], seconds=found["seconds"], references=references, sentences=sentences)


def _terms(workspace: Workspace) -> Result:
    """The scores of terms by set, beam and system; none where the data has no terms."""
    found = workspace.found("terms")
    if found is None:
        return {}
    folder = terms.texts_folder(workspace, found["fingerprint"])
    scorer = replace(Scorer.of(workspace.pair, "13a"), windows=())
    tables: Result = {}
    for path in terms.term_files(workspace):
        pairs = list(terms.read_terms(path))
        sentences, references = [one for one, _ in pairs], [one for _, one in pairs]
        tables[path.stem] = {
            str(beam): scorer.table(
                {
                    system: [_output(read_texts(folder, system, beam, path.stem), references, sentences)]
                    for system in systems(beam)
                }
            )
            for beam in workspace.pair.setting.beams
        }
        workspace.say(f"score: {path.stem} is done")
    return tables


STAGE = Stage(name="score", run=run, options=options, needs=("decode",))
