"""Word links of both directions made one, and those of statistical aligners."""

from collections.abc import Iterable, Sequence
from typing import Literal, get_args

from lexalign.alignment.statistical import SentencePair, fast_align, thot_align
from lexalign.alignment.symmetrization import Method, symmetrize_links
from lexalign.contracts.alignment import Link, WordAlignment
from lexalign.contracts.errors import LexalignError

OfflineMethod = Literal["fast-align", "hmm", "ibm4"]
OFFLINE_METHODS: tuple[OfflineMethod, ...] = get_args(OfflineMethod)


def symmetrized(forward: WordAlignment, backward: WordAlignment, method: Method) -> WordAlignment:
    """Links of both directions; one that both found is as probable as they say on average."""
    ahead = {(link.source, link.target): link.probability for link in forward.links}
    back = {(link.target, link.source): link.probability for link in backward.links}
    links = []
    for point in symmetrize_links(ahead, back, method):
        known = [value for value in (ahead.get(point), back.get(point)) if value is not None]
        links.append(Link(*point, sum(known) / len(known) if known else None))
    return WordAlignment(source=forward.source, target=forward.target, links=tuple(links))


def align_statistically(
    pairs: Sequence[SentencePair],
    corpus: Iterable[SentencePair],
    method: OfflineMethod,
    symmetrization: Method | None,
) -> list[WordAlignment]:
    """Learn from the corpus and the pairs themselves, then align the pairs."""
    learnt = [*corpus, *pairs]
    if method == "fast-align":
        if symmetrization not in (None, "grow-diag-final-and"):
            raise LexalignError("fast-align comes symmetrised by grow-diag-final-and; leave --symmetrize out")
        found = fast_align(learnt, pairs)
    else:
        found = thot_align(learnt, pairs, model=method)
    if method != "fast-align" and symmetrization is not None:
        back = thot_align(_swap(learnt), list(_swap(pairs)), model=method)
        found = [
            symmetrize_links(ahead, [(source, target) for target, source in behind], symmetrization)
            for ahead, behind in zip(found, back, strict=True)
        ]
    return [
        WordAlignment(
            source=tuple(source), target=tuple(target), links=tuple(Link(*point) for point in sorted(points))
        )
        for (source, target), points in zip(pairs, found, strict=True)
    ]


def _swap(pairs: Iterable[SentencePair]) -> list[SentencePair]:
    return [(target, source) for source, target in pairs]
