"""Where the sentences of a text stand; what lies between them is white space, and stays as it is.

    Dr. Ida kam am 3. Mai. „Gut!“ sagte sie.␣␣Er ging.
    |--------------------| |---------------|  |------|

A sentence ends at a line break, and after `.`, `!`, `?`, `…` where white space follows and then what may
begin a sentence. A full stop ends none after an abbreviation, a single letter, or a number of one or two
digits, as in German ordinals. Full stops of Chinese, Japanese and Hindi end a sentence wherever they stand. A
sentence cut in two does more harm to a translation than two that are not, so in doubt nothing is cut.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from lexalign.text.surface import Span

_CLOSING = "\"'”’“»«)\\]}›‹"
_OPENING = "\"'“‘„‚»«(\\[{¿¡›‹–—-"
_END = re.compile(rf"[.!?…]+[{_CLOSING}]*(?=\s)|[。！？｡．।॥][」』）】]*|[\n\r\u2028\u2029]+")
_NEXT = re.compile(rf"\s+[{_OPENING}]*\s?(?:\d|[^\W\d_a-zß-öø-ÿ])")
_LAST_WORD = re.compile(rf"[^\s{_OPENING}]*$")

_ABBREVIATIONS = frozenset(
    (  # noqa: SIM905
        # German
        "abs abschn allg anl anm apr art aufl aug ausg bd bde begr bes betr bez bzgl bzw ca "
        "chr d.h dez dgl dipl dir dr e.v ebd einschl engl entspr etc evtl exkl fa fam feb "
        "ff fig fn fr franz ges ggf hg hl hr hrsg i.d.r inkl insb insbes jan jh jhd jr jul "
        "jun kap kfm lat lfd lit mind mio mrd mwst mär nov nr o.ä od okt pos prof rd "
        "ref reg resp rn röm s.o s.u sen sep sept sog st std str tel tsd u.a u.u u.ä ua usf "
        "ust usw v.a verf vgl vol vs wg z.b z.t z.zt zb ziff zit ztr zz zzgl öff österr "
        # English
        "a.m adj adm approx assn ave bldg blvd capt cf cmdr co col corp cpl ctr dec dept dist e.g "
        "ed eds eg esp est ext fig figs fwd gen gov hon i.e ie inc incl jr lt ltd maj "
        "messrs mfg mr mrs ms msgr mt nos oct p.m pa para paras ph.d pp pres prof pt pub "
        "pvt ref rep rev rt sec sen sgt sr st supt trans u.k u.n u.s univ viz vol vs wk yr "
        # French, Spanish, Romanian
        "art av bd boul chap d-na dl dna env fév févr janv juil mlle mm mme mmes nr p.ex réf "
        "sra srta sté tél uds éd "
    ).split()
)


def sentence_spans(text: str, breaks: Iterable[int] = ()) -> list[Span]:
    """The sentences, without white space around them; one also ends at each of the `breaks`."""
    cuts = sorted({0, len(text), *breaks, *_ends(text)})
    spans = []
    for start, end in pairwise(cuts):
        part = text[start:end]
        if part.strip():
            spans.append((start + len(part) - len(part.lstrip()), start + len(part.rstrip())))
    return spans


def halves(text: str) -> tuple[Span, Span] | None:
    """Two parts of a sentence that is too long, cut at white space: after a mark, and near the middle."""
    places = [match.start() for match in re.finditer(r"(?<=\S)\s+(?=\S)", text)]
    if not places:
        return None
    middle = len(text) / 2

    def cost(place: int) -> float:
        # A mark is worth a way of a quarter of the text.
        return abs(place - middle) - (len(text) / 4 if text[place - 1] in ".,;:!?–—)" else 0)

    cut = min(places, key=cost)
    return (0, cut), (cut + len(text[cut:]) - len(text[cut:].lstrip()), len(text))


def _ends(text: str) -> Iterator[int]:
    for match in _END.finditer(text):
        mark = match[0][0]
        if mark in ".!?…":
            if _NEXT.match(text, match.end()) is None:
                continue
            start, end = match.span()
            if mark == "." and _is_abbreviation(text[max(0, start - 40) : start], text[end : end + 2]):
                continue
        yield match.end()


def _is_abbreviation(before: str, after: str) -> bool:
    """Whether the last word before a full stop takes it without ending a sentence."""
    word = _LAST_WORD.search(before)
    last = word[0].lower() if word else ""
    if last.isdigit():
        return len(last) <= 2
    if last == "no":
        return after.strip().isdigit()
    return (len(last) == 1 and last.isalpha()) or last in _ABBREVIATIONS
