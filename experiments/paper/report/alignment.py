"""Alignment error rates, and the layers that were chosen."""

from typing import Any

from experiments.paper.pipeline.pairs import DIRECTIONS, PAIRS
from experiments.paper.report import paper_numbers
from experiments.paper.report.markdown import (
    METHOD_NAMES,
    MISSING,
    Results,
    arrow,
    beside,
    methods_of,
    number,
    short_name,
    table,
    text_of,
)
from lexalign.alignment.layer_selection import ChosenAttention

# The stage `align` on the words of a gold set as they came, and, with the same models, as they are shown now.
AS_GIVEN, REWRITTEN = "align-as-given", "align-rewritten"
_OFFLINE = ("giza++", "fast-align", "eflomal")
_JOINED = "hmm-agreement"  # makes one alignment of both directions
_USUAL = "shift-att"  # the teacher of first rounds
_AGREEMENT = {"the paper's rules": "agreement", "our own": "agreement_above"}
_DELAYS = {**dict.fromkeys(_OFFLINE, "offline"), "shift-att": "1", "shift-aet": "1"}


def sections(results: Results) -> list[str]:
    found = ["## Alignment error rate", _directions(results), _symmetrised(results), _learnt(results)]
    found += [*_own(results), *_helped(results), *_rewritten(results)]
    tables = [_layers(name, results[name]["layers"]) for name in PAIRS if "layers" in results[name]]
    return [*found, *(["### Layers", *tables] if tables else []), text_of("heat-maps")]


def _directions(results: Results) -> str:
    columns = [(pair.name, kind, pair.direction(kind)) for pair in PAIRS.values() for kind in DIRECTIONS]
    rows = [
        [
            shown,
            _DELAYS.get(method, "0"),
            *(
                beside(_aer(results, pair, method, kind), _paper(paper_numbers.AER, direction, method))
                for pair, kind, direction in columns
            ),
        ]
        for method, shown in METHOD_NAMES.items()
        if method != _JOINED
    ]
    shown = (arrow(direction) + PAIRS[pair].mark for pair, _, direction in columns)
    header = ["method", "delay", *shown]
    text = (
        "AER in per cent, ours / the paper's; less is better. The delay is in tokens. Heads are those of the "
        f"first round, whose teacher is ShiftATT{_other_teachers(results)}, and every subword is linked. "
        "† is the paper's own recipe, as far as it was trained; its heads are by the paper's rules alone."
    )
    return f"{text}\n\n{table(header, rows)}"


def _other_teachers(results: Results) -> str:
    """The teachers of pairs whose models' attention hardly agreed."""
    taught = [
        f"{name}: `{teacher}`"
        for name in PAIRS
        if (teacher := results[name].get("heads", {}).get("result", {}).get("teacher", _USUAL)) != _USUAL
    ]
    return f" ({'; '.join(taught)})" if taught else ""


def _symmetrised(results: Results) -> str:
    rows = [
        [
            shown,
            *(
                beside(
                    _aer(results, pair, method, "symmetrised"),
                    _paper(paper_numbers.SYMMETRISED_AER, PAIRS[pair].direction("forward"), method),
                )
                for pair in PAIRS
            ),
        ]
        for method, shown in METHOD_NAMES.items()
    ]
    text = "Both directions made one, by grow-diagonal (HMM by agreement: by the mean of its probabilities):"
    header = ["method", *(pair.direction("forward") + pair.mark for pair in PAIRS.values())]
    return f"{text}\n\n{table(header, rows)}"


def _learnt(results: Results) -> str:
    """How much text the statistical aligners have seen: more than some of them can take in is left out."""
    lines = []
    for pair in PAIRS:
        methods = methods_of(results, pair, "agreement", "statistics")
        seen = [f"{short_name(name)} {found['learnt_from']:,}" for name, found in methods.items()]
        shown = PAIRS[pair].direction("forward") + PAIRS[pair].mark
        lines += [f"{shown} ({', '.join(seen)})"] if seen else []
    told = "; ".join(lines) or "not measured yet"
    return (
        f"Pairs that the statistical aligners learnt from, spread over the text, with those of the gold set: "
        f"{told}."
    )


