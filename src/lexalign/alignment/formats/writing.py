"""Links as lines of the alignment formats."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from lexalign.contracts.alignment import Link, SpanLink


def pharaoh_line(links: Iterable[Link], *, probabilities: bool = False) -> str:
    return " ".join(
        f"{link.source}-{link.target}"
        + (f":{link.probability:.4g}" if probabilities and link.probability is not None else "")
        for link in _sorted(links)
    )


def talp_line(links: Iterable[Link]) -> str:
    return " ".join(f"{link.source}{'-' if link.sure else 'p'}{link.target}" for link in _sorted(links))


def naacl_lines(sentence_index: int, links: Iterable[Link]) -> str:
    """A line for each link of a sentence, everything counted from 1."""
    return "\n".join(
        f"{sentence_index + 1} {link.source + 1} {link.target + 1} {'S' if link.sure else 'P'}"
        for link in _sorted(links)
    )


def json_line(links: Iterable[Link], *, source: Sequence[str] = (), target: Sequence[str] = ()) -> str:
    words: dict[str, Any] = {"source": list(source), "target": list(target)} if source or target else {}
    listed = []
    for link in _sorted(links):
        entry: dict[str, Any] = {"source": link.source, "target": link.target}
        if link.probability is not None:
            entry["probability"] = round(link.probability, 6)
        if not link.sure:
            entry["sure"] = False
        listed.append(entry)
    return json.dumps(words | {"links": listed}, ensure_ascii=False)


def span_line(links: Iterable[SpanLink]) -> str:
    """A line in Azure's format: first and last character of each span, both inclusive."""
    return " ".join(
        f"{link.source[0]}:{link.source[1] - 1}-{link.target[0]}:{link.target[1] - 1}"
        for link in sorted(links, key=lambda link: (link.source, link.target))
    )


def _sorted(links: Iterable[Link]) -> list[Link]:
    return sorted(links, key=lambda link: (link.source, link.target))
