"""Word links of both directions made one, and those of statistical aligners."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Literal, get_args

import torch

from lexalign.alignment.posteriors import LINK_THRESHOLD
from lexalign.alignment.statistical import SentencePair, fast_align, thot_align
from lexalign.alignment.statistical.hmm import HmmOptions, align_by_agreement
from lexalign.alignment.symmetrization import Method, symmetrize_links
from lexalign.contracts.alignment import Link, WordAlignment
from lexalign.contracts.errors import LexalignError

OfflineMethod = Literal["fast-align", "hmm-agreement", "hmm", "ibm4"]
# How two directions become one: by their links, or by the mean of their probabilities.
Joining = Method | Literal["mean"]
OFFLINE_METHODS: tuple[OfflineMethod, ...] = get_args(OfflineMethod)


def symmetrized(
    forward: WordAlignment, backward: WordAlignment, method: Joining, threshold: float = LINK_THRESHOLD
) -> WordAlignment:
    """Links of both directions; one that both found is as probable as they say on average.

    By `mean`, words are linked where that average, over all pairs of words, is not below the threshold.
    """
    if method == "mean":
        return _agreed(forward, backward, threshold)
    ahead = {(link.source, link.target): link.probability for link in forward.links}
    back = {(link.target, link.source): link.probability for link in backward.links}
    links = []
    for point in symmetrize_links(ahead, back, method):
        known = [value for value in (ahead.get(point), back.get(point)) if value is not None]
        links.append(Link(*point, sum(known) / len(known) if known else None))
    return WordAlignment(source=forward.source, target=forward.target, links=tuple(links))


def _agreed(forward: WordAlignment, backward: WordAlignment, threshold: float) -> WordAlignment:
    if forward.probabilities is None or backward.probabilities is None:
        raise LexalignError("mean joins probabilities, and this method has none; choose another way")
    means = (forward.probabilities + backward.probabilities.T) / 2
    likely = means >= threshold
    points = zip(*likely.T.nonzero(), strict=True)  # source first
    links = [Link(int(s), int(t), min(1.0, float(means[t, s]))) for s, t in points]
    return WordAlignment(
        source=forward.source, target=forward.target, links=tuple(links), probabilities=means
    )


def align_statistically(
    pairs: Sequence[SentencePair],
    corpus: Iterable[SentencePair],
    method: OfflineMethod,
    symmetrization: Joining | None,
    device: torch.device | str = "cpu",
    say: Callable[[str], None] = lambda _: None,
) -> Iterable[WordAlignment]:
    """Learn from the corpus and the pairs themselves, then align the pairs.

    Only `hmm-agreement` needs a `device`, and has much to `say`.
    """
    if method == "hmm-agreement":
        if symmetrization not in (None, "mean"):
            raise LexalignError("hmm-agreement joins its directions by their mean; leave --symmetrize out")
        return _agreed_by_hmm(pairs, corpus, device, say)
    if symmetrization == "mean":
        raise LexalignError(f"mean joins probabilities, and {method} has none; choose another --symmetrize")
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


def _agreed_by_hmm(
    pairs: Sequence[SentencePair],
    corpus: Iterable[SentencePair],
    device: torch.device | str,
    say: Callable[[str], None],
) -> Iterator[WordAlignment]:
    found = align_by_agreement(chain(pairs, corpus), HmmOptions(), device=device, say=say)
    for index, (source, target) in enumerate(pairs):
        links = tuple(Link(*link) for link in found[index])
        yield WordAlignment(source=tuple(source), target=tuple(target), links=links)


def _swap(pairs: Iterable[SentencePair]) -> list[SentencePair]:
    return [(target, source) for source, target in pairs]
