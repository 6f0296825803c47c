"""The fourth stage of head training: a temperature and a threshold for each head, from held-out labels."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from lexalign import __version__
from lexalign.alignment.aligner import LearnedAligner
from lexalign.alignment.attention_files import write_attention
from lexalign.alignment.head_files import HeadSettings, save_head
from lexalign.storage import write_text
from lexalign.training.heads.head_set import HeadSet, SavedHead, SavedHeads, TrainableHead
from lexalign.training.heads.held_out import Evaluation
from lexalign.training.heads.inputs import HeadInputs, HeadRun
from lexalign.training.heads.label_choice import LabelChoice
from lexalign.training.heads.label_sources import LabelSource

Report = dict[str, Any]  # as JSON


@dataclass(frozen=True, kw_only=True)
class CalibratedHead:
    """A trained head, and how it stands to held-out labels, where there are any."""

    head: TrainableHead
    evaluation: Evaluation | None = None
    threshold: float = 0.0

    @property
    def temperature(self) -> float:
        return 1.0 if self.evaluation is None else self.evaluation.calibration.temperature

    def aligner(self) -> LearnedAligner:
        return self.head.aligner(self.temperature)

    def report(self) -> Report:
        assert self.evaluation is not None
        return {**asdict(self.evaluation), "threshold": self.threshold}


Side = Mapping[str, CalibratedHead]  # the heads of a model, by their kinds


@dataclass(frozen=True, kw_only=True)
class CalibratedHeads:
    """The heads of a round, and the AER between both directions where there are both."""

    round_number: int
    forward: Side
    backward: Side
    agreement: Mapping[str, float]  # by kind
    agreement_above: Mapping[str, float]  # without links below the thresholds

    @property
    def sides(self) -> dict[str, Side]:
        return {"forward": self.forward, "backward": self.backward}

    def best_aligners(self) -> tuple[LearnedAligner, LearnedAligner]:
        """Those of both directions that label the next round."""
        return self.forward[self._best_kind].aligner(), self.backward[self._best_kind].aligner()

    def best_forward_aligner(self) -> LearnedAligner:
        """That of the forward direction, where there is no other."""
        return self.forward[self._best_kind].aligner()

    def as_saved(self) -> SavedHeads:
        """The heads of each model as those from which others start."""
        return [
            {
                kind: SavedHead(head=one.head.head, settings=HeadSettings(layer=one.head.layer))
                for kind, one in side.items()
            }
            for side in (self.forward, self.backward)
            if side
        ]

    @property
    def _best_kind(self) -> str:
        return "post-aln" if "post-aln" in self.forward else next(iter(self.forward))

    def report(self) -> Report:
        """`heads.json`."""
        content: Report = {"round": self.round_number}
        for side, heads in self.sides.items():
            content[side] = {kind: one.report() for kind, one in heads.items() if one.evaluation is not None}
        if self.agreement:
            content |= {"agreement": dict(self.agreement), "agreement_above": dict(self.agreement_above)}
        return content

    def summary(self) -> str:
        lines = [f"round {self.round_number}, on held-out text:"]
        for side, heads in self.sides.items():
            for kind, one in heads.items():
                if one.evaluation is not None:
                    lines.append(
                        f"  {side} {kind}: {_described(one.evaluation)}, threshold {one.threshold:g}"
                    )
        if all(one.evaluation is None for one in self.forward.values()):
            lines.append("  there are no labels for it: temperatures stay 1, and thresholds 0")
        for kind, value in self.agreement.items():
            lines.append(
                f"  {kind}: AER between the directions {100 * value:.1f}; "
                f"{100 * self.agreement_above[kind]:.1f} without links below the thresholds"
            )
        return "\n".join(lines)


def _described(evaluation: Evaluation) -> str:
    found = evaluation.calibration
    return (
        f"loss {evaluation.loss:.3f}, temperature {found.temperature:.2f}, "
        f"calibration error {100 * found.error_before:.1f} % → {100 * found.error_after:.1f} %"
    )


def calibrate_heads(
    inputs: HeadInputs, heads: HeadSet, source: LabelSource | None, round_number: int
) -> CalibratedHeads:
    """Without a source of held-out labels temperatures stay 1 and thresholds 0."""
    forward, backward = _calibrate(inputs, heads, source)
    agreement, above = _agreements(inputs, forward, backward) if backward else ({}, {})
    return CalibratedHeads(
        round_number=round_number,
        forward=forward,
        backward=backward,
        agreement=agreement,
        agreement_above=above,
    )


def _calibrate(inputs: HeadInputs, heads: HeadSet, source: LabelSource | None) -> tuple[Side, Side]:
    sides = heads.forward, heads.backward
    if source is None:
        ahead, back = ({kind: CalibratedHead(head=head) for kind, head in side.items()} for side in sides)
        return ahead, back
    evaluations = inputs.held_out.evaluate(heads, source)
    ahead, back = (
        {
            kind: CalibratedHead(head=head, evaluation=evaluation)
            for (kind, head), evaluation in zip(side.items(), found, strict=True)
        }
        for side, found in zip(sides, evaluations, strict=True)
    )
    thresholds = inputs.held_out.choose_thresholds(
        [one.aligner() for one in ahead.values()],
        [one.aligner() for one in back.values()],
        source,
        inputs.continues_word,
    )
    return _with_thresholds(ahead, thresholds[0]), _with_thresholds(back, thresholds[1])


def _with_thresholds(side: Side, thresholds: list[float]) -> Side:
    return {
        kind: replace(one, threshold=threshold)
        for (kind, one), threshold in zip(side.items(), thresholds, strict=True)
    }


def _agreements(
    inputs: HeadInputs, forward: Side, backward: Side
) -> tuple[dict[str, float], dict[str, float]]:
    """The AER between both directions for each kind, of all links and of those above the thresholds."""
    held_out = inputs.held_out
    (table,) = held_out.agreements(
        [
            (
                [one.head.aligner() for one in forward.values()],
                [one.head.aligner() for one in backward.values()],
            )
        ]
    )
    pairs = [(forward[kind], backward[kind]) for kind in forward]
    above = held_out.agreements_above(
        [(ahead.aligner(), back.aligner()) for ahead, back in pairs],
        [(ahead.threshold, back.threshold) for ahead, back in pairs],
        inputs.continues_word,
    )
    agreement = {kind: table.aer[index][index] for index, kind in enumerate(forward)}
    return agreement, dict(zip(forward, above, strict=True))


def save_heads(run: HeadRun, choice: LabelChoice, heads: CalibratedHeads) -> None:
    """Write the heads, and which layers' attention to align with, beside each of the models."""
    if run.ranks.is_first:
        write_text(run.folder / "heads.json", json.dumps(heads.report(), indent=2) + "\n")
        _write_heads(run, choice, heads)
        if choice.tables:
            _write_attention_layers(run, choice)
    run.ranks.wait()


def _write_heads(run: HeadRun, choice: LabelChoice, heads: CalibratedHeads) -> None:
    options = replace(run.options, teacher=choice.teacher)
    notes: dict[str, Any] = {"lexalign": __version__, "training": asdict(options)}
    if choice.attention is not None:
        notes["labels"] = str(choice.attention)
    for folder, side in zip(run.distinct_folders, heads.sides.values(), strict=False):
        for one in side.values():
            settings = HeadSettings(
                layer=one.head.layer, temperature=one.temperature, threshold=one.threshold, notes=notes
            )
            save_head(folder, one.head.head, settings)


def _write_attention_layers(run: HeadRun, choice: LabelChoice) -> None:
    """Layers that were asked for are taken for ShiftATT, those of single heads are not."""
    options, naive = run.options, choice.tables["naive-att"].best
    asked = options.label_layers if options.label_heads is None else None
    shifted = asked or choice.tables["shift-att"].best
    for side, folder in enumerate(run.distinct_folders):
        write_attention(folder, {"naive-att": (naive[side], None), "shift-att": (shifted[side], None)})
