"""The decoders that are compared, by name, and what each makes of a text with constraints."""

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from experiments.paper.pipeline.pairs import Direction
from experiments.paper.pipeline.stage import UnavailableError
from experiments.paper.pipeline.workspace import Result, Workspace, device_name
from lexalign.decoding.policies.align_vdba import default_threshold
from lexalign.glossary.constraint_files import ConstrainedText
from lexalign.storage import write_text
from lexalign.translator import ConstraintOptions, TranslateOptions, Translator
from lexalign.translator.aligners import ONLINE_METHODS

BASELINE = "align-vdba"  # what all others are compared with


def systems(beam: int) -> dict[str, ConstraintOptions]:
    """Align-VDBA has a threshold at small beams alone, as in the paper, and is decoded the other way too.

    Guided search is measured by itself, without trying replacement first.
    """
    other = 0.0 if default_threshold(beam) else 0.1
    found: dict[str, ConstraintOptions] = {
        "none": ConstraintOptions(policy="none"),
        **{method: ConstraintOptions(policy="replace", method=method) for method in ONLINE_METHODS},
        "vdba": ConstraintOptions(policy="vdba"),
        # With 0 the paper's Align-VDBA*.
        f"align-vdba-{other:g}": ConstraintOptions(policy="align-vdba", threshold=other),
        "align-vdba": ConstraintOptions(policy="align-vdba"),
        # The other reading of the algorithm's second line.
        "align-vdba-literal": ConstraintOptions(policy="align-vdba", threshold=0.1, free_tokens="literal"),
        "guided": ConstraintOptions(policy="guided"),  # past the paper
    }
    return {
        name: replace(
            options,
            with_other_searches=False,
            method="post-aln" if options.method == "auto" else options.method,
        )
        for name, options in found.items()
    }


def described(beams: Sequence[int]) -> str:
    """All that translations depend on; an option that the committed results did not have yet is off."""
    found = repr([(beam, systems(beam)) for beam in beams])
    return found.replace(", with_other_searches=False", "").replace(", attention=None", "")


def devices_of(decodings: Sequence[Result]) -> str | None:
    """The devices of some decodings, where they say so."""
    return " and ".join(sorted({found["device"] for found in decodings if "device" in found})) or None


def read_texts(folder: Path, system: str, beam: int, name: str) -> Result:
    """The `texts`, `seconds` and `device` that a decoding has left."""
    kept: Result = json.loads(_path(folder, system, beam, name).read_text(encoding="utf-8"))
    return kept


def _path(folder: Path, system: str, beam: int, name: str) -> Path:
    return folder / f"{system}.beam-{beam}.{name}.json"


class Decoding:
    """Translations of one direction's model, each kept in a file as soon as it is there."""

    def __init__(self, workspace: Workspace, direction: Direction, folder: Path) -> None:
        self._workspace, self._direction, self._folder = workspace, direction, folder
        self._translator: Translator | None = None
        self._warm: set[tuple[str, int]] = set()

    @property
    def beams(self) -> tuple[int, ...]:
        """The beams that this command decodes with."""
        only = self._workspace.beam
        return self._workspace.pair.setting.beams if only is None else (only,)

    def found(self, system: str, beam: int, name: str) -> Result:
        """What a decoding has left; those of another beam may not be there yet."""
        if not _path(self._folder, system, beam, name).exists():
            raise UnavailableError(f"beam {beam} is not decoded yet")
        return read_texts(self._folder, system, beam, name)

    def decode(self, system: str, beam: int, name: str, sentences: Sequence[ConstrainedText]) -> None:
        """Write the `texts`, and the `seconds` that they took on the `device`, without loading the model."""
        path = _path(self._folder, system, beam, name)
        if path.exists():
            return
        chosen = TranslateOptions(
            beam=beam, workers=self._workspace.pair.setting.workers, constraints=systems(beam)[system]
        ).verbatim()
        self._warm_up(system, beam, sentences, chosen)
        clock = time.perf_counter()
        texts = self._translate(sentences, chosen)
        result = {
            "seconds": round(time.perf_counter() - clock, 3),
            "device": device_name(self._workspace.device),
            "texts": texts,
        }
        write_text(path, json.dumps(result, ensure_ascii=False) + "\n")

    def _warm_up(
        self, system: str, beam: int, sentences: Sequence[ConstrainedText], chosen: TranslateOptions
    ) -> None:
        """Translate once before the timing: a GPU records a search for each new shape."""
        if self._workspace.device.startswith("cuda") and (system, beam) not in self._warm:
            self._translate(sentences, chosen)
            self._warm.add((system, beam))

    def _translate(self, sentences: Sequence[ConstrainedText], chosen: TranslateOptions) -> list[str]:
        if self._translator is None:
            workspace = self._workspace
            self._translator = Translator.load(workspace.model(self._direction), device=workspace.device)
        return [found.text for found in self._translator.translate_stream(sentences, chosen)]