def _own(results: Results) -> list[str]:
    """What a threshold for each head and the mean of the directions make of the same heads."""
    measured = [pair for pair in PAIRS.values() if "align" in results[pair.name]]
    columns: list[tuple[str, str, str]] = [
        (pair.name, kind, arrow(pair.direction(kind)) + pair.mark) for pair in measured for kind in DIRECTIONS
    ]
    columns += [
        (pair.name, "symmetrised", f"{pair.direction('forward')}{pair.mark}, both") for pair in measured
    ]
    rows = []
    for method in ("prior-att", "shift-aet", "post-aln"):
        cells = [results[pair].get("align", {}).get("result", {}).get("own", {}) for pair, _, _ in columns]
        values = [
            number(found[method][kind]["aer"]) if method in found else MISSING
            for found, (_, kind, _) in zip(cells, columns, strict=True)
        ]
        rows.append([METHOD_NAMES[method], *values])
    text = (
        'Heads of the round that validation text chose (see "What helped"), by our own rules: subwords are '
        "linked with the source subwords that they most probably come from, and so are their words, unless "
        "the source word has less of them than a threshold; both directions are joined where the mean of "
        "their probabilities is a half or more. The thresholds are those whose links come nearest to the "
        "teacher's on validation text. AER in per cent:"
    )
    header = ["method", *(shown for _, _, shown in columns)]
    return ["### Beyond the paper's rules", f"{text}\n\n{table(header, rows)}"]


def _helped(results: Results) -> list[str]:
    """The rounds of self-training, and what ShiftATT owes to final marks."""
    measured = [pair for pair in PAIRS if "rounds" in results[pair].get("align", {}).get("result", {})]
    if not measured:
        return []
    rows = []
    for pair in measured:
        align, heads = results[pair]["align"]["result"], results[pair]["heads"]["result"]
        rows += [
            [
                pair,
                f"PostAln, round {name}{', chosen' if int(name) == heads['best'] else ''}, {rules}",
                *_cells(found),
                number(100 * heads["rounds"][name][_AGREEMENT[rules]]["post-aln"]),
            ]
            for name, ways in align["rounds"].items()
            for rules, found in (("the paper's rules", ways["paper"]), ("our own", ways["own"]))
        ]
        rows.append(
            [pair, "ShiftATT, final marks not set apart", *_cells(align["shift-att, marks free"]), ""]
        )
        if "single-heads" in results[pair]:
            single = results[pair]["single-heads"]["result"]
            heads_alone = ChosenAttention(layers=tuple(single["layers"]), heads=tuple(single["heads"]))
            agreement = number(100 * single["agreement"])
            rows.append(
                [pair, f"ShiftATT, {heads_alone} alone", *_cells(single["methods"]["shift-att"]), agreement]
            )
    header = ["pair", "", "forward", "backward", "symmetrised", "between the directions, on validation text"]
    text = (
        "In a further round the PostAln of the round before takes the place of ShiftATT as the teacher, by "
        "the mean of both directions' probabilities, and the links of our HMM have a say too. AER in per "
        "cent:"
    )
    return ["### What helped", f"{text}\n\n{table(header, rows)}"]


def _rewritten(results: Results) -> list[str]:
    """What it is worth that the text of a gold set is written as the training text is."""
    measured = [pair for pair in PAIRS if AS_GIVEN in results[pair]]
    if not measured:
        return []
    rows = []
    for pair in measured:
        before, after = (results[pair][stage]["result"] for stage in (AS_GIVEN, REWRITTEN))
        for rules, shown in (("methods", "the paper's rules"), ("own", "our own")):
            rows += [
                [
                    pair,
                    f"{METHOD_NAMES[method]}, {shown}",
                    *(
                        f"{old} → {new}"
                        for old, new in zip(
                            _cells(before[rules][method]), _cells(after[rules][method]), strict=True
                        )
                    ),
                ]
                for method in after[rules]
            ]
    text = text_of("gold-text")
    header = ["pair", "", "forward", "backward", "symmetrised"]
    return ["### Gold text as the training text is written", f"{text}\n\n{table(header, rows)}"]


def _cells(found: dict[str, Any]) -> list[str]:
    return [number(found[kind]["aer"]) for kind in ("forward", "backward", "symmetrised")]


def _layers(pair: str, content: dict[str, Any]) -> str:
    """ShiftATT's table, as the paper gives it, and a line for NaiveATT."""
    found = content["result"]["shift-att"]
    best = tuple(found["best"])
    source, target = PAIRS[pair].languages("forward")
    rows = [
        [
            str(row + 1),
            *(
                f"**{number(100 * value)}**" if (row, column) == best else number(100 * value)
                for column, value in enumerate(values)
            ),
        ]
        for row, values in enumerate(found["aer"])
    ]
    header = [f"{source}→{target}", *(f"{target}→{source} {layer + 1}" for layer in range(len(rows)))]
    naive = "/".join(str(layer + 1) for layer in content["result"]["naive-att"]["best"])
    text = f"{pair}: AER between the ShiftATT of both directions on validation text, by layers"
    return f"{text} (NaiveATT agrees best with layers {naive}).\n\n{table(header, rows)}"


def _aer(results: Results, pair: str, method: str, kind: str) -> float | None:
    found = methods_of(results, pair, "align", "agreement", "statistics").get(method, {})
    return float(found[kind]["aer"]) if kind in found else None


def _paper(columns: dict[str, paper_numbers.Column], column: str, method: str) -> float | None:
    cell = columns[column].get(method)
    return None if cell is None else cell[0]
