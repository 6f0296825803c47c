"""Check the data, sign it, and learn the vocabulary that both students share."""

from experiments.bundled_models.mixture import original_sentences
from experiments.bundled_models.mixture_recipe import described
from experiments.bundled_models.workspace import BundleWorkspace
from experiments.paper.pipeline.stage import Stage, digest
from experiments.paper.pipeline.workspace import Result
from lexalign.contracts.errors import LexalignError
from lexalign.data.preparation import file_digest
from lexalign.data.reader import read_lines
from lexalign.text.tokenizer import Tokenizer


def run(workspace: BundleWorkspace, _: str) -> Result:
    options = workspace.setting.student.tokenizer
    tokenizer = Tokenizer.train(original_sentences(workspace), options, workspace.tokenizer)
    sizes = {
        corpus.name: {language: _count(workspace, corpus.name, language) for language in corpus.files}
        for corpus in workspace.corpora.all
    }
    return {
        "data": data_digest(workspace),
        "corpora": sizes,
        "largest": workspace.corpora.largest.name,
        "vocabulary_size": tokenizer.vocabulary_size,
    }


def options(workspace: BundleWorkspace) -> object:
    for path in workspace.text("valid").paths:
        if not path.is_file():
            raise LexalignError(
                f"{path} is missing; docs/research/bundled-models.md says what data a bundle needs"
            )
    setting = workspace.setting
    return [
        data_digest(workspace),
        repr(setting.student.tokenizer),
        setting.repeats,
        setting.original_share,
        described(setting.mixture),
        setting.seed,
    ]


def data_digest(workspace: BundleWorkspace) -> str:
    """The digest of every file that is learnt from."""
    files = [path for corpus in workspace.corpora.all for path in corpus.files.values()]
    return digest({path.name: file_digest(path) for path in [*files, *workspace.text("valid").paths]})


def _count(workspace: BundleWorkspace, name: str, language: str) -> int:
    return sum(1 for _ in read_lines(workspace.data / f"{name}.{language}"))


STAGE = Stage(name="prepare", run=run, options=options)
