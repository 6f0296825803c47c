"""The searches that imported_terms.py compares: a sentence with constraints, all on the same weights."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, Self

from lexalign.alignment.head_files import saved_heads
from lexalign.models.projection import Precision
from lexalign.translator import ConstraintOptions, PolicyName, SearchPlan, Sentence, TranslateOptions
from lexalign.translator.batch_search import BatchSearcher
from lexalign.translator.model_resources import ModelResources

BEAM = 5


class Searcher(Protocol):
    name: str
    precision: str

    def search(self, sentence: Sentence) -> Sequence[int]:
        """The best translation, without its end."""


class Ours:
    def __init__(self, model: ModelResources, policy: PolicyName, precision: str) -> None:
        self.name, self.precision = f"lexalign {policy}", precision
        options = TranslateOptions(beam=BEAM, constraints=ConstraintOptions(policy=policy)).verbatim()
        self._searcher = BatchSearcher(model)
        self._plan = SearchPlan(
            search=options.search(model.max_target_tokens), constraints=options.constraints
        )

    def search(self, sentence: Sentence) -> Sequence[int]:
        return self._searcher.search([sentence], self._plan)[0][0].token_ids


class Theirs:
    """The search of forced_words.py, in a Python of its own."""

    def __init__(self, python: Path, folder: Path, device: str, eos_id: int) -> None:
        command = [str(python), str(Path(__file__).with_name("forced_words.py"))]
        # A session of its own, so that Ctrl-C is for this process only.
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        self._eos_id = eos_id
        version = self._ask({"folder": str(folder), "device": device, "threads": 1, "beam": BEAM})
        self.name, self.precision = f"transformers {version}", "float32"

    def search(self, sentence: Sentence) -> Sequence[int]:
        ids = self._ask({"source": [*sentence.ids, self._eos_id], "phrases": phrases_of(sentence)})
        return ids[: ids.index(self._eos_id)] if self._eos_id in ids else ids

    def _ask(self, content: dict[str, object]) -> list[int]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(content), file=self._process.stdin, flush=True)
        answered = self._process.stdout.readline()
        if not answered:
            raise SystemExit("the Python of --old-python could not do it; its error stands above")
        found: list[int] = json.loads(answered)
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()


def our_searchers(model: ModelResources, folder: Path, device: str) -> list[Searcher]:
    """Plain search shows what constraints cost; guided is the default, and on a CPU int8 its best."""
    policies: list[PolicyName] = ["none", "vdba"]
    with_head = "post-aln" in saved_heads(folder)
    if with_head:
        policies += ["align-vdba", "guided"]
    on_cpu = device == "cpu"
    found: list[Searcher] = [Ours(model, policy, "float32" if on_cpu else "bfloat16") for policy in policies]
    if on_cpu:
        small: Precision = "int8"
        found.append(Ours(ModelResources.load(folder, device, small), policies[-1], small))
    return found


def phrases_of(sentence: Sentence) -> list[list[int]]:
    return [list(one.alternatives[0]) for one in sentence.constraints]
