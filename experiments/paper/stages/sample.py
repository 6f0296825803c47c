"""Sample sets of constraints from the gold alignment, leaving out what a greedy translation has anyway.

WORK/PAIR/constraints/greedy.txt             the greedy translation of the gold source
WORK/PAIR/constraints/set-1.jsonl, ...       text and constraints, as `lexalign translate` reads them
"""

from experiments.paper.pipeline.gold import GoldSet, in_running_text, read_gold
from experiments.paper.pipeline.stage import Stage
from experiments.paper.pipeline.workspace import Result, Workspace
from lexalign.data.reader import read_lines
from lexalign.glossary.constraint_files import ConstrainedText, constraint_line, parse_constraints
from lexalign.glossary.sampling import GoldSentence, SamplingOptions, sample_corpus
from lexalign.storage import write_text
from lexalign.translator import TranslateOptions, Translator

OPTIONS = SamplingOptions()


def run(workspace: Workspace, _: str) -> Result:
    gold = read_gold(workspace)
    greedy = _translate_greedily(workspace, gold)
    folder = workspace.folder / "constraints"
    write_text(folder / "greedy.txt", "".join(line + "\n" for line in greedy))
    counts = []
    for number in range(1, workspace.pair.setting.sets + 1):
        sampled = _sample(workspace, gold, greedy, seed=number)
        lines = [constraint_line(text, constraints) for text, constraints in sampled]
        write_text(folder / f"set-{number}.jsonl", "".join(line + "\n" for line in lines))
        counts.append(sum(len(constraints) for _, constraints in sampled))
    return {"constraints": counts, "sentences": len(gold.pairs)}


def options(workspace: Workspace) -> object:
    return [workspace.pair.setting.sets, repr(OPTIONS)]


def read_set(workspace: Workspace, number: int) -> list[ConstrainedText]:
    path = workspace.folder / "constraints" / f"set-{number}.jsonl"
    return parse_constraints(read_lines(path), name=str(path), format="lexalign")


def _translate_greedily(workspace: Workspace, gold: GoldSet) -> list[str]:
    translator = Translator.load(workspace.model("forward"), device=workspace.device)
    chosen = TranslateOptions(beam=1, workers=workspace.pair.setting.workers).verbatim()
    return [found.text for found in translator.translate(gold.sources, chosen)]


def _sample(workspace: Workspace, gold: GoldSet, greedy: list[str], *, seed: int) -> list[ConstrainedText]:
    sentences = [
        GoldSentence(source=source.line, target=target.line, links=links, baseline=baseline)
        for (source, target), links, baseline in zip(gold.pairs, gold.links, greedy, strict=True)
    ]
    return [
        (source.text, tuple(in_running_text(constraint, workspace, source) for constraint in constraints))
        for (source, _), (_, constraints) in zip(
            gold.pairs, sample_corpus(sentences, seed, OPTIONS), strict=True
        )
    ]


STAGE = Stage(name="sample", run=run, options=options, needs=("train",))
